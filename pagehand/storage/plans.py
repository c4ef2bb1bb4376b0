"""Plans: how a block read or did something, so that the next run need not ask the model."""

from sqlalchemy import select

from pagehand.records import CachedPlan
from pagehand.storage.block_rows import BlockRows
from pagehand.storage.database import Database
from pagehand.storage.run_claim import retry_in_runs
from pagehand.storage.tables import plans

_KEY = ("workflow_id", "block_id", "kind", "key")


@retry_in_runs
class PlanStore(BlockRows[CachedPlan]):
    """An organization's cached plans, by workflow and block."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, plans, _KEY)

    async def of_workflow(self, organization_id: str, workflow_id: str) -> list[CachedPlan]:
        """A workflow's plans, newest first."""
        query = (
            select(plans)
            .where(plans.c.organization_id == organization_id, plans.c.workflow_id == workflow_id)
            .order_by(plans.c.kept_at.desc(), plans.c.block_id)
        )
        return [CachedPlan(**row) for row in await self._database.all(query)]
