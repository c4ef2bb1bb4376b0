"""A text whose quoted parts, templates, links and mail addresses are out of the way of its words."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal

Kind = Literal["quoted", "template", "url", "email"]

_FIRST: Final = 0xE000
_LAST: Final = 0xF8FF
ATOM: Final = f"[{chr(_FIRST)}-{chr(_LAST)}]"
"""A pattern for one part that was put out of the way."""

_PARTS: Final = re.compile(
    r"(?P<template>\{\{[^{}]*\}\})"
    r"|(?P<quoted>\"[^\"\n]*\"|“[^”\n]*”|\u2018[^\u2019\n]*\u2019|«[^»\n]*»|`[^`\n]*`"
    # German, Polish and Japanese pages are quoted as people there write it: the closing mark differs
    r"|„[^“”\n]*[“”]|\u201a[^\u2018\u2019\n]*[\u2018\u2019]|»[^«\n]*«|「[^」\n]*」"
    r"|(?<![^\s(:])'(?:[^'\n]|'(?=\w))*'(?!\w))"
    r"|(?P<url>https?://[^\s<>\"“”«»]+)"
    r"|(?P<email>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
)
_LONE_QUOTE: Final = re.compile(r"[\"“”„«»「」]")
_TRAILING: Final = ".,;:!?)]}'"


@dataclass(frozen=True, slots=True)
class Atom:
    """One part that is taken as it stands."""

    kind: Kind
    value: str
    written: str


@dataclass(slots=True)
class Wording:
    """Remembers what each stand-in character stands for."""

    atoms: list[Atom] = field(default_factory=list[Atom])

    def shield(self, text: str) -> str:
        """The text with a single character in the place of every quoted part, template, link and address."""
        # the range is for private use: what the user has there means nothing to anybody else
        clean = "".join(letter for letter in text if not _FIRST <= ord(letter) <= _LAST)
        # apostrophes of both kinds mean the same
        return _PARTS.sub(self._put_away, clean).replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")

    def lone_quote(self, shielded: str) -> str | None:
        """The first quotation mark that has no partner: where its text ends would be a guess."""
        found = _LONE_QUOTE.search(shielded)
        return found[0] if found else None

    def atom(self, text: str) -> Atom | None:
        """What `text` stands for, if it is one stand-in and nothing else."""
        folded = text.strip()
        if len(folded) == 1 and 0 <= (position := ord(folded) - _FIRST) < len(self.atoms):
            return self.atoms[position]
        return None

    def has_quotes(self, text: str) -> bool:
        """True when some of the text was quoted."""
        return any(atom.kind == "quoted" for atom in self.atoms_in(text))

    def atoms_in(self, text: str) -> list[Atom]:
        """What was put out of the way within the text."""
        return [self.atoms[ord(part) - _FIRST] for part in re.findall(ATOM, text)]

    def plain(self, text: str) -> str:
        """The text with its parts put back, without their quotes."""
        return self._put_back(text, lambda atom: atom.value)

    def written(self, text: str) -> str:
        """The text as the user wrote it."""
        return self._put_back(text, lambda atom: atom.written)

    def _put_away(self, found: re.Match[str]) -> str:
        # out of stand-ins: what is left stays in the text, and is most likely refused there
        if len(self.atoms) > _LAST - _FIRST:
            return found[0]
        written, rest = found[0], ""
        match found.lastgroup:
            case "quoted":
                kind, value = "quoted", written[1:-1]
            case "template":
                kind, value = "template", written
            case "email":
                kind, value = "email", written
            case _:
                value = written.rstrip(_TRAILING)
                kind, written, rest = "url", value, written[len(value) :]
        self.atoms.append(Atom(kind, value, written))
        return chr(_FIRST + len(self.atoms) - 1) + rest

    def _put_back(self, text: str, shown: Callable[[Atom], str]) -> str:
        return re.sub(ATOM, lambda found: shown(self.atoms[ord(found[0]) - _FIRST]), text)
