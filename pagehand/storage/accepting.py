"""Accepting one execution: exactly once per idempotency key, and within its organization's limits.

On PostgreSQL one statement accepts an execution as long as its organization is far from its limits: without
BEGIN and COMMIT, and with a shared lock, so that requests do not wait for each other. If that statement
inserts nothing, or cannot be used, a transaction with an exclusive lock decides.

| database   | case                                        | how it is accepted                             |
|------------|---------------------------------------------|------------------------------------------------|
| PostgreSQL | far from the queue limit; key new, or none  | the statement                                  |
| PostgreSQL | near the queue limit                        | the statement inserts nothing; the transaction |
| PostgreSQL | key used within 24 hours                    | the statement inserts nothing; the transaction |
| PostgreSQL | a limit per minute is set                   | the transaction                                |
| SQLite     | always                                      | the transaction; its only writer needs no lock |

| in the transaction                              | result                                           |
|-------------------------------------------------|--------------------------------------------------|
| key used within 24 hours for the same request   | the earlier execution, whatever the limits are   |
| key used within 24 hours for another request    | `Conflict`                                       |
| over a limit                                    | `TooMany`, and everything is rolled back         |
| otherwise                                       | the execution, its key and its search index are stored |

Both ways take the organization's lock before they write the key, so they cannot deadlock. If the connection
breaks during the commit, the write is made again; it then finds its own row, by an id that only it knows.

Batches and schedules add executions in transactions of their own, with `insert_executions` and
`check_limits`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, delete, func, select, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import IntegrityError

from pagehand.clock import now_ms
from pagehand.errors import Conflict, InvalidRequest, TooMany
from pagehand.records import Execution, Json
from pagehand.storage import advisory_locks
from pagehand.storage.counts import CountFolding
from pagehand.storage.database import POSTGRES_NOW_MS, Database, OnChange, ignore_change, retry_lost_write
from pagehand.storage.execution_rows import (
    EXECUTION_COLUMNS,
    SELECT_EXECUTION,
    insert_few,
    insert_statement,
    insert_values,
)
from pagehand.storage.run_claim import Store
from pagehand.storage.tables import executions, idempotency_keys, recent_accepts

_MINUTE_MS: Final = 60_000
_RETRY_FULL_QUEUE_SECONDS: Final = 10
"""A guess: when queued executions will end is unknown."""

_LOCK_ACCEPTING = text(f"""
    SELECT {POSTGRES_NOW_MS}
    FROM (
      SELECT pg_advisory_xact_lock({advisory_locks.ACCEPTING}, hashtext(:organization_id)) OFFSET 0
    ) AS locked
""")  # noqa: S608 - our own text
_IS_QUEUED = "organization_id = :organization_id AND dimension = 'workflow' AND status = 'Enqueued'"
_QUEUED_SQLITE = text(f"SELECT coalesce(sum(count), 0) FROM execution_counts WHERE {_IS_QUEUED}")  # noqa: S608 - our own names
_QUEUED_POSTGRES = text(f"""
    SELECT (SELECT coalesce(sum(count), 0) FROM execution_counts WHERE {_IS_QUEUED})
      + (SELECT coalesce(sum(change), 0) FROM execution_count_changes WHERE {_IS_QUEUED})
