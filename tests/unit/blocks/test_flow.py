"""Blocks that wait and decide, run in memory."""

from typing import Any

import pytest

from pagehand.blocks import kinds
from pagehand.blocks.outcome import LoopBreak, LoopContinue
from pagehand.errors import BlockFailed, NotPresent
from pagehand.testing import Harness

pytestmark = pytest.mark.anyio
Json = dict[str, Any]


def value(reference: str, given: Any, code: str = "input") -> Json:
    return {"type": "Transform", "blockReferenceId": reference, "data": {"input": given, "code": code}}


def loop(over: Json, *inner: Json, reference: str = "loop", **data: Any) -> Json:
    return {
        "type": "Loop",
        "blockReferenceId": reference,
        "data": {"over": over, **data},
        "sequenceData": {"sequence": list(inner)},
    }


def branch(condition: Any, yes: list[Json], no: list[Json]) -> Json:
    sequences = {"trueSequence": yes, "falseSequence": no}
    return {"type": "If", "data": {"condition": condition}, "sequenceData": sequences}


FAIL_ON_TWO = {
    "type": "FailOnCondition",
    "data": {"condition": "item == 2", "message": "two is bad: {{item}}"},
}


async def test_wait_sleeps_that_long(harness: Harness) -> None:
    run = await harness.run({"type": "Wait", "data": {"durationMs": "{{params.ms}}"}}, params={"ms": "1500"})
    assert run.slept_seconds == 1.5


async def test_a_value_that_does_not_fit_after_filling_in_fails_the_block(harness: Harness) -> None:
    with pytest.raises(BlockFailed, match=r"`data.durationMs`: expected a whole number"):
        await harness.run({"type": "Wait", "data": {"durationMs": "{{params.ms}}"}}, params={"ms": "soon"})


async def test_wait_for_condition_goes_on_once_it_holds(harness: Harness) -> None:
    await harness.run({"type": "WaitForCondition", "data": {"condition": "params.n > 3"}}, params={"n": 4})


async def test_wait_for_condition_runs_out_as_not_present(harness: Harness) -> None:
    block = {
        "type": "WaitForCondition",
        "data": {"condition": "params.n > 3", "timeoutMs": 300, "pollMs": 20},
    }
    with pytest.raises(NotPresent, match=r"within 0.3 s: `params.n > 3`") as caught:
        await harness.run(block, params={"n": 1})
    assert caught.value.diagnosis.advice


async def test_fail_on_condition_fails_with_its_message(harness: Harness) -> None:
    block = {
        "type": "FailOnCondition",
        "data": {"condition": "params.n > 3", "message": "{{params.n}} is too much"},
    }
    await harness.run(block, params={"n": 3})
    with pytest.raises(BlockFailed, match=r"^4 is too much$"):
        await harness.run(block, params={"n": 4})


@pytest.mark.parametrize(("n", "outputs"), [(1, {"small": 1}), (9, {"large": 9})])
async def test_if_runs_one_branch(harness: Harness, n: int, outputs: Json) -> None:
    run = await harness.run(
        branch("params.n > 5", [value("large", "{{params.n}}")], [value("small", "{{params.n}}")]),
        params={"n": n},
    )
    assert run.outputs == outputs


@pytest.mark.slow
async def test_a_loop_puts_out_one_object_per_round(harness: Harness) -> None:
    run = await harness.run(
        loop({"items": ["a", "b"]}, value("x", "{{item}}{{index}}"), value("y", "{{blocks.x}}!"))
    )
    assert run.outputs == {"loop": [{"x": "a0", "y": "a0!"}, {"x": "b1", "y": "b1!"}]}


@pytest.mark.parametrize(
    ("over", "rounds"),
    [
        ({"times": 3}, 3),
        ({"times": 0}, 0),
        ({"times": "{{params.n}}"}, 2),
        ({"items": "{{params.list}}"}, 3),
        ({"items": []}, 0),
        ({"items": ["{{params.n}}"]}, 1),
        ({"while": "len(blocks['loop'] or []) < 4"}, 4),
        ({"while": "index < 3"}, 3),
    ],
)
async def test_a_loop_goes_over(harness: Harness, over: Json, rounds: int) -> None:
    run = await harness.run(loop(over, value("i", "{{index}}")), params={"n": 2, "list": [7, 8, 9]})
    assert run.outputs["loop"] == [{"i": index} for index in range(rounds)]


async def test_outer_items_are_reached_by_their_name(harness: Harness) -> None:
    inner = loop({"items": [1, 2]}, value("x", "{{letter}}{{item}}"), reference="inner")
    run = await harness.run(loop({"items": ["a", "b"]}, inner, itemName="letter"))
    assert run.outputs["loop"] == [
        {"inner": [{"x": "a1"}, {"x": "a2"}]},
        {"inner": [{"x": "b1"}, {"x": "b2"}]},
    ]


