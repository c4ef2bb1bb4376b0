"""A worker's right to run executions: kept by heartbeats, lost by silence; what becomes of them then."""

import asyncio
import math
import time
from collections.abc import Callable
from typing import Final

import structlog

from pagehand.clock import now_ms
from pagehand.engine.reconciler import Recovery
from pagehand.engine.run.finish import Finisher, expired
from pagehand.errors import Unavailable
from pagehand.ids import new_id
from pagehand.loop import Loop, retry_while_unavailable
from pagehand.records import LOST_AFTER_SECONDS
from pagehand.storage import Stores
from pagehand.storage.shared_queue import SharedQueueStore

_log = structlog.get_logger(__name__)
_BEAT_SECONDS: Final = 5.0
_SAFE_SECONDS: Final = 20.0
"""A worker without a heartbeat for so long stops acting: others may soon take it for lost."""
_LEAVE_SECONDS: Final = 2.0
_PAUSE_SECONDS: Final = 1.0
_MAX_ROUND_SECONDS: Final = 60.0
_GAP_SECONDS: Final = 10.0
"""A longer time between two rounds means that this process or the database stood still, or a round hung."""
_AT_ONCE: Final = 100
_MESSAGES_KEPT_MS: Final = 3_600_000


class Lease:
    """Registers this process as a worker and sends its heartbeats."""

    def __init__(self, queue: SharedQueueStore, address: str, on_lost: Callable[[], None]) -> None:
        """`on_lost` is called when another worker may have taken over this one's executions."""
        self._queue = queue
        self.address = address
        self._on_lost = on_lost
        self._beat_at = -math.inf
        self._beating = Loop("heartbeat", self._beat, _BEAT_SECONDS / 5)
        self.worker_id: str | None = None
        """The worker's id; None while it may not run anything."""

    @property
    def is_safe(self) -> bool:
        """True while no other process can have taken this worker for lost."""
        return self.worker_id is not None and time.monotonic() - self._beat_at < _SAFE_SECONDS

    async def wait_until_safe(self) -> None:
        """Return once `is_safe`; executions that were lost are interrupted meanwhile."""
        while not self.is_safe:  # noqa: ASYNC110 - seldom, and short: the next heartbeat decides
            await asyncio.sleep(_BEAT_SECONDS / 50)

    async def take(self) -> None:
        """Become a worker."""
        began = time.monotonic()
        worker_id = new_id("worker")
        await retry_while_unavailable(lambda: self._queue.add_worker(worker_id, self.address))
        self.worker_id = worker_id
        self._beat_at = began

    def start(self) -> None:
        """Begin to send heartbeats."""
        self._beating.start()

    async def leave(self) -> None:
        """Unregister, so that other workers find what is left of its work at once."""
        await self._beating.stop()
        if self.worker_id is None:
            return
        try:
            async with asyncio.timeout(_LEAVE_SECONDS):
                await self._queue.remove_worker(self.worker_id)
        except (Unavailable, TimeoutError):
            _log.warning("the database cannot be reached: this worker counts as lost in half a minute")

    async def _beat(self) -> float:
        if self.is_safe:
            await self._beat_once()
        else:
            await self._register_again()
        return _BEAT_SECONDS if self.is_safe else 0

    async def _beat_once(self) -> None:
        began, worker_id = time.monotonic(), self.worker_id
        try:
            async with asyncio.timeout(_SAFE_SECONDS - _BEAT_SECONDS):
                if worker_id is not None and await self._queue.beat(worker_id):
                    self._beat_at = began
                else:
                    self._beat_at = -math.inf  # another process has taken this worker for lost
        except (Unavailable, TimeoutError):
            await asyncio.sleep(_BEAT_SECONDS / 5)

    async def _register_again(self) -> None:
        """Give everything up and register under another id."""
        _log.warning("this worker's heartbeat failed; it ends what it runs and registers again")
        self.worker_id = None
        self._on_lost()
        await self.take()


class Reaper:
    """A loop on every worker: recovers executions of lost workers, and ends those whose time is over.

    Any number of workers may do this at once: every change is guarded by the execution's row.
    """

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
            await self._recovery.recover(lost.execution_id, lost.fence)
            if await self._queue.end(lost.worker_id, lost.execution_id):
                self._wake_workers()
        await self._queue.remove_silent_workers(LOST_AFTER_SECONDS)

    async def _recover_unattended(self) -> None:
        for execution_id, fence in await self._queue.unassigned(_AT_ONCE):
            await self._recovery.recover(execution_id, fence)

    async def _end_expired(self) -> None:
        for entry in await self._stores.executions.waiting_past(now_ms(), _AT_ONCE):
            await self._finisher.end_waiting(entry.id, expired(entry))
