"""Counts of executions, as sums over counters instead of rows.

Database triggers maintain one counter per organization, dimension (workflow, login, these two together,
batch, hour of the start), key, status and test flag. On PostgreSQL the triggers append changes to a second
table, so that workers never wait for a lock on the same counter; every 200th write folds them into the
counters. Queries read both tables in one statement, so they are consistent.
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

from pagehand.records import Status
from pagehand.storage import advisory_locks
from pagehand.storage.database import Database
from pagehand.storage.tables import execution_counts, executions

HOUR_MS = 3_600_000
_FOLD_EVERY = 200  # rare enough to cost writers little, often enough to keep the table of changes short

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
    """Folds PostgreSQL's changes into the counters at every 200th write."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._writes = 0

    async def fold_if_due(self) -> None:
        """Call before every write of executions."""
        self._writes += 1
        if not self._database.is_sqlite and self._writes % _FOLD_EVERY == 0:
            await fold_counts(self._database)


async def fold_counts(database: Database) -> None:
    """Fold all committed changes into the counters, unless another process is doing it."""
    async with database.write() as connection:
        if (await connection.execute(_TRY_LOCK)).scalar():
            await connection.execute(_FOLD)
            await connection.execute(_DROP_EMPTY)


@dataclass(slots=True, frozen=True, kw_only=True)
class ExecutionCounter:
    """Counts an organization's executions, optionally of one status and test flag."""

    organization_id: str
    status: Status | None = None
    is_test: bool | None = None

    def count(self, connection: Connection) -> int:
        """How many there are."""
        return int(connection.execute(self.query(connection)).scalar_one())

    def query(self, connection: Connection) -> Select[Any]:
        """The query of `count`, for use in a larger one."""
        return self._sum(_counters(connection), "workflow")

    def count_by_status(self, connection: Connection) -> dict[Status, int]:
        """How many there are of each status."""
        counters = _counters(connection)
        query = self._sum(counters, "workflow").add_columns(counters.c.status).group_by(counters.c.status)
        return {Status(status): int(count) for count, status in connection.execute(query)}

    def count_of(self, connection: Connection, dimension: str, keys: Sequence[str]) -> int:
        """How many have these keys; a key of `workflow login` is the two ids joined by a space."""
        counters = _counters(connection)
        query = self._sum(counters, dimension, counters.c.key.in_(list(keys)))
        return int(connection.execute(query).scalar_one())

    def count_started(self, connection: Connection, from_ms: int | None, to_ms: int | None) -> int:
        """How many started in the range: whole hours from counters, the rest by counting rows."""
        first, after = _whole_hours(from_ms, to_ms)
        if first is not None and after is not None and first >= after:
            return self._count_rows(connection, from_ms, to_ms)
        counters = _counters(connection)
        query = self._sum(counters, "hour", *_hours_between(counters, first, after))
        total = int(connection.execute(query).scalar_one())
        if from_ms is not None and first is not None and from_ms < first * HOUR_MS:
            total += self._count_rows(connection, from_ms, first * HOUR_MS - 1)
        if to_ms is not None and after is not None and to_ms >= after * HOUR_MS:
            total += self._count_rows(connection, after * HOUR_MS, to_ms)
        return total

    def _sum(
        self, counters: Table | Subquery, dimension: str, *conditions: ColumnElement[bool]
    ) -> Select[Any]:
        query = select(func.coalesce(func.sum(counters.c.count), 0)).where(
            counters.c.organization_id == self.organization_id, counters.c.dimension == dimension, *conditions
        )
        if self.status is not None:
            query = query.where(counters.c.status == str(self.status))
        return query if self.is_test is None else query.where(counters.c.is_test == self.is_test)

    def _count_rows(self, connection: Connection, from_ms: int | None, to_ms: int | None) -> int:
        query = select(func.count()).where(
            executions.c.organization_id == self.organization_id, *started_between(from_ms, to_ms)
        )
        if self.status is not None:
            query = query.where(executions.c.status == self.status)
        if self.is_test is not None:
            query = query.where(executions.c.is_test == self.is_test)
        return connection.execute(query).scalar_one()


