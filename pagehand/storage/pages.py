"""Reading a list page by page, with the total beside it."""

from typing import Any

from sqlalchemy import ColumnElement, Integer, RowMapping, Select, func, literal, select
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from pagehand.storage.columns import storable


async def read_page(
    connection: AsyncConnection, query: Select[Any], limit: int, offset: int
) -> tuple[list[RowMapping], int]:
    """The rows of `query` from `offset` on, and how many it has in all."""
    rows = (await connection.execute(query.limit(limit).offset(offset))).mappings().all()
    # a page that is not full ends the list: counting it would read every row once more
    if rows and len(rows) < limit:
        return list(rows), offset + len(rows)
    # without the order: sorting what is only counted costs time
    counted = select(func.count()).select_from(query.order_by(None).subquery())
    return list(rows), (await connection.execute(counted)).scalar_one()


def folded(text: str) -> str:
    """`text` as searches compare it: without regard to case."""
    return storable(text.casefold())


def contains(column: ColumnElement[str], term: str) -> ColumnElement[bool]:
    """Whether a folded column has `term` in it, literally."""
    # not LIKE: `%` and `_` are what people type, and SQLite refuses patterns of more than 50,000 bytes
    return _Position(column, literal(folded(term))) > 0


class _Position(FunctionElement[int]):
    """Where a text stands in another, from 1 on; 0 where it does not."""

    inherit_cache = True
    type = Integer()


@compiles(_Position, "sqlite")
def _in_sqlite(position: _Position, compiler: SQLCompiler, **options: Any) -> str:
    return f"instr({compiler.process(position.clauses, **options)})"


@compiles(_Position, "postgresql")
def _in_postgresql(position: _Position, compiler: SQLCompiler, **options: Any) -> str:
    return f"strpos({compiler.process(position.clauses, **options)})"
