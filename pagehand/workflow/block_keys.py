"""Which keys a block has and where: an unknown one is refused with the place where it belongs."""

from collections.abc import Iterable, Iterator
from typing import Final

from pagehand.errors import InvalidRequest
from pagehand.records import Json, is_object
from pagehand.workflow.locator import LOCATOR_KEYS
from pagehand.workflow.refusals import listed, nearest, unknown_key
from pagehand.workflow.tree import SEQUENCE_NAMES, Kind

FIELDS: Final = frozenset(
    (
        "id",
        "name",
        "blockReferenceId",
        "type",
        "locator",
        "isCacheable",
        "skipIfNotPresent",
        "useWorkflowRecoveryAgent",
        "data",
        "parentRelationship",
        "sequenceData",
        "transformerFn",
    )
)
"""The keys of a block's envelope."""
_PARENT_FIELDS: Final = ("blockDepth", "positionInSequence", "parentBlockId", "parentSequenceId")
_NESTED_BLOCKS: Final = frozenset(
    (*SEQUENCE_NAMES, "blocks", "children", "steps", "do", "then", "else", "body")
)
_SHOWN: Final = 80
_OF_LOCATORS: Final = {
    "selector": "write a CSS selector as `css`",
    "id": "write it as `css`, such as `#save`",
    "class": "write it as `css`, such as `.save`",
    "className": "write it as `css`, such as `.save`",
    "testId": 'write it as `css`, such as `[data-testid="save"]`',
    "tag": "write it as `css`, such as `button`",
    "name": 'write the accessible name as `text` beside `role`, a name attribute as `css`: `[name="q"]`',
    "ariaLabel": "write it as `label`, or as `text` beside `role`",
    "alt": "did you mean `altText`?",
    "contains": "did you mean `text`?",
}


def check_envelope(given: Json, kind: Kind, at: str) -> None:
    """Refuse a key beside `data` that no block has; the sentence says where it belongs."""
    for key in given:
        if key not in FIELDS:
            raise InvalidRequest(sentence(f"`{at}.{key[:_SHOWN]}`: {next(_beside_data(key, kind))}"))
    # clients send back what they were shown; its values are ignored, its keys must still be known
    place = given.get("parentRelationship")
    if is_object(place):
        for key in place:
            if key not in _PARENT_FIELDS:
                where = f"`{at}.parentRelationship.{key[:_SHOWN]}`"
                raise InvalidRequest(sentence(f"{where}: {unknown_key(key, _PARENT_FIELDS)}"))


def in_data(key: str, known: Iterable[str], inside: str | None, key_hints: dict[str, str]) -> str:
    """What to say of an unknown key at the top of `data`; `inside` is the field whose object has it."""
    return next(_data_hints(key, tuple(known), inside, key_hints))


def _data_hints(
    key: str, known: tuple[str, ...], inside: str | None, key_hints: dict[str, str]
) -> Iterator[str]:
    """The surest first."""
    # the kind knows best what people mean by it
    if key in key_hints:
        yield f"unknown key; {key_hints[key]}"
    if inside is not None:
        yield f"unknown key; it belongs inside `{inside}`"
    if key in FIELDS:
        yield f"`{key}` belongs beside `data`, not inside it"
    if key in _NESTED_BLOCKS:
        yield "nested blocks belong inside `sequenceData`, beside `data`"
    if (meant := nearest(key, known)) is not None:
        yield f"unknown key; did you mean `{meant}`?"
    if key in LOCATOR_KEYS or key in _OF_LOCATORS:
        yield f"unknown key; name the element in `locator`, beside `data`: {_in_locator(key)}"
    if (meant := nearest(key, FIELDS)) is not None:
        yield f"unknown key; did you mean `{meant}`, which belongs beside `data`?"
    yield unknown_key(key, known)


def in_locator(key: str) -> str:
    """What to say of an unknown key of a locator."""
    if key in _OF_LOCATORS:
        return f"unknown key; {_OF_LOCATORS[key]}"
    if key in FIELDS:
        return f"`{key}` belongs beside `locator`, not inside it"
    return unknown_key(key, LOCATOR_KEYS)


def sentence(text: str) -> str:
    """`text` with a full stop, unless it ends in a question."""
    return text if text.endswith("?") else f"{text}."


def _beside_data(key: str, kind: Kind) -> Iterator[str]:
    """The surest first."""
    if key in kind.field_names():
        yield f"`{key}` belongs inside `data`: `data.{key}`"
    if key in _NESTED_BLOCKS:
        yield _nested_blocks(kind)
    if key in LOCATOR_KEYS:
        yield f"`{key}` belongs inside `locator`: `locator.{key}`"
    if (meant := nearest(key, FIELDS)) is not None:
        yield f"unknown key; did you mean `{meant}`?"
    if (meant := nearest(key, kind.field_names())) is not None:
        yield f"unknown key; did you mean `data.{meant}`?"
    if key in _OF_LOCATORS:
        yield f"unknown key; name the element in `locator`: {_OF_LOCATORS[key]}"
    yield f"unknown key; a block has {listed(sorted(FIELDS))}, and what its kind needs inside `data`"


def _in_locator(key: str) -> str:
    return _OF_LOCATORS.get(key, f"`locator.{key}`")


def _nested_blocks(kind: Kind) -> str:
    if not kind.sequences:
        return f"{kind.title} blocks have no blocks inside them"
    names = " and ".join(f"`sequenceData.{name}`" for name in kind.sequences)
    return f"the blocks inside a {kind.title} block belong in {names}"
