"""workflows/blocks/update and chat: edits of a tree, all or none."""

from typing import Any

import pytest

from support.blocks import branch, loop, value, wait
from support.service import Api, Json
from support.shapes import BLOCK, ListOf, misfits


@pytest.fixture
def flow(api: Api) -> Json:
    return api.create("edited", value("a"), loop([1], [value("in")]), branch("1 == 1", [], [value("no")]))


def edit(api: Api, flow: Json, *operations: Json) -> list[Json]:
    answer = api.call("/workflows/blocks/update", {"workflowId": flow["id"], "operations": list(operations)})
    assert list(answer) == ["blocks", "version", "warnings"]
    return answer["blocks"]


def tree(blocks: list[Json]) -> list[Any]:
    """References alone, nested as the blocks are."""
    return [
        [block["blockReferenceId"], {name: tree(inner) for name, inner in block["sequenceData"].items()}]
        if block.get("sequenceData")
        else block["blockReferenceId"]
        for block in blocks
    ]


def ref(blocks: list[Json], reference: str) -> str:
    """The id of a block anywhere in the tree."""
    for block in blocks:
        if block["blockReferenceId"] == reference:
            return block["id"]
        for inner in block.get("sequenceData", {}).values():
            if found := ref(inner, reference):
                return found
    return ""


LOOP = ["loop", {"sequence": ["in"]}]
BRANCH = ["branch", {"trueSequence": [], "falseSequence": ["no"]}]


def test_create_goes_where_its_target_says(api: Api, flow: Json) -> None:
    blocks = flow["blocks"]
    inner = {"type": "start", "parentBlockId": ref(blocks, "branch"), "parentSequenceId": "trueSequence"}
    after = edit(
        api,
        flow,
        {"type": "create", "block": value("last")},
        {"type": "create", "block": value("first"), "target": {"type": "start"}},
        {
            "type": "create",
            "block": value("second"),
            "target": {"type": "after", "previousBlockId": ref(blocks, "a")},
        },
        {"type": "create", "block": value("yes"), "target": inner},
        {
            "type": "create",
            "block": value("in2"),
            "target": {"type": "after", "previousBlockId": ref(blocks, "in")},
        },
        {"type": "create", "block": value("end"), "target": {"type": "end"}},
    )
    assert misfits(after, ListOf(BLOCK)) == []
    grown = ["branch", {"trueSequence": ["yes"], "falseSequence": ["no"]}]
    assert tree(after) == [
        "first",
        "a",
        "second",
        ["loop", {"sequence": ["in", "in2"]}],
        grown,
        "last",
        "end",
    ]
    assert [block["parentRelationship"]["positionInSequence"] for block in after] == list(range(7))
    leaf = after[3]["sequenceData"]["sequence"][1]
    assert leaf["parentRelationship"] == {
        "blockDepth": 1,
        "positionInSequence": 1,
        "parentBlockId": ref(blocks, "loop"),
        "parentSequenceId": "sequence",
    }
    assert api.call("/workflows/get", {"id": flow["id"]})["workflow"]["blocks"] == after


@pytest.mark.parametrize("way", ["blockId", "block.id", "block.blockReferenceId"])
def test_update_replaces_what_is_given_and_keeps_the_rest(api: Api, flow: Json, way: str) -> None:
    before = flow["blocks"][0]
    block: Json = {"name": "Renamed", "data": {"input": 2, "code": "input + 1"}, "skipIfNotPresent": True}
    operation: Json = {"type": "update", "block": block}
    if way == "blockId":
        operation["blockId"] = before["id"]
    elif way == "block.id":
        block["id"] = before["id"]
    else:
        block["blockReferenceId"] = "a"
    after = edit(api, flow, operation)[0]
    assert after == {**before, **block}


def test_delete_takes_what_is_nested_with_it(api: Api, flow: Json) -> None:
    gone = [
        {"type": "delete", "blockId": ref(flow["blocks"], "loop")},
        {"type": "delete", "block": {"blockReferenceId": "a"}},
    ]
    assert tree(edit(api, flow, *gone)) == [BRANCH]


