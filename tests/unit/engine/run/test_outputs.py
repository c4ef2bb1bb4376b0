"""What a run puts out: counted, written piece by piece, and put together again after a loss."""

from typing import Any

import pytest

from pagehand.clock import now_ms
from pagehand.engine.run import scope as module
from pagehand.engine.run.files import ExecutionFiles
from pagehand.engine.run.scope import Frame, Outputs, Scope, assemble_response
from pagehand.errors import LimitReached
from pagehand.records import Execution, Json, OutputPiece
from pagehand.secrets.redactor import Redactor
from pagehand.testing import Harness
from support.waiting import until

pytestmark = pytest.mark.anyio


class Run:
    """The outputs of a run that was claimed, and the frame of its whole workflow."""

    def __init__(self, harness: Harness, execution: Execution, **limits: int) -> None:
        services = harness.services
        self.harness, self.execution, self.redactor = harness, execution, Redactor()
        files = ExecutionFiles(execution, services.stores.files, services.file_bytes, services.describe_file)
        limits = {"max_bytes": 10_000, "max_value_bytes": 10_000, **limits}
        self.outputs = Outputs(execution, services.stores.outputs, files, self.redactor, **limits)
        self.scope = Scope(execution, [])
        self.frame = Frame(self.scope, self.outputs.response, {})

    async def keep(self, **values: Any) -> None:
        for reference, value in values.items():
            await self.outputs.keep(self.frame, reference, value)

    async def has_stored(self, response: Json) -> bool:
        return (
            assemble_response(await self.harness.stores.outputs.of_execution(self.execution.id)) == response
        )


@pytest.fixture
async def execution(harness: Harness) -> Execution:
    made = await harness.accept(await harness.add_workflow({"type": "Wait", "data": {"durationMs": 1}}))
    claimed = await harness.stores.executions.claim(made.id, at=now_ms(), token="mine")
    assert claimed is not None
    return claimed


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_WRITE_SECONDS", 0.0)


async def test_an_output_kept_again_counts_once(harness: Harness, execution: Execution) -> None:
    run = Run(harness, execution, max_bytes=100)
    for _ in range(5):
        await run.keep(a="x" * 60)
    assert run.outputs.size == 62
    with pytest.raises(LimitReached, match="100 bytes in all"):
        await run.keep(b="y" * 60)
    assert (run.outputs.response, run.outputs.size) == ({"a": "x" * 60}, 62)


async def test_a_loop_that_runs_again_counts_its_rounds_once(harness: Harness, execution: Execution) -> None:
    run = Run(harness, execution)
    for _ in range(3):
        rounds: list[Json] = [{}]
        run.outputs.begin_list(run.frame, "loop", rounds)
        inner = run.frame.round(rounds[0], {"index": 0}, ("loop", 0))
        await run.outputs.keep(inner, "name", "ann")
    assert (run.outputs.response, run.outputs.size) == ({"loop": [{"name": "ann"}]}, 5)


async def test_the_steps_of_an_agent_count_and_are_no_part_of_the_response(
    harness: Harness, execution: Execution
) -> None:
    run = Run(harness, execution)
    step: Json = {}
    await run.outputs.keep(run.frame.round(step, {}), "step", "read")
    assert (run.outputs.response, step, run.outputs.size) == ({}, {"step": "read"}, 6)


@pytest.mark.usefixtures("at_once")
async def test_a_process_that_dies_leaves_its_outputs(harness: Harness, execution: Execution) -> None:
    run = Run(harness, execution)
    await run.keep(a=1)
    rounds: list[Json] = [{}, {}]
    run.outputs.begin_list(run.frame, "loop", rounds)
    await run.outputs.keep(run.frame.round(rounds[1], {}, ("loop", 1)), "b", [2])
    rounds[0] = run.outputs.replace_item(run.frame, "loop", 0, {"error": "no"})
    expected = {"a": 1, "loop": [{"error": "no"}, {"b": [2]}]}
    await until(lambda: run.has_stored(expected))
    assert run.outputs.response == expected


@pytest.mark.usefixtures("at_once")
async def test_a_secret_added_later_is_redacted_in_what_was_written_before(
    harness: Harness, execution: Execution
) -> None:
    run = Run(harness, execution)
    await run.keep(a="hunter22")
    await until(lambda: run.has_stored({"a": "hunter22"}))
    run.redactor.add("hunter22")
    await run.keep(b=2)
    await until(lambda: run.has_stored({"a": "***", "b": 2}))


@pytest.mark.usefixtures("at_once")
async def test_a_loop_that_goes_on_meanwhile_disturbs_no_write(
    harness: Harness, execution: Execution, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Secrets are taken out in a thread: what that reads must not change under it."""
    run = Run(harness, execution)
    rounds: list[Json] = [{"name": "ann"}]
    run.outputs.begin_list(run.frame, "loop", rounds)
    await until(lambda: run.has_stored({"loop": [{"name": "ann"}]}))
    read: list[Any] = []
    hide = run.redactor.value

    def noted(value: Any) -> Any:
        read.append(value)
        return hide(value)

    monkeypatch.setattr(run.redactor, "value", noted)
    run.redactor.add("hunter22")
    await run.keep(a=1)
    await until(lambda: read)
    rounds[0]["late"] = "added by the next block"
    assert read[0] == {"loop": [{"name": "ann"}], "a": 1}


async def test_a_large_value_is_a_file_without_secrets_and_templates_see_it_whole(
    harness: Harness, execution: Execution
) -> None:
    run = Run(harness, execution, max_value_bytes=20)
    run.redactor.add("hunter22")
    await run.keep(a="hunter22 " * 5)
    shown = run.outputs.response["a"]
    assert run.scope.outputs["a"] == "hunter22 " * 5
    assert await harness.read_file(shown) == b'"' + b"*** " * 5 + b'"'
    assert run.outputs.shown_in_context(run.scope)["a"] == shown
    await run.keep(a="short")
    assert run.outputs.shown_in_context(run.scope) == {"a": "short"}


async def test_what_cannot_be_kept_names_its_block(harness: Harness, execution: Execution) -> None:
    run = Run(harness, execution, max_bytes=10)
    with pytest.raises(LimitReached, match="The output of `table` cannot be kept"):
        await run.keep(table=["x" * 20])


PUT_TOGETHER: list[tuple[list[tuple[list[str | int], Any]], Json]] = [
    ([], {}),
    ([(["a"], 1), (["a"], 2)], {"a": 2}),
    # a round that put nothing out was never written
    ([(["loop"], []), (["loop", 2, "x"], 1)], {"loop": [{}, {}, {"x": 1}]}),
    # the list itself may not have been written
    ([(["loop", 0, "x"], 1), (["loop", 1], {"error": "no"})], {"loop": [{"x": 1}, {"error": "no"}]}),
    ([(["loop", 1, "inner", 0, "x"], 1)], {"loop": [{}, {"inner": [{"x": 1}]}]}),
    # everything again, after a secret was learnt
    ([(["a"], "hunter22"), ([], {"a": "***"}), (["b"], 1)], {"a": "***", "b": 1}),
    # a block that was skipped before its loop ran again
    ([(["loop"], None), (["loop", 0, "x"], 1)], {"loop": [{"x": 1}]}),
]


@pytest.mark.parametrize(("pieces", "response"), PUT_TOGETHER)
def test_pieces_make_the_response_they_were_taken_from(
    pieces: list[tuple[list[str | int], Any]], response: Json
) -> None:
    assert assemble_response([OutputPiece(path=path, value=value) for path, value in pieces]) == response
