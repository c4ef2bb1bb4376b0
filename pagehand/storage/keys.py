"""API keys: found by id when a request comes in."""

from dataclasses import asdict

from sqlalchemy import select, update

from pagehand.records import ApiKey
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.on_behalf import waits_for_database
from pagehand.storage.pages import read_page
from pagehand.storage.tables import api_keys


@waits_for_database
class KeyStore:
    """The keys of all organizations; only digests are kept."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def add(self, key: ApiKey) -> None:
        """Keep a new key."""
        async with self._database.write() as connection:
            await connection.execute(api_keys.insert().values(asdict(key)))

    async def find(self, key_id: str) -> ApiKey | None:
        """The key with that id, whoever it belongs to, revoked or not."""
        async with self._database.read() as connection:
            query = select(api_keys).where(api_keys.c.id == key_id)
            row = (await connection.execute(query)).mappings().first()
        return ApiKey(**row) if row else None

    async def list(self, organization_id: str, limit: int, offset: int) -> tuple[list[ApiKey], int]:
        """The organization's keys, newest first, revoked ones too."""
        query = select(api_keys).where(api_keys.c.organization_id == organization_id)
        query = query.order_by(api_keys.c.created_at.desc(), api_keys.c.id.desc())
        async with self._database.read() as connection:
            rows, total = await read_page(connection, query, limit, offset)
        return [ApiKey(**row) for row in rows], total

    @uncancellable
    async def revoke(self, organization_id: str, key_id: str, at: int) -> bool:
        """End a key; False if there is none, or it has ended before."""
        change = update(api_keys).values(revoked_at=at)
        change = change.where(
            api_keys.c.id == key_id,
            api_keys.c.organization_id == organization_id,
            # the first revocation stays: a second one must not move its time
            api_keys.c.revoked_at.is_(None),
        )
        async with self._database.write() as connection:
            return (await connection.execute(change)).rowcount == 1

    @uncancellable
    async def touch(self, key_id: str, at: int) -> None:
        """Note that the key was used."""
        async with self._database.write() as connection:
            await connection.execute(update(api_keys).where(api_keys.c.id == key_id).values(last_used_at=at))

    async def any_active(self) -> bool:
        """Whether anybody holds a key that still works."""
        async with self._database.read() as connection:
            query = select(api_keys.c.id).where(api_keys.c.revoked_at.is_(None)).limit(1)
            return (await connection.execute(query)).first() is not None
