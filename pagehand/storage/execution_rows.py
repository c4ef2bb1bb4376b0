"""Rows of executions: their columns, and inserting them together with their search index."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

import orjson
from sqlalchemy import Connection, TextClause, bindparam, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.records import Execution
from pagehand.storage.columns import dump_json, encode_values, encoders_of
from pagehand.storage.search_index import search_row, trigram_hashes
from pagehand.storage.tables import execution_search, executions

_HIDDEN = {"n", "queued_at", "token", "params_bytes"}
EXECUTION_COLUMNS = [column for column in executions.c if column.name not in _HIDDEN]
"""The columns of an `Execution`."""
_LARGE = {"params", "secret_params", "start_block", "response", "context"}
SMALL_COLUMNS = [column for column in EXECUTION_COLUMNS if column.name not in _LARGE]
"""Those of them that are never megabytes, for reading many executions at once."""
ENDED_COLUMNS = [column for column in EXECUTION_COLUMNS if column.name not in ("response", "context")]
"""Those of them that are read when an execution has ended: its other values are at hand, and may be large."""
# built once: building a statement takes longer than running it
SELECT_EXECUTION = select(*EXECUTION_COLUMNS).where(executions.c.id == bindparam("id"))

_ROWS_AT_ONCE = 250  # after so many rows of a batch, the event loop can do other work
_INSERTED = [column for column in executions.c if column.name != "n"]
_FIELDS = [str(column.name) for column in _INSERTED]
_NAMES = ", ".join(_FIELDS)
_ENCODERS = encoders_of(_INSERTED)


async def insert_executions(connection: AsyncConnection, added: Sequence[Execution]) -> None:
    """Insert any number of executions, oldest first, within the caller's transaction."""
    remaining = iter(added)
    while part := list(islice(remaining, _ROWS_AT_ONCE)):
        await connection.run_sync(insert_few, part)


def insert_few(connection: Connection, added: Sequence[Execution]) -> None:
    """Insert a few executions, oldest first, within the caller's transaction."""
    if connection.dialect.name == "sqlite":
        _insert_sqlite(connection, added)
    else:
        connection.execute(_INSERT_POSTGRES, insert_values(added))


def insert_statement(*ctes: str, condition: str = "true") -> TextClause:
    """PostgreSQL's statement that inserts the rows of `insert_values`, with more CTEs and a condition.

    It has two parameters, however many rows: psycopg takes long to parse a statement with thousands.
    """
    return text(f"""
    WITH {"".join(f"{cte}, " for cte in ctes)}added AS (
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


def insert_values(added: Sequence[Execution]) -> dict[str, Any]:
    """The values of `insert_statement`."""
    rows = [encode_execution(execution) for execution in added]
    texts = [
        {**row, "id": execution.id, "trigrams": trigram_hashes(row)}
        for execution in added
        for row in (search_row(execution),)
    ]
    return {"rows": orjson.dumps(rows).decode(), "texts": orjson.dumps(texts).decode()}


def encode_execution(execution: Execution) -> dict[str, Any]:
    """An execution's row with its values as they are stored."""
    return encode_values(_values(execution), _ENCODERS)


_INSERT_POSTGRES = insert_statement()
_INSERT_SQLITE = executions.insert().returning(executions.c.n, executions.c.id)
_INSERT_TEXT = execution_search.insert()


def _insert_sqlite(connection: Connection, added: Sequence[Execution]) -> None:
    inserted = connection.execute(_INSERT_SQLITE, [_values(execution) for execution in added])
    numbers = {row.id: row.n for row in inserted}
    rows = [search_row(execution) | {"n": numbers[execution.id]} for execution in added]
    connection.execute(_INSERT_TEXT, rows)


def _values(execution: Execution) -> dict[str, Any]:
    values = {name: getattr(execution, name, None) for name in _FIELDS}
    values["queued_at"] = execution.accepted_at
    # a list must know their size without reading them
    values["params_bytes"] = len(dump_json(execution.params))
    return values
