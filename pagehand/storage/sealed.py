"""All encrypted columns, read and replaced row by row when the master key changes."""

import base64
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Table, select, update

from pagehand.storage.database import uncancellable
from pagehand.storage.run_claim import Store
from pagehand.storage.tables import (
    executions,
    login_mails,
    login_sessions,
    logins,
    organization_proxies,
    schedules,
    webhooks,
)

_PAGE: Final = 200


@dataclass(slots=True, frozen=True)
class SealedColumn:
    """An encrypted column; `row` is the column that identifies its rows."""

    table: Table
    row: str
    name: str
    is_text: bool = False
    """Whether the bytes are stored as base64."""


@dataclass(slots=True, frozen=True)
class SealedValue:
    """One encrypted value and its place."""

    column: SealedColumn
    organization_id: str
    row: str
    sealed: bytes


COLUMNS: Final = (
    SealedColumn(logins, "id", "secrets"),
    SealedColumn(login_sessions, "login_id", "sealed"),
    SealedColumn(login_mails, "id", "sealed"),
    SealedColumn(webhooks, "id", "secrets"),
    SealedColumn(executions, "id", "secret_params", is_text=True),
    SealedColumn(schedules, "id", "secret_params", is_text=True),
    SealedColumn(organization_proxies, "organization_id", "sealed"),
)


class SealedStore(Store):
    """All encrypted values of all organizations; for the operator's commands only."""

    async def all(self) -> AsyncIterator[SealedValue]:
        """Every encrypted value, read in pages so that no long transaction is needed."""
        for column in COLUMNS:
            last = ""
            while page := await self._page(column, last):
                for value in page:
                    yield value
                last = page[-1].row

    @uncancellable
    async def replace(self, value: SealedValue, sealed: bytes) -> bool:
        """Replace a value; False if it has changed since it was read."""
        column, table = value.column, value.column.table
        change = (
            update(table)
            .values({column.name: _stored(column, sealed)})
            # a service may have written a new secret since: that one must stay
            .where(table.c[column.row] == value.row, table.c[column.name] == _stored(column, value.sealed))
        )
        return await self._database.execute(change) == 1

    async def _page(self, column: SealedColumn, after: str) -> list[SealedValue]:
        table = column.table
        query = (
            select(table.c[column.row], table.c.organization_id, table.c[column.name])
            .where(table.c[column.row] > after, table.c[column.name].is_not(None))
            .order_by(table.c[column.row])
            .limit(_PAGE)
        )
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).all()
        return [SealedValue(column, owner, row, _sealed(column, stored)) for row, owner, stored in rows]


def _stored(column: SealedColumn, sealed: bytes) -> Any:
    return base64.b64encode(sealed).decode() if column.is_text else sealed


def _sealed(column: SealedColumn, stored: Any) -> bytes:
    return base64.b64decode(stored) if column.is_text else bytes(stored)
