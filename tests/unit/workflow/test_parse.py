"""Definitions become envelopes; what does not fit is refused with a sentence that names it."""

from typing import Any

import pytest

from pagehand.blocks import Registry
from pagehand.errors import InvalidRequest
from pagehand.workflow import tree
from pagehand.workflow.parse import parse_blocks

WAIT: dict[str, Any] = {"type": "Wait", "data": {"durationMs": 1}}


def refuse(kinds: Registry, *blocks: Any) -> str:
    with pytest.raises(InvalidRequest) as caught:
        parse_blocks(list(blocks), kinds)
    return caught.value.message


def test_only_type_is_needed_and_the_rest_gets_defaults(kinds: Registry) -> None:
    first, second = parse_blocks([{"type": "Wait"}, WAIT], kinds)
    assert (first.name, first.block_reference_id, first.data) == ("Wait", "Wait_1", {})
    assert (second.block_reference_id, second.data) == ("Wait_2", {"durationMs": 1})
    assert first.id.startswith("block_")
    assert first.id != second.id
    assert (first.is_cacheable, first.skip_if_not_present, first.use_workflow_recovery_agent) == (
        True,
        False,
        False,
    )
    assert (first.locator, first.transformer_fn, first.sequences) == (None, "", {})


def test_made_up_references_keep_clear_of_given_ones(kinds: Registry) -> None:
    nested = {
        "type": "If",
        "data": {"condition": "x"},
        "sequenceData": {"trueSequence": [{**WAIT, "blockReferenceId": "Wait_1"}]},
    }
    blocks = parse_blocks([WAIT, nested, {**WAIT, "blockReferenceId": "Wait_3"}, WAIT], kinds)
    assert [block.block_reference_id for block in tree.walk(blocks)] == [
        "Wait_2",
        "If_1",
        "Wait_1",
        "Wait_3",
        "Wait_4",
    ]


def test_a_given_id_is_kept_unless_it_is_taken(kinds: Registry) -> None:
    first, second = parse_blocks([{**WAIT, "id": "block_mine"}, {**WAIT, "id": "block_mine"}], kinds)
    assert first.id == "block_mine"
    assert second.id not in ("block_mine", "")


def test_display_names_go_in_and_types_come_out(kinds: Registry) -> None:
    (loop,) = parse_blocks([{"type": "Loop", "data": {"over": {"times": 1}}}], kinds)
    assert (loop.type, loop.name, loop.sequences) == ("LoopV2", "Loop", {"sequence": []})


def test_a_container_has_all_its_sequences(kinds: Registry) -> None:
    (branch,) = parse_blocks(
        [{"type": "If", "data": {"condition": "x"}, "sequenceData": {"falseSequence": [WAIT]}}], kinds
    )
    assert {name: len(blocks) for name, blocks in branch.sequences.items()} == {
        "trueSequence": 0,
        "falseSequence": 1,
    }


def test_what_is_shown_can_be_handed_in_again(kinds: Registry) -> None:
    loop = {
        "type": "Loop",
        "name": "L",
        "data": {"over": {"times": 1}},
        "isCacheable": False,
        "transformerFn": "x",
    }
    blocks = parse_blocks([{**loop, "sequenceData": {"sequence": [WAIT]}}], kinds)
    shown = tree.to_json(blocks)
    assert tree.to_json(parse_blocks(shown, kinds)) == shown
    assert tree.from_json(shown) == blocks


def test_null_means_not_given(kinds: Registry) -> None:
    given = {
        "type": "Wait",
        "data": {"durationMs": None},
        "locator": None,
        "isCacheable": None,
        "sequenceData": None,
    }
    (block,) = parse_blocks(
        [{**given, "name": None, "id": None, "blockReferenceId": None, "transformerFn": None}], kinds
    )
    assert block.name == "Wait"
    assert parse_blocks([{"type": "Wait", "data": None}], kinds)[0].data == {}


def test_the_place_a_block_says_it_has_is_worked_out_anew(kinds: Registry) -> None:
    (block,) = parse_blocks([{**WAIT, "parentRelationship": {"blockDepth": 9}}], kinds)
    assert tree.to_json([block])[0]["parentRelationship"]["blockDepth"] == 0


