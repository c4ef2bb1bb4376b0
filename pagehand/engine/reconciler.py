"""Compares the executions table with what this process does, again and again, and corrects the difference.

An answer of the database can be lost, a process can die, another may accept executions. Whatever the cause:
a row that waits is queued, a row that is InProgress but runs nowhere is recovered, and callers that wait for
an execution that has ended get their answer.
"""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from pagehand.engine.recovery import Recovery
from pagehand.errors import Unavailable
from pagehand.loop import Loop
from pagehand.records import Execution, QueueEntry, Status
from pagehand.storage.executions import ExecutionStore

_log = structlog.get_logger(__name__)
_PAUSE_SECONDS = 1.0
_ROWS_AT_ONCE = 1000
_MAX_ROUND_SECONDS = 60.0
"""A query that hangs must not end the loop."""


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
        """Queue it, or recover it; an error in one row must not affect the others."""
        try:
            waiting = entry if entry.status is Status.ENQUEUED else await self._recovery.recover(entry.id)
        except Unavailable:
            raise
        except Exception:  # noqa: BLE001 - an error in one row must not affect the others
            _log.exception("an execution could not be recovered", execution=entry.id)
            return
        if waiting is not None:
            self._enqueue(waiting)
