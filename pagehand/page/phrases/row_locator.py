"""Locators by the words of a row, which still work when rows are added or removed."""

from typing import Final

from pagehand.page.phrases.interpretation import Context
from pagehand.page.phrases.snapshot import Candidate
from pagehand.page.phrases.tokens import canonicalize, contains_tokens
from pagehand.workflow.locator import Locator

_ROWS: Final = (
    "//*[self::tr or self::li or self::article or @role='row' or @role='listitem' or @role='article']"
)


def row_locator(candidate: Candidate, contexts: tuple[Context, ...]) -> Locator | None:
    """An XPath by the words of the row; None when the phrase names no row or the words cannot be quoted."""
    row = candidate.row
    if row is None:
        return None
    named = {canonicalize(context.words) for context in contexts if context.position is None}
    row_text = next((text for text, words in zip(row.texts, row.parts, strict=False) if words in named), None)
    own_name = _name_condition(candidate)
    if row_text is None or own_name is None or (quoted := _quote(row_text)) is None:
        return None
    has_text = f"[descendant::*[normalize-space()={quoted}]]"
    # of nested rows the innermost
    innermost = f"[not(descendant::*[self::tr or self::li or self::article]{has_text})]"
    return Locator(xpath=f"{_ROWS}{has_text}{innermost}//{candidate.tag}{own_name}")


def row_guard(candidate: Candidate, contexts: tuple[Context, ...]) -> str | None:
    """An XPath of all elements in a row with the words of the phrase; None when the phrase names no row.

    Combined with a locator by position, it matches nothing once another row is at that position.
    """
    row = candidate.row
    if row is None:
        return None
    named = [canonicalize(context.words) for context in contexts if context.position is None]
    row_texts = [
        quoted
        for text, words in zip(row.texts, row.parts, strict=False)
        if any(contains_tokens(words, name) for name in named) and (quoted := _quote(text)) is not None
    ]
    if not row_texts:
        return None
    return (
        f"//{candidate.tag}[ancestor::*[{candidate.row_level}]"
        f"[descendant::*[normalize-space()={row_texts[0]}]]]"
    )


def _name_condition(candidate: Candidate) -> str | None:
    name = next(iter(candidate.names), None)
    if name is None or name.source not in ("text", "aria"):
        return ""
    quoted = _quote(name.text)
    if quoted is None:
        return None
    return f"[normalize-space()={quoted}]" if name.source == "text" else f"[@aria-label={quoted}]"


def _quote(text: str) -> str | None:
    if "'" not in text:
        return f"'{text}'"
    return f'"{text}"' if '"' not in text else None
