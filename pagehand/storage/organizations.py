"""Organizations, which own everything else."""

from sqlalchemy import delete, select
from sqlalchemy.dialects import postgresql

from pagehand.clock import now_ms
from pagehand.ids import new_id
from pagehand.records import Organization
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.run_claim import retry_in_runs
from pagehand.storage.tables import organization_proxies, organizations


@retry_in_runs
class OrganizationStore:
    """Organizations by name and id."""

    def __init__(self, database: Database) -> None:
        self._database = database

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

    async def find(self, name: str) -> Organization | None:
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
