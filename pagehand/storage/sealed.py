"""Every column that the vault has encrypted, read and replaced row by row when the master key changes."""

import base64
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Table, select, update

from pagehand.storage.database import Database, uncancellable
from pagehand.storage.on_behalf import waits_for_database
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
    """One column, and the column that names its rows."""

    table: Table
    row: str
    name: str
    is_text: bool = False
    """True when the bytes are kept as base64."""


@dataclass(slots=True, frozen=True)
class SealedValue:
    """One encrypted value and where it is kept."""

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


@waits_for_database
class SealedStore:
    """Everything sealed, of all organizations; for the operator's commands alone."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self) -> AsyncIterator[SealedValue]:
        """Every sealed value, a page of rows at a time, so that nobody else waits."""
        for column in COLUMNS:
            last = ""
            while page := await self._page(column, last):
                for value in page:
                    yield value
                last = page[-1].row

    @uncancellable
    async def replace(self, value: SealedValue, sealed: bytes) -> bool:
        """Write a value sealed anew; False when somebody has changed it meanwhile."""
        column, table = value.column, value.column.table
        change = (
            update(table)
            .values({column.name: _kept(column, sealed)})
            # a service may have written a new secret since it was read: that one must stay
            .where(table.c[column.row] == value.row, table.c[column.name] == _kept(column, value.sealed))
        )
        async with self._database.write() as connection:
            return (await connection.execute(change)).rowcount == 1

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
        return [SealedValue(column, owner, row, _bytes(column, kept)) for row, owner, kept in rows]


def _kept(column: SealedColumn, sealed: bytes) -> Any:
    return base64.b64encode(sealed).decode() if column.is_text else sealed


def _bytes(column: SealedColumn, kept: Any) -> bytes:
    return base64.b64decode(kept) if column.is_text else bytes(kept)
