"""Compares the executions table with what this process does, again and again, and corrects the difference.

An answer of the database can be lost, a process can die, another may accept executions. Whatever the cause:
a row that waits is queued, a row that is InProgress but runs nowhere is recovered, and callers that wait for
an execution that has ended get their answer.
"""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from pagehand.clock import now_ms
from pagehand.engine import retry
from pagehand.engine.reporting import report
from pagehand.engine.reporting.report import Failure
from pagehand.engine.run.finish import Ending, Finisher
from pagehand.engine.run.scope import assemble_response
from pagehand.engine.services import EngineServices
from pagehand.engine.signing_in.authentications import ended_sign_ins
from pagehand.errors import Unavailable, WorkerLost
from pagehand.ids import new_id
from pagehand.loop import Loop, retry_while_unavailable
from pagehand.records import Event, Execution, QueueEntry, Requeue, Status
from pagehand.storage.executions import ExecutionStore

_log = structlog.get_logger(__name__)
_PAUSE_SECONDS = 1.0
_ROWS_AT_ONCE = 1000
_MAX_ROUND_SECONDS = 60.0
"""A query that hangs must not end the loop."""


class Recovery:
    """Requeues or ends executions whose worker was lost, by the rule in `retry`."""

    def __init__(self, services: EngineServices, finisher: Finisher) -> None:
        self._services = services
        self._finisher = finisher

    async def recover(self, execution_id: str, fence: int | None = None) -> QueueEntry | None:
        """Queue its next attempt, or end it; None when it does not wait for a worker now, or that failed.

        With the fence of the run that was lost, one that another worker has begun since is left alone.
        """
        try:
            return await self._recover(execution_id, fence)
        except Unavailable:
            raise
        except Exception:  # noqa: BLE001 - an error in one row must not affect the others
            _log.exception("an execution could not be recovered", execution=execution_id)
            return None

    async def _recover(self, execution_id: str, fence: int | None) -> QueueEntry | None:
        execution = await self._services.stores.executions.find_in_any_organization(execution_id)
        if execution is None or execution.status.is_final or fence not in (None, execution.fence):
            return None
        if execution.status is Status.ENQUEUED:
            return QueueEntry.of(execution)
        vendor_id = execution.vendor_id
        requeued = await self._requeue_or_fail(execution)
        if vendor_id is not None:
            self._services.end_lost_browser(vendor_id)
        return QueueEntry.of(requeued) if requeued is not None else None

    async def _requeue_or_fail(self, execution: Execution) -> Execution | None:
        """Queue its next attempt, or fail it with the outputs it had."""
        lost = WorkerLost("The worker was lost: the process that ran this execution ended without reporting.")
        # without the login's delay: our own worker was lost, the site was not down
        decision = retry.decide(lost, execution, now=now_ms(), delay_ms=0)
        # waiting for a code may take hours, so it may outlive any number of workers
        if _waited_to_sign_in(execution) or retry.goes_back_after_loss(execution):
            await self._add_event(execution, "execution.requeued", f"{lost.message} It begins again.")
            execution.metadata = retry.count_requeue(execution.metadata, worker_lost=True)
            return await self._requeue(execution, execution.attempts, None)
        if isinstance(decision, retry.RetryAt):
            await self._add_event(execution, "execution.retried", f"{lost.message} Another attempt follows.")
            return await self._requeue(execution, execution.attempts + 1, decision.not_before)
        await self._add_event(execution, "execution.failed", lost.message)
        # which block ran is not on the row; the last events show it
        failure, stores = Failure(None, lost), self._services.stores
        response = assemble_response(
            await retry_while_unavailable(lambda: stores.outputs.of_execution(execution.id))
        )
        ending = Ending(
            response=response,
            analysis=report.analysis(failure, decision.note),
            failure=failure.to_record(),
            context={"params": execution.params, "blocks": response},
            downloads=execution.downloads,
        )
        await self._finisher.finish(execution, ending, fence=execution.fence)
        return None

    async def _requeue(self, execution: Execution, attempts: int, not_before: int | None) -> Execution | None:
        executions, token = self._services.stores.executions, new_id("requeue")
        sign_ins = ended_sign_ins(execution)
        requeue = Requeue(
            attempts=attempts,
            metadata=execution.metadata,
            at=now_ms(),
            not_before=not_before,
            # with the status, so that both always agree
            fields={
                "authentications": sign_ins,
                "context_authentications": execution.context_authentications,
            },
        )
        await retry_while_unavailable(
            lambda: executions.requeue(execution.id, execution.fence, requeue, token=token)
        )
        return await retry_while_unavailable(lambda: executions.find_in_any_organization(execution.id))

    async def _add_event(self, execution: Execution, type: str, message: str) -> None:  # noqa: A002 - the event's own word
        stores = self._services.stores
        # the run, which numbered its events, is lost
        seq = await retry_while_unavailable(lambda: stores.events.last_seq(execution.id)) + 1
        event = Event(execution_id=execution.id, seq=seq, at=now_ms(), type=type, message=message)
        await retry_while_unavailable(lambda: stores.events.add([event]))


