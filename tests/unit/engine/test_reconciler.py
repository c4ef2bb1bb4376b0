"""What the table says and what the process does are compared again and again; the difference is mended."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from pagehand.clock import now_ms
from pagehand.engine import reconciler as module
from pagehand.engine.reconciler import Reconciler, Recovery, Waiters
from pagehand.engine.reporting.report import Failure
from pagehand.engine.run.finish import Finisher, failed_ending
from pagehand.errors import BlockFailed, Unavailable
from pagehand.records import Execution, QueueEntry, Status
from pagehand.testing import Harness
from support.attempts import accept_execution, reload_execution, value
from support.waiting import until

pytestmark = pytest.mark.anyio


class Process:
    """A process that reconciles; what it queues it knows."""

    def __init__(self, harness: Harness, *, is_worker: bool = True) -> None:
        self.harness = harness
        self.finisher = Finisher(harness.services)
        self.waiters = Waiters()
        self.queued: list[str] = []
        self.reconciler = Reconciler(
            harness.stores.executions,
            Recovery(harness.services, self.finisher),
            self.waiters,
            is_known=self.queued.__contains__,
            enqueue=self._enqueue,
            is_worker=is_worker,
        )

    def _enqueue(self, entry: QueueEntry) -> None:
        self.queued.append(entry.id)

    def start(self) -> None:
        self.reconciler.loop.start()

    async def stop(self) -> None:
        await self.reconciler.loop.stop()


@pytest.fixture
async def process(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Process]:
    monkeypatch.setattr(module, "_PAUSE_SECONDS", 0.01)
    made = Process(harness)
    yield made
    await made.stop()


async def lost(harness: Harness) -> Execution:
    execution = await accept_execution(harness, value("a", 1))
    claimed = await harness.stores.executions.claim(execution.id, at=now_ms(), token=execution.id)
    assert claimed is not None
    return claimed


async def test_every_row_that_waits_is_queued_once(
    harness: Harness, process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_ROWS_AT_ONCE", 2)
    waiting = [(await accept_execution(harness, value("a", number))).id for number in range(5)]
    process.start()
    await until(lambda: process.reconciler.has_seen_all)
    assert process.queued == waiting
    late = await accept_execution(harness, value("a", 6))
    await until(lambda: late.id in process.queued)
    assert len(process.queued) == 6


async def test_a_row_that_seems_to_run_is_recovered_unless_it_runs_here(
    harness: Harness, process: Process
) -> None:
    ours, theirs = await lost(harness), await lost(harness)
    process.queued.append(ours.id)
    process.start()
    await until(lambda: theirs.id in process.queued)
    assert (await reload_execution(harness, ours)).status is Status.IN_PROGRESS
    assert (await reload_execution(harness, theirs)).status is Status.ENQUEUED


async def test_a_row_that_cannot_be_recovered_keeps_no_other_from_it(
    harness: Harness, process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, fine = await lost(harness), await lost(harness)
    last_seq = harness.stores.events.last_seq

    async def breaks(execution_id: str) -> int:
        if execution_id == broken.id:
            raise ValueError("a row from another world")
        return await last_seq(execution_id)

    monkeypatch.setattr(harness.stores.events, "last_seq", breaks)
    process.start()
    await until(lambda: fine.id in process.queued)
    assert (await reload_execution(harness, broken)).status is Status.IN_PROGRESS


@pytest.mark.parametrize("trouble", [Unavailable("The database is away."), RuntimeError("a bug")])
async def test_the_loop_continues_after_an_error(
    harness: Harness, process: Process, monkeypatch: pytest.MonkeyPatch, trouble: Exception
) -> None:
    waiting, calls = await accept_execution(harness, value("a", 1)), list[int]()
    unfinished = harness.stores.executions.unfinished

    async def fails_at_first(*, after: int, limit: int) -> list[QueueEntry]:
        calls.append(after)
        if len(calls) < 3:
            raise trouble
        return list(await unfinished(after=after, limit=limit))

    monkeypatch.setattr(harness.stores.executions, "unfinished", fails_at_first)
    process.start()
    await until(lambda: waiting.id in process.queued)


@pytest.mark.parametrize("is_worker", [True, False])
async def test_an_end_that_another_process_wrote_reaches_waiters(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, is_worker: bool
) -> None:
    monkeypatch.setattr(module, "_PAUSE_SECONDS", 0.01)
    process = Process(harness, is_worker=is_worker)
    execution = await lost(harness)
    process.queued.append(execution.id)
    waiter = process.waiters.add(execution.id)
    process.start()
    ending = failed_ending(Failure(None, BlockFailed("no")))
    await process.finisher.finish(execution, ending, fence=execution.fence)
    assert (await asyncio.wait_for(waiter, 10)).status is Status.FAILED
    assert process.waiters.ids == []
    await process.stop()


async def test_a_process_without_a_worker_queues_nothing(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PAUSE_SECONDS", 0.001)
    process = Process(harness, is_worker=False)
    await accept_execution(harness, value("a", 1))
    process.start()
    await asyncio.sleep(0.05)
    await process.stop()
    assert (process.queued, process.reconciler.has_seen_all) == ([], False)
