"""Responses of many megabytes, written in pieces: drivers and SQLite copy what is bound to a statement."""

from collections.abc import Iterator
from typing import Any, Final

from msgspec import Raw
from sqlalchemy import Connection, func, text, update

from pagehand.records import FinalState, Json
from pagehand.storage.tables import execution_outputs, executions

_LARGE_BYTES: Final = 1024 * 1024
_PIECE_BYTES: Final = 1024 * 1024
# in the table of outputs, which are deleted in the same transaction; no output has a position below 0
_JOIN_PIECES: Final = text("""
    UPDATE executions SET response = (
      SELECT string_agg(value, '' ORDER BY position) FROM execution_outputs
      WHERE execution_id = :id AND position < 0
    ) WHERE id = :id
""")


def large_response(state: FinalState) -> memoryview | None:
    """The response if it is to be written in pieces."""
    response = state.final["response"]
    if not isinstance(response, Raw) or len(content := memoryview(response)) <= _LARGE_BYTES:
        return None
    return content


def write_response(connection: Connection, execution_id: str, response: memoryview) -> None:
    """Write the response into its row, which has none, within the caller's transaction."""
    if connection.dialect.name == "sqlite":
        _write_blob(connection, execution_id, response)
        return
    pieces = list(_characters(response))
    for position, piece in enumerate(pieces, -len(pieces)):
        # one by one: the driver would put all of them into one buffer
        row: Json = {"execution_id": execution_id, "position": position, "path": [], "value": Raw(piece)}
        connection.execute(execution_outputs.insert(), row)
    connection.execute(_JOIN_PIECES, {"id": execution_id})


def _write_blob(connection: Connection, execution_id: str, response: memoryview) -> None:
    """Fill a zeroblob, which SQLite makes without memory where it is the last column of its table."""
    statement = update(executions).where(executions.c.id == execution_id)
    emptied = statement.values(response=func.zeroblob(len(response))).returning(executions.c.n)
    rowid = connection.execute(emptied).scalar_one()
    driver: Any = connection.connection.dbapi_connection
    with driver.blobopen("executions", "response", rowid) as blob:
        for start in range(0, len(response), _PIECE_BYTES):
            blob.write(response[start : start + _PIECE_BYTES])


def _characters(content: memoryview) -> Iterator[memoryview]:
    """Pieces of UTF-8 text that contain whole characters."""
    start = 0
    while start < len(content):
        end = min(start + _PIECE_BYTES, len(content))
        while end < len(content) and content[end] & 0xC0 == 0x80:  # noqa: PLR2004 - a byte within a character
            end -= 1
        yield content[start:end]
        start = end