async def test_exit_and_next_keep_what_the_round_had(harness: Harness) -> None:
    run = await harness.run(
        loop(
            {"times": 9},
            value("before", "{{item}}"),
            {"type": "Next", "data": {"condition": "item == 1"}},
            {"type": "ExitFromLoop", "data": {"condition": "item == 2"}},
            value("after", "{{item}}"),
        ),
        value("end", 1),
    )
    assert run.outputs == {"loop": [{"before": 0, "after": 0}, {"before": 1}, {"before": 2}], "end": 1}


async def test_exit_leaves_only_the_innermost_loop_also_from_within_an_if(harness: Harness) -> None:
    inner = loop(
        {"times": 5}, value("x", 1), branch("index == 1", [{"type": "ExitFromLoop"}], []), reference="inner"
    )
    run = await harness.run(loop({"times": 2}, inner))
    assert run.outputs["loop"] == [{"inner": [{"x": 1}, {"x": 1}]}] * 2


async def test_the_limit_ends_the_loop_with_an_event(harness: Harness) -> None:
    run = await harness.run(loop({"while": "True"}, value("x", 1), maxIterations=3))
    assert len(run.outputs["loop"]) == 3
    assert len(run.events_of("loop.limit")) == 1


async def test_reaching_the_limit_with_nothing_left_is_not_an_event(harness: Harness) -> None:
    run = await harness.run(loop({"times": 3}, value("x", 1), maxIterations=3))
    assert (len(run.outputs["loop"]), run.events_of("loop.limit")) == (3, [])


async def test_a_failing_round_ends_the_loop_and_keeps_the_rounds(harness: Harness) -> None:
    with pytest.raises(BlockFailed, match="two is bad: 2"):
        await harness.run(loop({"items": [1, 2, 3]}, value("x", "{{item}}"), FAIL_ON_TWO, value("y", 1)))
    assert harness.response == {"loop": [{"x": 1, "y": 1}, {"x": 2}]}


async def test_continue_on_error_makes_that_round_its_error(harness: Harness) -> None:
    run = await harness.run(
        loop({"items": [1, 2, 3]}, value("x", "{{item}}"), FAIL_ON_TWO, continueOnError=True)
    )
    assert run.outputs["loop"] == [{"x": 1}, {"error": "two is bad: 2"}, {"x": 3}]
    assert len(run.events_of("round.failed")) == 1


async def test_items_that_are_null_fail_with_the_reason(harness: Harness) -> None:
    with pytest.raises(BlockFailed, match=r"`data.over`: `items` is null; did the block it refers to run"):
        await harness.run(loop({"items": "{{blocks.later}}"}), value("later", 1))


async def test_items_that_are_not_an_array_fail(harness: Harness) -> None:
    with pytest.raises(BlockFailed, match=r"`data.over.items`: expected an array"):
        await harness.run(loop({"items": "{{params.x}}"}), params={"x": "abc"})


async def test_a_run_can_begin_inside_a_loop_or_a_branch(harness: Harness) -> None:
    blocks = [
        value("a", 1),
        branch("False", [value("b", 1), value("c", 1)], [value("other", 1)]),
        loop({"while": "len(blocks['loop'] or []) == 1"}, value("x", "{{index}}"), value("y", "{{index}}")),
    ]
    assert (await harness.run(*blocks, start="c")).outputs == {"c": 1, "loop": []}
    assert (await harness.run(*blocks, start="y")).outputs == {"loop": [{"y": 0}, {"x": 1, "y": 1}]}


def test_the_control_flow_of_loops_is_not_an_error() -> None:
    assert not issubclass(LoopBreak, Exception)
    assert not issubclass(LoopContinue, Exception)


@pytest.mark.parametrize(
    ("name", "data", "wants"),
    [
        ("If", {"condition": "x"}, False),
        ("If", {"condition": {"url": "*"}}, True),
        ("ExitFromLoop", {}, False),
        ("WaitForCondition", {"condition": {"element": {"css": "a"}}}, True),
        ("LoopV2", {"over": {"times": 1}}, False),
        ("LoopV2", {"over": {"pages": {"css": "a"}}}, True),
        ("LoopV2", {"over": {"while": {"prompt": "more?"}}}, True),
        ("Transform", {"code": "input"}, False),
        ("Transform", {"code": "(input) => input"}, True),
        ("CodeV2", {"code": "return 1", "language": "javascript"}, True),
        ("CodeV2", {"code": "1"}, False),
    ],
)
def test_a_block_says_whether_it_wants_the_page(name: str, data: Json, wants: bool) -> None:
    assert kinds().parse(name, data).wants_page() is wants


def test_an_item_name_cannot_hide_another_name() -> None:
    with pytest.raises(BlockFailed, match="itemName"):
        kinds().parse("LoopV2", {"over": {"times": 1}, "itemName": "params"})
