"""Exclusive logins: only one execution at a time may use one, whichever worker runs it.

An execution gets the logins it names when it is admitted (`admission`), and asks for others while it runs.
"""

from collections.abc import Iterable, Sequence
from enum import Enum, auto

from sqlalchemy import Delete, delete, select, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.storage import advisory_locks
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.run_claim import retry_in_runs
from pagehand.storage.tables import awaited_logins, executions, held_logins

_RELEASE_ORPHANS = text(
    "DELETE FROM held_logins AS held WHERE NOT EXISTS "
    "(SELECT 1 FROM procrastinate_jobs AS job WHERE job.lock = held.execution_id)"
)
_DELETE_ORPHANED_WAITS = text(
    "DELETE FROM awaited_logins AS awaited WHERE NOT EXISTS "
    "(SELECT 1 FROM procrastinate_jobs AS job WHERE job.lock = awaited.execution_id)"
)
# who holds a login, the login that execution waits for, who holds that one, and so on; UNION ends at a cycle
_IS_DEADLOCK = text("""
    WITH RECURSIVE owners (execution_id) AS (
      SELECT execution_id FROM held_logins WHERE login_id = :login_id
      UNION
      SELECT held.execution_id FROM owners
        JOIN awaited_logins AS awaited ON awaited.execution_id = owners.execution_id
        JOIN held_logins AS held ON held.login_id = awaited.login_id
    )
    SELECT EXISTS (SELECT 1 FROM owners WHERE execution_id = :execution_id)
""")
_ADMISSION_LOCK = text(
    f"SELECT pg_advisory_xact_lock({advisory_locks.ADMISSION}, hashtext(:organization_id))"
)
_TRY_ADMISSION_LOCK = text(
    f"SELECT pg_try_advisory_xact_lock({advisory_locks.ADMISSION}, hashtext(:organization_id))"
)


class LoginTurn(Enum):
    """The answer to an execution that asks for an exclusive login."""

    GRANTED = auto()
    WAITING = auto()
    DEADLOCK = auto()
    """The execution that holds it waits, directly or through others, for a login of this one."""


@retry_in_runs
class ExclusiveLoginStore:
    """Which execution holds which exclusive login, and which one waits."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def take(self, execution_id: str, login_id: str) -> LoginTurn:
        """Give a login to a running execution, unless another one holds it."""
        organization = select(executions.c.organization_id).where(executions.c.id == execution_id)
        async with self._database.write() as connection:
            # the lock of admission: both read who holds what before they write
            await lock_admission(connection, (await connection.execute(organization)).scalar())
            take = _take(execution_id, login_id).returning(held_logins.c.login_id)
            if (await connection.execute(take)).first() is not None:
                await connection.execute(_stop_waiting(execution_id))
                return LoginTurn.GRANTED
            values = {"execution_id": execution_id, "login_id": login_id}
            if (await connection.execute(_IS_DEADLOCK, values)).scalar():
                return LoginTurn.DEADLOCK
            await connection.execute(_wait(execution_id, login_id))
            return LoginTurn.WAITING

    @uncancellable
    async def release_orphans(self) -> None:
        """Release logins of executions that have no job in the queue."""
        async with self._database.write() as connection:
            await release_orphaned_logins(connection)
            await connection.execute(_DELETE_ORPHANED_WAITS)


async def hold_logins(connection: AsyncConnection, logins: Iterable[tuple[str, str]]) -> None:
    """Hold (login, execution) pairs that are free, within the caller's transaction."""
    rows = [{"login_id": login_id, "execution_id": execution_id} for login_id, execution_id in logins]
    if rows:
        await connection.execute(postgresql.insert(held_logins).on_conflict_do_nothing(), rows)


async def release_logins(connection: AsyncConnection, execution_ids: Sequence[str]) -> None:
    """Release what these executions hold and wait for, within the caller's transaction."""
    for table in (held_logins, awaited_logins):
        await connection.execute(delete(table).where(table.c.execution_id.in_(execution_ids)))


async def release_orphaned_logins(connection: AsyncConnection) -> None:
    """Release logins of executions without a job, within the caller's transaction."""
    await connection.execute(_RELEASE_ORPHANS)


def _take(execution_id: str, login_id: str) -> postgresql.Insert:
    insert = postgresql.insert(held_logins).values(login_id=login_id, execution_id=execution_id)
    return insert.on_conflict_do_update(
        index_elements=["login_id"],
        set_={"execution_id": execution_id},
        where=held_logins.c.execution_id == execution_id,
    )


def _wait(execution_id: str, login_id: str) -> postgresql.Insert:
    insert = postgresql.insert(awaited_logins).values(execution_id=execution_id, login_id=login_id)
    return insert.on_conflict_do_update(index_elements=["execution_id"], set_={"login_id": login_id})


def _stop_waiting(execution_id: str) -> Delete:
    return delete(awaited_logins).where(awaited_logins.c.execution_id == execution_id)


async def lock_admission(connection: AsyncConnection, organization_id: str | None) -> None:
    """Wait for the organization's lock; it is released when the transaction ends."""
    await connection.execute(_ADMISSION_LOCK, {"organization_id": organization_id})


async def try_lock_admission(connection: AsyncConnection, organization_id: str) -> bool:
    """Take the organization's lock unless another transaction has it."""
    return bool(
        (await connection.execute(_TRY_ADMISSION_LOCK, {"organization_id": organization_id})).scalar()
    )
