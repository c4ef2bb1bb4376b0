"""What elements were like when blocks last found them, so that they can be found again."""

from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy import and_, delete, or_, select
from sqlalchemy.dialects import postgresql

from pagehand.records import Memory
from pagehand.storage.database import Database, unbroken
from pagehand.storage.tables import memories

_HEAVY = ("fingerprint", "healed_fingerprint")
_LIGHT = [column for column in memories.c if column.name not in _HEAVY]
_KEY = ("workflow_id", "block_id", "key")


class MemoryStore:
    """An organization's memories, by workflow, block and locator."""

    def __init__(self, database: Database) -> None:
        self._database = database

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

    async def save(self, kept: Sequence[Memory], dropped: Sequence[Memory] = ()) -> None:
        """Write some anew and forget others; what was written last stays."""
        async with self._database.write() as connection:
            if dropped:
                await connection.execute(delete(memories).where(or_(*(_is(one) for one in dropped))))
            for one in kept:
                values = asdict(one)
                insert = postgresql.insert(memories).values(values)
                changes = {name: value for name, value in values.items() if name not in _KEY}
                await connection.execute(
                    insert.on_conflict_do_update(
                        index_elements=list(_KEY),
                        set_=changes,
                        where=memories.c.organization_id == one.organization_id,
                    )
                )

    @unbroken
    async def clear(self, organization_id: str, workflow_id: str, block_id: str | None) -> int:
        """Forget a block's, or all of a workflow's; how many there were."""
        query = delete(memories).where(
            memories.c.organization_id == organization_id, memories.c.workflow_id == workflow_id
        )
        if block_id is not None:
            query = query.where(memories.c.block_id == block_id)
        async with self._database.write() as connection:
            return (await connection.execute(query)).rowcount


def _is(one: Memory):  # noqa: ANN202 - SQLAlchemy's own type of a condition, which has no short name
    return and_(
        memories.c.organization_id == one.organization_id,
        memories.c.workflow_id == one.workflow_id,
        memories.c.block_id == one.block_id,
        memories.c.key == one.key,
    )
