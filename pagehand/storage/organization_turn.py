"""One change at a time to what an organization has of a kind, where a change depends on what is there."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.storage import advisory_locks

_LOCK = text(f"SELECT pg_advisory_xact_lock({advisory_locks.ORGANIZATION_TURN}, hashtext(:name))")


async def take_turn(connection: AsyncConnection, organization_id: str, kind: str) -> None:
    """Wait until no other transaction has this turn; SQLite has one writer at a time anyway."""
    if connection.dialect.name != "sqlite":
        await connection.execute(_LOCK, {"name": f"{organization_id} {kind}"})
