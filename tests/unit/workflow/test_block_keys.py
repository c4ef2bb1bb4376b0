"""A key that no block has is refused with the place where it belongs."""

from typing import Any

import pytest

from pagehand.blocks import kinds
from pagehand.errors import InvalidRequest
from pagehand.workflow.block_keys import FIELDS, check_envelope, in_data, in_locator, unknown_key


def refusal(kind: str, **given: Any) -> str:
    found = kinds().kind_named(kind)
    assert found is not None
    with pytest.raises(InvalidRequest) as refused:
        check_envelope({"type": kind, "data": {}, **given}, found, "blocks[2]")
    return str(refused.value)


@pytest.mark.parametrize(
    ("kind", "key", "hint"),
    [
        ("Mouse", "isCommit", "`isCommit` belongs inside `data`: `data.isCommit`."),
        ("Mouse", "css", "`css` belongs inside `locator`: `locator.css`."),
        ("Mouse", "locater", "did you mean `locator`?"),
        ("Mouse", "isCachable", "did you mean `isCacheable`?"),
        ("Mouse", "acton", "did you mean `data.action`?"),
        ("Mouse", "selector", "name the element in `locator`: write a CSS selector as `css`."),
        ("Mouse", "sequence", "Mouse Block blocks have no blocks inside them."),
        ("LoopV2", "children", "the blocks inside a Loop block belong in `sequenceData.sequence`."),
        ("If", "then", "belong in `sequenceData.trueSequence` and `sequenceData.falseSequence`."),
        ("Mouse", "zzzzz", "unknown key; a block has `blockReferenceId`, `data`"),
        ("Mouse", "日本", "unknown key; a block has"),
        ("Mouse", "x" * 5_000, f"`blocks[2].{'x' * 80}`: "),
    ],
)
def test_a_key_beside_data_is_sent_where_it_belongs(kind: str, key: str, hint: str) -> None:
    message = refusal(kind, **{key: 1})
    assert hint in message
    assert message.startswith("`blocks[2].")
    assert len(message) < 1_000


def test_every_key_of_the_envelope_is_taken() -> None:
    found = kinds().kind_named("Mouse")
    assert found is not None
    check_envelope(dict.fromkeys(FIELDS), found, "block")


def test_the_place_among_parents_has_its_own_keys() -> None:
    message = refusal("Mouse", parentRelationship={"blockDept": 1})
    assert message == "`blocks[2].parentRelationship.blockDept`: unknown key; did you mean `blockDepth`?"


@pytest.mark.parametrize(
    ("key", "inside", "meant", "hint"),
    [
        ("adress", None, {}, "did you mean `address`?"),
        ("x", None, {"x": "write `offset`"}, "unknown key; write `offset`"),
        ("tries", "retry", {}, "it belongs inside `retry`"),
        ("skipIfNotPresent", None, {}, "`skipIfNotPresent` belongs beside `data`, not inside it"),
        ("body", None, {}, "nested blocks belong inside `sequenceData`, beside `data`"),
        ("xpath", None, {}, "name the element in `locator`, beside `data`: `locator.xpath`"),
        ("testId", None, {}, "name the element in `locator`, beside `data`: write it as `css`"),
        ("skip_if_not_present", None, {}, "did you mean `skipIfNotPresent`, which belongs beside `data`?"),
        ("qqqqq", None, {}, "unknown key; known are `address`, `retry`"),
    ],
)
def test_a_key_inside_data_gets_the_surest_hint(
    key: str, inside: str | None, meant: dict[str, str], hint: str
) -> None:
    assert hint in in_data(key, ["address", "retry"], inside, meant)


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("id", "write it as `css`, such as `#save`"),
        ("ariaLabel", "write it as `label`, or as `text` beside `role`"),
        ("timeoutMs", "unknown key; known are `role`"),
        ("isCacheable", "`isCacheable` belongs beside `locator`, not inside it"),
        ("Text", "did you mean `text`?"),
        ("alttext", "did you mean `altText`?"),
    ],
)
def test_a_key_inside_a_locator_gets_one_too(key: str, hint: str) -> None:
    assert hint in in_locator(key)


def test_where_nothing_is_known_nothing_is_listed() -> None:
    assert unknown_key("x", []) == "unknown key; none is expected here"