def count_all_organizations(connection: Connection) -> dict[Status, int]:
    """All executions of all organizations per status; for the operator."""
    counters = _counters(connection)
    query = select(counters.c.status, func.sum(counters.c.count)).where(counters.c.dimension == "workflow")
    rows = connection.execute(query.group_by(counters.c.status))
    return {Status(status): int(count) for status, count in rows}


def newest_started(
    connection: Connection, organization_id: str, from_ms: int | None, to_ms: int | None
) -> int:
    """An upper bound for `n` of the executions started in the range, where a walk can begin."""
    counters = _counters(connection)
    first = None if from_ms is None else from_ms // HOUR_MS
    after = None if to_ms is None else to_ms // HOUR_MS + 1
    query = select(func.coalesce(func.max(counters.c.newest), 0)).where(
        counters.c.organization_id == organization_id,
        counters.c.dimension == "hour",
        *_hours_between(counters, first, after),
    )
    return connection.execute(query).scalar_one()


def count_by_hour(
    connection: Connection, organization_id: str, first_hour: int
) -> list[tuple[int, Status, int]]:
    """Hour of the start, status and count from `first_hour` on, without tests."""
    counters = _counters(connection)
    query = select(counters.c.key, counters.c.status, func.sum(counters.c.count)).where(
        counters.c.organization_id == organization_id,
        counters.c.dimension == "hour",
        counters.c.is_test.is_(False),
        *_hours_between(counters, first_hour, None),
    )
    rows = connection.execute(query.group_by(counters.c.key, counters.c.status))
    return [(int(hour), Status(status), int(count)) for hour, status, count in rows]


def count_by_batch(
    connection: Connection, organization_id: str, ids: Sequence[str]
) -> dict[str, dict[Status, int]]:
    """How many executions of each batch are in each status."""
    counters = _counters(connection)
    query = select(counters.c.key, counters.c.status, func.sum(counters.c.count)).where(
        counters.c.organization_id == organization_id,
        counters.c.dimension == "batch",
        counters.c.key.in_(list(ids)),
    )
    progress: dict[str, dict[Status, int]] = {batch_id: {} for batch_id in ids}
    for batch_id, status, count in connection.execute(query.group_by(counters.c.key, counters.c.status)):
        if count:
            progress[batch_id][Status(status)] = int(count)
    return progress


def started_between(from_ms: int | None, to_ms: int | None) -> list[ColumnElement[bool]]:
    """Conditions for a start in the range, both ends included."""
    conditions: list[ColumnElement[bool]] = []
    if from_ms is not None:
        conditions.append(executions.c.start_time >= from_ms)
    if to_ms is not None:
        conditions.append(executions.c.start_time <= to_ms)
    return conditions


def _counters(connection: Connection) -> Table | Subquery:
    if connection.dialect.name == "sqlite":
        return execution_counts
    changes: list[Any] = [
        _changes.c[c.name] if c.name != "count" else _changes.c.change for c in execution_counts.c
    ]
    return union_all(select(*execution_counts.c), select(*changes)).subquery()


def _whole_hours(from_ms: int | None, to_ms: int | None) -> tuple[int | None, int | None]:
    """The first whole hour in the range and the hour after the last one; None for an open end."""
    first = None if from_ms is None else -(-from_ms // HOUR_MS)
    after = None if to_ms is None else (to_ms + 1) // HOUR_MS
    return first, after


def _hours_between(
    counters: Table | Subquery, first: int | None, after: int | None
) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if first is not None:
        conditions.append(counters.c.key >= _hour_key(first))
    if after is not None:
        conditions.append(counters.c.key < _hour_key(after))
    return conditions


def _hour_key(hour: int) -> str:
    # keys are compared as text, so they have a fixed width
    return f"{min(max(hour, 0), 99_999_999):08d}"
