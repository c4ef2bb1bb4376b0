"""One database, SQLite or PostgreSQL: opening it, reading and writing."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import wraps
from pathlib import Path
from sqlite3 import SQLITE_FULL, SQLITE_IOERR, SQLITE_READONLY
from sqlite3 import OperationalError as SqliteError
from time import monotonic
from types import CoroutineType
from typing import Any, ParamSpec, TypeVar

from sqlalchemy import (
    URL,
    ColumnElement,
    Connection,
    Delete,
    Executable,
    Insert,
    RowMapping,
    Select,
    Update,
    event,
    literal,
    make_url,
    text,
)
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from pagehand.clock import now_ms
from pagehand.errors import Unavailable
from pagehand.loop import retry_while_unavailable
from pagehand.storage import sqlite
from pagehand.storage.migrations import HEAD, migrate, revision_of
from pagehand.storage.pages import ByteLength, Parts, read_page

_P = ParamSpec("_P")
_T = TypeVar("_T")
POSTGRES_NOW_MS = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"
"""SQL for PostgreSQL's time in milliseconds: one clock for all processes."""
_NOW = text(f"SELECT {POSTGRES_NOW_MS}")
_LOST_WRITE_SECONDS = 3.0
_LOST_WRITE_PAUSE_SECONDS = 0.2
AWAY = "The database cannot be reached right now; try again shortly."
_FULL = "The disk of the database is full, so nothing can be stored; try again once there is room."
_FAILING = "The disk of the database fails, so nothing can be stored; try again once it works."
_READ_ONLY = (
    "The database stores nothing right now: its disk or its server is read-only, or its user has lost the "
    "right to write; try again once that has changed."
)
_SQLITE_REASONS = {SQLITE_FULL: _FULL, SQLITE_READONLY: _READ_ONLY, SQLITE_IOERR: _FAILING}
_POSTGRES_REASONS = {"53100": _FULL, "58030": _FAILING, "25006": _READ_ONLY, "42501": _READ_ONLY}
_PROBLEM_SECONDS = 10.0
_IDLE_SECONDS = 20
"""How long a frozen process may keep the locks of its open transaction."""


