"""SQLite: creating its file, its engines, and direct connections that bypass the asynchronous driver."""

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final, TypeVar

from sqlalchemy import (
    URL,
    Connection,
    Engine,
    QueuePool,
    RowMapping,
    Select,
    StaticPool,
    create_engine,
    event,
)
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

_T = TypeVar("_T")
_BUSY_SECONDS: Final = 15
_READERS: Final = 4
_PRAGMAS: Final = (
    f"PRAGMA busy_timeout = {_BUSY_SECONDS * 1000}",  # another process may be writing: wait for it
    "PRAGMA synchronous = FULL",  # a commit is on the disk when it returns
    # SQLite leaves it off for every connection that does not ask
    "PRAGMA foreign_keys = ON",
    # each connection has its own: what large rows leave there must stay small, and the system caches the file
    "PRAGMA cache_size = -8192",
    "PRAGMA temp_store = MEMORY",
)


def make_file(path: Path) -> None:
    """Create the database file and its folder if they are missing, and switch the file to WAL mode.

    The mode is stored in the file. SQLite does not wait while another process switches it too, unlike for a
    writer, so this function retries.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    give_up_at = monotonic() + _BUSY_SECONDS
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
    try:
        while not _switch_to_wal(connection, is_last_try=monotonic() > give_up_at):
            sleep(0.01)
    finally:
        connection.close()


def _switch_to_wal(connection: sqlite3.Connection, *, is_last_try: bool) -> bool:
    try:
        connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError as error:
        if is_last_try or error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise
        return False
    return True


def engine(url: URL, connections: int) -> AsyncEngine:
    """An asynchronous engine with at most that many connections."""
    engine = create_async_engine(
        url,
        pool_size=connections,
        max_overflow=0,
        # a cancelled writer may have begun a transaction: roll it back before the next use; readers have none
        pool_reset_on_return="rollback" if connections == 1 else None,
        connect_args={"isolation_level": None},  # no implicit BEGIN
    )
    event.listen(engine.sync_engine, "connect", _set_pragmas)
    return engine


def _direct_engine(url: URL, connections: int = 1) -> Engine:
    shared: dict[str, Any] = {"poolclass": StaticPool}
    several: dict[str, Any] = {"poolclass": QueuePool, "pool_size": connections, "max_overflow": 0}
    engine = create_engine(
        url.set(drivername="sqlite+pysqlite"),
        **(shared if connections == 1 else several),
        pool_reset_on_return=None,
        connect_args={"isolation_level": None, "check_same_thread": False},
    )
    event.listen(engine, "connect", _set_pragmas)
    return engine


class DirectSqlite:
    """SQLite without aiosqlite, which hands every step of a statement to a thread and waits for it."""

    def __init__(self, url: URL) -> None:
        self._reader, self._writer = _direct_engine(url), _direct_engine(url)
        self._readers = _direct_engine(url, _READERS)
        event.listen(self._reader, "connect", _never_wait)
        event.listen(self._writer, "begin", begin_immediate)
        # one thread: SQLite has one writer
        self._thread = ThreadPoolExecutor(1, "sqlite-writer")
        self._reader_threads = ThreadPoolExecutor(_READERS, "sqlite-reader")

    def first(self, query: Select[Any], values: dict[str, object]) -> RowMapping | None:
        """The first row, read in this thread; raises OperationalError instead of waiting for a lock."""
        with self._reader.connect() as connection:
            return connection.execute(query, values).mappings().first()

    async def commit(self, work: Callable[[Connection], _T]) -> _T:
        """Run `work` in a transaction, in a thread because a commit waits for the disk."""

        def commit() -> _T:
            with self._writer.begin() as connection:
                return work(connection)

        return await asyncio.get_running_loop().run_in_executor(self._thread, commit)

    async def read(self, work: Callable[[Connection], _T]) -> _T:
        """Run `work`, which only reads, in a thread because it may take long."""

        def read() -> _T:
            with self._readers.connect() as connection:
                return work(connection)

        return await asyncio.get_running_loop().run_in_executor(self._reader_threads, read)

    def close(self) -> None:
        """Close the connections."""
        self._thread.shutdown()
        self._reader_threads.shutdown()
        self._readers.dispose()
        self._reader.dispose()
        self._writer.dispose()


def disable_implicit_transactions(connection: Any, record: object) -> None:
    """Prepare a connection whose transactions begin only with an explicit BEGIN."""
    connection.isolation_level = None
    _set_pragmas(connection, record)


def _set_pragmas(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    for pragma in _PRAGMAS:
        cursor.execute(pragma)
    cursor.close()


def _never_wait(connection: Any, _record: object) -> None:
    connection.execute("PRAGMA busy_timeout = 0")


def begin_immediate(connection: Connection) -> None:
    """Begin as a writer: a transaction that began by reading may be refused when it starts to write."""
    connection.exec_driver_sql("BEGIN IMMEDIATE")
