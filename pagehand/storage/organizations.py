"""Organizations: whom everything else belongs to."""

from sqlalchemy import delete, select
from sqlalchemy.dialects import postgresql

from pagehand.clock import now_ms
from pagehand.ids import new_id
from pagehand.records import Organization
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.on_behalf import waits_for_database
from pagehand.storage.tables import organization_proxies, organizations


@waits_for_database
class OrganizationStore:
    """Organizations by name and id."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def ensure(self, name: str) -> Organization:
        """The organization of that name, made if there is none."""
        query = select(organizations).where(organizations.c.name == name)
        async with self._database.read() as connection:
            row = (await connection.execute(query)).mappings().first()
        if row is None:
            fresh = {"id": new_id("org"), "name": name, "created_at": now_ms()}
            async with self._database.write() as connection:
                # SQLite understands PostgreSQL's form; two who make it at once end up with one
                insert = postgresql.insert(organizations).values(fresh).on_conflict_do_nothing()
                await connection.execute(insert)
                row = (await connection.execute(query)).mappings().one()
        return Organization(**row)

    async def find(self, name: str) -> Organization | None:
        """The organization of that name."""
        async with self._database.read() as connection:
            query = select(organizations).where(organizations.c.name == name)
            row = (await connection.execute(query)).mappings().first()
        return Organization(**row) if row else None

    async def get(self, organization_id: str) -> Organization | None:
        """The organization with that id."""
        async with self._database.read() as connection:
            query = select(organizations).where(organizations.c.id == organization_id)
            row = (await connection.execute(query)).mappings().first()
        return Organization(**row) if row else None

    async def name_of(self, organization_id: str) -> str:
        """Its name; empty when there is none with that id."""
        found = await self.get(organization_id)
        return found.name if found else ""

    async def proxy(self, organization_id: str) -> bytes | None:
        """The sealed address of its own proxy."""
        query = select(organization_proxies.c.sealed).where(
            organization_proxies.c.organization_id == organization_id
        )
        async with self._database.read() as connection:
            return (await connection.execute(query)).scalar()

    @uncancellable
    async def set_proxy(self, organization_id: str, sealed: bytes | None) -> None:
        """Keep another address; None forgets it."""
        own = organization_proxies.c.organization_id == organization_id
        async with self._database.write() as connection:
            if sealed is None:
                await connection.execute(delete(organization_proxies).where(own))
                return
            insert = postgresql.insert(organization_proxies).values(
                organization_id=organization_id, sealed=sealed
            )
            await connection.execute(
                insert.on_conflict_do_update(index_elements=["organization_id"], set_={"sealed": sealed})
            )
