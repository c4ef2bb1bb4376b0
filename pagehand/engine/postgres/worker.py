"""Takes executions from the queue and runs them, as long as this process has slots."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from typing import Final

import structlog

from pagehand.engine.attempt import Attempt
from pagehand.engine.attempts import Attempts
from pagehand.engine.postgres.lease import Lease
from pagehand.engine.run.finish import Finisher
from pagehand.engine.services import EngineServices
from pagehand.engine.signals import Stop
from pagehand.engine.signing_in.authentications import deadlock_error
from pagehand.engine.slots import Slot, Slots
from pagehand.loop import Loop, retry_while_unavailable
from pagehand.records import Execution, Status
from pagehand.storage.exclusive_logins import ExclusiveLoginStore, LoginTurn
from pagehand.storage.shared_queue import WaitingOrganizations

_log = structlog.get_logger(__name__)
_POLL_SECONDS: Final = 1.0
"""How often the queue is read without a notification."""
_FETCH_SECONDS: Final = 5.0
_UNKNOWN_SECONDS: Final = 5.0
"""How often executions are looked for that this worker took without receiving the answer."""
_LOGIN_POLL_SECONDS: Final = 0.5


class Worker:
    """Takes executions from the queue, one for each free slot, and performs attempts at them."""

    def __init__(
        self,
        services: EngineServices,
        finisher: Finisher,
        lease: Lease,
        attempts: Attempts,
        on_finish: Callable[[Execution], None],
        wake_workers: Callable[[], None],
    ) -> None:
        """`wake_workers` is called when an execution may run that could not before."""
        self._services = services
        self._queue = services.stores.shared_queue
        self._finisher = finisher
        self._wake_workers = wake_workers
        self._lease = lease
        self._on_finish = on_finish
        self._loop = Loop("worker", self._take_all, _POLL_SECONDS)
        self.start = self._loop.start
        self._slots = Slots(services.settings.concurrency, services.settings.max_paused, self._loop.wake)
        self._locks = SharedLoginTurns(services.stores.exclusive_logins)
        self._attempts = attempts
        self._known = Counter[str]()  # counted: one that goes back may be taken again before it is given back
        self._looked_at = self._looked_for_unknown_at = time.monotonic()
        self._waiting: dict[bool, WaitingOrganizations] = {True: None, False: None}
        self._is_notified = False
        self._is_stopping = False

    def wake(self) -> None:
        """Look for executions that may run now."""
        self._is_notified = True
        self._waiting = {True: None, False: None}
        self._loop.wake()

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

    async def _take_all(self) -> None:
        now = time.monotonic()
        if now - self._looked_at >= _POLL_SECONDS:
            self._looked_at = now
            self._waiting = {True: None, False: None}
        while not self._is_stopping and await self._take_one():
            pass
        await self._forget_unknown()

    async def _take_one(self) -> bool:
        worker = self._lease.worker_id
        rooms = {sort: self._slots.room(needs_browser=sort) for sort in self._waiting}
        if worker is None or not any(rooms[sort].fits(waiting) for sort, waiting in self._waiting.items()):
            return False
        self._is_notified = False
        taken = await self._queue.take(worker, browser=rooms[True], plain=rooms[False])
        if not self._is_notified:
            self._waiting |= taken.waiting
        if (execution := taken.execution) is None:
            return False
        self._known[execution.id] += 1
        slot = Slot(self._slots, execution.organization_id, needs_browser=execution.needs_browser)
        self._attempts.spawn(self._run(execution, worker, slot))
        return True

    async def _forget_unknown(self) -> None:
        """Return executions to the queue that this worker took without receiving the answer."""
        worker, now = self._lease.worker_id, time.monotonic()
        if worker is None or now - self._looked_for_unknown_at < _UNKNOWN_SECONDS:
            return
        self._looked_for_unknown_at = now
        for execution_id in await self._queue.return_unknown(worker, list(self._known)):
            _log.warning("the answer with an execution was lost; it is queued again", execution=execution_id)

    async def _run(self, execution: Execution, worker: str, slot: Slot) -> None:
        try:
            if self._lease.is_safe and self._lease.worker_id == worker:
                await self._attempt(execution, slot)
        except Exception:  # noqa: BLE001 - the outermost loop: the next execution must still run, and the reaper sees to this one
            _log.exception("attempt failed", execution=execution.id)
        finally:
            self._attempts.running.pop(execution.id, None)
            slot.release()
        await self._give_back(execution.id, worker)

    async def _attempt(self, execution: Execution, slot: Slot) -> None:
        if execution.status is not Status.ENQUEUED:
            return
        attempt = self._attempts.running[execution.id] = Attempt(
            self._services, self._finisher, execution, slot, self._locks, self._attempts.sessions
        )
        attempt.signals.before_action = self._lease.wait_until_safe
        await attempt.perform(self._on_finish)

    async def _give_back(self, execution_id: str, worker: str) -> None:
        """The execution has ended or waits again; others may run with its logins and in its batch."""
        reason = self._attempts.reason_to_end(execution_id)
        if reason is not None:
            await self._finisher.end_waiting(execution_id, reason)
        if await retry_while_unavailable(lambda: self._queue.end(worker, execution_id)):
            self._wake_workers()
        self._known -= Counter([execution_id])


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
