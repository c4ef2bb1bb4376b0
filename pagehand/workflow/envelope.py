"""The block envelope: what every block has, whatever its kind."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from pagehand.records import Json
from pagehand.workflow.locator import Locator

SEQUENCE_NAMES = ("sequence", "trueSequence", "falseSequence")
"""The sequences a container may have, in the order they are shown."""


class Kind(Protocol):
    """What the language needs to know of a block kind; `pagehand.blocks` has them all."""

    @property
    def type(self) -> str:
        """The exact `type` on the wire."""
        ...

    @property
    def title(self) -> str:
        """The display name, accepted in place of the type."""
        ...

    @property
    def sequences(self) -> tuple[str, ...]:
        """Names of the nested sequences it has; empty for most."""
        ...

    def field_names(self) -> tuple[str, ...]:
        """The keys its `data` may have."""
        ...

    def check(self, data: Json, locator: Locator | None) -> None:
        """Refuse data or a locator that do not fit, templates allowed: `InvalidRequest` names the field."""
        ...


class Kinds(Protocol):
    """All kinds there are."""

    def nearest(self, name: str) -> Kind | None:
        """The kind that was probably meant by a name that no kind has."""
        ...

    def find(self, type_or_title: str) -> Kind | None:
        """The kind of that type or display name."""
        ...


@dataclass(slots=True)
class Envelope:
    """One block of a workflow with its nested blocks."""

    id: str
    name: str
    block_reference_id: str
    type: str
    data: Json
    locator: Json | None = None
    is_cacheable: bool = True
    skip_if_not_present: bool = False
    use_workflow_recovery_agent: bool = False
    transformer_fn: str = ""
    sequences: dict[str, list["Envelope"]] = field(default_factory=dict[str, list["Envelope"]])

    def walk(self) -> Iterator["Envelope"]:
        """This block and all below it, parents first."""
        yield self
        for sequence in self.sequences.values():
            for child in sequence:
                yield from child.walk()
