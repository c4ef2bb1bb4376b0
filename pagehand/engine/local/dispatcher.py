"""Starts attempts at executions in turn, and ends executions that are cancelled or late."""

import asyncio

import structlog

from pagehand.clock import now_ms
from pagehand.engine.attempt import Attempt
from pagehand.engine.attempts import Attempts
from pagehand.engine.local.queue import LoginLocks, ReadyQueue
from pagehand.engine.reconciler import Waiters
from pagehand.engine.run.finish import Finisher, ending_without_run, expired, withdraw
from pagehand.engine.run.verdict import Requeued
from pagehand.engine.services import EngineServices
from pagehand.engine.slots import Slot, Slots
from pagehand.errors import PagehandError
from pagehand.loop import retry_while_unavailable
from pagehand.records import Execution, QueueEntry, Status

_log = structlog.get_logger(__name__)


class Dispatcher:
    """The queue, the slots, and the attempts that run in them."""

    def __init__(
        self, services: EngineServices, finisher: Finisher, waiters: Waiters, attempts: Attempts
    ) -> None:
        self._services = services
        self._executions = services.stores.executions
        self._finisher = finisher
        self._waiters = waiters
        self._locks = LoginLocks()
        self.queue = ReadyQueue(self._locks, self._has_slot)
        self._slots = Slots(services.settings.concurrency, services.settings.max_paused, self.queue.wake)
        self._attempts = attempts
        self._starting: set[str] = set()
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._is_stopping = False

    def start(self) -> None:
        """Begin to take executions from the queue."""
        self._attempts.spawn(self._dispatch())

    async def stop(self) -> None:
        """Begin nothing new, let running ones finish for a while, put the rest back into the queue."""
        self._is_stopping = True
        self.queue.close()
        for timer in self._timers.values():
            timer.cancel()
        await self._attempts.drain(self._services.settings.stop_grace_seconds)

    def knows(self, execution_id: str) -> bool:
        """True for an execution that waits or runs here."""
        return (
            execution_id in self._timers
            or execution_id in self._starting
            or execution_id in self._attempts.running
        )

    def withdraw(self, execution: Execution) -> None:
        """Keep an execution from running whose request was answered with an error."""
        self._starting.add(execution.id)
        # in a task: the commit may show only once the database is back
        self._attempts.spawn(self._withdraw(execution))

    def enqueue(self, entry: QueueEntry) -> None:
        """Queue it now or when it may run, and set a timer for when its time is over."""
        # the reconciler offers the same row again and again
        if self._is_stopping or self.knows(entry.id):
            return
        now, loop = now_ms(), asyncio.get_running_loop()
        seconds_left = max(0.0, (entry.deadline_at - now) / 1000)
        # `timeout` counts the time in the queue too
        self._timers[entry.id] = loop.call_later(seconds_left, self._expire, entry)
        if entry.not_before is not None and entry.not_before > now:
            loop.call_later((entry.not_before - now) / 1000, self._put, entry)
        else:
            self._put(entry)

    def remove(self, execution_id: str) -> None:
        """Take it out of the queue."""
        self.queue.remove(execution_id)
        timer = self._timers.pop(execution_id, None)
        if timer is not None:
            timer.cancel()

    async def end(self, execution: Execution, reason: PagehandError) -> bool:
        """Finish it while it waits, or interrupt it while it runs; False when it does neither here."""
        self.remove(execution.id)
        # should it begin in between, the store refuses to end it, and it is interrupted
        if execution.id not in self._attempts.running:
            finished = await self._finisher.finish(execution, ending_without_run(reason), fence=None)
            if finished is not None:
                self._waiters.wake(finished)
                return True
        return self._attempts.interrupt(execution.id, reason)

    async def _withdraw(self, execution: Execution) -> None:
        try:
            await withdraw(execution, self._finisher)
        finally:
            self._starting.discard(execution.id)

    def _put(self, entry: QueueEntry) -> None:
        if not self._is_stopping and entry.id in self._timers:
            self.queue.put(entry)

    def _expire(self, entry: QueueEntry) -> None:
        self._attempts.spawn(self._end_expired(entry))

    async def _end_expired(self, entry: QueueEntry) -> None:
        execution = await retry_while_unavailable(lambda: self._executions.find_in_any_organization(entry.id))
        if execution is not None:
            await self.end(execution, expired(entry))

    async def _dispatch(self) -> None:
        while (entry := await self.queue.take()) is not None:
            slot = Slot(self._slots, entry.organization_id, needs_browser=entry.needs_browser)
            self._attempts.spawn(self._run(entry, slot))

    def _has_slot(self, organization_id: str, needs_browser: bool) -> bool:
        return self._slots.may_begin(organization_id, needs_browser=needs_browser)

    async def _run(self, entry: QueueEntry, slot: Slot) -> None:
        # known without a gap: it is out of the queue and not yet among the running
        self._starting.add(entry.id)
        self.remove(entry.id)
        requeued: Requeued | None = None
        try:
            requeued = await self._attempt(entry, slot)
        except Exception:  # noqa: BLE001 - the outermost loop: the next execution must still run, and the reconciler sees to this one
            _log.exception("attempt failed", execution=entry.id)
        finally:
            self._attempts.running.pop(entry.id, None)
            self._starting.discard(entry.id)
            self.queue.release(entry)
            slot.release()
        await self._requeue_or_end(entry.id, requeued)

    async def _attempt(self, entry: QueueEntry, slot: Slot) -> Requeued | None:
        execution = await retry_while_unavailable(lambda: self._executions.find_in_any_organization(entry.id))
        # it was cancelled, or another process was first, since it was queued
        if execution is None or execution.status is not Status.ENQUEUED:
            return None
        attempt = self._attempts.running[entry.id] = Attempt(
            self._services, self._finisher, execution, slot, self._locks, self._attempts.sessions
        )
        return await attempt.perform(self._waiters.wake)

    async def _requeue_or_end(self, execution_id: str, requeued: Requeued | None) -> None:
        """Queue what waits again, unless it was to end while its attempt was on the way out."""
        # a cancellation that came when the attempt had already given up must not be lost
        reason = self._attempts.reason_to_end(execution_id)
        if requeued is None or (reason is None and self._is_stopping):
            return
        again = await retry_while_unavailable(lambda: self._executions.find_in_any_organization(execution_id))
        if again is None or again.status.is_final:
            return
        if reason is not None:
            await self.end(again, reason)
        else:
            self.enqueue(QueueEntry.of(again))
