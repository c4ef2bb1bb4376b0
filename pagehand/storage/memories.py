"""What runs learn for the next: memories of the elements that blocks found, and cached plans."""

from sqlalchemy import select

from pagehand.cooperative import iterate_cooperatively
from pagehand.records import CachedPlan, Memory
from pagehand.storage.block_rows import BlockRows
from pagehand.storage.database import Database
from pagehand.storage.run_claim import retry_in_runs
from pagehand.storage.tables import memories, plans

_LARGE = ("fingerprint", "healed_fingerprint")
_WITHOUT_FINGERPRINTS = [column for column in memories.c if column.name not in _LARGE]
_KEY = ("workflow_id", "block_id", "key")
_PLAN_KEY = ("workflow_id", "block_id", "kind", "key")


@retry_in_runs
class MemoryStore(BlockRows[Memory]):
    """An organization's memories, by workflow, block and locator."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, memories, _KEY)

    async def of_workflow(self, organization_id: str, workflow_id: str) -> list[Memory]:
        """A workflow's memories, without their fingerprints, which are large."""
        query = select(*_WITHOUT_FINGERPRINTS).where(
            memories.c.organization_id == organization_id, memories.c.workflow_id == workflow_id
        )
        rows = await self._database.all(query)  # there may be 100,000 of them
        return [Memory(**row) async for row in iterate_cooperatively(rows)]

    async def get(self, organization_id: str, workflow_id: str, block_id: str, key: str) -> Memory | None:
        """One memory, with its fingerprints."""
        query = select(memories).where(
            memories.c.organization_id == organization_id,
            memories.c.workflow_id == workflow_id,
            memories.c.block_id == block_id,
            memories.c.key == key,
        )
        row = await self._database.first(query)
        return Memory(**row) if row else None


@retry_in_runs
class PlanStore(BlockRows[CachedPlan]):
    """An organization's cached plans, by workflow and block."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, plans, _PLAN_KEY)

    async def of_workflow(self, organization_id: str, workflow_id: str) -> list[CachedPlan]:
        """A workflow's plans, newest first."""
        query = (
            select(plans)
            .where(plans.c.organization_id == organization_id, plans.c.workflow_id == workflow_id)
            .order_by(plans.c.kept_at.desc(), plans.c.block_id)
        )
        rows = await self._database.all(query)
        return [CachedPlan(**row) async for row in iterate_cooperatively(rows)]
