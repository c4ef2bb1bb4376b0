"""A loop on every worker that recovers executions of lost workers, and ends those whose time is over.

Any number of workers may do this at once: every change is guarded by the execution's row.
"""

import time
from collections.abc import Callable
from typing import Final

import structlog

from pagehand.clock import now_ms
from pagehand.engine.recovery import Recovery
from pagehand.engine.run.finish import Finisher, expired
from pagehand.errors import Unavailable
from pagehand.loop import Loop
from pagehand.records import LOST_AFTER_SECONDS
from pagehand.storage import Stores

_log = structlog.get_logger(__name__)
_PAUSE_SECONDS: Final = 1.0
_MAX_ROUND_SECONDS: Final = 60.0
_GAP_SECONDS: Final = 10.0
"""A longer time between two rounds means that this process or the database stood still, or a round hung."""
_AT_ONCE: Final = 100
_MESSAGES_KEPT_MS: Final = 3_600_000


class Reaper:
    """Recovers and ends executions, again and again."""

    def __init__(
        self, stores: Stores, finisher: Finisher, recovery: Recovery, wake_workers: Callable[[], None]
    ) -> None:
        self._stores = stores
        self._queue = stores.shared_queue
        self._finisher = finisher
        self._recovery = recovery
        self._wake_workers = wake_workers
        self._reachable_since = self._last_round = time.monotonic()
        self._clock_offset: float | None = None
        self.loop = Loop("reaper", self._try_once, _PAUSE_SECONDS, max_step_seconds=_MAX_ROUND_SECONDS)

    async def _try_once(self) -> None:
        try:
            await self._run_once()
        except Unavailable:
            self._reachable_since = time.monotonic()
            raise

    async def _run_once(self) -> None:
        now = time.monotonic()
        if now - self._last_round > _GAP_SECONDS or await self._clock_was_set():
            self._reachable_since = now
        await self._stores.run_messages.sweep(_MESSAGES_KEPT_MS)
        # after an outage of the database an old heartbeat proves nothing: all workers get their time again
        if now - self._reachable_since > LOST_AFTER_SECONDS:
            await self._end_lost_workers()
        await self._end_expired()
        await self._recover_unattended()
        await self._stores.exclusive_logins.release_orphans()
        self._last_round = time.monotonic()

    async def _clock_was_set(self) -> bool:
        """True when the database's clock, by which heartbeats are judged, has jumped since the last round."""
        offset = await self._stores.schedules.now() / 1000 - time.monotonic()
        before, self._clock_offset = self._clock_offset, offset
        return before is not None and abs(offset - before) > _GAP_SECONDS

    async def _end_lost_workers(self) -> None:
        for lost in await self._queue.stalled(LOST_AFTER_SECONDS):
            _log.warning("a worker was lost", execution=lost.execution_id, worker=lost.worker_id)
            await self._recover(lost.execution_id, lost.fence)
            if await self._queue.end(lost.worker_id, lost.execution_id):
                self._wake_workers()
        await self._queue.remove_silent_workers(LOST_AFTER_SECONDS)

    async def _recover_unattended(self) -> None:
        for execution_id, fence in await self._queue.unassigned(_AT_ONCE):
            await self._recover(execution_id, fence)

    async def _recover(self, execution_id: str, fence: int) -> None:
        """Queue its next attempt, or end it; an error in one row does not affect the others."""
        try:
            await self._recovery.recover(execution_id, fence)
        except Unavailable:
            raise
        except Exception:  # noqa: BLE001 - an error in one row must not affect the others
            _log.exception("an execution could not be recovered", execution=execution_id)

    async def _end_expired(self) -> None:
        for entry in await self._stores.executions.waiting_past(now_ms(), _AT_ONCE):
            await self._finisher.end_waiting(entry.id, expired(entry))
