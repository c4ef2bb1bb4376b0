"""Edits of a workflow's blocks: create, update, delete, move, replaceAll. All apply, or none does."""

from dataclasses import dataclass
from typing import Any, Final

from pagehand.errors import InvalidRequest
from pagehand.records import Json, is_array
from pagehand.workflow import tree
from pagehand.workflow.block_keys import check_envelope
from pagehand.workflow.parse import (
    MAX_BLOCKS,
    Parser,
    UsedIds,
    as_object,
    check_fit,
    check_reference,
    check_room,
    find_kind,
    parse_blocks,
    set_fields,
)
from pagehand.workflow.problems import shown
from pagehand.workflow.tree import Envelope, Kinds

MAX_OPERATIONS: Final = 2000
"""How many operations one call may bring."""
MAX_NEW_BLOCKS: Final = 5 * MAX_BLOCKS
"""How many blocks all operations of one call may bring, those deleted again included."""


def apply(blocks: list[Envelope], operations: Any, kinds: Kinds) -> list[Envelope]:
    """The tree after all operations, in order; the one given stays as it is.

    `InvalidRequest` names the operation's index.
    """
    if not is_array(operations):
        raise InvalidRequest(f"`operations`: expected an array, got {shown(operations)}.")
    steps = operations
    if len(steps) > MAX_OPERATIONS:
        raise InvalidRequest(f"`operations`: expected at most {MAX_OPERATIONS}, got {len(steps)}.")
    # on a copy: an operation that fails must leave nothing of those before it
    editor = _Editor(tree.copy(blocks), kinds)
    for index, operation in enumerate(steps):
        try:
            editor.apply(operation)
        except InvalidRequest as problem:
            raise InvalidRequest(f"operations[{index}]: {problem}") from problem
    return editor.blocks


@dataclass(slots=True)
class _BlockPlace:
    """Where a block stands: the list that holds it, and how deep that list is."""

    block: Envelope
    siblings: list[Envelope]
    depth: int

    @property
    def position(self) -> int:
        return next(at for at, sibling in enumerate(self.siblings) if sibling is self.block)


@dataclass(slots=True)
class _InsertionPoint:
    """Where a block is to go: before `position` of a list."""

    siblings: list[Envelope]
    position: int
    depth: int


