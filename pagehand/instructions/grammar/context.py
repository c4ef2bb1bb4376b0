"""What an instruction can refer to: parameters, logins, existing blocks, the loop around it, pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, Protocol

from pagehand.instructions.grammar.budget import Budget
from pagehand.instructions.grammar.literals import Literals
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.page.phrases import TargetKind
from pagehand.records import Json

if TYPE_CHECKING:
    from pagehand.instructions.grammar.vocabulary import Vocabulary

OutputKind = Literal["data", "file"]
"""Outputs of a block that later sentences can refer to."""


@dataclass(frozen=True, slots=True)
class Element:
    """An element by its name and, where the sentence has one, the noun for its kind."""

    name: str
    noun: str = ""
    locator: Json | None = None
    """Set when the name is not enough, or when a visited page has the element."""


@dataclass(frozen=True, slots=True)
class Output:
    """A block of the workflow and the kind of its output; None when no sentence can refer to it."""

    reference: str
    kind: OutputKind | None


class Pages(Protocol):
    """The pages an execution visited."""

    def find(self, words: str, target: TargetKind, /) -> Json | None:
        """A locator of the element; None when no page has it, `NotUnderstood` when several elements fit."""
        ...


@dataclass(slots=True)
class ParseContext:
    """Everything that a sentence may refer to. Copied for each reading that is tried."""

    vocabulary: "Vocabulary"
    literals: Literals = field(default_factory=Literals)
    budget: Budget = field(default_factory=Budget)
    parameters: Sequence[str] = ()
    """Names of the parameters that the workflow declares."""
    logins: Mapping[str, str] | None = None
    """Ids of the stored logins by name; None when they are not known."""
    existing: Sequence[Output] = ()
    """The blocks that the workflow already has."""
    pages: Pages | None = None
    loop_item: str = ""
    """What the innermost loop calls its item."""
    last_element: Element | None = None
    """What `it` refers to."""

    def in_loop(self, item: str) -> "ParseContext":
        """The context within a loop over things called `item`."""
        return replace(self, loop_item=item)

    def not_understood(self, text: str, reason: str) -> NotUnderstood:
        """A refusal that quotes masked text as the user wrote it."""
        return NotUnderstood(self.literals.as_written(text), reason)
