"""Results of a batch for exports: the size of each first, then the values of a few at a time as JSON text."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from msgspec import Raw
from sqlalchemy import ColumnElement, TextClause, text, type_coerce

from pagehand.records import ExecutionFailure, Status
from pagehand.storage.columns import RawJsonText
from pagehand.storage.pages import ByteLength
from pagehand.storage.tables import executions

ValueColumn = Literal["params", "response"]


@dataclass(slots=True, frozen=True, kw_only=True)
class BatchEntry:
    """An execution of a batch without its values."""

    number: int
    """Its place in the order of acceptance."""
    id: str
    batch_id: str
    retry_of: str | None
    """The execution that it repeats."""
    response_file_id: str | None
    bytes: int
    """The size of its values."""

    @classmethod
    def of(cls, row: Mapping[Any, Any]) -> "BatchEntry":
        """The entry in a row of `ENTRY_COLUMNS`."""
        return cls(
            number=row["n"],
            id=row["id"],
            batch_id=row["batch_id"],
            retry_of=row["metadata"].get("retryOf"),
            response_file_id=row["response_file"] and row["response_file"].id,
            bytes=(row["params_bytes"] or 0) + row["response_bytes"],
        )


@dataclass(slots=True, kw_only=True)
class BatchResult:
    """What an export shows of an execution."""

    id: str
    status: Status
    start_time: int
    duration_ms: int | None
    failure: ExecutionFailure | None
    params: Raw
    response: Raw | None


ENTRY_COLUMNS: list[ColumnElement[Any]] = [
    executions.c.n,
    executions.c.id,
    executions.c.batch_id,
    executions.c.metadata,
    executions.c.params_bytes,
    executions.c.response_file,
    ByteLength(executions.c.response).label("response_bytes"),
]
RESULT_COLUMNS: list[ColumnElement[Any]] = [
    *(executions.c[name] for name in BatchResult.__dataclass_fields__ if name != "params"),
    type_coerce(executions.c.params, RawJsonText()).label("params"),
]

_OWN = "organization_id = :organization_id AND batch_id = :batch_id AND n BETWEEN :first AND :last"
# in the order in which they first appear; 2^31 places for the names within one value
_IN_ORDER = "GROUP BY name ORDER BY min(n * 2147483648 + place) LIMIT :most"
# a large value is a BLOB
_NAMES_SQLITE = """
    SELECT name FROM (
      SELECT n, part.id AS place, part.key AS name
      FROM (SELECT n, CAST({column} AS TEXT) AS text FROM executions WHERE {own}),
        json_each(CASE WHEN json_valid(text) THEN text ELSE '{{}}' END) AS part
    ) {in_order}
"""
# PostgreSQL's JSON functions refuse the escape of NUL, which text may hold
_NAMES_POSTGRES = r"""
    SELECT name FROM (
      SELECT n, part.place, part.name
      FROM executions, json_object_keys(CAST(replace({column}, '\u0000', '\u0020') AS json))
        WITH ORDINALITY AS part (name, place)
      WHERE {own} AND {column} IS NOT NULL
    ) AS found {in_order}
"""


def names_query(values: ValueColumn, *, is_sqlite: bool) -> TextClause:
    """A query for up to :most names within the JSON objects of a batch's executions :first to :last."""
    query = _NAMES_SQLITE if is_sqlite else _NAMES_POSTGRES
    return text(query.format(column=f"executions.{values}", own=_OWN, in_order=_IN_ORDER))
