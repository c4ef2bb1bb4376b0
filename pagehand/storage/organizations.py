"""Organizations, which own everything else; their API keys and console sessions."""

from dataclasses import asdict
from typing import Final

from sqlalchemy import delete, select, update
from sqlalchemy.dialects import postgresql

from pagehand.clock import now_ms
from pagehand.ids import new_id
from pagehand.records import ApiKey, ConsoleSession, Organization
from pagehand.storage.advisory_locks import lock_organization
from pagehand.storage.database import uncancellable
from pagehand.storage.pages import is_row, newest_first
from pagehand.storage.run_claim import Store
from pagehand.storage.tables import api_keys, console_sessions, organization_proxies, organizations

MOST_PER_KEY: Final = 100
"""How many people, or browsers, can be signed in with one key; a new one ends the oldest."""


class OrganizationStore(Store):
    """Organizations by name and id."""

    @uncancellable
    async def ensure(self, name: str) -> Organization:
        """The organization with that name, created if it does not exist."""
        query = select(organizations).where(organizations.c.name == name)
        row = await self._database.first(query)
        if row is None:
            values = {"id": new_id("org"), "name": name, "created_at": now_ms()}
            async with self._database.write() as connection:
                # SQLite understands PostgreSQL's form; two callers at the same time get the same row
                insert = postgresql.insert(organizations).values(values).on_conflict_do_nothing()
                await connection.execute(insert)
                row = (await connection.execute(query)).mappings().one()
        return Organization(**row)

    async def by_name(self, name: str) -> Organization | None:
        """The organization with that name."""
        row = await self._database.first(select(organizations).where(organizations.c.name == name))
        return Organization(**row) if row else None

    async def get(self, organization_id: str) -> Organization | None:
        """The organization with that id."""
        row = await self._database.first(select(organizations).where(organizations.c.id == organization_id))
        return Organization(**row) if row else None

    async def name_of(self, organization_id: str) -> str:
        """Its name; empty if it does not exist."""
        found = await self.get(organization_id)
        return found.name if found else ""

    async def proxy(self, organization_id: str) -> bytes | None:
        """The encrypted address of its proxy."""
        query = select(organization_proxies.c.sealed).where(
            organization_proxies.c.organization_id == organization_id
        )
        row = await self._database.first(query)
        return row["sealed"] if row else None

    @uncancellable
    async def set_proxy(self, organization_id: str, sealed: bytes | None) -> None:
        """Replace the address of its proxy; None removes it."""
        if sealed is None:
            own = organization_proxies.c.organization_id == organization_id
            await self._database.execute(delete(organization_proxies).where(own))
            return
        insert = postgresql.insert(organization_proxies).values(
            organization_id=organization_id, sealed=sealed
        )
        await self._database.execute(
            insert.on_conflict_do_update(index_elements=["organization_id"], set_={"sealed": sealed})
        )


class KeyStore(Store):
    """The keys of all organizations; only digests are stored."""

    @uncancellable
    async def add(self, key: ApiKey) -> None:
        """Add a key."""
        await self._database.execute(api_keys.insert().values(asdict(key)))

    async def find_in_any_organization(self, key_id: str) -> ApiKey | None:
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


class ConsoleSessionStore(Store):
    """The sessions of all organizations; `KeyStore.revoke` ends those of its key."""

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
