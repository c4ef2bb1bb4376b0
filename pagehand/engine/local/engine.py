"""The engine in one process: an in-memory queue over the executions table, and attempts beside it."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import structlog

from pagehand.clock import now_ms, to_iso
from pagehand.engine.intake import Intake
from pagehand.engine.live.run import LiveRun
from pagehand.engine.live.session import LiveSession
from pagehand.engine.local.dispatcher import Dispatcher, ended_early
from pagehand.engine.local.reconciler import Reconciler
from pagehand.engine.port import Commit, IdempotencyKey, Order
from pagehand.engine.recovery import Recovery
from pagehand.engine.retry import is_live_session
from pagehand.engine.run.finish import Finisher
from pagehand.engine.run.signals import Stop
from pagehand.engine.services import EngineServices
from pagehand.engine.signing_in.codes import CodeVerdict, Wanted, only_request
from pagehand.engine.waiters import Waiters
from pagehand.errors import (
    Cancelled,
    Conflict,
    LimitReached,
    NotFound,
    PagehandError,
    TooMany,
    Unavailable,
)
from pagehand.records import Batch, Execution, Json, QueueEntry, Status
from pagehand.turns import in_turns

_log = structlog.get_logger(__name__)
_CANCEL_IS_SEEN_SECONDS = 1.0
_CANCELLED_AT_ONCE = 200
_SESSION_BEGINS_SECONDS = 30.0


class LocalEngine:
    """Implements `Engine` for a process that owns its database."""

    def __init__(self, services: EngineServices) -> None:
        self._services = services
        self._executions = services.stores.executions
        self._intake = Intake(services)
        self._finisher = Finisher(services)
        self._waiters = Waiters()
        self._works = services.settings.worker
        self._dispatcher = Dispatcher(services, self._finisher, self._waiters)
        self._reconciler = Reconciler(
            self._executions,
            Recovery(services, self._finisher),
            self._waiters,
            is_known=self._dispatcher.knows,
            enqueue=self._dispatcher.enqueue,
            works=self._works,
        )
        self._reconciling: asyncio.Task[None] | None = None
        self._is_stopping = False

    def start(self) -> None:
        """Work; what an earlier process left behind is found by the reconciler."""
        if self._works:
            self._dispatcher.start()
        self._reconciling = asyncio.create_task(self._reconciler.run())

    async def stop(self) -> None:
        """Take nothing new, let running ones finish for a while, put the rest back into the queue."""
        self._is_stopping = True
        if self._reconciling is not None:
            self._reconciling.cancel()
            await asyncio.wait([self._reconciling])
        await self._dispatcher.stop()

    def abandon(self, reason: str) -> None:
        """End what runs here at once: another process has taken over."""
        self._dispatcher.interrupt_all(Stop(reason, goes_back_to_queue=True))

    @property
    def busy_browsers(self) -> int:
        """How many browsers executions have open here."""
        return sum(one.has_browser for one in self._dispatcher.running.values())

    async def accept(
        self, organization_id: str, order: Order, idempotency_key: IdempotencyKey | None = None
    ) -> Execution:
        """Commit a new execution and queue it."""
        await self._refuse_if_full(organization_id, 1)
        execution = await self._intake.execution(organization_id, order)
        try:
            accepted = await self._executions.add(
                execution, (idempotency_key.value, idempotency_key.digest) if idempotency_key else None
            )
        except Unavailable:
            if idempotency_key is None:  # with a key, its caller asks again and finds it
                self._dispatcher.withdraw(execution)
            raise
        if accepted.id == execution.id:
            _log.info("execution accepted", execution=accepted.id, organization=organization_id)
            self._enqueue(accepted)
        return accepted

    async def prepare(self, organization_id: str, order: Order) -> Execution:
        """The execution that an order asks for, kept nowhere."""
        return await self._intake.execution(organization_id, order)

    async def accept_together(
        self, organization_id: str, orders: Sequence[Order], commit: Commit
    ) -> Sequence[Execution]:
        """Make executions, have `commit` write them, and queue those that were written.

        Should its answer be lost, the reconciler finds what was written.
        """
        await self._refuse_if_full(organization_id, len(orders))
        accepted = await commit([await self._intake.execution(organization_id, one) for one in orders])
        for execution in accepted:
            self._enqueue(execution)
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
        try:
            await self._services.stores.batches.add(batch, executions)
        except Unavailable:
            for execution in executions:
                self._dispatcher.withdraw(execution)
            raise
        async for execution in in_turns(executions):
            self._enqueue(execution)
        return batch

    async def retry(self, organization_id: str, execution_id: str) -> Execution:
        """Accept a new execution like a finished one."""
        original = await self._get(organization_id, execution_id)
        if not original.status.is_final:
            raise Conflict(f"Only a finished execution can be retried; this one is {original.status}.")
        await self._refuse_if_full(organization_id, 1)
        execution = await self._intake.again(original)
        try:
            await self._executions.add(execution)
        except Unavailable:
            self._dispatcher.withdraw(execution)
            raise
        self._enqueue(execution)
        return execution

    async def wait(self, execution: Execution) -> Execution:
        """The execution once it is final; the reconciler tells of an end that nobody announced."""
        waiter = self._waiters.add(execution.id)
        try:
            # looked up after registering: one that ended in between is not missed
            known = await self._executions.find(execution.id)
            if known is not None and known.status.is_final:
                return known
            return await waiter
        finally:
            self._waiters.remove(execution.id, waiter)

    async def cancel(self, organization_id: str, execution_id: str, by: str) -> Execution:
        """End an execution that is not final."""
        execution = await self._get(organization_id, execution_id)
        if execution.status.is_final:
            raise Conflict(f"The execution is already {execution.status}; there is nothing to cancel.")
        at = to_iso(now_ms())
        reason = Cancelled(f"Cancelled by {by} at {at}.", by=by, at=at)
        if not await self._dispatcher.end(execution, reason):
            await self._end_unattended(execution, reason)
        await self._see_end([execution.id])
        return await self._get(organization_id, execution_id)

    async def _end_unattended(self, execution: Execution, reason: PagehandError) -> None:
        """End one whose row says that it runs and that does not run here."""
        if not self._works:
            raise Conflict("The execution runs in another process of the service; ask that one to cancel it.")
        if not self._dispatcher.knows(execution.id):  # its worker was lost, and it is not recovered yet
            finished = await self._finisher.finish(execution, ended_early(reason), fence=execution.fence)
            if finished is not None:
                self._waiters.announce(finished)

    async def cancel_batch(self, organization_id: str, batch_id: str, by: str) -> Batch:
        """Cancel all of a batch that is not final, some at a time so that nobody else is held up."""
        batch = await self._services.stores.batches.get(organization_id, batch_id)
        if batch is None:
            raise NotFound(f"`id`: there is no batch `{batch_id[:80]}` in this organization.")
        now = now_ms()
        await self._services.stores.batches.mark_cancelled(organization_id, batch_id, now)
        at = to_iso(now)
        reason = Cancelled(f"Cancelled with its batch by {by} at {at}.", by=by, at=at)
        position, running = 0, list[str]()
        while entries := await self._executions.unfinished_of_batch(
            organization_id, batch_id, after=position, limit=_CANCELLED_AT_ONCE
        ):
            position = entries[-1].number
            running += await self._cancel_together(entries, reason)
        await self._see_end(running)
        batch.cancelled_at = batch.cancelled_at or now
        return batch

    async def _cancel_together(self, entries: Sequence[QueueEntry], reason: PagehandError) -> list[str]:
        """End those that wait in one transaction and interrupt the others; the ids of the latter."""
        for entry in entries:
            self._dispatcher.remove(entry.id)
        waiting = [entry.id for entry in entries if entry.id not in self._dispatcher.running]
        briefly = await self._executions.without_values(waiting)
        ended = await self._finisher.finish_waiting(briefly, ended_early(reason))
        # whoever begins to wait from now on finds the end in the table
        for execution_id in set(self._waiters.ids).intersection(ended):
            finished = await self._executions.find(execution_id)
            if finished is not None:
                self._waiters.announce(finished)
        return [entry.id for entry in entries if self._dispatcher.interrupt(entry.id, reason)]

    async def pause(self, organization_id: str, execution_id: str) -> Execution:
        """Hold a running execution before its next step."""
        execution = await self._get(organization_id, execution_id)
        attempt = self._dispatcher.running.get(execution_id)
        if execution.status is not Status.IN_PROGRESS or attempt is None:
            raise Conflict(f"Only a running execution can be paused; this one is {execution.status}.")
        try:
            attempt.slot.check_pause()
        except LimitReached as full:
            raise TooMany(full.message, retry_after_seconds=60) from full
        attempt.signals.pause()
        return execution

    async def resume(self, organization_id: str, execution_id: str) -> Execution:
        """Let a paused execution go on."""
        execution = await self._get(organization_id, execution_id)
        attempt = self._dispatcher.running.get(execution_id)
        if attempt is None or not attempt.signals.is_paused:
            raise Conflict(f"Only a paused execution can be resumed; this one is {execution.status}.")
        if attempt.live is not None:
            attempt.live.release()
        attempt.signals.resume()
        return execution

    def live(self, organization_id: str, execution_id: str) -> LiveRun | None:
        """The running execution for people beside it."""
        attempt = self._dispatcher.running.get(execution_id)
        is_own = attempt is not None and attempt.execution.organization_id == organization_id
        return attempt.live if attempt is not None and is_own else None

    async def live_session(self, organization_id: str, execution_id: str) -> LiveSession:
        """A live session, once its execution has begun."""
        execution = await self._get(organization_id, execution_id)
        if not is_live_session(execution):
            raise Conflict("This execution is not a live session: open one with `/liveSessions/open`.")
        opened = asyncio.ensure_future(self._dispatcher.sessions.of(execution_id))
        ended = asyncio.ensure_future(self.wait(execution))
        try:
            await asyncio.wait(
                {opened, ended}, timeout=_SESSION_BEGINS_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            opened.cancel()
            ended.cancel()
        if opened.done() and not opened.cancelled():
            return opened.result()
        if ended.done() and not ended.cancelled():
            raise Conflict(f"The live session has ended: it is {ended.result().status}. Open a new one.")
        raise TooMany("The live session waits for a free browser.", retry_after_seconds=10)

    async def submit_code(self, organization_id: str, wanted: Wanted, code: str) -> CodeVerdict:
        """Hand in a code that an authentication waits for."""
        waiting = [
            attempt
            for attempt in self._dispatcher.running.values()
            if attempt.codes.is_waiting
            and attempt.execution.organization_id == organization_id
            and wanted.execution_id in (None, attempt.execution.id)
            and wanted.browser_session_id in (None, attempt.execution.browser_session_id)
            and (
                wanted.login_id is None or (attempt.codes.login and attempt.codes.login.id == wanted.login_id)
            )
        ]
        request = only_request([(attempt.execution.id, attempt.codes) for attempt in waiting])
        judged = await request.submit(code)
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
        limit = self._services.settings.max_queued
        if self._reconciler.has_seen_all and len(self._dispatcher.queue) + more <= limit:
            return  # all organizations together are within what one may have
        if await self._executions.count_queued(organization_id) + more > limit:
            raise TooMany(
                f"{limit} executions of this organization wait already; try again when some have run.",
                retry_after_seconds=10,
            )

    def _enqueue(self, execution: Execution) -> None:
        if self._works:
            self._dispatcher.enqueue(QueueEntry.of(execution))

    async def _see_end(self, execution_ids: Sequence[str]) -> None:
        """Give interrupted executions a moment to reach their end, so that the answer shows it."""
        waiting = [asyncio.ensure_future(self._ended(one)) for one in execution_ids]
        if waiting:
            _, late = await asyncio.wait(waiting, timeout=_CANCEL_IS_SEEN_SECONDS)
            for one in late:
                one.cancel()

    async def _ended(self, execution_id: str) -> None:
        with suppress(Unavailable):
            execution = await self._executions.find(execution_id)
            if execution is not None:
                await self.wait(execution)
