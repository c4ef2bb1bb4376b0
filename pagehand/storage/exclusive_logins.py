"""Exclusive logins: only one execution at a time may use one, whichever worker runs it.

An execution gets the logins it names when a worker takes it (`shared_queue`), and asks for others as it runs.
"""

from enum import Enum, auto

from sqlalchemy import Delete, delete, exists, select, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.storage import advisory_locks
from pagehand.storage.database import uncancellable
from pagehand.storage.run_claim import Store
from pagehand.storage.tables import assignments, awaited_logins, executions, held_logins

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
_LOCK = text(f"SELECT pg_advisory_xact_lock({advisory_locks.TAKING}, hashtext(:organization_id))")


class LoginTurn(Enum):
    """The answer to an execution that asks for an exclusive login."""

    GRANTED = auto()
    WAITING = auto()
    DEADLOCK = auto()
    """The execution that holds it waits, directly or through others, for a login of this one."""


class ExclusiveLoginStore(Store):
    """Which execution holds which exclusive login, and which one waits."""

    @uncancellable
    async def take(self, execution_id: str, login_id: str) -> LoginTurn:
        """Give a login to a running execution, unless another one holds it."""
        organization = select(executions.c.organization_id).where(executions.c.id == execution_id)
        async with self._database.write() as connection:
            await lock_logins(connection, (await connection.execute(organization)).scalar())
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
        """Release logins of executions that no worker has."""
        async with self._database.write() as connection:
            for table in (held_logins, awaited_logins):
                assigned = exists().where(assignments.c.execution_id == table.c.execution_id)
                await connection.execute(delete(table).where(~assigned))


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


async def lock_logins(connection: AsyncConnection, organization_id: str | None) -> None:
    """Wait until no other transaction gives out the organization's logins; released with the transaction.

    Whoever gives them out reads who holds what before it writes.
    """
    await connection.execute(_LOCK, {"organization_id": organization_id})
