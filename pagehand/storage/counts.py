"""How many executions there are, without counting them: sums over a few counters.

The database's triggers keep one counter per organization, dimension (workflow, login, these two together,
batch, hour of the start), key, status and test flag. On PostgreSQL fresh changes lie in a table of their own
until they are folded in, so that workers never wait for each other's counters; one statement reads both, so
they agree.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnClause,
    ColumnElement,
    Connection,
    Select,
    Subquery,
    Table,
    column,
    func,
    select,
    table,
    text,
    union_all,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.records import Status
from pagehand.storage import advisory_locks
from pagehand.storage.database import Database
from pagehand.storage.tables import execution_counts, executions

HOUR_MS = 3_600_000
# rare enough that writers do not notice, often enough that reading both tables stays quick
_FOLD_EVERY = 200

_CHANGE_COLUMNS: list[ColumnClause[Any]] = [
    column(name) for name in ("organization_id", "dimension", "key", "status", "is_test", "change", "newest")
]
_changes = table("execution_count_changes", *_CHANGE_COLUMNS)

_FOLD = text("""
    WITH gone AS (DELETE FROM execution_count_changes RETURNING *)
    INSERT INTO execution_counts (organization_id, dimension, key, status, is_test, count, newest)
    SELECT organization_id, dimension, key, status, is_test, sum(change), max(newest) FROM gone
    GROUP BY organization_id, dimension, key, status, is_test
    ON CONFLICT (organization_id, dimension, key, status, is_test) DO UPDATE
    SET count = execution_counts.count + excluded.count,
      newest = greatest(execution_counts.newest, excluded.newest)
""")
_DROP_EMPTY = text("DELETE FROM execution_counts WHERE count = 0")
_TRY_LOCK = text(f"SELECT pg_try_advisory_xact_lock({advisory_locks.COUNT_FOLDING})")


class CountFolding:
    """Folds PostgreSQL's fresh changes into the counters every now and then."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._writes = 0

    async def when_due(self) -> None:
        """Call before a write: every two-hundredth one folds first."""
        self._writes += 1
        if not self._database.is_sqlite and self._writes % _FOLD_EVERY == 0:
            await fold_counts(self._database)


async def fold_counts(database: Database) -> None:
    """Fold all committed changes into the counters, unless somebody else is at it."""
    async with database.write() as connection:
        if (await connection.execute(_TRY_LOCK)).scalar():
            await connection.execute(_FOLD)
            await connection.execute(_DROP_EMPTY)


@dataclass(slots=True, frozen=True, kw_only=True)
class Tally:
    """Which executions to count: by status and test flag, and by at most one dimension."""

    organization_id: str
    status: Status | None = None
    is_test: bool | None = None

    async def everything(self, connection: AsyncConnection) -> int:
        """All of them."""
        return int((await connection.execute(self.query(connection))).scalar_one())

    def query(self, connection: AsyncConnection) -> Select[Any]:
        """A query for `everything`, to be part of a larger one."""
        return self._summed(_cells(connection), "workflow")

    async def by_status(self, connection: AsyncConnection) -> dict[Status, int]:
        """All of them, per status."""
        cells = _cells(connection)
        query = self._summed(cells, "workflow").add_columns(cells.c.status).group_by(cells.c.status)
        return {Status(status): int(count) for count, status in await connection.execute(query)}

    async def of(self, connection: AsyncConnection, dimension: str, keys: Sequence[str]) -> int:
        """Those of these workflows, logins, batches, or (`workflow login`) pairs with a space between."""
        cells = _cells(connection)
        query = self._summed(cells, dimension, cells.c.key.in_(list(keys)))
        return int((await connection.execute(query)).scalar_one())

    async def started(self, connection: AsyncConnection, from_ms: int | None, to_ms: int | None) -> int:
        """Those that started in the range; whole hours come from counters, the edges are counted."""
        first, after = _whole_hours(from_ms, to_ms)
        if first is not None and after is not None and first >= after:
            return await self._count_rows(connection, from_ms, to_ms)
        cells = _cells(connection)
        query = self._summed(cells, "hour", *_hours_between(cells, first, after))
        total = int((await connection.execute(query)).scalar_one())
        if from_ms is not None and first is not None and from_ms < first * HOUR_MS:
            total += await self._count_rows(connection, from_ms, first * HOUR_MS - 1)
        if to_ms is not None and after is not None and to_ms >= after * HOUR_MS:
            total += await self._count_rows(connection, after * HOUR_MS, to_ms)
        return total

    def _summed(
        self, cells: Table | Subquery, dimension: str, *conditions: ColumnElement[bool]
    ) -> Select[Any]:
        query = select(func.coalesce(func.sum(cells.c.count), 0)).where(
            cells.c.organization_id == self.organization_id, cells.c.dimension == dimension, *conditions
        )
        if self.status is not None:
            query = query.where(cells.c.status == str(self.status))
        return query if self.is_test is None else query.where(cells.c.is_test == self.is_test)

    async def _count_rows(self, connection: AsyncConnection, from_ms: int | None, to_ms: int | None) -> int:
        query = select(func.count()).where(
            executions.c.organization_id == self.organization_id, *started_between(from_ms, to_ms)
        )
        if self.status is not None:
            query = query.where(executions.c.status == self.status)
        if self.is_test is not None:
            query = query.where(executions.c.is_test == self.is_test)
        return (await connection.execute(query)).scalar_one()


