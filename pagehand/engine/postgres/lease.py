"""A worker's right to run executions: kept by heartbeats, lost by silence."""

import asyncio
import math
import time
from collections.abc import Callable
from typing import Final

import structlog

from pagehand.errors import Unavailable
from pagehand.ids import new_id
from pagehand.loop import Loop, retry_while_unavailable
from pagehand.storage.shared_queue import SharedQueueStore

_log = structlog.get_logger(__name__)
_BEAT_SECONDS: Final = 5.0
_SAFE_SECONDS: Final = 20.0
"""A worker without a heartbeat for so long stops acting: others may soon take it for lost."""
_LEAVE_SECONDS: Final = 2.0


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
