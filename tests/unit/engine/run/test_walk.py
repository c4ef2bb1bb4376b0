"""The walk through the blocks, on the harness: order, names, skipping, time, transformers, outputs."""

import asyncio
from typing import Any

import pytest

from pagehand.blocks.base import Outcome
from pagehand.blocks.flow.wait_for_condition import WaitForCondition
from pagehand.engine.run.context import BlockContext
from pagehand.errors import BlockFailed, LimitReached, SiteDown, TimedOut
from pagehand.ports import HttpAnswer
from pagehand.testing import Harness, ScriptedHttp

pytestmark = pytest.mark.anyio
Json = dict[str, Any]


def value(reference: str, given: Any, code: str = "input", **envelope: Any) -> Json:
    data = {"input": given, "code": code}
    return {"type": "Transform", "blockReferenceId": reference, "data": data, **envelope}


async def test_blocks_that_have_not_run_read_as_null(harness: Harness) -> None:
    result = await harness.run(value("a", "{{blocks.b}}"), value("b", 1))
    assert result.outputs == {"a": None, "b": 1}


async def test_the_transformer_replaces_the_output(harness: Harness) -> None:
    result = await harness.run(value("a", [1, 2, 3], transformerFn="lambda output: output[-1]"))
    assert result.outputs == {"a": 3}


async def test_a_block_that_takes_longer_than_its_time_is_ended(harness: Harness) -> None:
    slow = {
        "type": "WaitForCondition",
        "name": "Wait for it",
        "data": {"condition": "False", "timeoutMs": 100, "pollMs": 20},
    }
    with pytest.raises((TimedOut, BlockFailed), match=r"0\.1 s"):
        await harness.run(slow)


async def test_what_is_found_at_the_last_moment_gets_time_to_be_used(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[float] = []

    async def found_late(_: WaitForCondition, context: BlockContext) -> Outcome:
        while context.remaining_seconds > 0.05:  # noqa: ASYNC110 - the block's own clock
            await asyncio.sleep(0.01)
        context.allow_action()
        seen.append(context.remaining_seconds)
        return Outcome()

    monkeypatch.setattr(WaitForCondition, "run", found_late)
    await harness.run({"type": "WaitForCondition", "data": {"condition": "False", "timeoutMs": 100}})
    assert seen[0] > 0.5


async def test_a_block_that_may_be_skipped_leaves_null_and_an_event(harness: Harness) -> None:
    absent = {
        "type": "WaitForCondition",
        "blockReferenceId": "absent",
        "data": {"condition": "False", "timeoutMs": 50, "pollMs": 20},
        "skipIfNotPresent": True,
    }
    result = await harness.run(absent, value("after", "{{blocks.absent}}"))
    assert result.outputs == {"after": None}
    assert len(result.events_of("block.skipped")) == 1


async def test_of_nested_blocks_the_innermost_is_said_to_have_failed_first(harness: Harness) -> None:
    fails = {"type": "FailOnCondition", "name": "Inner", "data": {"condition": "True", "message": "no"}}
    outer = {
        "type": "If",
        "name": "Outer",
        "data": {"condition": "True"},
        "sequenceData": {"trueSequence": [fails], "falseSequence": []},
    }
    with pytest.raises(BlockFailed, match=r"^no$"):
        await harness.run(outer)


async def test_leaving_a_loop_where_there_is_none_fails(harness: Harness) -> None:
    with pytest.raises(BlockFailed, match="outside any loop"):
        await harness.run({"type": "ExitFromLoop"})


async def test_outputs_have_a_limit(harness: Harness) -> None:
    harness.settings.max_output_bytes = 100
    with pytest.raises(LimitReached, match="100 bytes"):
        await harness.run(value("a", "x" * 200))


async def test_a_large_output_becomes_a_file_and_templates_still_see_all_of_it(harness: Harness) -> None:
    harness.settings.max_value_bytes = 50
    result = await harness.run(value("a", "x" * 80), value("b", "{{blocks.a}}", "len(input)"))
    assert result.outputs["b"] == 80
    assert await harness.read_file(result.outputs["a"]) == b'"' + b"x" * 80 + b'"'


async def test_an_effect_is_on_the_execution_and_one_that_was_never_sent_is_not(harness: Harness) -> None:
    url = "https://api.example/orders"
    answer = HttpAnswer(status=200, url=url, headers=[], body=b"")
    call = {"type": "API", "blockReferenceId": "order", "data": {"route": url, "method": "POST"}}
    harness.seams.http = ScriptedHttp([answer])
    result = await harness.run(call)
    assert [one["blockReferenceId"] for one in result.execution.metadata["effects"]] == ["order"]
    harness.seams.http = ScriptedHttp([SiteDown("refused")])
    with pytest.raises(SiteDown):
        await harness.run(call)