class Database:
    """Connections to one database: concurrent reads, writes in transactions."""

    def __init__(self, url: str) -> None:
        """`url` is a SQLAlchemy URL of SQLite (aiosqlite) or PostgreSQL (psycopg)."""
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
        # SQLite has one writer at a time: waiting for a lock here is fair and cheap, in SQLite it is neither
        self._write_lock = asyncio.Lock() if self.is_sqlite else None
        self._direct = sqlite.DirectSqlite(self.url) if self.is_sqlite else None
        self.problem = ""
        """Why nothing, or nothing large, could be stored lately; empty otherwise."""
        self._problem_at = 0.0

    async def open(self) -> str:
        """Create the SQLite file and its folder if they are missing, and migrate the tables.

        Returns the revision the tables had before; empty if there were none.
        """
        if self.is_sqlite and self.url.database:
            try:
                with _translate_errors():
                    await asyncio.to_thread(sqlite.make_file, Path(self.url.database))
            except OSError as error:
                raise Unavailable(f"The database's folder cannot be used: {error}.") from error
        async with self.read() as connection:
            before = await connection.run_sync(revision_of)
        if before < HEAD:  # tables of a newer version work too: migrations only add
            async with self.write() as connection:
                await connection.run_sync(migrate)
        return before

    async def close(self) -> None:
        """Close every connection."""
        await self._reader.dispose()
        await self._writer.dispose()
        if self._direct is not None:
            self._direct.close()

    async def lookup(self, query: Select[Any], **values: object) -> RowMapping | None:
        """The row with a unique key.

        SQLite is read in this thread: handing over a few microseconds of work costs many times as much.
        """
        if self._direct is not None:
            with suppress(OperationalError):
                return self._direct.first(query, values)
        # PostgreSQL, or a SQLite file that is locked right now: wait without blocking the event loop
        async with self.read() as connection:
            return (await connection.execute(query, values)).mappings().first()

    async def first(self, query: Executable) -> RowMapping | None:
        """The first row of a query."""
        async with self.read() as connection:
            return (await connection.execute(query)).mappings().first()

    async def all(self, query: Executable) -> Sequence[RowMapping]:
        """All rows of a query."""
        async with self.read() as connection:
            return (await connection.execute(query)).mappings().all()

    async def query(self, work: Callable[[Connection], _T]) -> _T:
        """Run `work`, which only reads; on SQLite in one call to a thread, not several per statement.

        Each statement sees what was committed before it began.
        """
        with _translate_errors():
            if self._direct is not None:
                return await self._direct.read(work)
            async with self._reader.connect() as connection:
                return await connection.run_sync(work)

    async def page(self, query: Select[Any], limit: int, offset: int) -> tuple[Sequence[RowMapping], int]:
        """The rows of a query from `offset` on, and how many it has in all."""
        async with self.read() as connection:
            return await read_page(connection, query, limit, offset)

    async def parts(
        self,
        query: Select[Any],
        key: ColumnElement[Any],
        large: Sequence[ColumnElement[Any]],
        read: Callable[[Select[Any]], Awaitable[list[_T]]],
        page: tuple[int, int],
    ) -> tuple[Parts[_T], int]:
        """A page (limit and offset) of a query whose `large` columns hold any amount, and its row count.

        `read` is called with the query for a few of its rows, which `key` identifies.
        """
        size = sum((ByteLength(column) for column in large), literal(0)).label("size")
        sizes: Select[Any] = query.with_only_columns(key.label("key"), size, maintain_column_froms=True)  # pyright: ignore[reportAssignmentType] - any width
        rows, total = await self.page(sizes, *page)
        found = [(row["key"], row["size"]) for row in rows]
        return Parts(found, lambda keys: read(query.where(key.in_(keys)))), total

    def reader(self, kind: Callable[..., _T]) -> Callable[[Select[Any]], Awaitable[list[_T]]]:
        """A function that reads the rows of a query as records."""

        async def read(query: Select[Any]) -> list[_T]:
            return [kind(**row) for row in await self.all(query)]

        return read

    async def now(self) -> int:
        """Milliseconds by the clock that all processes share: PostgreSQL's, or this machine's for SQLite."""
        if self.is_sqlite:
            return now_ms()
        async with self.read() as connection:
            return (await connection.execute(_NOW)).scalar_one()

    async def execute(self, statement: Insert | Update | Delete) -> int:
        """Run one statement in a transaction; how many rows it changed."""
        async with self.write() as connection:
            return (await connection.execute(statement)).rowcount

    async def commit(self, work: Callable[[Connection], _T]) -> _T:
        """Run `work` in a transaction; on SQLite in one call to its thread, not one per statement."""
        if self._direct is None or self._write_lock is None:
            async with self.write() as connection:
                return await connection.run_sync(work)
        with _translate_errors(self):
            async with self._write_lock:
                return await self._direct.commit(work)

    async def commit_one(self, statement: Executable, values: Mapping[str, Any]) -> Sequence[RowMapping]:
        """Run one statement with a RETURNING clause as a transaction; its rows.

        On PostgreSQL without BEGIN and COMMIT, which take as long as the statement.
        """
        if self.is_sqlite:
            return await self.commit(lambda writer: writer.execute(statement, values).mappings().all())
        with _translate_errors(self):
            async with self._reader.connect() as connection:
                return (await connection.execute(statement, values)).mappings().all()

    def note_write(self, reason: str) -> None:
        """Remember why a write failed, or that one was made without a reason."""
        if reason:
            self.problem, self._problem_at = reason, monotonic()
        # not at once: when a disk is full, there is still room for small rows
        elif self.problem and monotonic() > self._problem_at + _PROBLEM_SECONDS:
            self.problem = ""

    @asynccontextmanager
    async def read(self) -> AsyncGenerator[AsyncConnection]:
        """A connection for SELECTs; each statement sees what was committed before it began."""
        with _translate_errors():
            async with self._reader.connect() as connection:
                yield connection

    @asynccontextmanager
    async def write(self) -> AsyncGenerator[AsyncConnection]:
        """A transaction: committed durably when the block ends, rolled back when it raises."""
        with _translate_errors(self):
            if self._write_lock is None:
                async with self._writer.begin() as connection:
                    yield connection
            else:
                async with self._write_lock, self._writer.begin() as connection:
                    yield connection


