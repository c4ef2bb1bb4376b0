"""The attempts of one process: interrupted, let finish at the end, paused within the limits."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from pagehand.engine import attempts as module
from pagehand.engine.attempt import Attempt
from pagehand.engine.attempts import Attempts, pause, resume
from pagehand.engine.slots import Slots
from pagehand.errors import Cancelled, Conflict, TooMany
from pagehand.records import Execution, Status
from pagehand.testing import Harness
from support.attempts import CALL, accept_execution, new_attempt, reload_execution, value
from support.waiting import until

pytestmark = pytest.mark.anyio
WAIT = {"type": "Wait", "blockReferenceId": "nap", "data": {"durationMs": 60_000}}


@dataclass
class RunningAttempts:
    """Attempts that run, each in a task that `drain` waits for."""

    harness: Harness
    attempts: Attempts = field(default_factory=Attempts)
    slots: Slots = field(default_factory=lambda: Slots(3, 2, lambda: None))

    async def start(self, *blocks: dict[str, Any], **changes: Any) -> tuple[Execution, Attempt]:
        execution = await accept_execution(self.harness, *blocks, **changes)
        attempt = new_attempt(self.harness, execution, self.slots)
        self.attempts.running[execution.id] = attempt
        self.attempts.spawn(self._run(attempt))
        await until(lambda: attempt.live)
        return execution, attempt

    async def _run(self, attempt: Attempt) -> None:
        await attempt.perform(lambda _: None)
        del self.attempts.running[attempt.execution.id]

    async def has_status(self, execution: Execution, status: Status) -> bool:
        return (await reload_execution(self.harness, execution)).status is status


@pytest.fixture
async def working(harness: Harness) -> AsyncIterator[RunningAttempts]:
    made = RunningAttempts(harness)
    yield made
    await made.attempts.drain(0)


async def test_one_that_runs_here_is_interrupted_with_its_reason(working: RunningAttempts) -> None:
    execution, _ = await working.start(WAIT)
    reason = Cancelled("Cancelled by ann.", by="ann", at="now")
    assert working.attempts.interrupt(execution.id, reason)
    assert not working.attempts.interrupt("exec_elsewhere", reason)
    await until(lambda: not working.attempts.running)
    assert await working.has_status(execution, Status.FAILED)
    assert working.attempts.reason_to_end(execution.id) is reason
    assert working.attempts.reason_to_end(execution.id) is None


async def test_a_drain_lets_what_is_nearly_done_finish(working: RunningAttempts) -> None:
    short = {"type": "Wait", "data": {"durationMs": 100}}
    execution, _ = await working.start(short, value("a", 1))
    await working.attempts.drain(30)
    assert await working.has_status(execution, Status.COMPLETED)


async def test_a_drain_does_not_wait_for_a_person(working: RunningAttempts) -> None:
    execution, attempt = await working.start(WAIT)
    pause(attempt)
    await until(lambda: working.has_status(execution, Status.PAUSED))
    async with asyncio.timeout(10):
        await working.attempts.drain(60)
    assert await working.has_status(execution, Status.ENQUEUED)


async def test_a_drain_gives_a_paused_run_with_an_effect_its_time(working: RunningAttempts) -> None:
    effects = [{"blockReferenceId": "pay", "what": "POST /pay", "at": "now"}]
    execution, attempt = await working.start(WAIT, metadata={"effects": effects})
    pause(attempt)
    await until(lambda: working.has_status(execution, Status.PAUSED))
    await working.attempts.drain(0.1)
    done = await reload_execution(working.harness, execution)
    assert (done.status, done.failure and done.failure.code) == (Status.FAILED, "WorkerLost")


async def test_a_drain_ends_though_something_does_not(
    working: RunningAttempts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_STOP_SECONDS", 0.05)
    ended: list[str] = []

    async def stuck() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("cancelled")

    working.attempts.spawn(stuck())
    await asyncio.sleep(0)
    await working.attempts.drain(0.01)
    assert ended == ["cancelled"]


async def test_a_bug_beside_the_attempts_ends_nothing_else(working: RunningAttempts) -> None:
    async def breaks() -> None:
        raise RuntimeError("a bug")

    working.attempts.spawn(breaks())
    execution, _ = await working.start(CALL)
    await working.attempts.drain(30)
    assert await working.has_status(execution, Status.FAILED)


async def test_pauses_are_limited_and_refused_while_the_caller_waits(working: RunningAttempts) -> None:
    [first, second] = [await working.start(WAIT) for _ in range(2)]
    pause(first[1])
    await until(lambda: working.has_status(first[0], Status.PAUSED))
    with pytest.raises(TooMany, match="PAGEHAND_MAX_PAUSED") as full:
        pause(second[1])
    assert full.value.retry_after_seconds == 60
    resume(first[1])
    await until(lambda: working.has_status(first[0], Status.IN_PROGRESS))
    pause(second[1])


async def test_what_does_not_run_or_is_not_paused_is_neither_paused_nor_resumed(
    working: RunningAttempts,
) -> None:
    _, attempt = await working.start(WAIT)
    for act, given in [(pause, None), (resume, None), (resume, attempt)]:
        with pytest.raises(Conflict):
            act(given)
