"""Block definitions as users hand them in become envelopes, checked and with defaults filled in."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from pydantic import ValidationError

from pagehand.errors import InvalidRequest
from pagehand.ids import new_id
from pagehand.records import Json, is_array, is_object
from pagehand.workflow import templates, tree
from pagehand.workflow.block_keys import check_envelope
from pagehand.workflow.locator import BlockLocator, Locator
from pagehand.workflow.problems import first_problem, shown
from pagehand.workflow.refusals import BOOLEAN, OBJECT, STRING
from pagehand.workflow.tree import Envelope, Kind, Kinds

MAX_DEPTH: Final = 20
"""How deep sequences may nest."""
MAX_BLOCKS: Final = 2000
"""How many blocks a workflow may have, nested ones included."""
LONGEST_NAME: Final = 1000
"""How many characters the name of a workflow, a block or a batch may have."""
LONGEST_TEXT: Final = 1_000_000
"""How many characters one text of a block may have; other requests wait while a pattern goes through it."""
REFERENCE: Final = re.compile(r"[A-Za-z0-9_-]{1,100}")
"""What block references, block ids and parameter names look like."""
_LOCATOR_FIELDS: Final = frozenset(field.alias or name for name, field in BlockLocator.model_fields.items())
_FLAGS: Final = (
    ("isCacheable", "is_cacheable"),
    ("skipIfNotPresent", "skip_if_not_present"),
    ("useWorkflowRecoveryAgent", "use_workflow_recovery_agent"),
)


def parse_blocks(raw: Any, kinds: Kinds) -> list[Envelope]:
    """The blocks of a whole workflow; `InvalidRequest` names the block and the field."""
    return Parser(kinds).sequence(raw, "blocks")


class UsedIds:
    """Ids and references of the blocks that are there, kept as blocks come and go."""

    def __init__(self, blocks: Iterable[Envelope] = ()) -> None:
        self.ids: set[str] = set()
        self.by_reference: dict[str, str] = {}
        self.numbers: dict[str, int] = {}
        for block in tree.walk(blocks):
            self.add(block.id, block.block_reference_id)

    def add(self, block_id: str, reference: str) -> None:
        """A block of that id and reference is there now."""
        self.ids.add(block_id)
        self.by_reference[reference] = block_id

    def drop(self, block: Envelope) -> None:
        """A block, and what is nested in it, is gone."""
        for inner in block.walk():
            self.ids.discard(inner.id)
            self.by_reference.pop(inner.block_reference_id, None)


class Parser:
    """Turns definitions into envelopes that fit beside the blocks already there."""

    def __init__(self, kinds: Kinds, used_ids: UsedIds | None = None, depth: int = 0) -> None:
        """`used_ids` is added to; `depth` is that of what is parsed."""
        self._kinds = kinds
        self._depth = depth
        self._used_ids = used_ids or UsedIds()
        self._given: set[str] = set()

    def sequence(self, raw: Any, at: str) -> list[Envelope]:
        """An array of definitions."""
        if not is_array(raw):
            raise InvalidRequest(f"`{at}`: expected an array of blocks, got {shown(raw)}.")
        definitions = raw
        self._collect_given(definitions)
        return self._sequence(definitions, at, self._depth)

    def block(self, raw: Any, at: str) -> Envelope:
        """One definition with what is nested in it."""
        self._collect_given([raw])
        return self._block(raw, at, self._depth)

    def _collect_given(self, definitions: list[Any], depth: int = 0) -> None:
        """References that users chose anywhere below, so that made-up ones keep clear of them."""
        for definition in definitions:
            # what is wrong is reported when it is parsed; here it must only not recurse without end
            if depth > MAX_DEPTH or not is_object(definition):
                continue
            if isinstance(reference := definition.get("blockReferenceId"), str):
                self._given.add(reference)
            if is_object(nested := definition.get("sequenceData")):
                for children in nested.values():
                    self._collect_given(children if is_array(children) else [], depth + 1)

    def _sequence(self, raw: Any, at: str, depth: int) -> list[Envelope]:
        if not is_array(raw):
            raise InvalidRequest(f"`{at}`: expected an array of blocks, got {shown(raw)}.")
        return [self._block(item, f"{at}[{position}]", depth) for position, item in enumerate(raw)]

    def _block(self, raw: Any, at: str, depth: int) -> Envelope:
        check_room(len(self._used_ids.ids) + 1, depth, at)
        given = as_object(raw, at)
        kind = find_kind(self._kinds, given.get("type"), at)
        check_envelope(given, kind, at)
        block_id, reference = self._id(given, at), self._reference(given, kind, at)
        # before what is nested in it, so that a child cannot take its parent's reference
        self._used_ids.add(block_id, reference)
        block = Envelope(id=block_id, name=kind.title, block_reference_id=reference, type=kind.type, data={})
        set_fields(block, {"data": {}, **given}, at)
        check_fit(block, kind, at)
        block.sequences = self.nested(given.get("sequenceData"), kind, at, depth)
        return block

    def nested(self, raw: Any, kind: Kind, at: str, depth: int) -> dict[str, list[Envelope]]:
        """The sequences of a block at `depth`: all that its kind has, no others."""
        given = {} if raw is None else as_object(raw, f"{at}.sequenceData")
        for name in given:
            if name not in kind.sequences:
                has = " and ".join(f"`{sequence}`" for sequence in kind.sequences) or "no sequences"
                raise InvalidRequest(f"`{at}.sequenceData.{name}`: {kind.title} blocks have {has}.")
        return {
            name: self._sequence(given.get(name) or [], f"{at}.sequenceData.{name}", depth + 1)
            for name in kind.sequences
        }

    def nested_for(self, raw: Any, kind: Kind, at: str, depth: int) -> dict[str, list[Envelope]]:
        """New sequences for a block that is there already."""
        if is_object(raw):
            self._collect_given([{"sequenceData": raw}])
        return self.nested(raw, kind, at, depth)

    def _id(self, given: Json, at: str) -> str:
        wanted = given.get("id")
        if wanted is not None and not (isinstance(wanted, str) and REFERENCE.fullmatch(wanted)):
            raise InvalidRequest(f"`{at}.id`: expected letters, digits, `_` and `-`, got {shown(wanted)}.")
        # a copied block brings the id of its original, which cannot stand twice
        return wanted if wanted is not None and wanted not in self._used_ids.ids else new_id("block")

    def _reference(self, given: Json, kind: Kind, at: str) -> str:
        wanted = given.get("blockReferenceId")
        reference = self._next_reference(kind.type) if wanted is None else check_reference(wanted, at)
        if reference in self._used_ids.by_reference:
            raise InvalidRequest(f"`{at}.blockReferenceId`: `{reference}` is already taken by another block.")
        return reference

    def _next_reference(self, type_name: str) -> str:
        # goes on from the last one: trying from 1 each time is slow for a thousand blocks of a kind
        number = self._used_ids.numbers.get(type_name, 0) + 1
        while (
            reference := f"{type_name}_{number}"
        ) in self._used_ids.by_reference or reference in self._given:
            number += 1
        self._used_ids.numbers[type_name] = number
        return reference


def as_object(raw: Any, at: str) -> Json:
    """`raw` if it is a JSON object."""
    if not is_object(raw):
        raise InvalidRequest(f"`{at}`: expected an object, got {shown(raw)}.")
    return raw


def find_kind(kinds: Kinds, name: Any, at: str) -> Kind:
    """The kind a definition names by its type or display name."""
    if not isinstance(name, str):
        got = " is missing" if name is None else f": expected a string, got {shown(name)}"
        raise InvalidRequest(f"`{at}.type`{got}.")
    kind = kinds.kind_named(name)
    if kind is None:
        raise InvalidRequest(f"`{at}.type`: there is no block kind {shown(name)}{_kind_hint(kinds, name)}")
    return kind


def _kind_hint(kinds: Kinds, name: str) -> str:
    meant = kinds.nearest(name)
    return f"; did you mean `{meant.type}`?" if meant else "; docs/blocks.md lists all of them."


def check_reference(wanted: Any, at: str) -> str:
    """A reference as users choose them."""
    if not isinstance(wanted, str) or not REFERENCE.fullmatch(wanted):
        raise InvalidRequest(
            f"`{at}.blockReferenceId`: expected 1 to 100 letters, digits, `_` and `-`, got {shown(wanted)}."
        )
    return wanted


def check_room(blocks: int, depth: int, at: str) -> None:
    """Refuse what makes a workflow too large or too deep."""
    if depth > MAX_DEPTH:
        raise InvalidRequest(f"`{at}`: blocks may be nested {MAX_DEPTH} deep, no deeper.")
    if blocks > MAX_BLOCKS:
        raise InvalidRequest(f"`{at}`: a workflow may have {MAX_BLOCKS} blocks, no more.")


def set_fields(block: Envelope, given: Json, at: str) -> None:
    """Take over name, flags, transformerFn, data and locator as far as they are given."""
    if (name := _typed(given, "name", str, STRING, at)) is not None:
        if not 0 < len(name) <= LONGEST_NAME:
            raise InvalidRequest(f"`{at}.name`: expected 1 to {LONGEST_NAME} characters, got {len(name)}.")
        block.name = name
    for wire, attribute in _FLAGS:
        if (flag := _typed(given, wire, bool, BOOLEAN, at)) is not None:
            setattr(block, attribute, flag)
    if (code := _typed(given, "transformerFn", str, STRING, at)) is not None:
        block.transformer_fn = code
    if (data := _typed(given, "data", dict, OBJECT, at)) is not None:
        block.data = data
    if (locator := _typed(given, "locator", dict, OBJECT, at)) is not None:
        # an empty locator says "none": null cannot, it means that the field is not given
        known = {
            key: value for key, value in locator.items() if value is not None or key not in _LOCATOR_FIELDS
        }
        block.locator = known or None


def check_fit(block: Envelope, kind: Kind, at: str) -> None:
    """Refuse data and a locator that do not fit the kind, naming block and field; complete the data."""
    try:
        for field, value in (
            ("name", block.name),
            ("data", block.data),
            ("locator", block.locator),
            ("transformerFn", block.transformer_fn),
        ):
            # here, with its place: a store would refuse it too, but could not say where it stands
            check_storable(value, field)
        kind.check(block.data, as_parsed_locator(block.locator))
        block.data = kind.complete(block.data, block.locator or {}, block.block_reference_id)
    except InvalidRequest as problem:
        raise InvalidRequest(f"`{at}` (`{block.block_reference_id}`): {problem}") from problem


def as_parsed_locator(given: Json | None) -> Locator | None:
    """The locator that a block was given, checked; None where it has none."""
    if given is None:
        return None
    try:
        locator = BlockLocator.model_validate(given)
    except ValidationError as error:
        raise InvalidRequest(first_problem(error, BlockLocator, given, "locator") or "") from error
    templates.check(given)
    return locator


def _typed(given: Json, key: str, wanted: type, expected: str, at: str) -> Any:
    value = given.get(key)
    if value is not None and not isinstance(value, wanted):
        raise InvalidRequest(f"`{at}.{key}`: expected {expected}, got {shown(value)}.")
    return value


def check_storable(value: Any, at: str) -> None:
    """Refuse text, at any depth, that cannot be stored or is too long; the sentence names the place."""
    for place, text in _texts(value, at):
        if len(text) > LONGEST_TEXT:
            raise InvalidRequest(
                f"`{place}` has {len(text):,} characters; at most {LONGEST_TEXT:,} are allowed. "
                "Pass a longer text as a parameter or a file."
            )
        if "\x00" in text:
            raise InvalidRequest(f"`{place}`: text with a NUL character cannot be stored; take it out.")
        if not text.isascii() and _has_lone_surrogate(text):
            raise InvalidRequest(
                f"`{place}`: text with half of a surrogate pair is not valid Unicode; take it out."
            )


def _has_lone_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _texts(value: Any, at: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield at, value
    elif is_array(value):
        for position, item in enumerate(value):
            yield from _texts(item, f"{at}[{position}]")
    elif is_object(value):
        for key, item in value.items():
            # keys are stored as well as values
            yield at, key
            yield from _texts(item, f"{at}.{key}")
