"""One database, SQLite or PostgreSQL: how it is opened, read and written."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import wraps
from pathlib import Path
from sqlite3 import OperationalError as SqliteError
from time import monotonic
from types import CoroutineType
from typing import Any, ParamSpec, TypeVar

from sqlalchemy import URL, Connection, Executable, RowMapping, Select, event, make_url, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from pagehand.clock import now_ms
from pagehand.errors import Unavailable
from pagehand.storage import sqlite
from pagehand.storage.migrations import HEAD, migrate, revision_of

_P = ParamSpec("_P")
_T = TypeVar("_T")
_DOUBT_SECONDS = 3.0
_DOUBT_PAUSE_SECONDS = 0.2
_IDLE_SECONDS = 20
"""A process that stands still within a transaction keeps its locks no longer than this."""
_CLOCK = text("SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)")


class Database:
    """Connections to one database: reads at once with others, writes in transactions."""

    def __init__(self, url: str) -> None:
        """Take any SQLAlchemy URL of SQLite (aiosqlite) or PostgreSQL (psycopg)."""
        self.url = make_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        if self.is_sqlite:
            self._writer, self._reader = sqlite.engine(self.url, 1), sqlite.engine(self.url, 4)
            event.listen(self._writer.sync_engine, "begin", sqlite.begin_immediate)
        else:
            self._writer = _postgres_engine(self.url)
            event.listen(self._writer.sync_engine, "connect", _end_idle_transactions)
            # BEGIN and COMMIT around one SELECT would be two more round trips
            self._reader = _postgres_engine(self.url, isolation_level="AUTOCOMMIT")
        # SQLite has one writer at a time: waiting here is fair and cheap, waiting in SQLite is neither
        self._turn = asyncio.Lock() if self.is_sqlite else None
        self._near = sqlite.Near(self.url) if self.is_sqlite else None

    async def open(self) -> str:
        """Create the SQLite file and its folder if need be and bring the tables up to date.

        Gives the revision that they had before; empty where there were none.
        """
        if self.is_sqlite and self.url.database:
            try:
                with _translated():
                    await asyncio.to_thread(sqlite.make_file, Path(self.url.database))
            except OSError as error:
                raise Unavailable(f"The database's folder cannot be used: {error}.") from error
        async with self.read() as connection:
            before = await connection.run_sync(revision_of)
        if before < HEAD:  # tables of a later version serve this one too: they only gain
            async with self.write() as connection:
                await connection.run_sync(migrate)
        return before

    async def close(self) -> None:
        """Let go of every connection."""
        await self._reader.dispose()
        await self._writer.dispose()
        if self._near is not None:
            self._near.close()

    async def find(self, query: Select[Any], **values: object) -> RowMapping | None:
        """The row that a lookup by a unique key finds.

        SQLite reads it here and now: to hand a few microseconds' work to a thread costs many times as much.
        """
        if self._near is not None:
            with suppress(OperationalError):
                return self._near.find(query, values)
        # PostgreSQL, or a file that is locked for a moment: wait without holding up everybody else
        async with self.read() as connection:
            return (await connection.execute(query, values)).mappings().first()

    async def now(self) -> int:
        """Milliseconds by the clock that all processes share: PostgreSQL's own, for SQLite this machine's."""
        if self.is_sqlite:
            return now_ms()
        async with self.read() as connection:
            return (await connection.execute(_CLOCK)).scalar_one()

    async def commit(self, work: Callable[[Connection], _T]) -> _T:
        """A transaction in one go: SQLite's thread is called once for all of it, not for every statement."""
        if self._near is None or self._turn is None:
            async with self.write() as connection:
                return await connection.run_sync(work)
        with _translated():
            async with self._turn:
                return await self._near.commit(work)

    async def commit_one(self, statement: Executable, values: Mapping[str, Any]) -> Sequence[RowMapping]:
        """A transaction of one statement, and the rows that it returns; it must return some.

        PostgreSQL needs no BEGIN and COMMIT for it, which take as long as the statement.
        """
        if self.is_sqlite:
            return await self.commit(lambda it: it.execute(statement, values).mappings().all())
        async with self.read() as connection:
            return (await connection.execute(statement, values)).mappings().all()

    @asynccontextmanager
    async def read(self) -> AsyncGenerator[AsyncConnection]:
        """A connection for SELECTs; every statement sees what is committed when it begins."""
        with _translated():
            async with self._reader.connect() as connection:
                yield connection

    @asynccontextmanager
    async def write(self) -> AsyncGenerator[AsyncConnection]:
        """A transaction: committed durably when the block ends, undone when it raises."""
        with _translated():
            if self._turn is None:
                async with self._writer.begin() as connection:
                    yield connection
            else:
                async with self._turn, self._writer.begin() as connection:
                    yield connection


async def settled(write: Callable[[], Awaitable[_T]]) -> _T:
    """Make a write whose answer may be lost; it must do no harm when it is made again.

    A connection that breaks during a commit leaves open whether it was made. Asking again is the only way to
    know: a second try waits for the first where that is still under way.
    """
    give_up = monotonic() + _DOUBT_SECONDS
    while True:
        try:
            return await write()
        except Unavailable:
            if monotonic() > give_up:
                raise
        await asyncio.sleep(_DOUBT_PAUSE_SECONDS)


def uncancellable(
    method: Callable[_P, Coroutine[Any, Any, _T]],
) -> "Callable[_P, CoroutineType[Any, Any, _T]]":  # not subscriptable at run time
    """Finish a write that was begun, also when its caller is cancelled meanwhile.

    A driver that is cancelled in the middle of a transaction leaves the connection, and on SQLite the lock of
    the only writer, to whoever comes next.
    """

    @wraps(method)
    async def whole(*arguments: _P.args, **more: _P.kwargs) -> _T:
        writing = asyncio.ensure_future(method(*arguments, **more))
        try:
            return await asyncio.shield(writing)
        except asyncio.CancelledError:
            # not awaited itself: its error belongs to nobody, the caller is gone
            await asyncio.wait([writing])
            raise

    return whole


class _translated:  # noqa: N801  (reads as a clause after `with`)
    """Turn the driver's word for "the database is not there" into ours."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        lost = isinstance(error, DBAPIError) and error.connection_invalidated
        if lost or isinstance(error, OperationalError | InterfaceError | PoolTimeoutError | SqliteError):
            raise Unavailable("The database cannot be reached right now; try again shortly.") from error


def _postgres_engine(url: URL, **options: Any) -> AsyncEngine:
    return create_async_engine(
        url, pool_size=5, max_overflow=10, pool_timeout=15, connect_args={"connect_timeout": 5}, **options
    )


def _end_idle_transactions(connection: DBAPIConnection, _: object) -> None:
    """Have PostgreSQL end the transaction of a process that was frozen in the middle of it.

    Otherwise nobody could take its executions over: their rows are locked until it goes on or its machine is
    missed. Asked for by a statement, because poolers refuse most settings in the connection's parameters.
    """
    cursor = connection.cursor()
    cursor.execute(f"SET idle_in_transaction_session_timeout = '{_IDLE_SECONDS}s'")
    cursor.close()
    connection.commit()
