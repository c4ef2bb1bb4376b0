"""Edits of the tree: all apply, in order, or none does."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagehand.blocks import Registry
from pagehand.blocks.flow.if_ import If
from pagehand.blocks.flow.loop import Loop
from pagehand.blocks.flow.wait import Wait
from pagehand.errors import InvalidRequest, NotFound
from pagehand.workflow import tree
from pagehand.workflow.edits import apply
from pagehand.workflow.parse import parse_blocks
from pagehand.workflow.tree import Envelope

Json = dict[str, Any]


def wait(reference: str, duration: int = 1) -> Json:
    return {"type": "Wait", "data": {"durationMs": duration}, "blockReferenceId": reference}


def loop(reference: str, *inner: Json) -> Json:
    data = {"over": {"times": 1}}
    return {
        "type": "Loop",
        "data": data,
        "blockReferenceId": reference,
        "sequenceData": {"sequence": list(inner)},
    }


def branch(reference: str, yes: list[Json], no: list[Json]) -> Json:
    sequences = {"trueSequence": yes, "falseSequence": no}
    return {
        "type": "If",
        "data": {"condition": "x"},
        "blockReferenceId": reference,
        "sequenceData": sequences,
    }


@pytest.fixture
def blocks(kinds: Registry) -> list[Envelope]:
    """a, b, loop(in1, iff(t1 | f1)), c."""
    return parse_blocks(
        [
            wait("a"),
            wait("b"),
            loop("loop", wait("in1"), branch("iff", [wait("t1")], [wait("f1")])),
            wait("c"),
        ],
        kinds,
    )


def outline(blocks: list[Envelope]) -> list[Any]:
    return [
        [block.block_reference_id, *(outline(inner) for inner in block.sequences.values())]
        if block.sequences
        else block.block_reference_id
        for block in blocks
    ]


def by_reference(blocks: list[Envelope], reference: str) -> Envelope:
    return next(block for block in tree.walk(blocks) if block.block_reference_id == reference)


BEFORE: list[Any] = ["a", "b", ["loop", ["in1", ["iff", ["t1"], ["f1"]]]], "c"]


@pytest.mark.parametrize(
    ("operation", "after"),
    [
        ({"type": "create", "block": wait("x")}, [*BEFORE, "x"]),
        ({"type": "create", "block": wait("x"), "target": None}, [*BEFORE, "x"]),
        ({"type": "create", "block": wait("x"), "target": {"type": "start"}}, ["x", *BEFORE]),
        (
            {"type": "create", "block": wait("x"), "target": {"type": "after", "previousBlockId": "a"}},
            ["a", "x", *BEFORE[1:]],
        ),
        (
            {"type": "create", "block": wait("x"), "target": {"type": "after", "previousBlockId": "t1"}},
            ["a", "b", ["loop", ["in1", ["iff", ["t1", "x"], ["f1"]]]], "c"],
        ),
        (
            {
                "type": "create",
                "block": wait("x"),
                "target": {"type": "start", "parentBlockId": "iff", "parentSequenceId": "falseSequence"},
            },
            ["a", "b", ["loop", ["in1", ["iff", ["t1"], ["x", "f1"]]]], "c"],
        ),
        (
            {"type": "create", "block": wait("x"), "target": {"type": "end", "parentBlockId": "loop"}},
            ["a", "b", ["loop", ["in1", ["iff", ["t1"], ["f1"]], "x"]], "c"],
        ),
        ({"type": "delete", "blockId": "b"}, ["a", *BEFORE[2:]]),
        ({"type": "delete", "block": {"blockReferenceId": "loop"}}, ["a", "b", "c"]),
        ({"type": "move", "blockId": "c", "target": {"type": "start"}}, ["c", *BEFORE[:3]]),
        (
            {"type": "move", "blockId": "a", "target": {"type": "after", "previousBlockId": "b"}},
            ["b", "a", *BEFORE[2:]],
        ),
        ({"type": "move", "blockId": "a", "target": {"type": "end"}}, [*BEFORE[1:], "a"]),
        (
            {"type": "move", "blockId": "c", "target": {"type": "after", "previousBlockId": "a"}},
            ["a", "c", *BEFORE[1:3]],
        ),
        ({"type": "move", "blockId": "a", "target": {"type": "start"}}, BEFORE),
        (
            {"type": "move", "blockId": "f1", "target": {"type": "end"}},
            ["a", "b", ["loop", ["in1", ["iff", ["t1"], []]]], "c", "f1"],
        ),
        (
            {
                "type": "move",
                "blockId": "a",
                "target": {"type": "end", "parentBlockId": "iff", "parentSequenceId": "trueSequence"},
            },
            ["b", ["loop", ["in1", ["iff", ["t1", "a"], ["f1"]]]], "c"],
        ),
        (
            {"type": "replaceAll", "blocks": [wait("r1"), branch("r2", [], [wait("r3")])]},
            ["r1", ["r2", [], ["r3"]]],
        ),
        ({"type": "replaceAll", "blocks": []}, []),
    ],
)
def test_an_operation_does_what_it_says(
    blocks: list[Envelope], kinds: Registry, operation: Json, after: list[Any]
) -> None:
    assert outline(apply(blocks, [operation], kinds)) == after
    assert outline(blocks) == BEFORE


def test_ids_are_taken_wherever_a_block_is_named(blocks: list[Envelope], kinds: Registry) -> None:
    ids = {block.block_reference_id: block.id for block in tree.walk(blocks)}
    after = apply(
        blocks,
        [
            {"type": "delete", "blockId": ids["a"]},
            {"type": "update", "block": {"id": ids["b"], "name": "Bee"}},
            {
                "type": "move",
                "block": {"id": ids["c"]},
                "target": {"type": "start", "parentBlockId": ids["loop"], "parentSequenceId": "sequence"},
            },
            {"type": "create", "block": wait("x"), "target": {"type": "after", "previousBlockId": ids["t1"]}},
        ],
        kinds,
    )
    assert outline(after) == ["b", ["loop", ["c", "in1", ["iff", ["t1", "x"], ["f1"]]]]]
    assert after[0].name == "Bee"


def test_an_id_wins_over_a_reference_of_the_same_spelling(kinds: Registry) -> None:
    blocks = parse_blocks([{**wait("one"), "id": "two"}, {**wait("two"), "id": "one"}], kinds)
    assert outline(apply(blocks, [{"type": "delete", "blockId": "one"}], kinds)) == ["one"]


def test_update_replaces_what_is_given_and_keeps_the_rest(blocks: list[Envelope], kinds: Registry) -> None:
    old = by_reference(blocks, "a")
    change = {"name": "Ay", "skipIfNotPresent": True, "isCacheable": None}
    new = by_reference(apply(blocks, [{"type": "update", "blockId": old.id, "block": change}], kinds), "a")
    assert (new.id, new.name, new.skip_if_not_present, new.is_cacheable, new.data) == (
        old.id,
        "Ay",
        True,
        True,
        {"durationMs": 1},
    )
    assert old.name == "Wait"


def test_update_replaces_data_whole(blocks: list[Envelope], kinds: Registry) -> None:
    data = {"timeoutMs": 9}
    assert (
        by_reference(
            apply(blocks, [{"type": "update", "blockId": "a", "block": {"data": data}}], kinds), "a"
        ).data
        == data
    )


def test_update_replaces_nested_sequences_whole_and_keeps_their_ids(
    blocks: list[Envelope], kinds: Registry
) -> None:
    inner = by_reference(blocks, "in1")
    change = {"sequenceData": {"sequence": [{**wait("in1"), "id": inner.id}, wait("t1")]}}
    after = apply(blocks, [{"type": "update", "blockId": "loop", "block": change}], kinds)
    assert outline(after) == ["a", "b", ["loop", ["in1", "t1"]], "c"]
    assert by_reference(after, "in1").id == inner.id


def test_a_block_named_by_id_can_get_another_reference(blocks: list[Envelope], kinds: Registry) -> None:
    after = apply(blocks, [{"type": "update", "blockId": "a", "block": {"blockReferenceId": "z"}}], kinds)
    assert outline(after) == ["z", *BEFORE[1:]]


def test_a_changed_type_is_checked_against_the_data(blocks: list[Envelope], kinds: Registry) -> None:
    change = {"type": "Transform", "data": {"code": "1"}}
    assert (
        by_reference(apply(blocks, [{"type": "update", "blockId": "a", "block": change}], kinds), "a").type
        == "Transform"
    )
    with pytest.raises(InvalidRequest, match=r"operations\[0\].*data.durationMs"):
        apply(blocks, [{"type": "update", "blockId": "a", "block": {"type": "Transform"}}], kinds)
    with pytest.raises(InvalidRequest, match="`sequence`, which is not empty"):
        apply(blocks, [{"type": "update", "blockId": "loop", "block": {"type": "Wait", "data": {}}}], kinds)


INTO_LOOP = {"type": "end", "parentBlockId": "loop", "parentSequenceId": "sequence"}
BAD: list[Any] = [
    {"type": "move", "blockId": "loop", "target": INTO_LOOP},
    {
        "type": "move",
        "blockId": "loop",
        "target": {"type": "end", "parentBlockId": "iff", "parentSequenceId": "trueSequence"},
    },
    {"type": "move", "blockId": "loop", "target": {"type": "after", "previousBlockId": "in1"}},
    {"type": "move", "blockId": "a", "target": {"type": "after", "previousBlockId": "a"}},
    {"type": "move", "blockId": "a"},
    {"type": "move", "blockId": "none", "target": {"type": "end"}},
    {"type": "move", "target": {"type": "end"}},
    {"type": "create", "block": wait("x"), "target": {"type": "end", "parentSequenceId": "sequence"}},
    {"type": "create", "block": wait("x"), "target": {**INTO_LOOP, "parentSequenceId": "trueSequence"}},
    {"type": "create", "block": wait("x"), "target": {**INTO_LOOP, "parentSequenceId": "sideways"}},
    {"type": "create", "block": wait("x"), "target": {**INTO_LOOP, "parentSequenceId": ["sequence"]}},
    {"type": "create", "block": wait("x"), "target": {**INTO_LOOP, "parentBlockId": "a"}},
    {"type": "create", "block": wait("x"), "target": {"type": "end", "parentBlockId": "iff"}},
    {"type": "create", "block": wait("x"), "target": {"type": "after", "previousBlockId": "none"}},
    {"type": "create", "block": wait("x"), "target": {"type": "after"}},
    {"type": "create", "block": wait("x"), "target": {"type": "sideways"}},
    {"type": "create", "block": wait("x"), "target": "end"},
    {"type": "create", "block": wait("f1")},
    {"type": "create", "block": loop("x", wait("y"), wait("y"))},
    {"type": "create", "block": {"type": "Wait", "data": {"durationMs": "long"}}},
    {"type": "create"},
    {"type": "update", "blockId": 5, "block": {}},
    {"type": "update", "blockId": "none", "block": wait("x")},
    {"type": "update", "blockId": "a", "block": {"blockReferenceId": "b"}},
    {"type": "update", "blockId": "a", "block": {"blockReferenceId": "b.c"}},
    {"type": "update", "blockId": "a", "block": {"data": {"until": 1}}},
    {"type": "update", "blockId": "a", "block": {"type": "Teleport"}},
    {"type": "update", "blockId": "loop", "block": {"sequenceData": {"sequence": [wait("a")]}}},
    {"type": "update", "blockId": "loop", "block": {"sequenceData": {"trueSequence": []}}},
    {"type": "update", "block": "a"},
    {"type": "delete", "blockId": "none"},
    {"type": "delete"},
    {"type": "replaceAll"},
    {"type": "replaceAll", "blocks": [wait("q"), {"type": "Wait", "data": {"durationMs": []}}]},
    {"type": "explode"},
    {},
    "create",
    None,
]


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_operation_is_named_by_its_index_and_nothing_changes(
    blocks: list[Envelope], kinds: Registry, bad: Any
) -> None:
    before = deepcopy(blocks)
    with pytest.raises(InvalidRequest, match=r"^operations\[1\]: "):
        apply(blocks, [{"type": "create", "block": wait("never")}, bad], kinds)
    assert blocks == before


def test_operations_must_be_a_bounded_array(blocks: list[Envelope], kinds: Registry) -> None:
    for wrong in ({"type": "create"}, None, [{"type": "delete"}] * 2001):
        with pytest.raises(InvalidRequest, match=r"^`operations`"):
            apply(blocks, wrong, kinds)


def test_the_blocks_of_one_call_are_bounded(kinds: Registry) -> None:
    replace = {"type": "replaceAll", "blocks": [{"type": "Wait"}] * 2000}
    assert len(apply([], [replace] * 5, kinds)) == 2000
    with pytest.raises(InvalidRequest, match=r"operations\[5\]: one call may bring 10000 blocks"):
        apply([], [replace] * 6, kinds)


def test_moving_cannot_nest_deeper_than_allowed(kinds: Registry) -> None:
    deep = loop("l0")
    for level in range(1, 20):
        deep = loop(f"l{level}", deep)
    blocks = parse_blocks([deep, loop("two", wait("leaf")), wait("flat")], kinds)
    into_deepest = {"type": "end", "parentBlockId": "l0", "parentSequenceId": "sequence"}
    apply(blocks, [{"type": "move", "blockId": "flat", "target": into_deepest}], kinds)
    with pytest.raises(InvalidRequest, match="20 deep"):
        apply(blocks, [{"type": "move", "blockId": "two", "target": into_deepest}], kinds)
    with pytest.raises(InvalidRequest, match="20 deep"):
        apply(blocks, [{"type": "create", "block": loop("x", wait("y")), "target": into_deepest}], kinds)


def test_one_block_is_shown_as_in_the_whole_tree(blocks: list[Envelope]) -> None:
    shown = tree.block_json(blocks, by_reference(blocks, "f1").id)
    place = {
        "blockDepth": 2,
        "positionInSequence": 0,
        "parentBlockId": by_reference(blocks, "iff").id,
        "parentSequenceId": "falseSequence",
    }
    assert (shown["blockReferenceId"], shown["parentRelationship"]) == ("f1", place)
    with pytest.raises(NotFound, match="block_none"):
        tree.block_json(blocks, "block_none")


CONTAINERS = Registry([Wait, Loop, If])
NAMES = st.sampled_from(["a", "b", "c", "loop", "in1", "iff", "t1", "f1", "n1", "n2", "n3", "none"])
SEQUENCES = st.sampled_from([None, "sequence", "trueSequence", "falseSequence"])
TARGETS = st.one_of(
    st.none(),
    st.fixed_dictionaries({"type": st.just("after"), "previousBlockId": NAMES}),
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(["start", "end"]),
            "parentBlockId": st.none() | NAMES,
            "parentSequenceId": SEQUENCES,
        }
    ),
)
DEFINITIONS = st.one_of(
    st.builds(wait, NAMES),
    st.builds(loop, NAMES, st.builds(wait, NAMES)),
    st.builds(branch, NAMES, st.lists(st.builds(wait, NAMES), max_size=2), st.just([])),
)
OPERATIONS = st.one_of(
    st.fixed_dictionaries({"type": st.just("create"), "block": DEFINITIONS, "target": TARGETS}),
    st.fixed_dictionaries({"type": st.just("update"), "blockId": NAMES, "block": DEFINITIONS}),
    st.fixed_dictionaries({"type": st.just("delete"), "blockId": NAMES}),
    st.fixed_dictionaries({"type": st.just("move"), "blockId": NAMES, "target": TARGETS}),
    st.fixed_dictionaries({"type": st.just("replaceAll"), "blocks": st.lists(DEFINITIONS, max_size=3)}),
)


def check_sound(
    shown: list[Json], depth: int = 0, parent: str | None = None, sequence: str | None = None
) -> list[Json]:
    """All blocks of the tree, after checking that each says where it stands."""
    every: list[Json] = []
    for position, item in enumerate(shown):
        place = {
            "blockDepth": depth,
            "positionInSequence": position,
            "parentBlockId": parent,
            "parentSequenceId": sequence,
        }
        assert item["parentRelationship"] == place
        every.append(item)
        for name, inner in item.get("sequenceData", {}).items():
            every.extend(check_sound(inner, depth + 1, item["id"], name))
    return every


@settings(max_examples=100, deadline=None)
@given(st.lists(OPERATIONS, max_size=12))
def test_any_operations_leave_the_tree_sound_or_untouched(operations: list[Json]) -> None:
    blocks = parse_blocks(
        [wait("a"), loop("loop", wait("in1"), branch("iff", [wait("t1")], [wait("f1")]))], CONTAINERS
    )
    for operation in operations:
        before = deepcopy(blocks)
        try:
            after = apply(blocks, [operation], CONTAINERS)
        except InvalidRequest:
            after = blocks
        assert blocks == before
        every = check_sound(tree.to_json(after))
        assert len({item["id"] for item in every}) == len(every)
        assert len({item["blockReferenceId"] for item in every}) == len(every)
        assert tree.from_json(tree.to_json(after)) == after
        blocks = after
