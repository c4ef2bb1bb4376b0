"""Rows that blocks keep for runs to come: written anew under their key, forgotten by block or workflow."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Generic, TypeVar

from sqlalchemy import Table, and_, delete, or_
from sqlalchemy.dialects import postgresql

from pagehand.storage.database import Database, uncancellable
from pagehand.storage.on_behalf import demand_claim, waits_for_database

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_R = TypeVar("_R", bound="DataclassInstance")


@waits_for_database
class BlockRows(Generic[_R]):
    """One table of them; within an organization `key` names a row."""

    def __init__(self, database: Database, table: Table, key: Sequence[str]) -> None:
        self._database = database
        self._table = table
        self._key = key

    @uncancellable
    async def save(self, kept: Sequence[_R], dropped: Sequence[_R] = ()) -> None:
        """Write some anew and forget others; what was written last stays. A run needs its claim for it."""
        async with self._database.write() as connection:
            await demand_claim(connection)
            if dropped:
                forgotten = or_(*(self._is(asdict(row)) for row in dropped))
                await connection.execute(delete(self._table).where(forgotten))
            for row in kept:
                values = asdict(row)
                changes = {name: value for name, value in values.items() if name not in self._key}
                insert = postgresql.insert(self._table).values(values)
                await connection.execute(
                    insert.on_conflict_do_update(
                        index_elements=list(self._key),
                        set_=changes,
                        # the key of the row does not name the organization: another's must not be overwritten
                        where=self._table.c.organization_id == values["organization_id"],
                    )
                )

    @uncancellable
    async def clear(self, organization_id: str, workflow_id: str, block_id: str | None) -> int:
        """Forget a block's rows, or all of a workflow's; how many there were."""
        column = self._table.c
        query = delete(self._table).where(
            column.organization_id == organization_id, column.workflow_id == workflow_id
        )
        if block_id is not None:
            query = query.where(column.block_id == block_id)
        async with self._database.write() as connection:
            return (await connection.execute(query)).rowcount

    def _is(self, values: dict[str, object]):  # noqa: ANN202 - SQLAlchemy's own type of a condition, which has no short name
        names = ("organization_id", *self._key)
        return and_(*(self._table.c[name] == values[name] for name in names))
