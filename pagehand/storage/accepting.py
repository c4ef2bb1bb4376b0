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

from sqlalchemy import Connection, select
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import IntegrityError

from pagehand.errors import Conflict
from pagehand.records import Execution, Json
from pagehand.storage.accept_limits import AcceptLimits, check_limits, lock_accepting
from pagehand.storage.database import Database, retry_lost_write
from pagehand.storage.execution_rows import (
    EXECUTION_COLUMNS,
    SELECT_EXECUTION,
    insert_few,
    insert_statement,
    insert_values,
)
from pagehand.storage.tables import executions, idempotency_keys

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
