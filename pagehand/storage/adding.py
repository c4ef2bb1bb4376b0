"""Adding executions: the rows themselves and what makes them findable, many at a time."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import orjson
from sqlalchemy import ColumnElement, Connection, TextClause, text
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.records import Execution
from pagehand.storage.columns import JsonText, Prose, Record, Records, dump_json, encode_records, storable
from pagehand.storage.search import search_row, trigram_hashes
from pagehand.storage.tables import execution_search, executions

_ROWS_AT_ONCE = 250  # a batch gives the event loop a turn after that many
_COLUMNS = [column for column in executions.c if column.name != "n"]
_FIELDS = [str(column.name) for column in _COLUMNS]
_NAMES = ", ".join(_FIELDS)

_INSERT = executions.insert().returning(executions.c.n, executions.c.id)
_INSERT_TEXT = execution_search.insert()


def _add_statement(*before: str, condition: str = "true") -> TextClause:
    """The statement that adds rows, after these parts of it and under a condition.

    One with two parameters, however many rows: psycopg takes long to read a statement with thousands.
    """
    return text(f"""
    WITH {"".join(f"{part}, " for part in before)}added AS (
      INSERT INTO executions ({_NAMES})
      SELECT {_NAMES} FROM json_populate_recordset(NULL::executions, CAST(:rows AS json)) WHERE {condition}
      RETURNING n, id, organization_id
    ), texts AS (
      SELECT added.n, added.organization_id, t.text, t.is_long, t.trigrams FROM added JOIN
        json_to_recordset(CAST(:texts AS json)) AS t (id text, text text, is_long boolean, trigrams integer[])
        USING (id)
    ), searchable AS (
      INSERT INTO execution_search (n, organization_id, text, is_long)
      SELECT n, organization_id, text, is_long FROM texts
    )
    INSERT INTO execution_trigrams (n, trigrams) SELECT n, trigrams FROM texts RETURNING n
    """)  # noqa: S608  (made of our own column names)


_ADD = _add_statement()
# Those who add one execution hold the organization's lock together, and each counts before it adds. There are
# never more of them than the server takes connections: with so much room left, none of them is one too many.
_ROOM = """room AS MATERIALIZED (
      SELECT CAST(:limit AS bigint) = 0 OR count_queued_with_lock(:organization_id)
        + CAST(current_setting('max_connections') AS bigint) <= :limit AS is_wide
    )"""
_NOTED = """noted AS (
      INSERT INTO repeats (organization_id, key, digest, execution_id, created_at)
      SELECT :organization_id, :key, CAST(:digest AS bytea), :execution_id, CAST(:created_at AS bigint)
      FROM room WHERE is_wide
      ON CONFLICT (organization_id, key) DO UPDATE SET digest = excluded.digest,
        execution_id = excluded.execution_id, created_at = excluded.created_at
      WHERE repeats.created_at <= :forgotten_at
      RETURNING key
    )"""
_ADD_ONE = _add_statement(_ROOM, condition="(SELECT is_wide FROM room)")
_ADD_ONE_WITH_KEY = _add_statement(_ROOM, _NOTED, condition="EXISTS (SELECT 1 FROM noted)")


async def insert_executions(connection: AsyncConnection, added: Sequence[Execution]) -> None:
    """Add executions, oldest first, within the caller's transaction."""
    remaining = iter(added)
    while part := list(islice(remaining, _ROWS_AT_ONCE)):
        await connection.run_sync(insert_together, part)


def insert_together(connection: Connection, added: Sequence[Execution]) -> None:
    """Add a few executions, oldest first, within the caller's transaction."""
    insert = _insert_sqlite if connection.dialect.name == "sqlite" else _insert_postgres
    insert(connection, added)


def _insert_sqlite(connection: Connection, added: Sequence[Execution]) -> None:
    numbers = {
        row.id: row.n for row in connection.execute(_INSERT, [_values(execution) for execution in added])
    }
    rows = [search_row(execution) | {"n": numbers[execution.id]} for execution in added]
    connection.execute(_INSERT_TEXT, rows)


def _insert_postgres(connection: Connection, added: Sequence[Execution]) -> None:
    connection.execute(*adding(added))


def adding(added: Sequence[Execution]) -> tuple[TextClause, dict[str, Any]]:
    """The statement, for PostgreSQL, that adds a few executions, and its values."""
    rows = [encoded_row(execution) for execution in added]
    texts = [
        {**row, "id": execution.id, "trigrams": trigram_hashes(row)}
        for execution in added
        for row in (search_row(execution),)
    ]
    return _ADD, {"rows": orjson.dumps(rows).decode(), "texts": orjson.dumps(texts).decode()}


def adding_one(
    execution: Execution, limit: int, key: dict[str, Any] | None
) -> tuple[TextClause, dict[str, Any]]:
    """The statement, for PostgreSQL, that adds an execution where that is plainly right, and its values.

    It adds nothing, and returns no row, near the limit on those that wait, and where its key was used.
    """
    _, values = adding([execution])
    values |= {"organization_id": execution.organization_id, "limit": limit}
    return (_ADD_ONE, values) if key is None else (_ADD_ONE_WITH_KEY, values | key)


def _values(execution: Execution) -> dict[str, Any]:
    values = {name: getattr(execution, name, None) for name in _FIELDS}
    values["queued_at"] = execution.accepted_at
    # a list must know how large they are without reading them
    values["params_bytes"] = len(dump_json(execution.params))
    return values


def _encoder(kind: Any) -> Callable[[Any], Any] | None:
    if isinstance(kind, Record | Records):
        return encode_records
    if isinstance(kind, JsonText):
        return dump_json
    return storable if isinstance(kind, Prose) else None


Encoders = Mapping[str, Callable[[Any], Any]]


def encoders_of(columns: Iterable[ColumnElement[Any]]) -> Encoders:
    """How the values of those columns are kept that are not kept as they are."""
    return {str(column.name): encode for column in columns if (encode := _encoder(column.type))}


def encoded(values: dict[str, Any], encoders: Encoders) -> dict[str, Any]:
    """A row as its columns hold it; for statements that bypass the column types."""
    return values | {
        name: encode(values[name]) for name, encode in encoders.items() if values[name] is not None
    }


_ENCODERS = encoders_of(_COLUMNS)


def encoded_row(execution: Execution) -> dict[str, Any]:
    """An execution's row as its columns hold it."""
    return encoded(_values(execution), _ENCODERS)
