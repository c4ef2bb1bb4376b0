"""The loop of everything a service does again and again: pauses, failures, waking and stopping."""

import asyncio

import pytest
from structlog.testing import capture_logs

from pagehand.errors import Unavailable
from pagehand.loop import Loop

pytestmark = pytest.mark.anyio


class Clock:
    """Time that passes only when a test says so."""

    def __init__(self) -> None:
        self.pauses: asyncio.Queue[float] = asyncio.Queue()
        self._passed = asyncio.Event()

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        self._passed = event
        self.pauses.put_nowait(seconds)
        await event.wait()

    async def next_pause(self) -> float:
        """The length of the pause that the loop is in now, or will be in next."""
        async with asyncio.timeout(10):
            return await self.pauses.get()

    def let_pass(self) -> None:
        self._passed.set()


@pytest.fixture
def clock() -> Clock:
    return Clock()


class Steps:
    """A step that counts its rounds, and does in each what the test wants."""

    def __init__(self, *results: float | Exception | None) -> None:
        self._results = list(results)
        self.rounds = 0

    async def __call__(self) -> float | None:
        self.rounds += 1
        result = self._results.pop(0) if self._results else None
        if isinstance(result, Exception):
            raise result
        return result


async def test_step_runs_at_once_and_again_after_each_pause(clock: Clock) -> None:
    steps = Steps(None, 0.5, None)
    loop = Loop("work", steps, 7, wait=clock.wait)
    loop.start()
    pauses: list[float] = []
    for _ in range(3):
        pauses.append(await clock.next_pause())
        clock.let_pass()
    assert pauses == [7, 0.5, 7]
    await loop.stop()


async def test_failed_step_is_logged_and_tried_again_after_the_pause(clock: Clock) -> None:
    steps = Steps(ValueError("a bug"), None)
    loop = Loop("work", steps, 7, wait=clock.wait)
    with capture_logs() as logs:
        loop.start()
        assert await clock.next_pause() == 7
        clock.let_pass()
        assert await clock.next_pause() == 7
    assert steps.rounds == 2
    assert [(line["log_level"], line["task"]) for line in logs] == [("error", "work")]
    await loop.stop()


async def test_outage_is_logged_once_until_it_is_over(clock: Clock) -> None:
    away = Unavailable("The database is away.")
    loop = Loop("work", Steps(away, away, None, away), 7, wait=clock.wait)
    warnings: list[int] = []
    with capture_logs() as logs:
        loop.start()
        for _ in range(4):
            assert await clock.next_pause() == 7
            warnings.append(len(logs))
            clock.let_pass()
    assert warnings == [1, 1, 1, 2]
    await loop.stop()


async def test_step_that_hangs_is_interrupted_and_tried_again(clock: Clock) -> None:
    rounds: list[int] = []

    async def hang_once() -> None:
        rounds.append(1)
        if len(rounds) == 1:
            await asyncio.Event().wait()

    loop = Loop("work", hang_once, 7, max_step_seconds=0.01, wait=clock.wait)
    with capture_logs() as logs:
        loop.start()
        await clock.next_pause()
        clock.let_pass()
        await clock.next_pause()
    assert len(rounds) == 2
    assert [line["log_level"] for line in logs] == ["warning"]
    await loop.stop()


async def test_waking_during_a_step_begins_another_round_at_once() -> None:
    rounds = 0
    done = asyncio.Event()

    async def step() -> None:
        nonlocal rounds
        rounds += 1
        if rounds == 1:
            loop.wake()
        else:
            done.set()

    loop = Loop("work", step, 3600)
    loop.start()
    async with asyncio.timeout(10):
        await done.wait()
    await loop.stop()


async def test_stop_interrupts_a_step_and_waits_until_it_has_cleaned_up() -> None:
    began, cleaned = asyncio.Event(), asyncio.Event()

    async def step() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.set()

    loop = Loop("work", step, 0)
    loop.start()
    await began.wait()
    await loop.stop()
    assert cleaned.is_set()


async def test_stop_with_grace_lets_a_step_finish_and_begins_no_other() -> None:
    began, may_finish, finished = asyncio.Event(), asyncio.Event(), 0

    async def step() -> None:
        nonlocal finished
        began.set()
        await may_finish.wait()
        finished += 1

    loop = Loop("work", step, 0)
    loop.start()
    await began.wait()
    stopping = asyncio.create_task(loop.stop(grace_seconds=10))
    await asyncio.sleep(0)
    may_finish.set()
    await stopping
    assert finished == 1


async def test_step_ends_its_own_loop(clock: Clock) -> None:
    ended = asyncio.Event()

    async def step() -> None:
        assert not ended.is_set()
        loop.end()
        ended.set()

    loop = Loop("work", step, 0, wait=clock.wait)
    loop.start()
    await ended.wait()
    await loop.stop(grace_seconds=10)
    assert clock.pauses.empty()


async def test_loop_that_never_began_can_be_stopped() -> None:
    steps = Steps()
    await Loop("work", steps, 0).stop()
    assert steps.rounds == 0
