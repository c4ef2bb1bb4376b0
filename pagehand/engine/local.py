"""The engine in one process: an in-memory queue over the executions table, and workers beside it."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress

import structlog

from pagehand.clock import now_ms, to_iso
from pagehand.engine import retry
from pagehand.engine.codes import CodeVerdict, Wanted, the_one
from pagehand.engine.failure import Failure
from pagehand.engine.finish import Ending, Finisher
from pagehand.engine.intake import Intake
from pagehand.engine.live import LiveRun
from pagehand.engine.login_locks import LoginLocks
from pagehand.engine.parts import EngineParts
from pagehand.engine.port import Order, Repeat
from pagehand.engine.queue import ReadyQueue
from pagehand.engine.recovery import Recovery
from pagehand.engine.signals import Stop
from pagehand.engine.worker import Attempt, Requeued
from pagehand.errors import (
    Cancelled,
    Conflict,
    NotFound,
    OutOfTime,
    PagehandError,
    TooMany,
    Unavailable,
)
from pagehand.records import Batch, Execution, Json, Status
from pagehand.turns import in_turns

_log = structlog.get_logger(__name__)
_CANCEL_IS_SEEN_SECONDS = 1.0


class LocalEngine:
    """Implements `Engine` for a process that owns its database."""

    def __init__(self, parts: EngineParts) -> None:
        self._parts = parts
        self._executions = parts.stores.executions
        self._intake = Intake(parts)
        self._finisher = Finisher(parts)
        self._locks = LoginLocks()
        self._queue = ReadyQueue(self._locks)
        self._running: dict[str, Attempt] = {}
        self._ending: dict[str, PagehandError] = {}
        """Why running executions are to end; asked again in case theirs had gone back to the queue."""
        self._waiters: dict[str, set[asyncio.Future[Execution]]] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._chores: set[asyncio.Task[None]] = set()
        self._workers: list[asyncio.Task[None]] = []
        self._is_stopping = False

    async def start(self) -> None:
        """Recover what an earlier process left behind, then work."""
        for execution in await Recovery(self._parts, self._finisher).recover():
            self._enqueue(execution)
        if self._parts.settings.worker:
            self._workers = [
                asyncio.create_task(self._work(), name=f"worker {number}")
                for number in range(self._parts.settings.concurrency)
            ]

    async def stop(self) -> None:
        """Take nothing new, let running ones finish for a while, put the rest back into the queue."""
        self._is_stopping = True
        self._queue.close()
        for timer in self._timers.values():
            timer.cancel()
        if self._workers:
            for attempt in self._running.values():
                if attempt.signals.is_paused and retry.may_repeat(attempt.execution):
                    attempt.signals.end(Stop("The service was asked to stop.", goes_back_to_queue=True))
            _, late = await asyncio.wait(self._workers, timeout=self._parts.settings.stop_grace_seconds)
            if late:
                for attempt in list(self._running.values()):
                    attempt.signals.end(Stop("The service was asked to stop.", goes_back_to_queue=True))
                await asyncio.wait(late)
        if self._chores:
            await asyncio.wait(self._chores)

    async def accept(self, organization_id: str, order: Order, repeat: Repeat | None = None) -> Execution:
        """Commit a new execution and queue it."""
        await self._refuse_if_full(organization_id, 1)
        execution = await self._intake.execution(organization_id, order)
        accepted = await self._executions.add(execution, (repeat.key, repeat.digest) if repeat else None)
        if accepted.id == execution.id:
            self._enqueue(accepted)
        return accepted

    async def accept_batch(
        self,
        organization_id: str,
        name: str,
        order: Order,
        rows: Sequence[Json],
        concurrency: int | None = None,
    ) -> Batch:
        """Commit a batch with one execution per row."""
        await self._refuse_if_full(organization_id, len(rows))
        batch, executions = await self._intake.batch(organization_id, name, order, rows, concurrency)
        await self._parts.stores.batches.add(batch, executions)
        async for execution in in_turns(executions):
            self._enqueue(execution)
        return batch

    async def retry(self, organization_id: str, execution_id: str) -> Execution:
        """Accept a new execution like a finished one."""
        original = await self._get(organization_id, execution_id)
        if not original.status.is_final:
            raise Conflict(f"Only a finished execution can be retried; this one is {original.status}.")
        await self._refuse_if_full(organization_id, 1)
        execution = await self._executions.add(await self._intake.again(original))
        self._enqueue(execution)
        return execution

    async def wait(self, execution: Execution) -> Execution:
        """The execution once it is final."""
        waiter: asyncio.Future[Execution] = asyncio.get_running_loop().create_future()
        waiters = self._waiters.setdefault(execution.id, set())
        waiters.add(waiter)
        try:
            # looked up after registering: one that ended in between is not missed
            known = await self._executions.find(execution.id)
            if known is not None and known.status.is_final:
                return known
            return await waiter
        finally:
            waiters.discard(waiter)
            if not waiters:
                self._waiters.pop(execution.id, None)

    async def cancel(self, organization_id: str, execution_id: str, by: str) -> Execution:
        """End an execution that is not final."""
        execution = await self._get(organization_id, execution_id)
        if execution.status.is_final:
            raise Conflict(f"The execution is already {execution.status}; there is nothing to cancel.")
        at = to_iso(now_ms())
        await self._end(execution, Cancelled(f"Cancelled by {by} at {at}.", by=by, at=at))
        return await self._get(organization_id, execution_id)

    async def cancel_batch(self, organization_id: str, batch_id: str, by: str) -> Batch:
        """Cancel all of a batch that is not final."""
        batch = await self._parts.stores.batches.get(organization_id, batch_id)
        if batch is None:
            raise NotFound(f"`id`: there is no batch `{batch_id[:80]}` in this organization.")
        now = now_ms()
        await self._parts.stores.batches.mark_cancelled(organization_id, batch_id, now)
        at = to_iso(now)
        cancelled = Cancelled(f"Cancelled with its batch by {by} at {at}.", by=by, at=at)
        for execution in await self._executions.unfinished():
            if execution.batch_id == batch_id and execution.organization_id == organization_id:
                await self._end(execution, cancelled)
        batch.cancelled_at = batch.cancelled_at or now
        return batch

    async def pause(self, organization_id: str, execution_id: str) -> Execution:
        """Hold a running execution before its next step."""
        execution = await self._get(organization_id, execution_id)
        attempt = self._running.get(execution_id)
        if execution.status is not Status.IN_PROGRESS or attempt is None:
            raise Conflict(f"Only a running execution can be paused; this one is {execution.status}.")
        attempt.signals.pause()
        return execution

    async def resume(self, organization_id: str, execution_id: str) -> Execution:
        """Let a paused execution go on."""
        execution = await self._get(organization_id, execution_id)
        attempt = self._running.get(execution_id)
        if attempt is None or not attempt.signals.is_paused:
            raise Conflict(f"Only a paused execution can be resumed; this one is {execution.status}.")
        if attempt.live is not None:
            attempt.live.release()
        attempt.signals.resume()
        return execution

    def live(self, organization_id: str, execution_id: str) -> LiveRun | None:
        """The running execution for people beside it."""
        attempt = self._running.get(execution_id)
        is_own = attempt is not None and attempt.execution.organization_id == organization_id
        return attempt.live if attempt is not None and is_own else None

    async def submit_code(self, organization_id: str, wanted: Wanted, code: str) -> CodeVerdict:
        """Hand in a code that an authentication waits for."""
        waiting = [
            one
            for one in self._running.values()
            if one.codes.is_waiting
            and one.execution.organization_id == organization_id
            and wanted.execution_id in (None, one.execution.id)
            and wanted.browser_session_id in (None, one.execution.browser_session_id)
            and (wanted.login_id is None or (one.codes.login and one.codes.login.id == wanted.login_id))
        ]
        desk = the_one([(one.execution.id, one.codes) for one in waiting])
        judged = await desk.hand_in(code)
        execution = waiting[0].execution
        return CodeVerdict(
            execution.id, execution.browser_session_id, judged.success, judged.message, judged.status
        )

    async def _get(self, organization_id: str, execution_id: str) -> Execution:
        execution = await self._executions.get(organization_id, execution_id)
        if execution is None:
            raise NotFound(f"`id`: there is no execution `{execution_id[:80]}` in this organization.")
        return execution

    async def _refuse_if_full(self, organization_id: str, more: int) -> None:
        if self._is_stopping:
            raise Unavailable("The service is shutting down; try again shortly.")
        limit = self._parts.settings.max_queued
        if len(self._queue) + more <= limit:
            return  # all organizations together are within what one may have
        if await self._executions.count_queued(organization_id) + more > limit:
            raise TooMany(
                f"{limit} executions of this organization wait already; try again when some have run.",
                retry_after_seconds=10,
            )

    def _enqueue(self, execution: Execution) -> None:
        """Queue it, or set a clock for when it may run; and one for when its time is over."""
        now = now_ms()
        loop = asyncio.get_running_loop()
        seconds_left = max(0.0, (execution.deadline_at - now) / 1000)
        self._set_timer(execution.id, seconds_left, lambda: self._expire(execution))
        if execution.not_before is not None and execution.not_before > now:
            loop.call_later((execution.not_before - now) / 1000, self._put, execution)
        else:
            self._put(execution)

    def _put(self, execution: Execution) -> None:
        if not self._is_stopping and execution.id in self._timers:
            self._queue.put(execution)

    def _set_timer(self, execution_id: str, seconds: float, call: Callable[[], None]) -> None:
        self._timers[execution_id] = asyncio.get_running_loop().call_later(seconds, call)

    def _drop_timer(self, execution_id: str) -> None:
        timer = self._timers.pop(execution_id, None)
        if timer is not None:
            timer.cancel()

    def _expire(self, execution: Execution) -> None:
        seconds = (execution.deadline_at - execution.accepted_at) / 1000
        reason = f"The execution's time of {seconds:g} s (`timeout`) was over before it began."
        self._do(self._end(execution, OutOfTime(reason)))

    async def _end(self, execution: Execution, reason: PagehandError) -> None:
        """Finish it where it waits, or interrupt it where it runs."""
        self._queue.remove(execution.id)
        if execution.id not in self._running:
            ending = Ending(analysis=reason.message, failure=Failure(None, reason).to_json())
            finished = await self._finisher.finish(execution, ending, fence=None)
            if finished is not None:
                self._drop_timer(execution.id)
                self._announce(finished)
                return
        attempt = self._running.get(execution.id)
        if attempt is not None:
            self._ending[execution.id] = reason
            attempt.signals.end(Stop(reason.message, error=reason))
            with suppress(TimeoutError):
                async with asyncio.timeout(_CANCEL_IS_SEEN_SECONDS):
                    await self.wait(execution)

    async def _work(self) -> None:
        while (execution := await self._queue.take()) is not None:
            self._drop_timer(execution.id)
            attempt = self._running[execution.id] = Attempt(
                self._parts, self._finisher, execution, self._locks
            )
            requeued: Requeued | None = None
            try:
                requeued = await attempt.perform(self._announce)
            except Exception:  # noqa: BLE001 - the worker's outermost loop: the next execution must still run
                _log.exception("attempt failed", execution=execution.id)
            finally:
                self._running.pop(execution.id, None)
                self._queue.release(execution)
            await self._go_on_with(execution.id, requeued)

    async def _go_on_with(self, execution_id: str, requeued: Requeued | None) -> None:
        """Queue what waits again, unless it was to end while its attempt was on the way out."""
        reason = self._ending.pop(execution_id, None)
        if requeued is None or (reason is None and self._is_stopping):
            return
        again = await self._executions.find(execution_id)
        if again is None or again.status.is_final:
            return
        if reason is not None:
            await self._end(again, reason)
        else:
            self._enqueue(again)

    def _announce(self, execution: Execution) -> None:
        """Wake whoever waits for it."""
        for waiter in self._waiters.pop(execution.id, set()):
            if not waiter.done():
                waiter.set_result(execution)

    def _do(self, chore: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(chore)
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)
