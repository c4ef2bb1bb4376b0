"""A lock on the rows of one kind that an organization (or a key) has, for changes that depend on them."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.storage import advisory_locks

_LOCK = text(f"SELECT pg_advisory_xact_lock({advisory_locks.ORGANIZATION_TURN}, hashtext(:name))")


async def lock_organization(connection: AsyncConnection, organization_id: str, kind: str) -> None:
    """Hold the lock until the transaction ends; SQLite needs none, with one writer at a time."""
    if connection.dialect.name != "sqlite":
        await connection.execute(_LOCK, {"name": f"{organization_id} {kind}"})
