"""How SQLite is opened: its file, its engines, and a short way past the asynchronous driver."""

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final, TypeVar

from sqlalchemy import URL, Connection, Engine, RowMapping, Select, StaticPool, create_engine, event
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

_T = TypeVar("_T")
_PATIENCE_SECONDS: Final = 15
_PRAGMAS: Final = (
    f"PRAGMA busy_timeout = {_PATIENCE_SECONDS * 1000}",  # another process may be writing: wait for it
    "PRAGMA synchronous = FULL",  # a commit is on the disk when it returns
    # SQLite leaves it off for every connection that does not ask
    "PRAGMA foreign_keys = ON",
    "PRAGMA cache_size = -32768",
    "PRAGMA mmap_size = 1073741824",
    "PRAGMA temp_store = MEMORY",
)


def make_file(path: Path) -> None:
    """Have the database's file, in a folder of its own if need be, and keep its journal beside it (WAL).

    The mode stays with the file. SQLite refuses to change it while another process does the same, and does
    not wait for it as it waits for a writer: so the waiting is done here.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    give_up = monotonic() + _PATIENCE_SECONDS
    connection = sqlite3.connect(path, timeout=_PATIENCE_SECONDS, isolation_level=None)
    try:
        while not _keeps_journal_beside(connection, last_try=monotonic() > give_up):
            sleep(0.01)
    finally:
        connection.close()


def _keeps_journal_beside(connection: sqlite3.Connection, *, last_try: bool) -> bool:
    try:
        connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError as error:
        if last_try or error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise
        return False
    return True


def engine(url: URL, connections: int) -> AsyncEngine:
    """An engine with so many connections at most."""
    made = create_async_engine(
        url,
        pool_size=connections,
        max_overflow=0,
        # a writer cancelled while it began its transaction must not hand it on; readers have none
        pool_reset_on_return="rollback" if connections == 1 else None,
        connect_args={"isolation_level": None},  # transactions begin where we say so
    )
    event.listen(made.sync_engine, "connect", _set_pragmas)
    return made


def _direct_engine(url: URL) -> Engine:
    engine = create_engine(
        url.set(drivername="sqlite+pysqlite"),
        poolclass=StaticPool,
        pool_reset_on_return=None,
        connect_args={"isolation_level": None, "check_same_thread": False},
    )
    event.listen(engine, "connect", _set_pragmas)
    return engine


class Near:
    """SQLite without aiosqlite, which hands every step of a statement to its thread and waits for it."""

    def __init__(self, url: URL) -> None:
        self._reader, self._writer = _direct_engine(url), _direct_engine(url)
        event.listen(self._reader, "connect", _never_wait)
        event.listen(self._writer, "begin", begin_immediate)
        # one: SQLite has one writer, and its connection stays in one thread
        self._thread = ThreadPoolExecutor(1, "sqlite-writer")

    def find(self, query: Select[Any], values: dict[str, object]) -> RowMapping | None:
        """The first row, read in the caller's thread; raises OperationalError where it would have to wait."""
        with self._reader.connect() as connection:
            return connection.execute(query, values).mappings().first()

    async def commit(self, work: Callable[[Connection], _T]) -> _T:
        """Do `work` in a transaction, in a thread: a commit waits for the disk."""

        def whole() -> _T:
            with self._writer.begin() as connection:
                return work(connection)

        return await asyncio.get_running_loop().run_in_executor(self._thread, whole)

    def close(self) -> None:
        """Let go of the file."""
        self._thread.shutdown()
        self._reader.dispose()
        self._writer.dispose()


def leave_transactions_to_us(connection: Any, record: object) -> None:
    """Prepare a plain connection: transactions begin where SQL says so."""
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
    """Begin as a writer: one that began by reading could not become a writer without risking a refusal."""
    connection.exec_driver_sql("BEGIN IMMEDIATE")
