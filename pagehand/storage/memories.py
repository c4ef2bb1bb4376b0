"""Memories: what an element was like when a block last found it, so that healing can find it again."""

from sqlalchemy import select

from pagehand.records import Memory
from pagehand.storage.block_rows import BlockRows
from pagehand.storage.database import Database
from pagehand.storage.run_claim import retry_in_runs
from pagehand.storage.tables import memories

_LARGE = ("fingerprint", "healed_fingerprint")
_WITHOUT_FINGERPRINTS = [column for column in memories.c if column.name not in _LARGE]
_KEY = ("workflow_id", "block_id", "key")


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
        return [Memory(**row) for row in await self._database.all(query)]

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