""")  # noqa: S608 - as above
_RECENT = recent_accepts.c
_EXPIRING = select(
    _RECENT.at,
    _RECENT.organization_id,
    func.sum(_RECENT.count).over(partition_by=_RECENT.organization_id, order_by=_RECENT.n).label("expiring"),
).subquery()
IDEMPOTENCY_KEY_LIFETIME_MS = 24 * 3_600_000
IdempotencyKey = tuple[str, bytes]
"""The key of a request, and a digest of its body."""
# Requests that use the statement share the lock, so each counts without seeing the others. There are never
# more of them than PostgreSQL has connections: with so much room left, together they cannot exceed the limit.
_ROOM = """room AS MATERIALIZED (
      SELECT CAST(:limit AS bigint) = 0 OR count_queued_with_lock(:organization_id)
        + CAST(current_setting('max_connections') AS bigint) <= :limit AS is_wide
    )"""
_KEY = """noted AS (
      INSERT INTO repeats (organization_id, key, digest, execution_id, created_at)
      SELECT :organization_id, :key, CAST(:digest AS bytea), :execution_id, CAST(:created_at AS bigint)
      FROM room WHERE is_wide
      ON CONFLICT (organization_id, key) DO UPDATE SET digest = excluded.digest,
        execution_id = excluded.execution_id, created_at = excluded.created_at
      WHERE repeats.created_at <= :expired_at
      RETURNING key
    )"""
_ACCEPT = insert_statement(_ROOM, condition="(SELECT is_wide FROM room)")
_ACCEPT_WITH_KEY = insert_statement(_ROOM, _KEY, condition="EXISTS (SELECT 1 FROM noted)")


@dataclass(slots=True, frozen=True)
class AcceptLimits:
    """The limits of one organization; 0 for no limit."""

    queued: int = 0
    per_minute: int = 0
    stored_bytes: int = 0
    """Of files; checked by `FileInfoStore`."""

    def check_size(self, more: int) -> None:
        """Raise InvalidRequest for a request with more executions than the limit per minute."""
        if 0 < self.per_minute < more:
            raise InvalidRequest(
                f"{more} executions at once are more than the {self.per_minute} that an organization may "
                "start per minute (`PAGEHAND_MAX_PER_MINUTE`); send fewer at a time."
            )


class AcceptingStore(Store):
    """The base of the stores that add executions."""

    def __init__(
        self, database: Database, limits: AcceptLimits | None = None, on_change: OnChange = ignore_change
    ) -> None:
        """`limits` apply to what is added; without them there is no limit."""
        super().__init__(database)
        self._limits = limits or AcceptLimits()
        self._folding = CountFolding(database)
        self._on_change = on_change


def check_limits(connection: Connection, limits: AcceptLimits, added: Sequence[Execution]) -> None:
    """Raise TooMany, which rolls the transaction back, if the executions just added exceed a limit.

    They belong to one organization. Call it last: it locks the organization until the commit.
    """
    if not added or not (limits.queued or limits.per_minute):
        return
    organization_id, more = added[0].organization_id, len(added)
    limits.check_size(more)
    now = lock_accepting(connection, organization_id)
    if limits.queued:
        queued_now = _QUEUED_SQLITE if connection.dialect.name == "sqlite" else _QUEUED_POSTGRES
        queued = connection.execute(queued_now, {"organization_id": organization_id}).scalar_one()
        if queued > limits.queued:
            raise queue_full_error(limits.queued, int(queued) - more)
    if limits.per_minute:
        _check_rate(connection, limits.per_minute, organization_id, more, now)


def lock_accepting(connection: Connection, organization_id: str) -> int:
    """Lock the organization against other accepts until the commit; returns the database's time."""
    if connection.dialect.name == "sqlite":  # one writer at a time
        return now_ms()
    return connection.execute(_LOCK_ACCEPTING, {"organization_id": organization_id}).scalar_one()


def queue_full_error(limit: int, queued: int) -> TooMany:
    """The error for executions that do not fit into the queue."""
    return TooMany(
        f"{queued} executions of this organization wait already, and {limit} may "
        "(`PAGEHAND_MAX_QUEUED`); try again when some have run.",
        retry_after_seconds=_RETRY_FULL_QUEUE_SECONDS,
    )


def _check_rate(connection: Connection, limit: int, organization_id: str, more: int, now: int) -> None:
    own = _RECENT.organization_id == organization_id
    # those in the future were accepted before the clock was set back
    is_over = (_RECENT.at <= now - _MINUTE_MS) | (_RECENT.at > now)
    connection.execute(delete(recent_accepts).where(own, is_over))
    used = int(connection.execute(select(func.coalesce(func.sum(_RECENT.count), 0)).where(own)).scalar_one())
    if used + more > limit:
        raise _rate_error(limit, used, _wait_ms(connection, organization_id, used + more - limit, now))
    row = {"organization_id": organization_id, "at": now, "count": more}
    connection.execute(recent_accepts.insert().values(row))


