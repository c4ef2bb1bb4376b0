"""PostgreSQL's lock on admission: held by transactions that admit executions or take exclusive logins.

Both look at what is held before they write, so within an organization they must not run at the same time.
"""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.storage import advisory_locks

_LOCK = text(f"SELECT pg_advisory_xact_lock({advisory_locks.ADMISSION}, hashtext(:organization_id))")
_TRY_LOCK = text(f"SELECT pg_try_advisory_xact_lock({advisory_locks.ADMISSION}, hashtext(:organization_id))")


async def lock_admission(connection: AsyncConnection, organization_id: str | None) -> None:
    """Wait for the organization's lock; it is released when the transaction ends."""
    await connection.execute(_LOCK, {"organization_id": organization_id})


async def try_lock_admission(connection: AsyncConnection, organization_id: str) -> bool:
    """Take the organization's lock unless another transaction has it."""
    return bool((await connection.execute(_TRY_LOCK, {"organization_id": organization_id})).scalar())