def _waited_to_sign_in(execution: Execution) -> bool:
    """Whether it waited for a code or a person when its worker was lost."""
    waits = any(sign_in.status.is_waiting for sign_in in execution.authentications)
    return waits and retry.may_repeat(execution)


class Waiters:
    """The waiting futures by execution."""

    def __init__(self) -> None:
        self._waiting: dict[str, set[asyncio.Future[Execution]]] = {}

    @property
    def ids(self) -> list[str]:
        """The executions that callers wait for."""
        return list(self._waiting)

    def add(self, execution_id: str) -> "asyncio.Future[Execution]":
        """Begin to wait; `remove` it when done."""
        waiter: asyncio.Future[Execution] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(execution_id, set()).add(waiter)
        return waiter

    def remove(self, execution_id: str, waiter: "asyncio.Future[Execution]") -> None:
        """Stop waiting."""
        waiting = self._waiting.get(execution_id, set())
        waiting.discard(waiter)
        if not waiting:
            self._waiting.pop(execution_id, None)

    def wake(self, execution: Execution) -> None:
        """Give an execution that has ended to all callers that wait for it."""
        for waiter in self._waiting.pop(execution.id, set()):
            if not waiter.done():
                waiter.set_result(execution)


class Reconciler:
    """Reconciles every second, as long as the engine runs."""

    def __init__(
        self,
        executions: ExecutionStore,
        recovery: Recovery,
        waiters: Waiters,
        *,
        is_known: Callable[[str], bool],
        enqueue: Callable[[QueueEntry], None],
        is_worker: bool,
        prepare: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`is_known` is true for what waits or runs here; without `is_worker` only waiters are woken.

        `prepare` is called before the first round.
        """
        self._executions = executions
        self._recovery = recovery
        self._waiters = waiters
        self._is_known = is_known
        self._enqueue = enqueue
        self._is_worker = is_worker
        self._prepare = prepare
        self.loop = Loop("reconciler", self._reconcile, _PAUSE_SECONDS, max_step_seconds=_MAX_ROUND_SECONDS)
        self._position = 0
        self.has_seen_all = False
        """True once every unfinished row was looked at."""

    async def _reconcile(self) -> float | None:
        if self._prepare is not None:
            await self._prepare()
            self._prepare = None
        await self._wake_waiters()
        if not self._is_worker:
            return None
        await self._reconcile_unfinished()
        # at the start there may be a hundred thousand rows to look at
        return None if self.has_seen_all else 0

    async def _wake_waiters(self) -> None:
        """Wake the waiters of executions that ended in another process."""
        waited_for = self._waiters.ids
        for start in range(0, len(waited_for), _ROWS_AT_ONCE):
            ended = await self._executions.final_among(waited_for[start : start + _ROWS_AT_ONCE])
            for execution_id in ended:
                if (execution := await self._executions.find_in_any_organization(execution_id)) is not None:
                    self._waiters.wake(execution)

    async def _reconcile_unfinished(self) -> None:
        entries = await self._executions.unfinished(after=self._position, limit=_ROWS_AT_ONCE)
        for entry in entries:
            if not self._is_known(entry.id):
                await self._queue_or_recover(entry)
        # a page at a time, then from the beginning again
        self._position = entries[-1].number if len(entries) == _ROWS_AT_ONCE else 0
        self.has_seen_all = self.has_seen_all or self._position == 0

    async def _queue_or_recover(self, entry: QueueEntry) -> None:
        waiting = entry if entry.status is Status.ENQUEUED else await self._recovery.recover(entry.id)
        if waiting is not None:
            self._enqueue(waiting)