def _wait_ms(connection: Connection, organization_id: str, over: int, now: int) -> int:
    """How long until so many of those accepted within the last minute are older than a minute."""
    enough = (_EXPIRING.c.organization_id == organization_id) & (_EXPIRING.c.expiring >= over)
    return connection.execute(select(func.min(_EXPIRING.c.at)).where(enough)).scalar_one() + _MINUTE_MS - now


def _rate_error(limit: int, used: int, wait_ms: int) -> TooMany:
    seconds = max(1, math.ceil(wait_ms / 1000))
    return TooMany(
        f"This organization has started {used} executions within a minute, and {limit} are allowed "
        f"(`PAGEHAND_MAX_PER_MINUTE`); try again in {seconds} s.",
        retry_after_seconds=seconds,
    )


async def accept(
    database: Database, limits: AcceptLimits, execution: Execution, key: IdempotencyKey | None
) -> Execution:
    """Store an execution, or return the earlier one with its key; raises TooMany or Conflict."""
    try:
        return await retry_lost_write(lambda: _accept(database, limits, execution, key))
    except IntegrityError:
        # the answer to the first try was lost: the row is there
        row = await database.lookup(SELECT_EXECUTION, id=execution.id)
        if row is None:
            raise
        return Execution(**row)


async def _accept(
    database: Database, limits: AcceptLimits, execution: Execution, key: IdempotencyKey | None
) -> Execution:
    can_use_statement = not database.is_sqlite and not limits.per_minute
    if can_use_statement and await _accept_by_statement(database, limits.queued, execution, key):
        return execution
    return await database.commit(
        lambda connection: _accept_in_transaction(connection, limits, execution, key)
    )


async def _accept_by_statement(
    database: Database, limit: int, execution: Execution, key: IdempotencyKey | None
) -> bool:
    """Store the execution if that is certainly allowed; False if the transaction has to decide."""
    values = insert_values([execution])
    values |= {"organization_id": execution.organization_id, "limit": limit}
    if key is None:
        return bool(await database.commit_one(_ACCEPT, values))
    values |= _key_values(execution, key) | {"expired_at": _expired_at(execution)}
    return bool(await database.commit_one(_ACCEPT_WITH_KEY, values))


def _accept_in_transaction(
    connection: Connection, limits: AcceptLimits, execution: Execution, key: IdempotencyKey | None
) -> Execution:
    if key is not None:
        # the lock before the key, as in the statement: in another order the two could deadlock
        lock_accepting(connection, execution.organization_id)
        if not _store_key(connection, execution, key):
            return _earlier_execution(connection, execution.organization_id, key)
    insert_few(connection, [execution])
    # after the insert, because it counts all that are enqueued, and last, because it locks
    check_limits(connection, limits, [execution])
    return execution


def _store_key(connection: Connection, execution: Execution, key: IdempotencyKey) -> bool:
    """Store the key; False if it is in use. A second request waits here for the first one's commit."""
    values = _key_values(execution, key)
    insert = postgresql.insert(idempotency_keys).values(organization_id=execution.organization_id, **values)
    upsert = insert.on_conflict_do_update(
        index_elements=["organization_id", "key"],
        set_=values,
        where=idempotency_keys.c.created_at <= _expired_at(execution),
    )
    return connection.execute(upsert.returning(idempotency_keys.c.key)).first() is not None


def _earlier_execution(connection: Connection, organization_id: str, key: IdempotencyKey) -> Execution:
    value, digest = key
    query = (
        select(idempotency_keys.c.digest, *EXECUTION_COLUMNS)
        .join_from(idempotency_keys, executions, idempotency_keys.c.execution_id == executions.c.id)
        .where(idempotency_keys.c.organization_id == organization_id, idempotency_keys.c.key == value)
    )
    row = dict(connection.execute(query).mappings().one())
    if bytes(row.pop("digest")) != digest:
        raise Conflict(
            "`Idempotency-Key`: it was used with another request body; use a new key for a new request."
        )
    return Execution(**row)


def _key_values(execution: Execution, key: IdempotencyKey) -> Json:
    value, digest = key
    return {
        "key": value,
        "digest": digest,
        "execution_id": execution.id,
        "created_at": execution.accepted_at,
    }


def _expired_at(execution: Execution) -> int:
    """A key stored at or before this time may be used again."""
    return execution.accepted_at - IDEMPOTENCY_KEY_LIFETIME_MS