async def count_everybodys(connection: AsyncConnection) -> dict[Status, int]:
    """All executions of all organizations per status; for those who run the service."""
    cells = _cells(connection)
    query = select(cells.c.status, func.sum(cells.c.count)).where(cells.c.dimension == "workflow")
    rows = await connection.execute(query.group_by(cells.c.status))
    return {Status(status): int(count) for status, count in rows}


async def newest_started(
    connection: AsyncConnection, organization_id: str, from_ms: int | None, to_ms: int | None
) -> int:
    """A number no execution started in the range is above: where a walk from the newest may begin."""
    cells = _cells(connection)
    first = None if from_ms is None else from_ms // HOUR_MS
    after = None if to_ms is None else to_ms // HOUR_MS + 1
    query = select(func.coalesce(func.max(cells.c.newest), 0)).where(
        cells.c.organization_id == organization_id,
        cells.c.dimension == "hour",
        *_hours_between(cells, first, after),
    )
    return (await connection.execute(query)).scalar_one()


async def counted_by_hour(
    connection: AsyncConnection, organization_id: str, first_hour: int
) -> list[tuple[int, Status, int]]:
    """Hour of the start, status and count of executions that are not tests, since an hour."""
    cells = _cells(connection)
    query = select(cells.c.key, cells.c.status, func.sum(cells.c.count)).where(
        cells.c.organization_id == organization_id,
        cells.c.dimension == "hour",
        cells.c.is_test.is_(False),
        *_hours_between(cells, first_hour, None),
    )
    rows = await connection.execute(query.group_by(cells.c.key, cells.c.status))
    return [(int(hour), Status(status), int(count)) for hour, status, count in rows]


async def count_by_batch(
    connection: AsyncConnection, organization_id: str, ids: Sequence[str]
) -> dict[str, dict[Status, int]]:
    """Per batch, how many of its executions are in each status."""
    return await connection.run_sync(_count_by_batch, organization_id, ids)


def batch_progress(connection: Connection, organization_id: str, batch_id: str) -> dict[Status, int]:
    """How many of a batch's executions are in each status, within the caller's transaction."""
    return _count_by_batch(connection, organization_id, [batch_id])[batch_id]


def _count_by_batch(
    connection: Connection, organization_id: str, ids: Sequence[str]
) -> dict[str, dict[Status, int]]:
    cells = _cells(connection)
    query = select(cells.c.key, cells.c.status, func.sum(cells.c.count)).where(
        cells.c.organization_id == organization_id, cells.c.dimension == "batch", cells.c.key.in_(list(ids))
    )
    progress: dict[str, dict[Status, int]] = {batch_id: {} for batch_id in ids}
    for batch_id, status, count in connection.execute(query.group_by(cells.c.key, cells.c.status)):
        if count:
            progress[batch_id][Status(status)] = int(count)
    return progress


def started_between(from_ms: int | None, to_ms: int | None) -> list[ColumnElement[bool]]:
    """Conditions for a start within the range, both ends included."""
    conditions: list[ColumnElement[bool]] = []
    if from_ms is not None:
        conditions.append(executions.c.start_time >= from_ms)
    if to_ms is not None:
        conditions.append(executions.c.start_time <= to_ms)
    return conditions


def _cells(connection: AsyncConnection | Connection) -> Table | Subquery:
    if connection.dialect.name == "sqlite":
        return execution_counts
    fresh: list[Any] = [
        _changes.c[c.name] if c.name != "count" else _changes.c.change for c in execution_counts.c
    ]
    return union_all(select(*execution_counts.c), select(*fresh)).subquery()


def _whole_hours(from_ms: int | None, to_ms: int | None) -> tuple[int | None, int | None]:
    """The first hour wholly in the range and the one after the last; None where it is open."""
    first = None if from_ms is None else -(-from_ms // HOUR_MS)
    after = None if to_ms is None else (to_ms + 1) // HOUR_MS
    return first, after


def _hours_between(
    cells: Table | Subquery, first: int | None, after: int | None
) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if first is not None:
        conditions.append(cells.c.key >= _hour_key(first))
    if after is not None:
        conditions.append(cells.c.key < _hour_key(after))
    return conditions


def _hour_key(hour: int) -> str:
    # keys are compared as text: eight digits last for ten thousand years
    return f"{min(max(hour, 0), 99_999_999):08d}"
