"""The engine in one process: accepted executions run, end once, and are reached while they wait or run."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from msgspec.json import decode

from pagehand.blocks.run_context import RunContext
from pagehand.clock import now_ms
from pagehand.engine.local.engine import LocalEngine
from pagehand.engine.port import ExecutionRequest, IdempotencyKey
from pagehand.engine.signing_in.codes import CodeTarget
from pagehand.errors import Conflict, NotFound, Unavailable
from pagehand.records import Execution, Requeue, Status, Workflow
from pagehand.testing import Harness
from support.attempts import DO, accept_execution, events_of, kinds_with, reload_execution, value
from support.waiting import until

pytestmark = pytest.mark.anyio
WAIT = {"type": "Wait", "blockReferenceId": "nap", "data": {"durationMs": 60_000}}


class Gate:
    """Blocks that wait until the test opens it."""

    def __init__(self, harness: Harness) -> None:
        self.entered: list[str] = []
        self.open = asyncio.Event()
        harness.seams.kinds = kinds_with(self._wait)

    async def _wait(self, context: RunContext) -> Any:
        self.entered.append(context.names["execution"]["id"])
        await self.open.wait()
        return len(self.entered)


@pytest.fixture
def gate(harness: Harness) -> Gate:
    harness.settings.concurrency = 2
    harness.settings.stop_grace_seconds = 0.1
    return Gate(harness)


@pytest.fixture
async def engine(harness: Harness, gate: Gate) -> AsyncIterator[LocalEngine]:
    started = LocalEngine(harness.services)
    started.start()
    yield started
    gate.open.set()
    await started.stop()


@pytest.fixture
async def gated(harness: Harness, gate: Gate) -> Workflow:
    del gate
    return await harness.add_workflow(DO)


async def accept(engine: LocalEngine, workflow: Workflow, **request: Any) -> Execution:
    return await engine.accept(workflow.organization_id, ExecutionRequest(workflow_id=workflow.id, **request))


async def test_an_accepted_execution_runs_and_its_waiter_gets_the_end(
    harness: Harness, engine: LocalEngine
) -> None:
    execution = await accept(engine, await harness.add_workflow(value("a", 1)))
    done = await engine.wait(execution)
    assert (done.status, decode(done.response or b"null")) == (Status.COMPLETED, {"a": 1})
    assert await engine.wait(done) == done  # one that has ended is not waited for


async def test_the_same_key_gets_the_same_execution(engine: LocalEngine, gated: Workflow, gate: Gate) -> None:
    key, request = IdempotencyKey("k1", b"body"), ExecutionRequest(workflow_id=gated.id)
    first, second = await asyncio.gather(
        *(engine.accept(gated.organization_id, request, key) for _ in range(2))
    )
    assert first.id == second.id
    gate.open.set()
    await engine.wait(first)
    assert gate.entered == [first.id]
    with pytest.raises(Conflict):
        await engine.accept(gated.organization_id, request, IdempotencyKey("k1", b"another body"))


async def test_as_many_run_at_once_as_there_are_slots(
    engine: LocalEngine, gated: Workflow, gate: Gate
) -> None:
    executions = [await accept(engine, gated) for _ in range(4)]
    await until(lambda: len(gate.entered) == 2)
    await asyncio.sleep(0.05)
    assert len(gate.entered) == 2
    gate.open.set()
    for execution in executions:
        assert (await engine.wait(execution)).status is Status.COMPLETED


async def test_one_that_waits_is_cancelled_at_once(
    harness: Harness, engine: LocalEngine, gated: Workflow, gate: Gate
) -> None:
    running = [await accept(engine, gated) for _ in range(2)]
    await until(lambda: len(gate.entered) == 2)
    waits = await accept(engine, gated)
    ended = await engine.cancel(gated.organization_id, waits.id, "ann")
    assert (ended.status, ended.failure and ended.failure.code) == (Status.FAILED, "Cancelled")
    with pytest.raises(Conflict, match="already Failed"):
        await engine.cancel(gated.organization_id, waits.id, "ann")
    gate.open.set()
    assert [(await engine.wait(item)).status for item in running] == [Status.COMPLETED] * 2
    assert waits.id not in gate.entered
    assert [event.type for event in await events_of(harness, waits)] == []


async def test_one_that_runs_is_cancelled_and_says_by_whom(
    engine: LocalEngine, gated: Workflow, gate: Gate
) -> None:
    execution = await accept(engine, gated)
    await until(lambda: gate.entered)
    ended = await engine.cancel(gated.organization_id, execution.id, "ann")
    assert ended.failure is not None
    assert ended.failure.cancelled is not None
    assert (ended.status, ended.failure.cancelled.by) == (Status.FAILED, "ann")


async def test_an_execution_whose_time_is_over_before_it_begins_fails(
    engine: LocalEngine, gated: Workflow, gate: Gate
) -> None:
    for _ in range(2):
        await accept(engine, gated)
    await until(lambda: len(gate.entered) == 2)
    late = await engine.wait(await accept(engine, gated, timeout_seconds=0.1))
    assert (late.failure and late.failure.code, len(gate.entered)) == ("OutOfTime", 2)
    assert "before it began" in (late.error_analysis or "")


async def test_what_a_process_left_behind_is_run_by_the_next(harness: Harness, gate: Gate) -> None:
    gate.open.set()
    waits = await accept_execution(harness, DO)
    lost = await accept_execution(harness, DO)
    await harness.stores.executions.claim(lost.id, at=now_ms(), token="a process that died")
    engine = LocalEngine(harness.services)
    engine.start()
    assert [(await engine.wait(item)).status for item in (waits, lost)] == [Status.COMPLETED] * 2
    assert (await reload_execution(harness, lost)).metadata["workersLost"] == 1
    await engine.stop()


async def test_a_stop_puts_back_what_does_not_finish_in_time(
    harness: Harness, gate: Gate, gated: Workflow
) -> None:
    engine = LocalEngine(harness.services)
    engine.start()
    execution = await accept(engine, gated)
    await until(lambda: gate.entered)
    await engine.stop()
    reloaded = await reload_execution(harness, execution)
    assert (reloaded.status, reloaded.attempts, reloaded.metadata["requeued"]) == (Status.ENQUEUED, 1, 1)
    with pytest.raises(Unavailable, match="shutting down"):
        await accept(engine, gated)


async def test_an_execution_pauses_before_its_next_step_and_resumes(
    harness: Harness, engine: LocalEngine, gate: Gate
) -> None:
    workflow = await harness.add_workflow(DO, value("after", 1))
    execution = await accept(engine, workflow)
    await until(lambda: gate.entered)
    await engine.pause(harness.organization_id, execution.id)
    gate.open.set()

    async def is_paused() -> bool:
        return (await reload_execution(harness, execution)).status is Status.PAUSED

    await until(is_paused)
    waiting = (await reload_execution(harness, execution)).waiting
    assert waiting is not None
    assert waiting.kind == "request"
    with pytest.raises(Conflict, match="this one is Paused"):
        await engine.pause(harness.organization_id, execution.id)
    await engine.resume(harness.organization_id, execution.id)
    assert (await engine.wait(execution)).status is Status.COMPLETED
    for act in (engine.pause, engine.resume):
        with pytest.raises(Conflict, match="this one is Completed"):
            await act(harness.organization_id, execution.id)


async def test_what_runs_belongs_to_one_organization(
    engine: LocalEngine, gated: Workflow, gate: Gate
) -> None:
    execution = await accept(engine, gated)
    await until(lambda: gate.entered)
    assert engine.live(gated.organization_id, execution.id) is not None
    assert engine.live("org_other", execution.id) is None
    for act in (engine.pause, engine.resume, engine.live_session):
        with pytest.raises(NotFound):
            await act("org_other", execution.id)
    with pytest.raises(NotFound):
        await engine.cancel("org_other", execution.id, "eve")
    with pytest.raises(NotFound, match="waits for a code"):
        await engine.submit_code(gated.organization_id, CodeTarget(), "123456")
    with pytest.raises(Conflict, match="not a live session"):
        await engine.live_session(gated.organization_id, execution.id)


async def test_a_batch_is_paused_resumed_and_cancelled_whole(
    harness: Harness, engine: LocalEngine, gated: Workflow, gate: Gate
) -> None:
    organization, request = gated.organization_id, ExecutionRequest(workflow_id=gated.id)
    batch = await engine.accept_batch(organization, "All", request, [{} for _ in range(4)], concurrency=1)
    await until(lambda: len(gate.entered) == 1)
    await engine.pause_batch(organization, batch.id)
    with pytest.raises(Conflict, match="paused already"):
        await engine.pause_batch(organization, batch.id)
    gate.open.set()
    await asyncio.sleep(0.1)
    assert len(gate.entered) == 1  # what ran goes on, nothing more begins
    gate.open.clear()
    await engine.resume_batch(organization, batch.id)
    with pytest.raises(Conflict, match="not paused"):
        await engine.resume_batch(organization, batch.id)
    await until(lambda: len(gate.entered) == 2)
    await engine.cancel_batch(organization, batch.id, "ann")
    with pytest.raises(Conflict, match="cancelled"):
        await engine.pause_batch(organization, batch.id)
    left = await harness.stores.executions.unfinished_of_batch(organization, batch.id, after=0, limit=9)
    assert (list(left), len(gate.entered)) == ([], 2)


async def test_only_what_has_ended_is_retried(engine: LocalEngine, gated: Workflow, gate: Gate) -> None:
    first = await accept(engine, gated, name="Monday")
    with pytest.raises(Conflict, match="Only a finished execution can be retried"):
        await engine.retry(gated.organization_id, first.id)
    gate.open.set()
    await engine.wait(first)
    retried = await engine.wait(await engine.retry(gated.organization_id, first.id))
    assert (retried.name, retried.attempts, retried.parent_execution_id) == ("Monday", 2, first.id)


@pytest.mark.parametrize("way", ["accept", "batch", "retry"])
async def test_an_order_whose_answer_was_lost_does_not_run(
    harness: Harness, gated: Workflow, gate: Gate, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """The database committed and its answer was lost: the caller heard 503, so nothing may happen."""
    gate.open.set()
    engine, organization = LocalEngine(harness.services), gated.organization_id
    engine.start()
    finished = await engine.wait(await accept(engine, gated))
    gate.entered.clear()
    request = ExecutionRequest(workflow_id=gated.id)
    stores = harness.stores
    store, ask = {
        "accept": (stores.executions, lambda: engine.accept(organization, request)),
        "batch": (stores.batches, lambda: engine.accept_batch(organization, "b", request, [{}, {}])),
        "retry": (stores.executions, lambda: engine.retry(organization, finished.id)),
    }[way]
    add: Callable[..., Awaitable[Any]] = store.add

    async def loses_its_answer(*given: Any) -> None:
        await add(*given)
        raise Unavailable("The database cannot be reached right now.")

    with monkeypatch.context() as outage:
        outage.setattr(store, "add", loses_its_answer)
        with pytest.raises(Unavailable):
            await ask()

    async def is_ended() -> bool:
        return await harness.stores.executions.count_queued(organization) == 0

    await until(is_ended)
    await engine.stop()
    assert gate.entered == []


async def test_a_process_that_only_accepts_leaves_the_running_to_others(
    harness: Harness, gated: Workflow
) -> None:
    harness.settings.worker = False
    engine = LocalEngine(harness.services)
    engine.start()
    execution = await accept(engine, gated)
    batch = await engine.accept_batch(
        gated.organization_id, "b", ExecutionRequest(workflow_id=gated.id), [{}]
    )
    for act in (engine.pause_batch, engine.resume_batch):
        with pytest.raises(Conflict, match="in another process"):
            await act(gated.organization_id, batch.id)
    claimed = await harness.stores.executions.claim(execution.id, at=now_ms(), token="another process")
    assert claimed is not None
    with pytest.raises(Conflict, match="in another process"):
        await engine.cancel(gated.organization_id, execution.id, "ann")
    waiting = asyncio.create_task(engine.wait(execution))
    await harness.stores.executions.requeue(
        execution.id, claimed.fence, Requeue(attempts=1, metadata={}, at=now_ms(), not_before=None), token="t"
    )
    await engine.cancel(gated.organization_id, execution.id, "ann")
    assert (await waiting).status is Status.FAILED
    await engine.stop()


async def test_a_process_that_was_taken_over_lets_go_of_what_runs(
    harness: Harness, engine: LocalEngine, gated: Workflow, gate: Gate
) -> None:
    execution = await accept(engine, gated)
    await until(lambda: gate.entered)
    engine.abandon("another Pagehand service has taken over.")
    await until(lambda: len(gate.entered) == 2)  # it went back to the queue, and this process is still there
    gate.open.set()
    assert (await engine.wait(execution)).status is Status.COMPLETED
    assert (await reload_execution(harness, execution)).metadata["requeued"] == 1
