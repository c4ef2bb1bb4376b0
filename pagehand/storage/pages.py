"""What lists of several stores share: conditions, order, pages and text search."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Integer, RowMapping, Select, Table, func, literal, select
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from pagehand.storage.columns import sanitize_text


def is_row(table: Table, organization_id: str, row_id: str) -> ColumnElement[bool]:
    """The condition for the row with that id, if it belongs to the organization."""
    return (table.c.id == row_id) & (table.c.organization_id == organization_id)


def newest_first(query: Select[Any], table: Table) -> Select[Any]:
    """`query` ordered by creation, newest first; ids break ties, so that pages do not overlap."""
    return query.order_by(table.c.created_at.desc(), table.c.id.desc())


async def read_page(
    connection: AsyncConnection, query: Select[Any], limit: int, offset: int
) -> tuple[Sequence[RowMapping], int]:
    """The rows of `query` from `offset` on, and how many it has in all."""
    rows = (await connection.execute(query.limit(limit).offset(offset))).mappings().all()
    # a page that is not full is the last one: counting would read every row once more
    if rows and len(rows) < limit:
        return rows, offset + len(rows)
    # without the order: sorting what is only counted costs time
    counted = select(func.count()).select_from(query.order_by(None).subquery())
    return rows, (await connection.execute(counted)).scalar_one()


def folded(text: str) -> str:
    """`text` in the form that searches compare: case-folded."""
    return sanitize_text(text.casefold())


def contains(column: ColumnElement[str], term: str) -> ColumnElement[bool]:
    """Whether a case-folded column contains `term`, literally."""
    # not LIKE: users type `%` and `_`, and SQLite refuses patterns of more than 50,000 bytes
    return _Position(column, literal(folded(term))) > 0


class _Position(FunctionElement[int]):
    """The position of one text in another, counted from 1; 0 if it is not in it."""

    inherit_cache = True
    type = Integer()


@compiles(_Position, "sqlite")
def _in_sqlite(position: _Position, compiler: SQLCompiler, **options: Any) -> str:
    return f"instr({compiler.process(position.clauses, **options)})"


@compiles(_Position, "postgresql")
def _in_postgresql(position: _Position, compiler: SQLCompiler, **options: Any) -> str:
    return f"strpos({compiler.process(position.clauses, **options)})"
