"""How blocks read or did things last time, so that the next run need not ask."""

from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy import and_, delete, or_, select
from sqlalchemy.dialects import postgresql

from pagehand.records import CachedPlan
from pagehand.storage.database import Database, unbroken
from pagehand.storage.tables import plans

_KEY = ("workflow_id", "block_id", "kind", "key")


class PlanStore:
    """An organization's cached plans, by workflow and block."""

    def __init__(self, database: Database) -> None:
        self._database = database

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

    async def save(self, kept: Sequence[CachedPlan], dropped: Sequence[CachedPlan] = ()) -> None:
        """Write some anew and forget others; what was written last stays."""
        async with self._database.write() as connection:
            if dropped:
                await connection.execute(delete(plans).where(or_(*(_is(one) for one in dropped))))
            for one in kept:
                values = asdict(one)
                changes = {name: value for name, value in values.items() if name not in _KEY}
                insert = postgresql.insert(plans).values(values)
                await connection.execute(
                    insert.on_conflict_do_update(
                        index_elements=list(_KEY),
                        set_=changes,
                        where=plans.c.organization_id == one.organization_id,
                    )
                )

    @unbroken
    async def clear(self, organization_id: str, workflow_id: str, block_id: str | None) -> int:
        """Forget a block's plans, or all of the workflow's; how many there were."""
        query = delete(plans).where(
            plans.c.organization_id == organization_id, plans.c.workflow_id == workflow_id
        )
        if block_id is not None:
            query = query.where(plans.c.block_id == block_id)
        async with self._database.write() as connection:
            return (await connection.execute(query)).rowcount


def _is(one: CachedPlan):  # noqa: ANN202 - SQLAlchemy's own type of a condition, which has no short name
    return and_(
        plans.c.organization_id == one.organization_id,
        plans.c.workflow_id == one.workflow_id,
        plans.c.block_id == one.block_id,
        plans.c.kind == one.kind,
        plans.c.key == one.key,
    )
