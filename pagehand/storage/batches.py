"""Batches: executions started together, and how far they have come."""

from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError

from pagehand.records import Batch, Execution, Status
from pagehand.storage.accept_limits import AcceptLimits, keep_limits
from pagehand.storage.adding import insert_executions
from pagehand.storage.counts import CountFolding, count_by_batch
from pagehand.storage.database import Database, settled, uncancellable
from pagehand.storage.execution_changes import COLUMNS
from pagehand.storage.on_behalf import waits_for_database
from pagehand.storage.pages import read_page
from pagehand.storage.tables import batches, executions


@waits_for_database
class BatchStore:
    """An organization's batches."""

    def __init__(self, database: Database, limits: AcceptLimits | None = None) -> None:
        self._database = database
        self._limits = limits or AcceptLimits()
        self._folding = CountFolding(database)

    @uncancellable
    async def add(self, batch: Batch, executions: Sequence[Execution]) -> None:
        """Keep a batch and all of its executions, or nothing; raises TooMany."""
        await self._folding.when_due()

        async def write() -> None:
            async with self._database.write() as connection:
                await connection.execute(batches.insert().values(asdict(batch)))
                await insert_executions(connection, executions)
                await connection.run_sync(keep_limits, self._limits, executions)

        try:
            await settled(write)
        except IntegrityError:
            # the answer to the first try was lost: the batch is there, under the id that only we know
            if await self.get(batch.organization_id, batch.id) is None:
                raise

    async def get(self, organization_id: str, batch_id: str) -> Batch | None:
        """The batch with that id."""
        query = select(batches).where(batches.c.id == batch_id, batches.c.organization_id == organization_id)
        async with self._database.read() as connection:
            row = (await connection.execute(query)).mappings().first()
        return Batch(**row) if row else None

    async def executions(
        self, organization_id: str, batch_id: str, *, after: str | None, limit: int
    ) -> Sequence[Execution]:
        """The next executions of a batch behind one of them, in the order of its rows."""
        query = select(*COLUMNS).where(
            executions.c.organization_id == organization_id, executions.c.batch_id == batch_id
        )
        if after is not None:
            # by place, not by offset: rows that come or go meanwhile shift nothing
            position = select(executions.c.n).where(executions.c.id == after).scalar_subquery()
            query = query.where(executions.c.n > position)
        async with self._database.read() as connection:
            rows = (await connection.execute(query.order_by(executions.c.n).limit(limit))).mappings()
            return [Execution(**row) for row in rows]

    async def list(self, organization_id: str, limit: int, offset: int) -> tuple[list[Batch], int]:
        """The organization's batches, newest first."""
        query = select(batches).where(batches.c.organization_id == organization_id)
        query = query.order_by(batches.c.created_at.desc(), batches.c.id.desc())
        async with self._database.read() as connection:
            rows, total = await read_page(connection, query, limit, offset)
        return [Batch(**row) for row in rows], total

    async def progress(self, organization_id: str, ids: Sequence[str]) -> dict[str, dict[Status, int]]:
        """How many executions of each batch are in each status; a batch without any has an empty dict."""
        async with self._database.read() as connection:
            return await count_by_batch(connection, organization_id, ids)

    async def paused(self) -> Sequence[str]:
        """The ids of all batches, of whichever organization, of which nothing may begin."""
        query = select(batches.c.id).where(batches.c.paused_at.is_not(None), batches.c.cancelled_at.is_(None))
        async with self._database.read() as connection:
            return (await connection.execute(query)).scalars().all()

    @uncancellable
    async def set_paused(self, organization_id: str, batch_id: str, at: int | None) -> None:
        """Note since when nothing of the batch may begin, or that it may again."""
        change = update(batches).values(paused_at=at)
        change = change.where(batches.c.id == batch_id, batches.c.organization_id == organization_id)
        async with self._database.write() as connection:
            await connection.execute(change)

    @uncancellable
    async def mark_cancelled(self, organization_id: str, batch_id: str, at: int) -> bool:
        """Note when the batch was first cancelled; False if it is not there or was before."""
        change = update(batches).values(cancelled_at=at)
        change = change.where(
            batches.c.id == batch_id,
            batches.c.organization_id == organization_id,
            batches.c.cancelled_at.is_(None),
        )
        async with self._database.write() as connection:
            return (await connection.execute(change)).rowcount == 1
