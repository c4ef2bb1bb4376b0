"""The numbers of PostgreSQL's advisory locks that we take, in one place so that no two mean the same.

Processes of different releases share a database during an upgrade, so a number never changes its meaning.
Locks with one number and locks with a number and a hash are apart: PostgreSQL never confuses the two.
"""

from typing import Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

MIGRATIONS: Final = 7240531
"""Services that start together migrate the tables one after the other."""
COUNT_FOLDING: Final = 7240532
"""One process at a time folds changes into the counters of executions."""
OWNERSHIP: Final = 7240533
"""One process at a time becomes the owner of the database."""
TAKING: Final = 7240535
"""With the organization: one process at a time gives out its logins and the places in its batches."""
RETENTION: Final = 7240537
"""One process at a time deletes what is past its retention."""
ACCEPTING: Final = 7240537
"""With the organization: its limits are checked one commit after the other (also in migration 0020)."""
ORGANIZATION_TURN: Final = 7240538
"""With an organization and a kind: one change at a time to what it has of that kind."""
_LOCK = text(f"SELECT pg_advisory_xact_lock({ORGANIZATION_TURN}, hashtext(:name))")


async def lock_organization(connection: AsyncConnection, organization_id: str, kind: str) -> None:
    """Hold the lock until the transaction ends; SQLite needs none, with one writer at a time."""
    if connection.dialect.name != "sqlite":
        await connection.execute(_LOCK, {"name": f"{organization_id} {kind}"})
