"""Says in words what changes from one workflow to another: of blocks, not of lines."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Final

import orjson

from pagehand.blocks import Registry
from pagehand.records import Json, is_object
from pagehand.workflow_files.shortening import LoginName, shorten, walk_blocks
from pagehand.workflow_files.words import SEQUENCES, WORKFLOW_DEFAULTS

_LONGEST: Final = 60
_NOT_FIELDS: Final = frozenset(("kind", "name", "ref", "at", *SEQUENCES))


@dataclass(slots=True, frozen=True)
class _Block:
    """One block of one side, with what is needed to find it on the other."""

    reference: str
    is_named: bool
    kind: str
    name: str
    verb: str
    fields: Json
    parent: str | None
    """The reference of the block around it and the word for the sequence there."""
    position: int

    @property
    def digest(self) -> bytes:
        return orjson.dumps([self.kind, self.name, self.fields])

    def __str__(self) -> str:
        return f"“{self.name}”"


def differences(before: Json, after: Json, kinds: Registry, login_name: LoginName) -> list[str]:
    """Sentences about what `after` changes; both are workflows with parsed blocks."""
    old, new = shorten(before, kinds, login_name), shorten(after, kinds, login_name)
    return [
        *_workflow_changes(old, new),
        *_parameter_changes(old.get("parameters", {}), new.get("parameters", {})),
        *_block_changes(_flat(before, old, kinds), _flat(after, new, kinds)),
    ]


def _workflow_changes(old: Json, new: Json) -> Iterator[str]:
    for field in ("name", *WORKFLOW_DEFAULTS):
        if field != "parameters":
            yield from _change(f"`{field}`", field, old, new)


def _parameter_changes(old: Json, new: Json) -> Iterator[str]:
    for name in new.keys() - old.keys():
        yield f"The parameter `{name}` is new."
    for name in old.keys() - new.keys():
        yield f"The parameter `{name}` is gone."
    for name in sorted(old.keys() & new.keys()):
        for field in sorted(old[name].keys() | new[name].keys()):
            yield from _change(f"`{field}` of the parameter `{name}`", field, old[name], new[name])


def _block_changes(old: list[_Block], new: list[_Block]) -> Iterator[str]:
    pairs = _pairs(old, new)
    partners = {id(after): before for before, after in pairs}
    for block in old:
        if not any(block is before for before, _ in pairs):
            yield f"{block} ({block.kind}) is gone."
    in_place = _in_place(old, pairs)
    for number, block in enumerate(new):
        before = partners.get(id(block))
        if before is None:
            yield f"{block} ({block.kind}) is new, {_place(new, number)}."
            continue
        if id(block) not in in_place:
            yield f"{block} moves: it is {_place(new, number)} now."
        yield from _changed(before, block)


def _changed(before: _Block, after: _Block) -> Iterator[str]:
    if before.name != after.name:
        yield f"{before} is now called {after}."
    old, new = before.fields.get("at"), after.fields.get("at")
    if old != new:
        shown_old, shown_new = _element(old, new), _element(new, old)
        instead = f" instead of {shown_old}" if old else ""
        yield (
            f"{after} now {after.verb} {shown_new}{instead}."
            if new
            else f"{after} no longer names an element."
        )
    for field in dict.fromkeys((*before.fields, *after.fields)):
        if field not in _NOT_FIELDS:
            yield from _change(f"{after}: `{field}`", field, before.fields, after.fields)
    if before.reference != after.reference and (before.is_named or after.is_named):
        yield f"{after}: others call it `{after.reference}` instead of `{before.reference}`."


def _change(subject: str, field: str, old: Json, new: Json) -> Iterator[str]:
    before, after = old.get(field), new.get(field)
    if before == after and type(before) is type(after):
        return
    if after is None:
        yield f"{subject} is left out; it was {_value(before)}."
    elif before is None:
        yield f"{subject} is {_value(after)}."
    elif isinstance(before, str) and isinstance(after, str) and "\n" in before + after:
        yield f"{subject} is changed: {_lines(before, after)}."
    else:
        yield f"{subject} is {_value(after)} instead of {_value(before)}."


def _lines(before: str, after: str) -> str:
    matcher = SequenceMatcher(a=before.splitlines(), b=after.splitlines(), autojunk=False)
    kept = sum(block.size for block in matcher.get_matching_blocks())
    return f"{len(after.splitlines()) - kept} lines are new, {len(before.splitlines()) - kept} are gone"


def _value(value: Any) -> str:
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return f"`{text if len(text) <= _LONGEST else text[:_LONGEST] + '…'}`"


def _element(locator: Any, other: Any) -> str:
    """An element, by what distinguishes it from the other where they differ in one field."""
    if is_object(locator) and is_object(other) and locator.keys() == other.keys():
        differing = [value for key, value in locator.items() if value != other[key]]
        if len(differing) == 1:
            return _value(differing[0])
    return _value(locator)


def _pairs(old: list[_Block], new: list[_Block]) -> list[tuple[_Block, _Block]]:
    """Which block of one side is which of the other: by reference, else the same, else of the same name."""
    pairs: list[tuple[_Block, _Block]] = []
    for key in (_by_reference, _by_content, _by_name, _by_kind):
        left = [block for block in old if not any(block is before for before, _ in pairs)]
        right = [block for block in new if not any(block is after for _, after in pairs)]
        matcher = SequenceMatcher(a=[*map(key, left)], b=[*map(key, right)], autojunk=False)
        for match in matcher.get_matching_blocks():
            found = zip(left[match.a :][: match.size], right[match.b :][: match.size], strict=True)
            pairs += [pair for pair in found if key(pair[0])[0]]
    return pairs


def _by_reference(block: _Block) -> tuple[bool, str, str]:
    return block.is_named, block.reference, block.kind


def _by_content(block: _Block) -> tuple[bool, bytes, str]:
    return True, block.digest, ""


def _by_name(block: _Block) -> tuple[bool, str, str]:
    return True, block.name, block.kind


def _by_kind(block: _Block) -> tuple[bool, str, str]:
    return True, block.kind, block.parent or ""


def _in_place(old: list[_Block], pairs: list[tuple[_Block, _Block]]) -> set[int]:
    """The ids of the new blocks that stay in the same sequence and in their order there."""
    now_called = {before.reference: after.reference for before, after in pairs}
    sequences: dict[str, list[tuple[int, _Block]]] = {}
    for before, after in pairs:
        around, _, word = (before.parent or "").partition(" ")
        if f"{now_called.get(around, around)} {word}".strip() == (after.parent or ""):
            number = next(number for number, block in enumerate(old) if block is before)
            sequences.setdefault(after.parent or "", []).append((number, after))
    return {id(block) for stayed in sequences.values() for block in _unmoved(stayed)}


def _unmoved(stayed: list[tuple[int, _Block]]) -> Iterator[_Block]:
    in_new = sorted(stayed, key=lambda pair: pair[1].position)
    numbers = [number for number, _ in in_new]
    matcher = SequenceMatcher(a=sorted(numbers), b=numbers, autojunk=False)
    for match in matcher.get_matching_blocks():
        yield from (block for _, block in in_new[match.b : match.b + match.size])


def _place(blocks: list[_Block], number: int) -> str:
    block = blocks[number]
    earlier = [other for other in blocks[:number] if other.parent == block.parent]
    if earlier:
        return f"after {earlier[-1]}"
    around = next(
        (other for other in blocks if block.parent and block.parent.startswith(f"{other.reference} ")), None
    )
    return f"the first in {around}" if around else "the first"


def _flat(workflow: Json, short: Json, kinds: Registry) -> list[_Block]:
    written_blocks = _written(short["blocks"], workflow["blocks"], None)
    pairs = zip(walk_blocks(workflow["blocks"]), written_blocks, strict=True)
    return [
        _Block(
            reference=block["blockReferenceId"],
            is_named="ref" in written,
            kind=kinds[block["type"]].title,
            name=block["name"],
            verb=kinds[block["type"]].verb,
            fields={key: value for key, value in written.items() if key == "at" or key not in _NOT_FIELDS},
            parent=parent,
            position=position,
        )
        for position, (block, (written, parent)) in enumerate(pairs)
    ]


def _written(short: list[Json], whole: list[Json], parent: str | None) -> Iterator[tuple[Json, str | None]]:
    """The short blocks, parents first, each with the reference of its parent and the sequence in it."""
    for written, block in zip(short, whole, strict=True):
        yield written, parent
        sequences: dict[str, list[Json]] = block.get("sequenceData") or {}
        for word, name in SEQUENCES.items():
            yield from _written(
                written.get(word, []), sequences.get(name) or [], f"{block['blockReferenceId']} {word}"
            )
