"""How blocks read or did things last time, so that the next run need not ask."""

from sqlalchemy import select

from pagehand.records import CachedPlan
from pagehand.storage.block_rows import BlockRows
from pagehand.storage.database import Database
from pagehand.storage.on_behalf import waits_for_database
from pagehand.storage.tables import plans

_KEY = ("workflow_id", "block_id", "kind", "key")


@waits_for_database
class PlanStore(BlockRows[CachedPlan]):
    """An organization's cached plans, by workflow and block."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, plans, _KEY)

    async def of_workflow(self, organization_id: str, workflow_id: str) -> list[CachedPlan]:
        """All of a workflow's, newest first."""
        query = (
            select(plans)
            .where(plans.c.organization_id == organization_id, plans.c.workflow_id == workflow_id)
            .order_by(plans.c.kept_at.desc(), plans.c.block_id)
        )
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).mappings().all()
        return [CachedPlan(**row) for row in rows]