def test_move_takes_a_block_anywhere_but_into_itself(api: Api, flow: Json) -> None:
    blocks = flow["blocks"]
    target = {"type": "end", "parentBlockId": ref(blocks, "branch"), "parentSequenceId": "trueSequence"}
    after = edit(api, flow, {"type": "move", "blockId": ref(blocks, "loop"), "target": target})
    assert tree(after) == ["a", ["branch", {"trueSequence": [LOOP], "falseSequence": ["no"]}]]
    assert ref(after, "loop") == ref(blocks, "loop")
    inside = {"type": "start", "parentBlockId": ref(blocks, "loop"), "parentSequenceId": "sequence"}
    answer = api.post(
        "/workflows/blocks/update",
        {
            "workflowId": flow["id"],
            "operations": [{"type": "move", "blockId": ref(blocks, "branch"), "target": inside}],
        },
    )
    assert answer.status_code == 400
    assert "operations[0]" in answer.json()["error"]


def test_replace_all_puts_a_new_tree_in_place(api: Api, flow: Json) -> None:
    assert tree(edit(api, flow, {"type": "replaceAll", "blocks": [wait(1), value("z")]})) == ["nap", "z"]
    assert edit(api, flow, {"type": "replaceAll", "blocks": []}) == []


def test_every_call_makes_one_version(api: Api, flow: Json) -> None:
    edit(api, flow, {"type": "create", "block": wait(1)}, {"type": "create", "block": wait(1, "nap2")})
    shown = api.call("/workflows/get", {"id": flow["id"]})["workflow"]
    assert (shown["version"], flow["version"]) == (2, 1)


WRONG: list[Any] = [
    {"type": "create", "block": value("a")},
    {"type": "create", "block": {"type": "Wait", "data": {"durationMs": "x"}}},
    {"type": "create"},
    {"type": "create", "block": wait(1), "target": {"type": "after", "previousBlockId": "block_no"}},
    {"type": "create", "block": wait(1), "target": {"type": "after"}},
    {"type": "create", "block": wait(1), "target": {"type": "sideways"}},
    {
        "type": "create",
        "block": wait(1),
        "target": {"type": "end", "parentBlockId": "block_no", "parentSequenceId": "sequence"},
    },
    {"type": "update", "blockId": "block_no", "block": {"name": "n"}},
    {"type": "update", "block": {"blockReferenceId": "a", "data": {"bogus": 1}}},
    {"type": "update", "block": {"blockReferenceId": "a", "locator": {"bogus": "x"}}},
    {"type": "delete", "blockId": "block_no"},
    {"type": "delete"},
    {"type": "move", "blockId": "block_no", "target": {"type": "start"}},
    {"type": "replaceAll", "blocks": [{"type": "Nope", "data": {}}]},
    {"type": "replaceAll"},
    {"type": "rename", "blockId": "x"},
    {"block": wait(1)},
    "create",
    None,
]


@pytest.mark.parametrize(
    "wrong",
    WRONG,
)
def test_one_wrong_operation_leaves_everything_as_it_was(api: Api, flow: Json, wrong: Any) -> None:
    operations = [{"type": "create", "block": wait(1)}, wrong]
    answer = api.post("/workflows/blocks/update", {"workflowId": flow["id"], "operations": operations})
    assert answer.status_code == 400, answer.text
    assert list(answer.json()) == ["error"]
    assert "operations[1]" in answer.json()["error"]
    assert api.call("/workflows/get", {"id": flow["id"]})["workflow"] == flow


def test_chat_without_a_model_says_what_to_set_or_answers_with_blocks_and_changes_nothing(
    api: Api, flow: Json
) -> None:
    asked = {"workflowId": flow["id"], "message": "Work out which of these customers deserves a present"}
    answer = api.post("/workflows/blocks/chat", asked)
    assert answer.status_code == 400
    assert "PAGEHAND_MODEL" in answer.json()["error"]
    assert api.call("/workflows/get", {"id": flow["id"]})["workflow"] == flow
