"""Deletes executions, uploads and deliveries after the retention period, in small steps.

Every process of the service tries, but only one at a time deletes.
"""

import asyncio
from collections.abc import Callable

import structlog

from pagehand.clock import now_ms
from pagehand.loop import Loop
from pagehand.ports import FileStore
from pagehand.storage.retention import OldExecution, RetentionStore
from pagehand.storage.webhooks import DeliveryStore

_log = structlog.get_logger(__name__)
_DAY_MS = 86_400_000
_AT_ONCE = 100
_PAUSE_SECONDS = 0.1
_EVERY_SECONDS = 3600.0
_TAKE_OVER_SECONDS = 10.0
"""How soon another process continues if the one that deletes has died."""


class Retention:
    """Sweeps every hour while the service runs; does nothing without a retention period."""

    def __init__(
        self,
        store: RetentionStore,
        deliveries: DeliveryStore,
        files: FileStore,
        keep_days: float | None,
        clock: Callable[[], int] = now_ms,
    ) -> None:
        self._store = store
        self._deliveries = deliveries
        self._files = files
        self._keep_days = keep_days
        self._clock = clock
        self._loop = Loop("retention", self._sweep_in_turn, _EVERY_SECONDS)
        self.stop = self._loop.stop

    def start(self) -> None:
        """Start sweeping, if there is a retention period."""
        if self._keep_days is not None:
            self._loop.start()

    async def sweep(self, keep_days: float) -> int:
        """Delete everything older than so many days; how many items."""
        before = self._clock() - round(keep_days * _DAY_MS)
        deleted = await self._sweep_executions(before)
        for sweep_some in (self._sweep_uploads, self._deliveries.sweep):
            while part := await sweep_some(before, _AT_ONCE):
                deleted += part
                await asyncio.sleep(_PAUSE_SECONDS)
        return deleted

    async def _sweep_in_turn(self) -> float | None:
        async with self._store.turn() as is_ours:
            if not is_ours:
                return _TAKE_OVER_SECONDS
            if self._keep_days is not None and (deleted := await self.sweep(self._keep_days)):
                _log.info("deleted old executions, uploads and deliveries", items=deleted)
        return None

    async def _sweep_executions(self, before: int) -> int:
        deleted, upto = 0, 0
        while upto is not None:
            old, upto = await self._store.executions(before, upto, _AT_ONCE)
            if old:
                await self._delete(old)
                deleted += len(old)
            # the work of others comes first
            await asyncio.sleep(_PAUSE_SECONDS)
        return deleted

    async def _delete(self, old: list[OldExecution]) -> None:
        # bytes first: if this crashes, the rows still lead to those that are left
        for key in await self._store.file_keys(old):
            await self._files.delete(key)
        for item in old:
            # and files without a row: a process died after it stored them
            await self._files.delete_folder(f"{item.organization_id}/{item.id}")
        await self._store.delete_executions(old)

    async def _sweep_uploads(self, before: int, limit: int) -> int:
        uploads = await self._store.uploads(before, limit)
        for info in uploads:
            await self._files.delete(info.key)
            await self._store.delete_file(info.id)
        return len(uploads)
