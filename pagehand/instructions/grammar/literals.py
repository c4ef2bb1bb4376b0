"""Quoted parts, templates, links and mail addresses: masked, so that no rule reads the words in them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

LiteralKind = Literal["quoted", "template", "url", "email", "written", "json", "steps"]
"""`written` is a number, an amount, a date or a time with marks in it; `steps` a list below a line."""

_FIRST: Final = 0xE000
_LAST: Final = 0xF8FF
TOKEN: Final = f"[{chr(_FIRST)}-{chr(_LAST)}]"
"""A pattern for the character that masks one literal."""

_MONTH: Final = (
    "(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    "oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_LITERALS: Final = re.compile(
    r"(?P<template>\{\{[^{}]*\}\})"
    # an object as a service takes it, with templates and one more object or list in it
    r"|(?P<json>\{\s*+[\"'](?:[^{}]|\{\{[^{}]*+\}\}|\{[^{}]*+\})*+\})"
    # none holds its own opening mark: from each of many that are never closed, the rest would be searched
    r"|(?P<quoted>\"[^\"\n]*\"|“[^“”\n]*”|\u2018[^\u2018\u2019\n]*\u2019|«[^«»\n]*»|`[^`\n]*`"
    # German, Polish and Japanese pages are quoted as people there write it: the closing mark differs
    r"|„[^„“”\n]*[“”]|\u201a[^\u201a\u2018\u2019\n]*[\u2018\u2019]|»[^«»\n]*«|「[^「」\n]*」"
    r"|(?<![^\s(:])'(?:[^'\n]|(?<=\w)'(?=\w))*'(?!\w))|(?P<url>https?://[^\s<>\"“”«»]+)"
    r"|(?P<email>(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++)"
    # a comma in these is no mark between steps
    rf"|(?P<written>(?<![\w.,])(?:(?:{_MONTH})\.? \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|\d{{1,2}}(?:st|nd"
    rf"|rd|th|\.)? (?:of )?(?:{_MONTH})\.?,? \d{{4}}"
    r"|\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]m\b)?|(?:[$€£] ?)?\d{1,3}(?:[,.'"
    r" \u00a0]\d{3})+(?:[.,]\d{1,2})?(?: ?[€$£]| (?:EUR|USD|GBP|CHF)\b)?)(?![\w]|[.,]\w))"
)
_EMOJI: Final = re.compile("[\U0001f300-\U0001faff\u2600-\u26ff\ufe0f]")
_QUOTE: Final = re.compile(r"[\"“”„«»「」]")
_MAX_INDENT: Final = 40
_PUNCTUATION: Final = ".,;:!?)]}'"


@dataclass(frozen=True, slots=True)
class LiteralToken:
    """A part of the text that is used exactly as the user wrote it."""

    kind: LiteralKind
    value: str
    """Without its quotes."""
    written: str
    below: "Sequence[Any]" = ()
    """For `steps`: the sentences of the list."""


@dataclass(slots=True)
class Literals:
    """The literals of one message; each is masked by one character of Unicode's private use area."""

    tokens: list[LiteralToken] = field(default_factory=list[LiteralToken])

    def mask(self, text: str) -> str:
        """The text with one character for every literal, and one blank for other white space in a line."""
        # characters of that range have no meaning in the user's text
        clean = "".join(letter for letter in text if not _FIRST <= ord(letter) <= _LAST)
        # apostrophes of both kinds mean the same
        clean = _EMOJI.sub("", clean)
        masked = _LITERALS.sub(self._mask_one, clean).replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
        return "\n".join(map(_collapse_blanks, masked.splitlines()))

    def mask_steps(self, below: "Sequence[Any]", lines: Sequence[str]) -> str:
        """The character that stands for a list of steps."""
        self.tokens.append(LiteralToken("steps", "", self.as_written("\n".join(lines)), below))
        return chr(_FIRST + len(self.tokens) - 1)

    def unpaired_quote(self, masked: str) -> str | None:
        """The first quotation mark without a partner: where its text ends would be a guess."""
        found = _QUOTE.search(masked)
        return found[0] if found else None

    def token(self, text: str) -> LiteralToken | None:
        """The literal that `text` masks; None when it is anything but one literal."""
        stripped = text.strip()
        if len(stripped) == 1 and 0 <= (position := ord(stripped) - _FIRST) < len(self.tokens):
            return self.tokens[position]
        return None

    def has_quotes(self, text: str) -> bool:
        """True when a part of the text is quoted."""
        return any(token.kind == "quoted" for token in self.tokens_in(text))

    def tokens_in(self, text: str) -> list[LiteralToken]:
        """All literals within the text."""
        return [self.tokens[ord(part) - _FIRST] for part in re.findall(TOKEN, text)]

    def unmask(self, text: str) -> str:
        """The text with the values of its literals, without quotes."""
        return self._replace_tokens(text, lambda token: token.value)

    def as_written(self, text: str) -> str:
        """The text as the user wrote it."""
        return self._replace_tokens(text, lambda token: token.written)

    def _mask_one(self, found: re.Match[str]) -> str:
        # no characters left: the rest stays in the text, and is most likely refused there
        if len(self.tokens) > _LAST - _FIRST:
            return found[0]
        written, rest = found[0], ""
        match found.lastgroup:
            case "quoted":
                kind, value = "quoted", written[1:-1]
            case "template" | "json" | "email" | "written" as kind:
                value = written
            case _:
                value = written.rstrip(_PUNCTUATION)
                if value.count("{{") > value.count("}}"):  # it ends in a template
                    value = written[: len(value) + 2]
                kind, written, rest = "url", value, written[len(value) :]
        self.tokens.append(LiteralToken(kind, value, written))
        return chr(_FIRST + len(self.tokens) - 1) + rest

    def _replace_tokens(self, text: str, replacement: Callable[[LiteralToken], str]) -> str:
        return re.sub(TOKEN, lambda found: replacement(self.tokens[ord(found[0]) - _FIRST]), text)


def _collapse_blanks(line: str) -> str:
    """The words one blank apart, as all patterns expect; the indentation of lists stays."""
    indent = len(line) - len(line.lstrip())
    return " " * min(indent, _MAX_INDENT) + " ".join(line.split())
