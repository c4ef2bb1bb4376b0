"""What elements were like when blocks last found them, so that they can be found again."""

from sqlalchemy import select

from pagehand.records import Memory
from pagehand.storage.block_rows import BlockRows
from pagehand.storage.database import Database
from pagehand.storage.on_behalf import waits_for_database
from pagehand.storage.tables import memories

_HEAVY = ("fingerprint", "healed_fingerprint")
_LIGHT = [column for column in memories.c if column.name not in _HEAVY]
_KEY = ("workflow_id", "block_id", "key")


@waits_for_database
class MemoryStore(BlockRows[Memory]):
    """An organization's memories, by workflow, block and locator."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, memories, _KEY)

    async def known(self, organization_id: str, workflow_id: str) -> list[Memory]:
        """All of a workflow's, without their fingerprints, which are large."""
        query = select(*_LIGHT).where(
            memories.c.organization_id == organization_id, memories.c.workflow_id == workflow_id
        )
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).mappings().all()
        return [Memory(**row) for row in rows]

    async def get(self, organization_id: str, workflow_id: str, block_id: str, key: str) -> Memory | None:
        """One with its fingerprints."""
        query = select(memories).where(
            memories.c.organization_id == organization_id,
            memories.c.workflow_id == workflow_id,
            memories.c.block_id == block_id,
            memories.c.key == key,
        )
        async with self._database.read() as connection:
            row = (await connection.execute(query)).mappings().first()
        return Memory(**row) if row else None
