"""What an instruction is said about: the parameters there are, the loop it stands in, the pages seen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, Protocol

from pagehand.instructions.grammar.wording import Wording
from pagehand.records import Json

if TYPE_CHECKING:
    from pagehand.instructions.grammar.vocabulary import Vocabulary

Wanted = Literal["control", "field", "anything"]
"""What an element is wanted as: to act on, to fill in, or only to look at."""
OutputKind = Literal["data", "file"]
"""What a step may put out that later ones use."""


@dataclass(frozen=True, slots=True)
class Element:
    """An element by its name and, where it was said, what kind of thing it is."""

    name: str
    noun: str = ""
    locator: Json | None = None
    """Set when the name is not enough, or was found on a page that was seen."""


@dataclass(frozen=True, slots=True)
class Output:
    """A block of the workflow and what it puts out; None for what no sentence can speak of."""

    reference: str
    kind: OutputKind | None


class Pages(Protocol):
    """The pages an execution saw."""

    def find(self, words: str, wanted: Wanted, /) -> Json | None:
        """A locator of the one element meant; None when none fits, `NotUnderstood` when several do."""
        ...


@dataclass(slots=True)
class Scene:
    """Everything beside the words themselves."""

    vocabulary: "Vocabulary"
    """What can be said at all."""
    wording: Wording = field(default_factory=Wording)
    parameters: Sequence[str] = ()
    """Names of the parameters that the workflow declares."""
    logins: Mapping[str, str] | None = None
    """Ids of the stored logins by their names; None when they are not known."""
    present: Sequence[Output] = ()
    """The blocks that the workflow has already."""
    pages: Pages | None = None
    item: str = ""
    """What the innermost loop calls its item."""
    last: Element | None = None
    """What `it` means."""

    def inside(self, item: str) -> "Scene":
        """The scene within a loop over things called `item`."""
        return replace(self, item=item)
