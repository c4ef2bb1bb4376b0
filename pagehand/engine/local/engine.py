"""The engine in one process, with an in-memory queue over the executions table."""

import asyncio
from collections.abc import Sequence
from typing import Literal

import structlog

from pagehand.clock import now_ms
from pagehand.engine.attempt import Attempt
from pagehand.engine.attempts import Attempts, pause, resume
from pagehand.engine.base import Engine
from pagehand.engine.live.control import LiveSessionControl
from pagehand.engine.local.queue import LoginLocks, ReadyQueue
from pagehand.engine.reconciler import Reconciler, Recovery, Waiters
from pagehand.engine.run.finish import Finisher, ending_without_run, expired, withdraw
from pagehand.engine.run.verdict import Requeued
from pagehand.engine.services import EngineServices
from pagehand.engine.signing_in.codes import CodeTarget, CodeVerdict, only_waiting
from pagehand.engine.slots import Slot, Slots
from pagehand.errors import Cancelled, Conflict, PagehandError
from pagehand.loop import iterate_cooperatively, retry_while_unavailable
from pagehand.records import Batch, Execution, QueueEntry, Status

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
        find = self._executions.find_in_any_organization
        execution = await retry_while_unavailable(lambda: find(execution_id))
        if execution is None or execution.status.is_final:
            return
        if reason is not None:
            await self.end(execution, reason)
        else:
            self.enqueue(QueueEntry.of(execution))


class LocalEngine(Engine):
    """The engine of a process that owns its database."""

    def __init__(self, services: EngineServices) -> None:
        super().__init__(services)
        self._is_worker = services.settings.worker
        self._dispatcher = Dispatcher(services, self._finisher, self._waiters, self._attempts)
        self._reconciler = Reconciler(
            self._executions,
            Recovery(services, self._finisher),
            self._waiters,
            is_known=self._dispatcher.knows,
            enqueue=self._dispatcher.enqueue,
            is_worker=self._is_worker,
            prepare=self._dispatch if self._is_worker else None,
        )

    def start(self) -> None:
        """Begin to work; the reconciler finds what an earlier process left behind."""
        self._reconciler.loop.start()

    async def _dispatch(self) -> None:
        # before anything starts: which batches are paused was forgotten with the last process
        for batch_id in await self._services.stores.batches.paused():
            self._dispatcher.queue.pause_batch(batch_id)
        self._dispatcher.start()

    async def stop(self) -> None:
        """Take nothing new, let running ones finish for a while, put the rest back into the queue."""
        self._is_stopping = True
        # first, so that it does not queue what is being put back
        await self._reconciler.loop.stop()
        await self._dispatcher.stop()

    async def _end(self, execution: Execution, reason: Cancelled) -> None:
        if not await self._dispatcher.end(execution, reason):
            await self._end_unattended(execution, reason)

    async def _end_unattended(self, execution: Execution, reason: PagehandError) -> None:
        """End one that runs by its row, but not in this process."""
        if not self._is_worker:
            raise Conflict("The execution runs in another process of the service; ask that one to cancel it.")
        if not self._dispatcher.knows(execution.id):  # its worker was lost, and it is not recovered yet
            finished = await self._finisher.finish(
                execution, ending_without_run(reason), fence=execution.fence
            )
            if finished is not None:
                self._waiters.wake(finished)

    async def pause_batch(self, organization_id: str, batch_id: str) -> Batch:
        """Let no more of a batch begin; refused where another process starts its executions."""
        self._refuse_without_worker()
        return await super().pause_batch(organization_id, batch_id)

    async def resume_batch(self, organization_id: str, batch_id: str) -> Batch:
        """Let the rest of a batch begin; refused where another process starts its executions."""
        self._refuse_without_worker()
        return await super().resume_batch(organization_id, batch_id)

    def _refuse_without_worker(self) -> None:
        if not self._is_worker:
            raise Conflict("The batch runs in another process of the service; ask that one.")

    async def _pause_in_queue(self, batch: Batch) -> None:
        self._dispatcher.queue.pause_batch(batch.id)

    async def _resume_in_queue(self, batch: Batch) -> None:
        self._dispatcher.queue.resume_batch(batch.id)

    async def _cancel_all(self, entries: Sequence[QueueEntry], reason: Cancelled) -> list[str]:
        """End those that wait in one transaction and interrupt the others; the ids of the latter."""
        for entry in entries:
            self._dispatcher.remove(entry.id)
        waiting = [entry.id for entry in entries if entry.id not in self._attempts.running]
        # thousands of rows of params and outputs would be read to be thrown away
        rows = await self._executions.without_values(waiting)
        ended = await self._finisher.finish_waiting(rows, ending_without_run(reason))
        # a caller that begins to wait from now on finds the end in the table
        for execution_id in set(self._waiters.ids).intersection(ended):
            finished = await self._executions.find_in_any_organization(execution_id)
            if finished is not None:
                self._wake_waiters(finished)
        return [entry.id for entry in entries if self._attempts.interrupt(entry.id, reason)]

    async def _signal(self, execution_id: str, signal: Literal["pause", "resume"]) -> None:
        (pause if signal == "pause" else resume)(self._attempts.running.get(execution_id))

    async def live_session(self, organization_id: str, execution_id: str) -> LiveSessionControl:
        """A live session, once its execution has begun."""
        execution = await self._get_live_session(organization_id, execution_id)
        return await self._attempts.sessions.wait_for(execution_id, self.wait(execution))

    async def submit_code(self, organization_id: str, wanted: CodeTarget, code: str) -> CodeVerdict:
        """Submit a code that an authentication waits for."""
        waiting = [
            (attempt.execution.id, attempt.codes.login.name if attempt.codes.login else "", attempt)
            for attempt in self._attempts.running.values()
            if attempt.codes.is_waiting
            and attempt.execution.organization_id == organization_id
            and wanted.fits(attempt.execution, attempt.codes.login and attempt.codes.login.id)
        ]
        attempt = only_waiting(waiting)
        execution, verdict = attempt.execution, await attempt.codes.submit(code)
        return CodeVerdict(
            execution.id, execution.browser_session_id, verdict.success, verdict.message, verdict.status
        )

    async def _enqueue(self, executions: Sequence[Execution]) -> None:
        if self._is_worker:
            async for execution in iterate_cooperatively(executions):
                self._dispatcher.enqueue(QueueEntry.of(execution))

    def _withdraw(self, execution: Execution) -> None:
        self._dispatcher.withdraw(execution)

    def _wake_waiters(self, execution: Execution) -> None:
        self._waiters.wake(execution)
