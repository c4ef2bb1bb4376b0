"""The attempts that run in this process: found by execution, interrupted, and drained at the end."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress

import structlog

from pagehand.engine import retry
from pagehand.engine.attempt import Attempt
from pagehand.engine.live.sessions import LiveSessions
from pagehand.engine.signals import Stop
from pagehand.errors import Conflict, LimitReached, PagehandError, TooMany

_log = structlog.get_logger(__name__)
_STOP_SECONDS = 3.0
"""How long attempts have to end after they were interrupted; later ones are left to recovery."""
_STOPPING = Stop("The service was asked to stop.", goes_back_to_queue=True)


class Attempts:
    """All attempts of this process, and the tasks around them."""

    def __init__(self) -> None:
        self.running: dict[str, Attempt] = {}
        self.sessions = LiveSessions()
        self._ending: dict[str, PagehandError] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def interrupt(self, execution_id: str, reason: PagehandError) -> bool:
        """Interrupt a running one; False when it does not run here."""
        attempt = self.running.get(execution_id)
        if attempt is None:
            return False
        # kept here too: an attempt that is already on its way back to the queue ignores the signal
        self._ending[execution_id] = reason
        attempt.signals.end(Stop(reason.message, error=reason))
        return True

    def interrupt_all(self, stop: Stop) -> None:
        """Interrupt every attempt wherever it is."""
        for attempt in list(self.running.values()):
            attempt.signals.end(stop)

    def reason_to_end(self, execution_id: str) -> PagehandError | None:
        """Why an execution was interrupted; its attempt may have put it back into the queue instead."""
        return self._ending.pop(execution_id, None)

    async def drain(self, grace_seconds: float) -> None:
        """Let running ones finish for a while and put the rest back into the queue."""
        # a live session cannot be repeated, so it completes instead of going back to the queue
        self.sessions.close_all()
        for attempt in self.running.values():
            # it waits for a person, who may take hours: no grace period is long enough
            if attempt.signals.is_paused and retry.may_repeat(attempt.execution):
                attempt.signals.end(_STOPPING)
        if not await self._all_done(grace_seconds):
            self.interrupt_all(_STOPPING)
            if not await self._all_done(_STOP_SECONDS):
                # a store that cannot be reached must not keep the process: recovery finds these rows
                for task in self._tasks:
                    task.cancel()
                await self._all_done(_STOP_SECONDS)

    def spawn(self, work: Coroutine[None, None, None]) -> None:
        """Run a coroutine in a task; `drain` waits for it."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    async def _all_done(self, seconds: float) -> bool:
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)
        return not self._tasks

    def _finished(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        with suppress(asyncio.CancelledError):
            if (bug := task.exception()) is not None:
                _log.error("a task of the engine failed", exc_info=bug)


def pause(attempt: Attempt | None) -> None:
    """Pause a running execution before its next step; None is one that does not run."""
    if attempt is None:
        raise Conflict("Only a running execution can be paused; this one does not run right now.")
    try:
        # here, where the caller gets the error: the run itself could only fail
        attempt.slot.check_pause()
    except LimitReached as full:
        raise TooMany(full.message, retry_after_seconds=60) from full
    attempt.signals.pause()


def resume(attempt: Attempt | None) -> None:
    """Resume a paused execution; None is one that does not run."""
    if attempt is None or not attempt.signals.is_paused:
        raise Conflict("Only a paused execution can be resumed; this one is not paused.")
    if attempt.live is not None:
        # the run acts again, so nobody may drive
        attempt.live.release()
    attempt.signals.resume()
