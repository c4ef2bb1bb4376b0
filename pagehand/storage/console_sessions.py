"""Sessions in the console: a cookie works only as long as its session is here."""

from dataclasses import asdict
from typing import Final

from sqlalchemy import delete, select

from pagehand.clock import now_ms
from pagehand.records import ApiKey, ConsoleSession
from pagehand.storage.advisory_locks import lock_organization
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.run_claim import retry_in_runs
from pagehand.storage.tables import api_keys, console_sessions

MOST_PER_KEY: Final = 100
"""How many people, or browsers, can be signed in with one key; a new one ends the oldest."""


@retry_in_runs
class ConsoleSessionStore:
    """The sessions of all organizations; `KeyStore.revoke` ends those of its key."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def add(self, session: ConsoleSession) -> None:
        """Add a session, and end those that have expired or are too many for the key."""
        columns = console_sessions.c
        newest = (
            select(columns.id)
            .where(columns.key_id == session.key_id)
            .order_by(columns.created_at.desc(), columns.id.desc())
            .limit(MOST_PER_KEY)
        )
        is_over = (columns.key_id == session.key_id) & columns.id.not_in(newest)
        async with self._database.write() as connection:
            await lock_organization(connection, session.key_id, "sessions")
            await connection.execute(console_sessions.insert().values(asdict(session)))
            await connection.execute(
                delete(console_sessions).where(is_over | (columns.expires_at <= session.created_at))
            )

    async def find_key(self, session_id: str) -> ApiKey | None:
        """The key that the person signed in with; None once the session or the key has ended."""
        query = (
            select(api_keys)
            .join(console_sessions, console_sessions.c.key_id == api_keys.c.id)
            .where(
                console_sessions.c.id == session_id,
                console_sessions.c.expires_at > now_ms(),
                api_keys.c.revoked_at.is_(None),
            )
        )
        row = await self._database.lookup(query)
        return ApiKey(**row) if row else None

    @uncancellable
    async def end(self, session_id: str) -> None:
        """End a session; its cookie no longer works."""
        await self._database.execute(delete(console_sessions).where(console_sessions.c.id == session_id))
