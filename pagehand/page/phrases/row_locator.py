"""A locator that names an element by what its row says, so that it holds when rows come and go."""

from typing import Final

from pagehand.page.phrases.phrase import Context
from pagehand.page.phrases.snapshot import Candidate
from pagehand.page.phrases.tokens import holds, meant
from pagehand.workflow.locator import Locator

_ROWS: Final = (
    "//*[self::tr or self::li or self::article or @role='row' or @role='listitem' or @role='article']"
)


def row_locator(candidate: Candidate, contexts: tuple[Context, ...]) -> Locator | None:
    """An XPath over the row's own words; None when the phrase named no row or the words cannot be quoted."""
    row = candidate.row
    if row is None:
        return None
    named = {meant(context.words) for context in contexts if context.position is None}
    row_text = next((text for text, words in zip(row.texts, row.parts, strict=True) if words in named), None)
    own = _own_words(candidate)
    if row_text is None or own is None or (quoted := _quoted(row_text)) is None:
        return None
    holds = f"[descendant::*[normalize-space()={quoted}]]"
    # the innermost row that says so
    inner = f"[not(descendant::*[self::tr or self::li or self::article]{holds})]"
    return Locator(xpath=f"{_ROWS}{holds}{inner}//{candidate.tag}{own}")


def row_guard(candidate: Candidate, contexts: tuple[Context, ...]) -> str | None:
    """An XPath of all that stand in a row with the words the phrase named it by; None when it named none.

    Beside a locator that counts elements it keeps rows that move from being taken for one another.
    """
    row = candidate.row
    if row is None:
        return None
    named = [meant(context.words) for context in contexts if context.position is None]
    row_texts = [
        quoted
        for text, words in zip(row.texts, row.parts, strict=True)
        if any(holds(words, item) for item in named) and (quoted := _quoted(text)) is not None
    ]
    if not row_texts:
        return None
    return (
        f"//{candidate.tag}[ancestor::*[{candidate.row_level}]"
        f"[descendant::*[normalize-space()={row_texts[0]}]]]"
    )


def _own_words(candidate: Candidate) -> str | None:
    name = next(iter(candidate.names), None)
    if name is None or name.source not in ("text", "aria"):
        return ""
    quoted = _quoted(name.text)
    if quoted is None:
        return None
    return f"[normalize-space()={quoted}]" if name.source == "text" else f"[@aria-label={quoted}]"


def _quoted(text: str) -> str | None:
    if "'" not in text:
        return f"'{text}'"
    return f'"{text}"' if '"' not in text else None
