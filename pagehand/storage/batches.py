"""Batches: executions started together, their progress, and their results for exports.

An export asks for the size of each result first, then for the values of a few at a time as JSON text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from msgspec import Raw
from sqlalchemy import ColumnElement, TextClause, select, text, type_coerce, update
from sqlalchemy.exc import IntegrityError

from pagehand.records import Batch, Execution, ExecutionFailure, Json, SkippedRow, Status
from pagehand.storage.accepting import AcceptingStore, check_limits
from pagehand.storage.columns import RawJsonText
from pagehand.storage.counts import count_by_batch
from pagehand.storage.database import (
    retry_lost_write,
    uncancellable,
)
from pagehand.storage.execution_rows import insert_executions
from pagehand.storage.pages import ByteLength, is_row, newest_first
from pagehand.storage.tables import batches, executions

ValueColumn = Literal["params", "response"]


@dataclass(slots=True, frozen=True, kw_only=True)
class BatchEntry:
    """An execution of a batch without its values."""

    number: int
    """Its place in the order of acceptance."""
    id: str
    batch_id: str
    row: int | None
    """The number of its row in the sheet; None if it was started before rows had numbers."""
    retry_of: str | None
    """The execution that it repeats."""
    response_file_id: str | None
    bytes: int
    """The size of its values."""

    @classmethod
    def of(cls, row: Mapping[Any, Any]) -> "BatchEntry":
        """The entry in a row of `ENTRY_COLUMNS`."""
        return cls(
            number=row["n"],
            id=row["id"],
            batch_id=row["batch_id"],
            row=row["metadata"].get("row"),
            retry_of=row["metadata"].get("retryOf"),
            response_file_id=row["response_file"] and row["response_file"].id,
            bytes=(row["params_bytes"] or 0) + row["response_bytes"],
        )


@dataclass(slots=True, kw_only=True)
class BatchResult:
    """What an export shows of an execution."""

    id: str
    status: Status
    start_time: int
    duration_ms: int | None
    failure: ExecutionFailure | None
    params: Raw
    response: Raw | None


ENTRY_COLUMNS: list[ColumnElement[Any]] = [
    executions.c.n,
    executions.c.id,
    executions.c.batch_id,
    executions.c.metadata,
    executions.c.params_bytes,
    executions.c.response_file,
    ByteLength(executions.c.response).label("response_bytes"),
]


RESULT_COLUMNS: list[ColumnElement[Any]] = [
    *(executions.c[name] for name in BatchResult.__dataclass_fields__ if name != "params"),
    type_coerce(executions.c.params, RawJsonText()).label("params"),
]


_BATCH_COLUMNS = [batches.c[name] for name in Batch.__dataclass_fields__]
"""Without the skipped rows, which may be large."""


_OWN = "organization_id = :organization_id AND batch_id = :batch_id AND n BETWEEN :first AND :last"


# in the order in which they first appear; 2^31 places for the names within one value
_IN_ORDER = "GROUP BY name ORDER BY min(n * 2147483648 + place) LIMIT :most"


# a large value is a BLOB
_NAMES_SQLITE = """
    SELECT name FROM (
      SELECT n, part.id AS place, part.key AS name
      FROM (SELECT n, CAST({column} AS TEXT) AS text FROM executions WHERE {own}),
        json_each(CASE WHEN json_valid(text) THEN text ELSE '{{}}' END) AS part
    ) {in_order}
"""


# PostgreSQL's JSON functions refuse the escape of NUL, which text may hold
_NAMES_POSTGRES = r"""
    SELECT name FROM (
      SELECT n, part.place, part.name
      FROM executions, json_object_keys(CAST(replace({column}, '\u0000', '\u0020') AS json))
        WITH ORDINALITY AS part (name, place)
      WHERE {own} AND {column} IS NOT NULL
    ) AS found {in_order}
"""


class BatchStore(AcceptingStore):
    """An organization's batches."""

    @uncancellable
    async def add(
        self, batch: Batch, executions: Sequence[Execution], skipped: Sequence[SkippedRow] = ()
    ) -> None:
        """Add a batch with all of its executions, or nothing; raises TooMany."""
        await self._folding.fold_if_due()
        row = asdict(batch) | {"skipped_rows": [asdict(row) for row in skipped] or None}

        async def write() -> None:
            async with self._database.write() as connection:
                await connection.execute(batches.insert().values(row))
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
        query = select(*_BATCH_COLUMNS).where(is_row(batches, organization_id, batch_id))
        row = await self._database.first(query)
        return Batch(**row) if row else None

    async def skipped(self, organization_id: str, batch_id: str) -> list[SkippedRow]:
        """The first of the rows that its sheet had and that were left out, in their order."""
        query = select(batches.c.skipped_rows).where(is_row(batches, organization_id, batch_id))
        row = await self._database.first(query)
        found: list[Json] = (row["skipped_rows"] if row else None) or []
        return [SkippedRow(**skipped) for skipped in found]

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
        query = select(*_BATCH_COLUMNS).where(batches.c.organization_id == organization_id)
        rows, total = await self._database.page(newest_first(query, batches), limit, offset)
        return [Batch(**row) for row in rows], total

    async def progress(self, organization_id: str, ids: Sequence[str]) -> dict[str, dict[Status, int]]:
        """How many executions of each batch are in each status; a batch without any has an empty dict."""
        return await self._database.query(lambda reader: count_by_batch(reader, organization_id, ids))

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


def names_query(values: ValueColumn, *, is_sqlite: bool) -> TextClause:
    """A query for up to :most names within the JSON objects of a batch's executions :first to :last."""
    query = _NAMES_SQLITE if is_sqlite else _NAMES_POSTGRES
    return text(query.format(column=f"executions.{values}", own=_OWN, in_order=_IN_ORDER))
