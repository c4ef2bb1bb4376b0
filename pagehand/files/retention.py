"""Deletes executions, uploads and deliveries after the retention period, in small steps.

Every process of the service tries, but only one at a time deletes.
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
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start sweeping, if there is a retention period."""
        if self._keep_days is not None:
            self._task = asyncio.create_task(self._work(self._keep_days), name="retention")

    async def stop(self) -> None:
        """Stop sweeping."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def sweep(self, keep_days: float) -> int:
        """Delete everything older than so many days; how many items."""
        before = self._clock() - round(keep_days * _DAY_MS)
        deleted = 0
        while part := await self._sweep_some(before):
            deleted += part
            # SQLite has one writer at a time: let others write
            await asyncio.sleep(_PAUSE_SECONDS)
        return deleted

    async def _work(self, keep_days: float) -> None:
        while True:
            pause = _EVERY_SECONDS
            try:
                async with self._store.turn() as is_ours:
                    if not is_ours:
                        pause = _TAKE_OVER_SECONDS
                    elif deleted := await self.sweep(keep_days):
                        _log.info("deleted what is older than the retention", things=deleted, days=keep_days)
            except PagehandError as trouble:
                _log.warning("deleting what is old goes on later", reason=trouble.message)
            except Exception:  # noqa: BLE001 - the outermost loop: the next sweep must still run
                _log.exception("deleting what is old failed")
            await asyncio.sleep(pause)

    async def _sweep_some(self, before: int) -> int:
        # bytes first: if this crashes, the rows still lead to those that are left
        executions = await self._store.executions(before, _AT_ONCE)
        for organization_id, execution_id in executions:
            for key in await self._store.file_keys(execution_id):
                await self._files.delete(key)
            # and files without a row: a process died after it stored them
            await self._files.delete_folder(f"{organization_id}/{execution_id}")
            await self._store.delete_execution(execution_id)
        uploads = await self._store.uploads(before, _AT_ONCE)
        for info in uploads:
            await self._files.delete(info.key)
            await self._store.delete_file(info.id)
        return len(executions) + len(uploads) + await self._deliveries.sweep(before, _AT_ONCE)
