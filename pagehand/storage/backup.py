"""Backup and restore of all rows as lines of JSON, also from SQLite to PostgreSQL and back.

Values are copied as the database stores them, not as records of this version: a backup of an older version is
restored into the tables of that version, which are then migrated like any old database.
"""

import base64
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Final

import orjson
from sqlalchemy import (
    URL,
    Connection,
    LargeBinary,
    MetaData,
    Table,
    bindparam,
    create_engine,
    event,
    func,
    select,
    text,
)

from pagehand.errors import Conflict, UserMistake
from pagehand.storage import sqlite, tables
from pagehand.storage.migrations import HEAD, migrate, revision_of
from pagehand.storage.restored import OF_THE_MOMENT
from pagehand.storage.search_index import execution_trigrams, trigram_hashes

# the counts are filled by triggers
_LEFT_OUT: Final = frozenset({"execution_counts", *(table.name for table in OF_THE_MOMENT)})
_ROWS_AT_ONCE: Final = 500
_MUST_BE_EMPTY: Final = ("organizations", "workflows", "executions", "logins")


@contextmanager
def snapshot(url: URL) -> Generator[Connection]:
    """A connection that sees the database as it is now, whatever is written meanwhile."""
    _require_file(url)
    with _connected(url) as connection:
        if connection.dialect.name == "sqlite":
            connection.execute(text("BEGIN"))
        else:
            # one snapshot of all tables, so that references between rows stay complete
            connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
        _require_tables(connection)
        yield connection


@contextmanager
def empty_database(url: URL) -> Generator[Connection]:
    """A transaction on an empty database: committed when the block ends, rolled back when it raises."""
    with _transaction(url) as connection:
        found = _reflect(connection)
        for name in _MUST_BE_EMPTY:
            if name in found.tables and _count(connection, found.tables[name]):
                raise Conflict(
                    f"the database already holds {name}. A backup is restored into an empty one: give "
                    "another `--data-dir` or `--database`."
                )
        yield connection


@contextmanager
def existing_database(url: URL) -> Generator[Connection]:
    """A transaction on a database with rows, whose tables are migrated first."""
    _require_file(url)
    with _transaction(url) as connection:
        _require_tables(connection)
        migrate(connection)
        yield connection


def tables_of(connection: Connection) -> list[Table]:
    """The tables of a backup, in an order in which their rows can be restored."""
    found = _reflect(connection)
    return [table for table in found.sorted_tables if table.name not in _LEFT_OUT]


def rows_of(connection: Connection, table: Table) -> Iterator[bytes]:
    """The column names, then the rows, each as a line of JSON."""
    yield orjson.dumps([column.name for column in table.columns])
    binary = [isinstance(column.type, LargeBinary) for column in table.columns]
    query = select(table).order_by(*table.primary_key.columns).execution_options(yield_per=_ROWS_AT_ONCE)
    for row in connection.execute(query):
        pairs = zip(row, binary, strict=True)
        yield orjson.dumps([_to_base64(value) if is_binary else value for value, is_binary in pairs])


def prepare(connection: Connection, revision: str) -> dict[str, Table]:
    """Create the tables of that revision; by name."""
    if revision > HEAD:
        raise UserMistake(
            f"the backup was made by a newer Pagehand (its tables are at {revision}, this one knows {HEAD}): "
            "install that version or a later one."
        )
    migrate(connection, revision)
    return {table.name: table for table in tables_of(connection)}


def restore_rows(connection: Connection, table: Table, lines: Iterable[bytes]) -> int:
    """Insert the lines that `rows_of` wrote; how many rows."""
    remaining = iter(lines)
    names: list[str] = orjson.loads(next(remaining))
    binary = {column.name for column in table.columns if isinstance(column.type, LargeBinary)}
    count = 0
    while part := list(islice(remaining, _ROWS_AT_ONCE)):
        rows = [_to_row(names, orjson.loads(line), binary) for line in part]
        connection.execute(table.insert(), rows)
        if table.name == "execution_search" and connection.dialect.name == "postgresql":
            # SQLite's index is filled by a trigger, PostgreSQL's by the statement that adds the text
            indexed = [{"n": row["n"], "trigrams": trigram_hashes(row)} for row in rows]
            connection.execute(execution_trigrams.insert(), indexed)
        count += len(rows)
    return count


def finish_restore(connection: Connection) -> None:
    """Migrate a restored database."""
    migrate(connection)
    if connection.dialect.name == "postgresql":
        _set_sequences(connection)


def _set_sequences(connection: Connection) -> None:
    """Make PostgreSQL number new rows after the restored ones."""
    sequence = select(func.pg_get_serial_sequence(bindparam("table"), bindparam("column")))
    for table in tables.metadata.sorted_tables:
        for column in table.primary_key.columns:
            # only numbered columns have a sequence
            name = connection.execute(sequence, {"table": table.name, "column": column.name}).scalar()
            last = connection.execute(select(func.max(column))).scalar() if name else None
            if last is not None:
                connection.execute(select(func.setval(name, last)))


def _require_file(url: URL) -> None:
    if url.get_backend_name() == "sqlite" and url.database and not Path(url.database).exists():
        raise UserMistake(f"there is no database {url.database}: give its folder with `--data-dir`.")


def _require_tables(connection: Connection) -> None:
    if not revision_of(connection):
        raise UserMistake("the database holds nothing of Pagehand yet.")


@contextmanager
def _transaction(url: URL) -> Generator[Connection]:
    with _connected(url) as connection:
        connection.execute(text("BEGIN IMMEDIATE" if connection.dialect.name == "sqlite" else "SELECT 1"))
        yield connection
        connection.commit()


@contextmanager
def _connected(url: URL) -> Generator[Connection]:
    is_sqlite = url.get_backend_name() == "sqlite"
    engine = create_engine(url.set(drivername="sqlite+pysqlite") if is_sqlite else url)
    if is_sqlite:
        event.listen(engine, "connect", sqlite.disable_implicit_transactions)
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


def _reflect(connection: Connection) -> MetaData:
    found = MetaData()
    found.reflect(connection, only=lambda name, _: name in tables.metadata.tables)
    return found


def _count(connection: Connection, table: Table) -> int:
    return connection.execute(select(func.count()).select_from(table)).scalar_one()


def _to_base64(value: bytes | None) -> str | None:
    return None if value is None else base64.b64encode(value).decode()


def _to_row(names: list[str], values: list[Any], binary: set[str]) -> dict[str, Any]:
    row = dict(zip(names, values, strict=True))
    for name in binary:
        row[name] = None if row[name] is None else base64.b64decode(row[name])
    return row
