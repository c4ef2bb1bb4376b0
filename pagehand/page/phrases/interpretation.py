"""One way to understand a phrase: the name of the element, its role, its position and its contexts."""

from dataclasses import dataclass
from typing import Final, Literal

from pagehand.page.phrases.roles import RoleNoun
from pagehand.page.phrases.tokens import Tokens

ContextKind = Literal[
    "row", "card", "section", "column", "landmark", "any", "near", "left", "right", "below", "above"
]


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the phrase; a quoted one can only be part of a name."""

    text: str
    is_quoted: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """Where the phrase says the element is."""

    kind: ContextKind
    words: Tokens
    position: int | None = None
    """Which row, counted from 0; -1 is the last."""
    counted: Tokens = ()
    """What is counted, where it is more than a row: `attachment` in `the second attachment`."""


@dataclass(frozen=True, slots=True)
class Interpretation:
    """One way to understand a phrase."""

    name: Tokens
    role: RoleNoun | None
    ordinal: int | None
    contexts: tuple[Context, ...]
    has_negation: bool
    full_name: Tokens = ()
    """Name and role noun as one name, where nothing says that the noun is not part of it: `Add row`."""

    @property
    def guesses_role(self) -> bool:
        """True when the role noun may as well be part of the name."""
        return bool(self.full_name)

    def __str__(self) -> str:
        """For a refusal: button called `Save`, in the row of `acme 17`."""
        role = self.role.noun if self.role else "element"
        called = f" called `{' '.join(self.name)}`" if self.name else ""
        where = "".join(
            f", {_RELATIONS[context.kind]} `{' '.join(context.words)}`"
            for context in self.contexts
            if context.words
        )
        return f"{role}{called}{where}"


_RELATIONS: Final[dict[ContextKind, str]] = {
    "row": "in the row of",
    "card": "in the card",
    "section": "in the section",
    "column": "in the column",
    "landmark": "in the",
    "any": "in",
    "near": "next to",
    "left": "left of",
    "right": "right of",
    "below": "below",
    "above": "above",
}