async def retry_lost_write(write: Callable[[], Awaitable[_T]]) -> _T:
    """Make a write, and make it again for a few seconds if the connection breaks; it must be idempotent.

    A connection that breaks during a commit leaves open whether it was made. Only a second try can find out:
    it waits for the first where that is still running.
    """
    return await retry_while_unavailable(
        write,
        give_up_after=_LOST_WRITE_SECONDS,
        pause_seconds=_LOST_WRITE_PAUSE_SECONDS,
        longest_pause_seconds=_LOST_WRITE_PAUSE_SECONDS,
    )


OnChange = Callable[[Sequence[str], Sequence[str], str | None], Awaitable[None]]
"""Called after a write with the nouns and the ids of what changed, and the organization where it is known."""


async def ignore_change(*_: object) -> None:
    """Report a change to nobody."""


def uncancellable(
    method: Callable[_P, Coroutine[Any, Any, _T]],
) -> "Callable[_P, CoroutineType[Any, Any, _T]]":  # not subscriptable at run time
    """Decorate a write: once begun it is finished, even if its caller is cancelled.

    A driver that is cancelled during a transaction would leave the connection, and on SQLite the lock of the
    only writer, in use.
    """

    @wraps(method)
    async def wrapper(*arguments: _P.args, **more: _P.kwargs) -> _T:
        writing = asyncio.ensure_future(method(*arguments, **more))
        try:
            return await asyncio.shield(writing)
        except asyncio.CancelledError:
            # `wait` does not raise its error: the caller that would handle it is gone
            await asyncio.wait([writing])
            raise

    return wrapper


class _translate_errors:  # noqa: N801  (reads as a clause after `with`)
    """Raise `Unavailable` for a driver's error that means the database cannot be used right now."""

    def __init__(self, written: Database | None = None) -> None:
        """`written` is the database whose `problem` is set or cleared by the outcome."""
        self._written = written

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        reason = why_unavailable(error) if error is not None else ""
        if self._written is not None and reason is not None:
            self._written.note_write(reason)
        if reason:
            raise Unavailable(reason) from error


def why_unavailable(error: BaseException) -> str | None:
    """Why the database cannot be used right now, if that is what a driver's error means."""
    driver_error = error.orig if isinstance(error, DBAPIError) else error
    code, state = getattr(driver_error, "sqlite_errorcode", 0), getattr(driver_error, "sqlstate", None)
    reason = _SQLITE_REASONS.get(code & 0xFF) or _POSTGRES_REASONS.get(state or "")
    is_lost = isinstance(error, DBAPIError) and error.connection_invalidated
    away = OperationalError | InterfaceError | PoolTimeoutError | SqliteError
    return reason or (AWAY if is_lost or isinstance(error, away) else None)


def _postgres_engine(url: URL, **options: Any) -> AsyncEngine:
    return create_async_engine(
        url, pool_size=5, max_overflow=10, pool_timeout=15, connect_args={"connect_timeout": 5}, **options
    )


def _end_idle_transactions(connection: DBAPIConnection, _: object) -> None:
    """Have PostgreSQL end the transaction of a frozen process.

    Otherwise its executions stay locked until it resumes or its connection times out. Set by a statement,
    because connection poolers refuse most settings in the connection's parameters.
    """
    cursor = connection.cursor()
    cursor.execute(f"SET idle_in_transaction_session_timeout = '{_IDLE_SECONDS}s'")
    cursor.close()
    connection.commit()