class _Editor:
    """Changes a tree that is its own."""

    def __init__(self, blocks: list[Envelope], kinds: Kinds) -> None:
        self._kinds = kinds
        self._new_blocks = 0
        self._load(blocks)

    def _load(self, blocks: list[Envelope]) -> None:
        self.blocks = blocks
        self._used_ids = UsedIds(blocks)
        self._places: dict[str, _BlockPlace] = {}
        for block in blocks:
            self._index(block, blocks, 0)

    def _count_new(self, blocks: list[Envelope]) -> list[Envelope]:
        """Count new blocks: creating and deleting them without end would block other requests."""
        self._new_blocks += sum(1 for _ in tree.walk(blocks))
        if self._new_blocks > MAX_NEW_BLOCKS:
            raise InvalidRequest(f"one call may bring {MAX_NEW_BLOCKS} blocks, no more.")
        return blocks

    def _index(self, block: Envelope, siblings: list[Envelope], depth: int) -> None:
        """Remember where a block and all below it stand."""
        self._places[block.id] = _BlockPlace(block, siblings, depth)
        for children in block.sequences.values():
            for child in children:
                self._index(child, children, depth + 1)

    def apply(self, raw: Any) -> None:
        """Carry out one operation."""
        operation = as_object(raw, "operation")
        match operation.get("type"):
            case "create":
                self._create(operation)
            case "update":
                self._update(operation)
            case "delete":
                self._delete(operation)
            case "move":
                self._move(operation)
            case "replaceAll":
                self._load(self._count_new(parse_blocks(operation.get("blocks"), self._kinds)))
            case other:
                raise InvalidRequest(
                    f"`type`: expected one of create, update, delete, move, replaceAll, got {shown(other)}."
                )

    def _create(self, operation: Json) -> None:
        if operation.get("block") is None:
            raise InvalidRequest("`block` is missing: say which block to create.")
        point = self._insertion_point(operation.get("target"))
        block = Parser(self._kinds, self._used_ids, point.depth).block(operation["block"], "block")
        point.siblings.insert(point.position, block)
        self._index(block, point.siblings, point.depth)
        self._count_new([block])

    def _update(self, operation: Json) -> None:
        place = self._named_block(operation)
        block, given = place.block, _block_of(operation)
        kind = find_kind(self._kinds, given["type"] if given.get("type") is not None else block.type, "block")
        check_envelope(given, kind, "block")
        self._rename(block, given)
        block.type = kind.type
        set_fields(block, given, "block")
        if given.get("sequenceData") is not None:
            # the new children may have the references of those they replace
            for child in (child for children in block.sequences.values() for child in children):
                self._used_ids.drop(child)
            parser = Parser(self._kinds, self._used_ids)
            block.sequences = parser.nested_for(given["sequenceData"], kind, "block", place.depth)
            self._count_new([child for children in block.sequences.values() for child in children])
        lost = [name for name, children in block.sequences.items() if children and name not in kind.sequences]
        if lost:
            raise InvalidRequest(
                f"`block.type`: {kind.title} blocks have no `{lost[0]}`, which is not empty; "
                "move or delete its blocks first, or give `sequenceData`."
            )
        block.sequences = {name: block.sequences.get(name, []) for name in kind.sequences}
        # its children have other lists now, and later operations find them by these
        self._index(block, place.siblings, place.depth)
        check_fit(block, kind, "block")

    def _rename(self, block: Envelope, given: Json) -> None:
        wanted = given.get("blockReferenceId")
        if wanted is None or wanted == block.block_reference_id:
            return
        reference = check_reference(wanted, "block")
        if reference in self._used_ids.by_reference:
            raise InvalidRequest(
                f"`block.blockReferenceId`: `{reference}` is already taken by another block."
            )
        del self._used_ids.by_reference[block.block_reference_id]
        self._used_ids.add(block.id, reference)
        block.block_reference_id = reference

    def _delete(self, operation: Json) -> None:
        place = self._named_block(operation)
        del place.siblings[place.position]
        self._used_ids.drop(place.block)

    def _move(self, operation: Json) -> None:
        place = self._named_block(operation)
        if operation.get("target") is None:
            raise InvalidRequest("`target` is missing: say where the block is to go.")
        point = self._insertion_point(operation["target"], moving=place.block)
        # a move adds no block, but it may put a deep one deeper than is allowed
        check_room(0, point.depth + _height(place.block), "target")
        at = place.position
        del place.siblings[at]
        # taking it out moved what stood behind it, the point included
        if point.siblings is place.siblings and at < point.position:
            point.position -= 1
        point.siblings.insert(point.position, place.block)
        self._index(place.block, point.siblings, point.depth)

    def _named_block(self, operation: Json) -> _BlockPlace:
        """The block an operation names: `blockId`, else `block.id`, else `block.blockReferenceId`."""
        given = _block_of(operation)
        for field, name in (
            ("blockId", operation.get("blockId")),
            ("block.id", given.get("id")),
            ("block.blockReferenceId", given.get("blockReferenceId")),
        ):
            if name is not None:
                return self._find(name, field)
        raise InvalidRequest("say which block is meant: `blockId`, `block.id` or `block.blockReferenceId`.")

    def _find(self, name: Any, field: str) -> _BlockPlace:
        """A block by its id or, where no id is that, by its reference."""
        if not isinstance(name, str):
            raise InvalidRequest(f"`{field}`: expected a string, got {shown(name)}.")
        block_id = name if name in self._used_ids.ids else self._used_ids.by_reference.get(name)
        if block_id is None:
            raise InvalidRequest(f"`{field}`: there is no block {shown(name)} in this workflow.")
        return self._places[block_id]

    def _insertion_point(self, raw: Any, moving: Envelope | None = None) -> _InsertionPoint:
        target = {"type": "end"} if raw is None else as_object(raw, "target")
        match target.get("type"):
            case "after":
                return self._point_after(target, moving)
            case "start":
                return self._point_in(target, moving, at_end=False)
            case "end":
                return self._point_in(target, moving, at_end=True)
            case other:
                raise InvalidRequest(f"`target.type`: expected after, start or end, got {shown(other)}.")

    def _point_after(self, target: Json, moving: Envelope | None) -> _InsertionPoint:
        if target.get("previousBlockId") is None:
            raise InvalidRequest("`target.previousBlockId` is missing: say after which block.")
        previous = self._find(target["previousBlockId"], "target.previousBlockId")
        _check_outside(previous.block, moving)
        return _InsertionPoint(previous.siblings, previous.position + 1, previous.depth)

    def _point_in(self, target: Json, moving: Envelope | None, *, at_end: bool) -> _InsertionPoint:
        siblings, depth = self._sequence(target, moving)
        return _InsertionPoint(siblings, len(siblings) if at_end else 0, depth)

    def _sequence(self, target: Json, moving: Envelope | None) -> tuple[list[Envelope], int]:
        parent_id, name = target.get("parentBlockId"), target.get("parentSequenceId")
        if parent_id is None:
            if name is not None:
                raise InvalidRequest("`target.parentBlockId` is missing: say whose sequence is meant.")
            return self.blocks, 0
        parent = self._find(parent_id, "target.parentBlockId")
        _check_outside(parent.block, moving)
        sequences = parent.block.sequences
        if name is None and len(sequences) == 1:
            name = next(iter(sequences))
        if not isinstance(name, str) or name not in sequences:
            has = ", ".join(f"`{sequence}`" for sequence in sequences) or "no sequence"
            whose = parent.block.block_reference_id
            raise InvalidRequest(f"`target.parentSequenceId`: block `{whose}` has {has}, got {shown(name)}.")
        return sequences[name], parent.depth + 1


def _block_of(operation: Json) -> Json:
    block = operation.get("block")
    return {} if block is None else as_object(block, "block")


def _check_outside(other: Envelope, moving: Envelope | None) -> None:
    if moving is not None and any(inner is other for inner in moving.walk()):
        raise InvalidRequest(
            f"`target`: block `{moving.block_reference_id}` cannot be moved into or after itself."
        )


def _height(block: Envelope) -> int:
    """How many levels hang below a block."""
    below = [_height(child) for children in block.sequences.values() for child in children]
    return 1 + max(below) if below else 0
