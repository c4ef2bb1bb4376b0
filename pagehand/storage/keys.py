"""API keys: looked up by id when a request arrives."""

from dataclasses import asdict

from sqlalchemy import delete, select, update

from pagehand.records import ApiKey
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.pages import is_row, newest_first
from pagehand.storage.run_claim import retry_in_runs
from pagehand.storage.tables import api_keys, console_sessions


@retry_in_runs
class KeyStore:
    """The keys of all organizations; only digests are stored."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def add(self, key: ApiKey) -> None:
        """Add a key."""
        await self._database.execute(api_keys.insert().values(asdict(key)))

    async def find(self, key_id: str) -> ApiKey | None:
        """The key with that id, of any organization, revoked or not."""
        row = await self._database.lookup(select(api_keys).where(api_keys.c.id == key_id))
        return ApiKey(**row) if row else None

    async def list(self, organization_id: str, limit: int, offset: int) -> tuple[list[ApiKey], int]:
        """The organization's keys, newest first, revoked ones included."""
        query = select(api_keys).where(api_keys.c.organization_id == organization_id)
        rows, total = await self._database.page(newest_first(query, api_keys), limit, offset)
        return [ApiKey(**row) for row in rows], total

    @uncancellable
    async def revoke(self, organization_id: str, key_id: str, at: int) -> bool:
        """Revoke a key and end its sessions; False if it does not exist or is revoked already."""
        # the first revocation stays: a second one must not move its time
        is_active = is_row(api_keys, organization_id, key_id) & api_keys.c.revoked_at.is_(None)
        async with self._database.write() as connection:
            revoked = await connection.execute(update(api_keys).values(revoked_at=at).where(is_active))
            if revoked.rowcount != 1:
                return False
            await connection.execute(delete(console_sessions).where(console_sessions.c.key_id == key_id))
            return True

    @uncancellable
    async def touch(self, key_id: str, at: int) -> None:
        """Record when the key was last used."""
        await self._database.execute(update(api_keys).where(api_keys.c.id == key_id).values(last_used_at=at))

    async def any_active(self) -> bool:
        """Whether any key works."""
        query = select(api_keys.c.id).where(api_keys.c.revoked_at.is_(None)).limit(1)
        return await self._database.first(query) is not None
