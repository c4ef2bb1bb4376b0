"""The walk through the blocks, on the harness: order, names, skipping, time, transformers, outputs."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.json import decode

from pagehand.blocks import kinds
from pagehand.blocks.flow.wait_for_condition import WaitForCondition
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.engine.run import block_runner
from pagehand.engine.run.context import BlockContext
from pagehand.errors import BlockFailed, LimitReached, SiteDown, TimedOut
from pagehand.ports import HttpAnswer
from pagehand.records import Json
from pagehand.testing import Harness, ScriptedHttp
from support.attempts import DO, kinds_with, loop, new_attempt, reload_execution, value

pytestmark = pytest.mark.anyio


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


async def test_of_nested_blocks_the_innermost_fails_first(harness: Harness) -> None:
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
    assert [effect["blockReferenceId"] for effect in result.execution.metadata["effects"]] == ["order"]
    harness.seams.http = ScriptedHttp([SiteDown("refused")])
    with pytest.raises(SiteDown):
        await harness.run(call)


def branch(condition: str, *blocks: Json, otherwise: Sequence[Json] = ()) -> Json:
    return {
        "type": "If",
        "blockReferenceId": "branch",
        "data": {"condition": condition},
        "sequenceData": {"trueSequence": list(blocks), "falseSequence": list(otherwise)},
    }


async def test_a_run_that_starts_in_the_middle_reads_null_of_what_came_before(harness: Harness) -> None:
    blocks = [value("a", 1), value("b", "{{blocks.a}}"), value("c", 3)]
    assert (await harness.run(*blocks, start="b")).outputs == {"b": None, "c": 3}


async def test_a_start_inside_an_if_enters_its_branch_whatever_the_condition(harness: Harness) -> None:
    inside = branch("False", value("a", 1), value("b", 2), otherwise=[value("c", 3)])
    assert (await harness.run(value("before", 0), inside, value("after", 4), start="b")).outputs == {
        "b": 2,
        "after": 4,
    }
    assert (await harness.run(inside, start="c")).outputs == {"c": 3}


async def test_a_start_inside_a_loop_begins_its_first_round_there(harness: Harness) -> None:
    rounds = loop("rows", {"times": 2}, value("a", 1), value("b", "{{index}}"))
    assert (await harness.run(rounds, start="b")).outputs["rows"] == [{"b": 0}, {"a": 1, "b": 1}]


async def test_a_start_inside_a_loop_without_a_round_continues_after_it(harness: Harness) -> None:
    rounds = loop("rows", {"items": []}, value("a", 1))
    assert (await harness.run(rounds, value("after", 4), start="a")).outputs == {"rows": [], "after": 4}


async def test_outputs_of_another_branch_in_an_earlier_round_read_null(harness: Harness) -> None:
    either = branch("index == 0", value("a", "first"), otherwise=[value("b", "{{blocks.a}}")])
    result = await harness.run(loop("rows", {"times": 2}, either))
    assert result.outputs["rows"] == [{"a": "first"}, {"b": None}]


async def test_a_declared_output_is_the_response(harness: Harness) -> None:
    async def outputs(output: Any, **params: Any) -> Json:
        workflow = await harness.add_workflow(value("a", [1, 2]), output=output)
        execution = await harness.accept(workflow, params=params)
        await new_attempt(harness, execution).perform(lambda _: None)
        done = await reload_execution(harness, execution)
        return {
            "response": decode(done.response or b"null"),
            "failure": done.failure and done.failure.message,
        }

    assert await outputs({"n": "{{blocks.a.1}}"}) == {"response": {"n": 2}, "failure": None}
    assert (await outputs("{{blocks.a}}"))["response"] == {"output": [1, 2]}
    wrong = await outputs("{{params.missing}}")
    assert wrong["response"] == {"a": [1, 2]}  # a failed run keeps what it had
    assert wrong["failure"].startswith("The workflow's `output`:")


async def test_a_kind_that_is_no_longer_installed_fails_its_block(harness: Harness) -> None:
    async def act(_: RunContext) -> int:
        return 1

    with_it = kinds_with(act)
    harness.seams.kinds = with_it
    workflow = await harness.add_workflow(DO)
    harness.seams.kinds = kinds()
    execution = await harness.accept(workflow)
    await new_attempt(harness, execution).perform(lambda _: None)
    done = await reload_execution(harness, execution)
    assert done.failure is not None
    assert (done.failure.block_reference_id, "no block kind `Do`" in done.failure.message) == ("do", True)


async def test_a_block_that_outlives_its_time_is_interrupted(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(block_runner, "_GRACE_SECONDS", 0.0)

    async def ignores_its_time(_: RunContext) -> None:
        await asyncio.sleep(60)

    harness.seams.kinds = kinds_with(ignores_its_time, seconds=30)
    with pytest.raises(TimedOut, match=r"`Do it` did not finish within its 0\.05 s.*data\.timeoutMs"):
        await harness.run({**DO, "data": {"timeoutMs": 50}})


async def test_a_commit_point_is_on_the_row_before_the_block_begins(harness: Harness) -> None:
    seen: list[str | None] = []

    class Http(ScriptedHttp):
        async def send(self, *given: Any, **more: Any) -> HttpAnswer:
            [execution] = await harness.stores.executions.unfinished(after=0, limit=1)
            row = await harness.stores.executions.find_in_any_organization(execution.id)
            assert row is not None
            seen.append(row.commit_block)
            return await super().send(*given, **more)

    url = "https://api.example/pay"
    harness.seams.http = Http([HttpAnswer(status=200, url=url, headers=[], body=b"")])
    pay = {"type": "API", "name": "Pay", "data": {"route": url, "method": "POST", "isCommit": True}}
    await harness.run(pay)
    assert seen == ["Pay"]


async def test_blocks_that_wait_for_nothing_let_others_have_their_turn(harness: Harness) -> None:
    turns = 0

    async def count_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count_turns())
    await harness.run(loop("rows", {"times": 20}, {"type": "Next", "data": {"condition": "False"}}))
    counting.cancel()
    assert turns >= 20


async def test_what_a_step_of_an_agent_puts_out_is_its_parents_alone(harness: Harness) -> None:
    async def takes_a_step(context: RunContext) -> Any:
        return [await context.run_step(value("x", number)) for number in (1, 2)]

    harness.seams.kinds = kinds_with(takes_a_step)
    result = await harness.run(DO, value("seen", 1))
    assert result.outputs == {"do": [1, 2], "seen": 1}
    steps = [event.block_reference_id for event in result.events if event.type == "block.finished"]
    assert steps == ["do_step_1", "do_step_2", "do", "seen"]
    ids = {event.block_reference_id: event.block_id for event in result.events}
    assert ids["do_step_1"] == f"{ids['do']}.1"


async def test_a_transformer_sees_the_names_and_fails_its_own_block(harness: Harness) -> None:
    blocks = [value("a", 2, transformerFn="lambda output, context: output * context['params']['n']")]
    assert (await harness.run(*blocks, params={"n": 21})).outputs == {"a": 42}
    with pytest.raises(BlockFailed):
        await harness.run(value("a", 2, transformerFn="lambda output: output / 0"))


async def test_secrets_of_a_login_are_masked_in_outputs(harness: Harness) -> None:
    login = await harness.add_login("https://portal.example/", token="tok-4711-0815")
    result = await harness.run(value("a", "{{login.token}}"), value("b", "tok-4711-0815"), login=login)
    assert result.outputs == {"a": "***", "b": "***"}
    assert "tok-4711-0815" not in str(result.events)
