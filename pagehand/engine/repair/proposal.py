"""A healed locator as an edit of the workflow: what workflows/blocks/update takes."""

from typing import Any

from pagehand.records import Json, ProposedOperation, is_array, is_object
from pagehand.workflow.envelope import Envelope
from pagehand.workflow.locator import Locator


def locator_patch(envelope: Envelope, old: Locator, new: Locator) -> ProposedOperation | None:
    """The operation that replaces `old` by `new` where the author wrote it.

    None where a template makes the locator, and where `new` is a position, which is never proposed.
    """
    if new.is_position:
        return None
    before, after = _given(old), _given(new)
    if envelope.locator is not None and _cleaned(envelope.locator) == before:
        return ProposedOperation(type="update", block_id=envelope.id, block={"locator": after})
    data, count = _replaced(envelope.data, before, after)
    # twice in the same data: which of the two was healed is not known
    if count != 1:
        return None
    return ProposedOperation(type="update", block_id=envelope.id, block={"data": data})


def _replaced(value: Any, before: Json, after: Json) -> tuple[Any, int]:
    """`value` with the locator replaced wherever it occurs, and how often it occurred."""
    if is_array(value):
        parts = [_replaced(item, before, after) for item in value]
        return [part for part, _ in parts], sum(count for _, count in parts)
    if not is_object(value):
        return value, 0
    if _cleaned(value) == before:
        return after, 1
    inner = {name: _replaced(item, before, after) for name, item in value.items()}
    return {name: part for name, (part, _) in inner.items()}, sum(count for _, count in inner.values())


def _given(locator: Locator) -> Json:
    return locator.model_dump(by_alias=True, exclude_none=True)


def _cleaned(given: Json) -> Json:
    return {name: value for name, value in given.items() if value is not None}
