"""What runs learn for the next: memories of the elements that blocks found, and cached plans."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Generic, TypeVar

from sqlalchemy import ColumnElement, Table, and_, delete, or_, select, update
from sqlalchemy.dialects import postgresql

from pagehand.loop import iterate_cooperatively
from pagehand.records import CachedPlan, Memory
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.run_claim import Store, require_claim
from pagehand.storage.tables import memories, plans

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


_R = TypeVar("_R", bound="DataclassInstance")


class BlockRows(Store, Generic[_R]):
    """A table of rows that belong to a block; within an organization the columns `key` identify a row."""

    def __init__(self, database: Database, table: Table, key: Sequence[str]) -> None:
        super().__init__(database)
        self._table = table
        self._key = key

    @uncancellable
    async def save(self, kept: Sequence[_R], dropped: Sequence[_R] = ()) -> None:
        """Replace some rows and delete others; a run needs its claim for it."""
        async with self._database.write() as connection:
            await require_claim(connection)
            if dropped:
                condition = or_(*(self._is_row(asdict(row)) for row in dropped))
                await connection.execute(delete(self._table).where(condition))
            for row in kept:
                values = asdict(row)
                changes = {name: value for name, value in values.items() if name not in self._key}
                insert = postgresql.insert(self._table).values(values)
                await connection.execute(
                    insert.on_conflict_do_update(
                        index_elements=list(self._key),
                        set_=changes,
                        # the key does not include the organization: another's row must not be overwritten
                        where=self._table.c.organization_id == values["organization_id"],
                    )
                )

    @uncancellable
    async def clear(self, organization_id: str, workflow_id: str, block_id: str | None) -> int:
        """Delete a block's rows, or all of a workflow's; how many."""
        column = self._table.c
        query = delete(self._table).where(
            column.organization_id == organization_id, column.workflow_id == workflow_id
        )
        if block_id is not None:
            query = query.where(column.block_id == block_id)
        return await self._database.execute(query)

    def _is_row(self, values: dict[str, object]) -> ColumnElement[bool]:
        names = ("organization_id", *self._key)
        return and_(*(self._table.c[name] == values[name] for name in names))


_LARGE = ("fingerprint", "healed_fingerprint")
_WITHOUT_FINGERPRINTS = [column for column in memories.c if column.name not in _LARGE]
_KEY = ("workflow_id", "block_id", "key")
_PLAN_KEY = ("workflow_id", "block_id", "kind", "key")


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

    @uncancellable
    async def forget_healed(self, organization_id: str, workflow_id: str, written: Mapping[str, str]) -> None:
        """Forget where elements were found by healing, except for blocks that are still written so.

        What the elements were like stays: an edit that is taken back can be healed as before.
        """
        of_workflow = and_(
            memories.c.organization_id == organization_id,
            memories.c.workflow_id == workflow_id,
            memories.c.healed_locator.is_not(None),
        )
        digests = select(memories.c.block_id, memories.c.written).where(of_workflow).distinct()
        forget = update(memories).values(healed_locator=None, healed_fingerprint=None)
        async with self._database.write() as connection:
            for block_id, digest in (await connection.execute(digests)).all():
                if written.get(block_id) != digest:
                    outdated = and_(memories.c.block_id == block_id, memories.c.written == digest)
                    await connection.execute(forget.where(of_workflow, outdated))


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
