"""Runs what the queue hands out, as long as this process has slots."""

import asyncio
import time
from collections.abc import Callable
from typing import Final

import structlog

from pagehand.engine.attempt import Attempt
from pagehand.engine.attempts import Attempts
from pagehand.engine.postgres.handover import LOW, Handover
from pagehand.engine.postgres.lease import Lease
from pagehand.engine.run.finish import Finisher
from pagehand.engine.services import EngineServices
from pagehand.engine.signals import Stop
from pagehand.engine.signing_in.authentications import deadlock_error
from pagehand.engine.slots import Slot, Slots
from pagehand.loop import Loop, retry_while_unavailable
from pagehand.records import Execution, Status
from pagehand.storage.exclusive_logins import ExclusiveLoginStore, LoginTurn
from pagehand.storage.job_queue import TakenJob

_log = structlog.get_logger(__name__)
_POLL_SECONDS: Final = 1.0
"""How often the queue is read without a notification."""
_FETCH_SECONDS: Final = 5.0
_UNKNOWN_SECONDS: Final = 5.0
"""How often jobs are looked for that were given to this worker without its receiving the answer."""
_LOGIN_POLL_SECONDS: Final = 0.5


class Worker:
    """Takes jobs from the queue, one for each free slot, and performs attempts at their executions."""

    def __init__(
        self,
        services: EngineServices,
        finisher: Finisher,
        handover: Handover,
        lease: Lease,
        attempts: Attempts,
        on_finish: Callable[[Execution], None],
    ) -> None:
        self._services = services
        self._finisher = finisher
        self._handover = handover
        self._lease = lease
        self._on_finish = on_finish
        self._loop = Loop("worker", self._take_jobs, _POLL_SECONDS)
        self.start, self.wake = self._loop.start, self._loop.wake
        self._slots = Slots(services.settings.concurrency, services.settings.max_paused, self.wake)
        self._locks = SharedLoginTurns(services.stores.exclusive_logins)
        self._attempts = attempts
        self._known: set[int] = set()
        self._looked_for_unknown_at = time.monotonic()
        self._is_stopping = False

    async def stop(self) -> None:
        """Take nothing new, let running ones finish for a while, put the rest back into the queue."""
        self._is_stopping = True
        await self._loop.stop(grace_seconds=_FETCH_SECONDS)
        await self._attempts.drain(self._services.settings.stop_grace_seconds)

    def give_up_all(self, stop: Stop) -> None:
        """Interrupt every attempt and end its browser at once: others may have taken them over."""
        self._attempts.interrupt_all(stop)
        for attempt in self._attempts.running.values():
            self._attempts.spawn(attempt.end_browser())

    async def _take_jobs(self) -> None:
        while not self._is_stopping and await self._take_one():
            pass
        await self._forget_unknown()

    async def _take_one(self) -> bool:
        worker, browser, plain = self._lease.number, self._slots.room(), self._slots.room(needs_browser=False)
        if worker is None or not any(room.of_any or room.of_others for room in (browser, plain)):
            return False
        job = await self._services.stores.job_queue.take(worker, LOW, browser, plain)
        if job is None:
            return False
        self._known.add(job.number)
        execution = job.execution
        slot = Slot(self._slots, execution.organization_id, needs_browser=execution.needs_browser)
        self._attempts.spawn(self._run(job, worker, slot))
        return True

    async def _forget_unknown(self) -> None:
        """Put jobs back into the queue that this worker took without receiving the answer."""
        worker, now = self._lease.number, time.monotonic()
        if worker is None or now - self._looked_for_unknown_at < _UNKNOWN_SECONDS:
            return
        self._looked_for_unknown_at = now
        job_queue = self._services.stores.job_queue
        for execution_id in await job_queue.return_unknown(worker, list(self._known)):
            _log.warning("a job was taken and its answer lost; it is queued again", execution=execution_id)

    async def _run(self, job: TakenJob, worker: int | None, slot: Slot) -> None:
        try:
            if job.is_low:
                self._handover.refill_soon(job.execution.organization_id)
            if self._lease.is_safe and self._lease.number == worker:
                await self._attempt(job, slot)
        except Exception:  # noqa: BLE001 - the outermost loop: the next execution must still run, and the reaper sees to this one
            _log.exception("attempt failed", execution=job.execution.id)
        finally:
            self._attempts.running.pop(job.execution.id, None)
            slot.release()
        await self._give_back(job)

    async def _attempt(self, job: TakenJob, slot: Slot) -> None:
        execution = job.execution
        if execution.status is not Status.ENQUEUED:
            return
        attempt = self._attempts.running[execution.id] = Attempt(
            self._services, self._finisher, execution, slot, self._locks, self._attempts.sessions
        )
        attempt.signals.before_action = self._lease.wait_until_safe
        await attempt.perform(self._on_finish)

    async def _give_back(self, job: TakenJob) -> None:
        """The execution has ended or waits again; the next of its organization may be handed over."""
        execution = job.execution
        reason = self._attempts.reason_to_end(execution.id)
        if reason is not None:
            await self._handover.end_waiting(execution.id, reason)
        await retry_while_unavailable(
            lambda: self._handover.done(job.number, execution.id, execution.organization_id)
        )
        self._known.discard(job.number)


class SharedLoginTurns:
    """Implements `ExclusiveLogins` with rows of the database, by polling."""

    def __init__(self, logins: ExclusiveLoginStore) -> None:
        self._logins = logins

    async def ask(self, execution_id: str, login_id: str) -> "asyncio.Future[None]":
        """A future that is done once the execution has the login."""
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if await self._take(execution_id, login_id):
            granted.set_result(None)
            return granted
        return asyncio.ensure_future(self._wait(execution_id, login_id))

    async def _wait(self, execution_id: str, login_id: str) -> None:
        while not await self._take(execution_id, login_id):  # noqa: ASYNC110 - a row of another process cannot be waited for
            await asyncio.sleep(_LOGIN_POLL_SECONDS)

    async def _take(self, execution_id: str, login_id: str) -> bool:
        turn = await retry_while_unavailable(lambda: self._logins.take(execution_id, login_id))
        if turn is LoginTurn.DEADLOCK:
            raise deadlock_error(login_id)
        return turn is LoginTurn.GRANTED
