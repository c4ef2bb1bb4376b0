"""Deletes what is older than the operator wants to keep: a few things at a time, with pauses between.

Every process of the service tries, and one at a time has the turn.
"""

import asyncio
from collections.abc import Callable

import structlog

from pagehand.clock import now_ms
from pagehand.errors import PagehandError
from pagehand.ports import FileStore
from pagehand.storage.deliveries import DeliveryStore
from pagehand.storage.retention import RetentionStore

_log = structlog.get_logger(__name__)
_DAY_MS = 86_400_000
_AT_ONCE = 50
_PAUSE_SECONDS = 0.2
_EVERY_SECONDS = 3600.0
_TAKE_OVER_SECONDS = 10.0
"""How soon another process goes on where the one that was at it has died."""


class Retention:
    """Sweeps every hour while the service runs; does nothing where nothing is to be deleted."""

    def __init__(
        self,
        old: RetentionStore,
        deliveries: DeliveryStore,
        files: FileStore,
        keep_days: float | None,
        clock: Callable[[], int] = now_ms,
    ) -> None:
        self._old = old
        self._deliveries = deliveries
        self._files = files
        self._keep_days = keep_days
        self._clock = clock
        self._working: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin, if there is anything to do."""
        if self._keep_days is not None:
            self._working = asyncio.create_task(self._work(self._keep_days), name="retention")

    async def stop(self) -> None:
        """End; what is left is old tomorrow too."""
        if self._working is not None:
            self._working.cancel()
            await asyncio.gather(self._working, return_exceptions=True)

    async def sweep(self, keep_days: float) -> int:
        """Delete everything that is older than so many days; how many things."""
        before = self._clock() - round(keep_days * _DAY_MS)
        gone = 0
        while part := await self._sweep_some(before):
            gone += part
            # others write meanwhile: SQLite has one writer at a time
            await asyncio.sleep(_PAUSE_SECONDS)
        return gone

    async def _work(self, keep_days: float) -> None:
        while True:
            pause = _EVERY_SECONDS
            try:
                async with self._old.turn() as is_ours:
                    if not is_ours:
                        pause = _TAKE_OVER_SECONDS
                    elif gone := await self.sweep(keep_days):
                        _log.info("deleted what was old", things=gone, days=keep_days)
            except PagehandError as trouble:
                _log.warning("deleting what is old goes on later", reason=trouble.message)
            except Exception:  # noqa: BLE001 - the outermost loop: what is old must go another time
                _log.exception("deleting what is old failed")
            await asyncio.sleep(pause)

    async def _sweep_some(self, before: int) -> int:
        # the bytes go first: what is known of them leads back to any that a crash leaves
        executions = await self._old.executions(before, _AT_ONCE)
        for organization_id, execution_id in executions:
            for key in await self._old.keys(execution_id):
                await self._files.delete(key)
            # and what nothing leads to: a process that died had stored it and not written its event
            await self._files.delete_folder(f"{organization_id}/{execution_id}")
            await self._old.forget_execution(execution_id)
        uploads = await self._old.uploads(before, _AT_ONCE)
        for info in uploads:
            await self._files.delete(info.key)
            await self._old.forget_file(info.id)
        return len(executions) + len(uploads) + await self._deliveries.sweep(before, _AT_ONCE)