def test_a_typed_field_takes_a_template_alone(kinds: Registry) -> None:
    parse_blocks([{"type": "Wait", "data": {"durationMs": "{{params.ms}}"}}], kinds)
    parse_blocks([{"type": "Loop", "data": {"over": {"times": "{{params.n}}"}}}], kinds)
    assert "expected a whole number" in refuse(
        kinds, {"type": "Wait", "data": {"durationMs": "{{params.ms}} ms"}}
    )


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ({"type": "Wait", "data": {"durationMS": 5}}, ["`data.durationMS`", "`durationMs`"]),
        ({"type": "Wait", "data": {"until": "{{params.x}}"}}, ["`data.until`: unknown key"]),
        ({"type": "Wait", "data": {"durationMs": "long"}}, ["`data.durationMs`", "a whole number", '"long"']),
        ({"type": "Wait", "data": {"durationMs": -1}}, ["`data.durationMs`", "a number of at least 0"]),
        ({"type": "Wait", "data": {"durationMs": True}}, ["a whole number", "true"]),
        ({"type": "Wait", "data": []}, ["`blocks[0].data`: expected an object"]),
        ({"type": "Wait", "locator": {"css": "a"}}, ["`locator`"]),
        ({"type": "Wait", "locator": {"css": "a", "txt": "x"}}, ["`locator.txt`", "`text`"]),
        ({"type": "Wait", "locator": {"css": 5}}, ["`locator.css`", "a string"]),
        ({"type": "Wait", "blockReferenceId": "two words"}, ["`blocks[0].blockReferenceId`"]),
        ({"type": "Wait", "blockReferenceId": ""}, ["`blocks[0].blockReferenceId`"]),
        ({"type": "Wait", "id": 5}, ["`blocks[0].id`"]),
        ({"type": "Wait", "name": ""}, ["`blocks[0].name`"]),
        ({"type": "Wait", "name": "n" * 1001}, ["`blocks[0].name`", "1 to 1000 characters, got 1001"]),
        ({"type": "Wait", "isCacheable": "yes"}, ["`blocks[0].isCacheable`: expected true or false"]),
        (
            {"type": "Wait", "sequenceData": {"sequence": []}},
            ["`blocks[0].sequenceData.sequence`", "no sequences"],
        ),
        ({"type": "Wait", "name": "a\x00b"}, ["`name`", "NUL"]),
        ({"type": "Wait", "name": "a\ud800b"}, ["`name`", "surrogate"]),
        (
            {"type": "Transform", "data": {"code": "1", "input": ["x" * 1_000_001]}},
            ["`data.input[0]`", "1,000,001"],
        ),
        ({"type": "Transform", "transformerFn": "x" * 1_000_001}, ["`transformerFn`", "at most 1,000,000"]),
        ({"type": "Transform", "data": {"code": "1", "input": {"k\x00": 1}}}, ["`data.input`", "NUL"]),
        ({"type": "Transform", "data": {"code": "1", "input": ["{{7*7}}"]}}, ["{{7*7}}", "only paths"]),
        ({"type": "Transform", "data": {}}, ["`data.code` is missing"]),
        ({"type": "Transform", "data": {"code": ""}}, ["`data.code`", "not empty"]),
        ({"type": "Loop", "data": {"over": {}}}, ["`data.over`", "exactly one"]),
        ({"type": "Loop", "data": {"over": {"times": 1, "items": [1]}}}, ["`data.over`", "exactly one"]),
        (
            {"type": "Loop", "data": {"over": {"times": "{{params.n}}", "items": [1]}}},
            ["`data.over`", "exactly one"],
        ),
        ({"type": "Loop", "data": {"times": 2}}, ["`data.times`", "`over`"]),
        ({"type": "Loop", "data": {"over": {"pages": {"txt": "Next"}}}}, ["`data.over.pages.txt`"]),
        ({"type": "If", "data": {"condition": 5}}, ["`data.condition`"]),
        (
            {"type": "If", "data": {"condition": {"element": {"css": "a", "txt": "b"}}}},
            ["`data.condition.element.txt`"],
        ),
        ({"type": "If", "data": {"condition": {"element": {"css": "{{1+1}}"}}}}, ["only paths"]),
        (
            {"type": "If", "data": {"condition": "x"}, "sequenceData": {"sequence": []}},
            ["sequenceData.sequence"],
        ),
        ({"type": "Teleport"}, ["`blocks[0].type`", "Teleport"]),
        ({"data": {}}, ["`blocks[0].type` is missing"]),
        ("Wait", ["`blocks[0]`: expected an object"]),
    ],
)
def test_what_does_not_fit_is_named(kinds: Registry, block: Any, words: list[str]) -> None:
    message = refuse(kinds, block)
    assert [word for word in words if word not in message] == []


def test_a_nested_block_is_named_by_its_path_and_reference(kinds: Registry) -> None:
    inner: dict[str, Any] = {"type": "Wait", "blockReferenceId": "nap", "data": {"durationMs": []}}
    loop: dict[str, Any] = {
        "type": "Loop",
        "data": {"over": {"times": 1}},
        "sequenceData": {"sequence": [WAIT, inner]},
    }
    assert refuse(kinds, WAIT, loop).startswith(
        "`blocks[1].sequenceData.sequence[1]` (`nap`): `data.durationMs`"
    )


def test_expressions_and_code_are_not_templates(kinds: Registry) -> None:
    parse_blocks([{"type": "If", "data": {"condition": {"expression": "{{1}} == x"}}}], kinds)
    parse_blocks([{"type": "If", "data": {"condition": "len({{}}) == 0"}}], kinds)
    parse_blocks([{"type": "Transform", "data": {"code": "f'{{{input}}}'"}}], kinds)


def test_a_duplicate_reference_is_refused(kinds: Registry) -> None:
    block = {**WAIT, "blockReferenceId": "a"}
    assert "already taken" in refuse(kinds, block, block)


def nest(depth: int) -> dict[str, Any]:
    block = WAIT
    for _ in range(depth):
        block = {"type": "Loop", "data": {"over": {"times": 1}}, "sequenceData": {"sequence": [block]}}
    return block


def test_depth_and_number_of_blocks_are_bounded(kinds: Registry) -> None:
    parse_blocks([nest(20)], kinds)
    assert "20 deep" in refuse(kinds, nest(21))
    assert "20 deep" in refuse(kinds, nest(200))
    assert len(parse_blocks([WAIT] * 2000, kinds)) == 2000
    assert "2000 blocks" in refuse(kinds, *[WAIT] * 2001)


def test_anything_but_an_array_is_refused(kinds: Registry) -> None:
    with pytest.raises(InvalidRequest, match="`blocks`: expected an array"):
        parse_blocks({"type": "Wait"}, kinds)
