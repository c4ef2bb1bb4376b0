"""Batches: executions started together, and their progress."""

from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError

from pagehand.records import Batch, Execution, Status
from pagehand.storage.accept_limits import AcceptLimits, check_limits
from pagehand.storage.batch_results import (
    ENTRY_COLUMNS,
    RESULT_COLUMNS,
    BatchEntry,
    BatchResult,
    ValueColumn,
    names_query,
)
from pagehand.storage.counts import CountFolding, count_by_batch
from pagehand.storage.database import (
    Database,
    OnChange,
    ignore_change,
    retry_lost_write,
    uncancellable,
)
from pagehand.storage.execution_rows import insert_executions
from pagehand.storage.pages import is_row, newest_first
from pagehand.storage.run_claim import retry_in_runs
from pagehand.storage.tables import batches, executions


@retry_in_runs
class BatchStore:
    """An organization's batches."""

    def __init__(
        self,
        database: Database,
        limits: AcceptLimits | None = None,
        on_change: OnChange = ignore_change,
    ) -> None:
        self._database = database
        self._on_change = on_change
        self._limits = limits or AcceptLimits()
        self._folding = CountFolding(database)

    @uncancellable
    async def add(self, batch: Batch, executions: Sequence[Execution]) -> None:
        """Add a batch with all of its executions, or nothing; raises TooMany."""
        await self._folding.fold_if_due()

        async def write() -> None:
            async with self._database.write() as connection:
                await connection.execute(batches.insert().values(asdict(batch)))
                await insert_executions(connection, executions)
                # last: it locks the organization until the commit
                await connection.run_sync(check_limits, self._limits, executions)

        try:
            await retry_lost_write(write)
        except IntegrityError:
            # the answer to the first try was lost: the batch is stored, under an id that only this call knows
            if await self.get(batch.organization_id, batch.id) is None:
                raise
        await self._on_change(["batch"], [batch.id], batch.organization_id)
        # one change for all: a batch may have 10,000
        await self._on_change(["execution"], [""], batch.organization_id)

    async def get(self, organization_id: str, batch_id: str) -> Batch | None:
        """The batch with that id."""
        row = await self._database.first(select(batches).where(is_row(batches, organization_id, batch_id)))
        return Batch(**row) if row else None

    async def entries(
        self, organization_id: str, batch_id: str, *, after: int, limit: int
    ) -> Sequence[BatchEntry]:
        """The executions of a batch after a number in the order of acceptance, without their values."""
        # by number, not by offset: rows added or deleted meanwhile shift nothing
        query = select(*ENTRY_COLUMNS).where(
            executions.c.organization_id == organization_id,
            executions.c.batch_id == batch_id,
            executions.c.n > after,
        )
        rows = await self._database.all(query.order_by(executions.c.n).limit(limit))
        return [BatchEntry.of(row) for row in rows]

    async def names_within(
        self, values: ValueColumn, organization_id: str, entries: Sequence[BatchEntry], most: int
    ) -> Sequence[str]:
        """The names within the params or responses of these; the values stay in the database."""
        query = names_query(values, is_sqlite=self._database.is_sqlite)
        first, last = entries[0], entries[-1]
        bounds = {"batch_id": first.batch_id, "first": first.number, "last": last.number, "most": most}
        async with self._database.read() as connection:
            found = await connection.execute(query, {"organization_id": organization_id, **bounds})
            return found.scalars().all()

    async def results(self, organization_id: str, ids: Sequence[str]) -> list[BatchResult]:
        """The results of these executions, in no order; values are JSON text."""
        query = select(*RESULT_COLUMNS).where(
            executions.c.organization_id == organization_id, executions.c.id.in_(list(ids))
        )
        return [BatchResult(**row) for row in await self._database.all(query)]

    async def list(self, organization_id: str, limit: int, offset: int) -> tuple[list[Batch], int]:
        """The organization's batches, newest first."""
        query = select(batches).where(batches.c.organization_id == organization_id)
        rows, total = await self._database.page(newest_first(query, batches), limit, offset)
        return [Batch(**row) for row in rows], total

    async def progress(self, organization_id: str, ids: Sequence[str]) -> dict[str, dict[Status, int]]:
        """How many executions of each batch are in each status; a batch without any has an empty dict."""
        async with self._database.read() as connection:
            return await count_by_batch(connection, organization_id, ids)

    async def paused(self) -> Sequence[str]:
        """The ids of all paused batches of all organizations."""
        query = select(batches.c.id).where(batches.c.paused_at.is_not(None), batches.c.cancelled_at.is_(None))
        async with self._database.read() as connection:
            return (await connection.execute(query)).scalars().all()

    @uncancellable
    async def set_paused(self, organization_id: str, batch_id: str, at: int | None) -> None:
        """Pause the batch since `at`, or resume it with None."""
        change = update(batches).values(paused_at=at).where(is_row(batches, organization_id, batch_id))
        await self._database.execute(change)
        await self._on_change(["batch"], [batch_id], organization_id)

    @uncancellable
    async def mark_cancelled(self, organization_id: str, batch_id: str, at: int) -> bool:
        """Record when the batch was cancelled; False if it does not exist or was cancelled before."""
        is_uncancelled = is_row(batches, organization_id, batch_id) & batches.c.cancelled_at.is_(None)
        return (
            await self._database.execute(update(batches).values(cancelled_at=at).where(is_uncancelled)) == 1
        )
