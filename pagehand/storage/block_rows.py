"""Rows that blocks keep for later runs: replaced by key, deleted by block or workflow."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Generic, TypeVar

from sqlalchemy import ColumnElement, Table, and_, delete, or_
from sqlalchemy.dialects import postgresql

from pagehand.storage.database import Database, uncancellable
from pagehand.storage.run_claim import require_claim, retry_in_runs

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_R = TypeVar("_R", bound="DataclassInstance")


@retry_in_runs
class BlockRows(Generic[_R]):
    """One table of such rows; within an organization the columns `key` identify a row."""

    def __init__(self, database: Database, table: Table, key: Sequence[str]) -> None:
        self._database = database
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
