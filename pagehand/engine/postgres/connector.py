"""Procrastinate over our own connections: no second pool, and `Unavailable` for a database that is away."""

from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from typing import Any

from procrastinate.connector import BaseAsyncConnector, BaseConnector, Notify
from procrastinate.exceptions import NoResult
from psycopg import AsyncConnection, AsyncCursor, Error, InterfaceError, OperationalError
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb
from sqlalchemy.ext import asyncio as sqlalchemy

from pagehand.errors import Unavailable
from pagehand.storage import Database
from pagehand.storage.database import AWAY, why_unavailable

_Row = dict[str, Any]


class DatabaseConnector(BaseAsyncConnector):
    """Runs Procrastinate's statements on connections of a `Database`, or in the caller's own transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get_sync_connector(self) -> BaseConnector:
        """Itself; it is never used without an event loop."""
        return self

    async def open_async(self, pool: Any = None) -> None:
        """Does nothing: the owner of the database opens it."""

    async def close_async(self) -> None:
        """Does nothing, as above."""

    async def execute_query_async(self, query: str, **arguments: Any) -> None:
        """Run a statement whose answer does not matter."""
        async with self._cursor() as cursor:
            await cursor.execute(query, _wrapped(arguments))  # pyright: ignore[reportArgumentType, reportCallIssue] - Procrastinate's own text

    async def execute_query_one_async(self, query: str, **arguments: Any) -> _Row:
        """The one row of the answer."""
        rows = await self.execute_query_all_async(query, **arguments)
        if not rows:
            raise NoResult
        return rows[0]

    async def execute_query_all_async(self, query: str, **arguments: Any) -> list[_Row]:
        """All rows of the answer."""
        async with self._cursor() as cursor:
            return await _all(cursor, query, arguments)

    async def execute_query_all_async_with_connection(
        self, connection: sqlalchemy.AsyncConnection, query: str, **arguments: Any
    ) -> list[_Row]:
        """All rows, within the transaction of the caller."""
        async with _cursor_of(connection) as cursor:
            return await _all(cursor, query, arguments)

    async def listen_notify(self, on_notification: Notify, channels: Iterable[str]) -> None:
        """Not used: one listener of ours serves the whole process."""
        raise NotImplementedError

    @asynccontextmanager
    async def _cursor(self) -> AsyncGenerator[AsyncCursor[_Row]]:
        # one statement each, which commits by itself
        async with self._database.read() as connection, _cursor_of(connection) as cursor:
            yield cursor


@asynccontextmanager
async def _cursor_of(connection: sqlalchemy.AsyncConnection) -> AsyncGenerator[AsyncCursor[_Row]]:
    """The driver's own cursor within a transaction; a connection that broke is not used again."""
    try:
        async with (await _driver(connection)).cursor(row_factory=dict_row) as cursor:
            yield cursor
    except Error as error:
        reason = why_unavailable(error)
        if reason is None and not isinstance(error, OperationalError | InterfaceError):
            raise
        await connection.invalidate(error)
        raise Unavailable(reason or AWAY) from error


async def _driver(connection: sqlalchemy.AsyncConnection) -> AsyncConnection[Any]:
    return (await connection.get_raw_connection()).driver_connection  # pyright: ignore[reportReturnType] - SQLAlchemy does not know which driver it uses


async def _all(cursor: AsyncCursor[_Row], query: str, arguments: _Row) -> list[_Row]:
    await cursor.execute(query, _wrapped(arguments))  # pyright: ignore[reportArgumentType, reportCallIssue] - as above
    return await cursor.fetchall()


def _wrapped(value: Any) -> Any:
    """The arguments with JSON objects marked for the driver."""
    return {name: _marked(item) for name, item in value.items()}


def _marked(value: Any) -> Any:
    if isinstance(value, dict):
        return Jsonb(value)
    if isinstance(value, list):
        return [_marked(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, tuple):
        return tuple(_marked(item) for item in value)  # pyright: ignore[reportUnknownVariableType]
    return value
