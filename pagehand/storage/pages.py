"""What lists of several stores share: conditions, order, pages and text search."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from typing import Any, Final, Generic, TypeVar

from sqlalchemy import ColumnElement, Integer, RowMapping, Select, Table, func, literal, select
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from pagehand.storage.columns import sanitize_text

T = TypeVar("T")
ALL_ROWS: Final = 2**53
"""A limit that no list reaches, for reading all of it in parts."""
_PART_ROWS: Final = 100
_PART_BYTES: Final = 1024 * 1024
"""A row may be larger than that: then it is a part of its own."""


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
    if len(rows) < limit and (rows or not offset):
        return rows, offset + len(rows)
    # without the order: sorting what is only counted costs time
    counted = select(func.count()).select_from(query.order_by(None).subquery())
    return rows, (await connection.execute(counted)).scalar_one()


class Parts(Generic[T]):
    """The records of a page, read a few at a time: each may have many megabytes."""

    def __init__(
        self, sizes: Sequence[tuple[Any, int]], read: Callable[[list[Any]], Awaitable[Sequence[T]]]
    ) -> None:
        """`sizes` are the keys of the rows and their bytes, `read` reads those with some of the keys."""
        self._sizes = sizes
        self._read = read

    async def __aiter__(self) -> AsyncIterator[Sequence[T]]:
        for part in split_by_size(self._sizes, lambda row: row[1]):
            yield await self._read([key for key, _ in part])

    async def all(self) -> list[T]:
        """All of them at once, for pages that are small."""
        return [record async for part in self for record in part]


def split_by_size(items: Iterable[T], size: Callable[[T], int]) -> Iterator[list[T]]:
    """The items in parts of limited size and length."""
    part: list[T] = []
    total = 0
    for item in items:
        if part and (total + size(item) > _PART_BYTES or len(part) == _PART_ROWS):
            yield part
            part, total = [], 0
        part.append(item)
        total += size(item)
    if part:
        yield part


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


class ByteLength(FunctionElement[int]):
    """The size of a text in bytes; 0 for NULL."""

    inherit_cache = True
    type = Integer()


@compiles(ByteLength, "sqlite")
def _bytes_in_sqlite(size: ByteLength, compiler: SQLCompiler, **options: Any) -> str:
    return f"coalesce(length(CAST({compiler.process(size.clauses, **options)} AS BLOB)), 0)"


@compiles(ByteLength, "postgresql")
def _bytes_in_postgresql(size: ByteLength, compiler: SQLCompiler, **options: Any) -> str:
    return f"coalesce(octet_length({compiler.process(size.clauses, **options)}), 0)"
