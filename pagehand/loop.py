"""Repeating: a step for as long as the service runs, and a call until what it needs is reachable."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import monotonic
from typing import TypeVar

import structlog

from pagehand.errors import Unavailable

_log = structlog.get_logger(__name__)
_T = TypeVar("_T")

Step = Callable[[], Awaitable[float | None]]
"""One round; returns the seconds until the next one if they are not the usual pause."""
Wait = Callable[[asyncio.Event, float], Awaitable[None]]
"""Waits for an event, at most so many seconds."""


async def wait_at_most(event: asyncio.Event, seconds: float) -> None:
    """Return once the event is set or the time is over; other tasks run in between in any case."""
    if seconds <= 0:
        await asyncio.sleep(0)
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


async def retry_while_unavailable(
    call: Callable[[], Awaitable[_T]],
    *,
    give_up_after: float = math.inf,
    pause_seconds: float = 0.1,
    longest_pause_seconds: float = 5.0,
) -> _T:
    """Call until the store is reachable; with a limit, the last error is raised before that is over.

    Without one by default: a database that goes away must not strand an execution.
    """
    give_up_at, pause = monotonic() + give_up_after, pause_seconds
    while True:
        try:
            return await call()
        except Unavailable:
            if monotonic() + pause > give_up_at:
                raise
        await asyncio.sleep(pause)
        pause = min(pause * 2, longest_pause_seconds)


class Loop:
    """Repeats a step until it is stopped; a step that fails is logged and tried again after the pause."""

    def __init__(
        self,
        name: str,
        step: Step,
        pause_seconds: float,
        *,
        max_step_seconds: float | None = None,
        wait: Wait = wait_at_most,
    ) -> None:
        """A step that takes longer than `max_step_seconds` is interrupted and has failed."""
        self._name = name
        self._step = step
        self._pause_seconds = pause_seconds
        self._max_step_seconds = max_step_seconds
        self._wait = wait
        self._woken = asyncio.Event()
        self._is_ending = False
        self._is_unavailable = False
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin with the first round."""
        self._is_ending = False
        self._task = asyncio.create_task(self._run(), name=self._name)

    def wake(self) -> None:
        """Begin the next round without a pause."""
        self._woken.set()

    def end(self) -> None:
        """Let the current round be the last one."""
        self._is_ending = True
        self.wake()

    async def stop(self, grace_seconds: float = 0.0) -> None:
        """End the loop and wait until it has ended; a round may take so long to finish."""
        if self._task is None:
            return
        self.end()
        if grace_seconds:
            await asyncio.wait([self._task], timeout=grace_seconds)
        self._task.cancel()
        await asyncio.wait([self._task])

    async def _run(self) -> None:
        while not self._is_ending:
            self._woken.clear()  # before the step: what happens meanwhile begins another round
            pause = await self._try_step()
            if not self._is_ending:
                await self._wait(self._woken, self._pause_seconds if pause is None else pause)

    async def _try_step(self) -> float | None:
        try:
            async with asyncio.timeout(self._max_step_seconds):
                pause = await self._step()
        except (Unavailable, TimeoutError) as trouble:
            if not self._is_unavailable:  # once: an outage may last for hours
                _log.warning("a repeated task waits for what it needs", task=self._name, reason=str(trouble))
            self._is_unavailable = True
            return None
        except Exception:  # noqa: BLE001 - the outermost loop: the next round must still run
            _log.exception("a repeated task failed; it is tried again", task=self._name)
            return None
        self._is_unavailable = False
        return pause
