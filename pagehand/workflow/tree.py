"""Envelopes, which hold the fields that every block has, and the tree that they form."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol

from pagehand.errors import NotFound
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

    def complete(self, data: Json, locator: Json, reference: str) -> Json:
        """The data that was checked, with what may be left out and every answer has."""
        ...


class Kinds(Protocol):
    """All kinds there are."""

    def nearest(self, name: str) -> Kind | None:
        """The kind that was probably meant by a name that no kind has."""
        ...

    def kind_named(self, type_or_title: str) -> Kind | None:
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


def walk(blocks: Iterable[Envelope]) -> Iterator[Envelope]:
    """All blocks, parents before their children."""
    for block in blocks:
        yield from block.walk()


def find_block(blocks: Iterable[Envelope], block_id: str) -> Envelope | None:
    """The block of that id, however deep."""
    return next((block for block in walk(blocks) if block.id == block_id), None)


def find_by_reference(blocks: Iterable[Envelope], reference: str) -> Envelope | None:
    """The block of that blockReferenceId, however deep."""
    return next((block for block in walk(blocks) if block.block_reference_id == reference), None)


def path_to(blocks: Iterable[Envelope], block_id: str) -> list[str]:
    """Ids from the top level down to that block; empty when it is not there."""
    for block in blocks:
        if block.id == block_id:
            return [block.id]
        for children in block.sequences.values():
            if below := path_to(children, block_id):
                return [block.id, *below]
    return []


def copy(blocks: Iterable[Envelope]) -> list[Envelope]:
    """A copy of the tree; `data` and `locator` are shared, because they are only ever replaced whole."""
    return [
        replace(block, sequences={name: copy(children) for name, children in block.sequences.items()})
        for block in blocks
    ]


def to_json(blocks: Iterable[Envelope]) -> list[Json]:
    """The tree as the API shows it, each block with its place."""
    return _sequence_json(blocks, 0, None, None)


def block_json(blocks: Iterable[Envelope], block_id: str) -> Json:
    """One block as the whole tree shows it."""
    shown = _find_shown(to_json(blocks), block_id)
    if shown is None:
        raise NotFound(f"There is no block `{block_id}` in this workflow.")
    return shown


def from_json(shown: Iterable[Json]) -> list[Envelope]:
    """The tree that `to_json` showed; trusted, nothing is checked."""
    return [
        Envelope(
            id=item["id"],
            name=item["name"],
            block_reference_id=item["blockReferenceId"],
            type=item["type"],
            data=item["data"],
            locator=item.get("locator"),
            is_cacheable=item["isCacheable"],
            skip_if_not_present=item["skipIfNotPresent"],
            use_workflow_recovery_agent=item["useWorkflowRecoveryAgent"],
            transformer_fn=item.get("transformerFn") or "",
            sequences={name: from_json(children) for name, children in _nested(item).items()},
        )
        for item in shown
    ]


def _nested(shown: Json) -> dict[str, list[Json]]:
    return shown.get("sequenceData") or {}


def _sequence_json(
    blocks: Iterable[Envelope], depth: int, parent: str | None, sequence: str | None
) -> list[Json]:
    return [
        _envelope_json(
            block,
            {
                "blockDepth": depth,
                "positionInSequence": position,
                "parentBlockId": parent,
                "parentSequenceId": sequence,
            },
        )
        for position, block in enumerate(blocks)
    ]


def _envelope_json(block: Envelope, place: Json) -> Json:
    shown: Json = {
        "id": block.id,
        "name": block.name,
        "blockReferenceId": block.block_reference_id,
        "type": block.type,
        "locator": block.locator,
        "isCacheable": block.is_cacheable,
        "skipIfNotPresent": block.skip_if_not_present,
        "useWorkflowRecoveryAgent": block.use_workflow_recovery_agent,
        "data": block.data,
        "parentRelationship": place,
        "transformerFn": block.transformer_fn,
    }
    if block.sequences:
        shown["sequenceData"] = {
            name: _sequence_json(block.sequences[name], place["blockDepth"] + 1, block.id, name)
            # in the contract's order, whatever the order in which a client sent them
            for name in SEQUENCE_NAMES
            if name in block.sequences
        }
    return shown


def _find_shown(shown: list[Json], block_id: str) -> Json | None:
    for item in shown:
        if item["id"] == block_id:
            return item
        for children in _nested(item).values():
            if (inner := _find_shown(children, block_id)) is not None:
                return inner
    return None
