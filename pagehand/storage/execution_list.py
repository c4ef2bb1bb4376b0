"""One page of executions and the exact total, quick at a million rows.

The total comes from counters (see `counts.py`). The page comes from walking one index in the order of
acceptance: the index of the filter that leaves the fewest rows (the driver). The other filters are checked
on the rows it visits.
"""

import asyncio
import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import Raw
from sqlalchemy import ColumnElement, Connection, Select, case, func, select, type_coerce, union_all
from sqlalchemy.util import await_only

from pagehand.errors import InvalidRequest
from pagehand.records import Execution, Status
from pagehand.storage.columns import RawJsonText, sanitize_text
from pagehand.storage.counts import ExecutionCounter, newest_started, started_between
from pagehand.storage.tables import executions
from pagehand.storage.workflows import ids_with_name, ids_with_tags

FEW = 5_000
"""Up to so many rows, reading and sorting them is faster than walking a long index."""
_MOST_WORKFLOWS = 100  # of more workflows the results are not merged: all executions are walked

_ROWS_AT_ONCE = 100

LARGE_PARAMS_BYTES = 8 * 1024
"""Larger params are left out of a page and read one by one."""

_LEFT_OUT = {
    "n",
    "queued_at",
    "token",
    "params_bytes",
    "response",
    "response_file",
    "summary",
    "error_analysis",
    "context",
    "start_block",
}
_IS_LARGE = executions.c.params_bytes > LARGE_PARAMS_BYTES
_SMALL_PARAMS = type_coerce(case((_IS_LARGE, None), else_=executions.c.params), RawJsonText()).label("params")
LIST_COLUMNS = [
    _SMALL_PARAMS if column.name == "params" else column
    for column in executions.c
    if column.name not in _LEFT_OUT
]
"""The columns of a listed execution: nothing that can be large."""
_LIST_FIELDS = [column.name for column in LIST_COLUMNS]


@dataclass(slots=True, frozen=True, kw_only=True)
class ExecutionFilter:
    """Filters of a list, all of which must match, and the page."""

    status: Status | None = None
    login_id: str | None = None
    search: Sequence[str] = ()
    batch_id: str | None = None
    workflow_id: str | None = None
    workflow_name: str | None = None
    tag_ids: Sequence[str] = ()
    from_ms: int | None = None
    to_ms: int | None = None
    is_test: bool | None = None
    limit: int = 100
    offset: int = 0
    cursor: str | None = None


@dataclass(slots=True, kw_only=True)
class ExecutionPage:
    """A page of a list; `next_cursor` is None on the last one."""

    items: list[Execution] = field(default_factory=list[Execution])
    """Without their params."""
    total: int = 0
    is_total_exact: bool = True
    """False while a search has not counted all: `total` is then the least there are."""
    next_cursor: str | None = None
    params: dict[str, Raw | None] = field(default_factory=dict[str, Raw | None])
    """The params of each item as JSON text, by its id; None where they are too large and were not read."""


class Listing:
    """One call of `ExecutionStore.list` without search terms."""

    def __init__(self, connection: Connection, organization_id: str, wanted: ExecutionFilter) -> None:
        self._connection = connection
        self._organization_id = organization_id
        self._wanted = wanted
        self._is_sqlite = connection.dialect.name == "sqlite"
        self._workflow_ids: list[str] | None = None

    def read(self) -> ExecutionPage:
        """Read the page."""
        before = self._cursor_position()
        self._workflow_ids = self._find_workflows()
        return self._read(before)

    def _read(self, before: int | None) -> ExecutionPage:
        driver, few = self._choose_driver()
        total = self._count(driver)
        if total == 0:  # known from the counters, without reading rows
            return ExecutionPage()
        numbers = self._walk(driver, before, few=few or total <= FEW)
        return self._page(numbers, total)

    def _cursor_position(self) -> int | None:
        if self._wanted.cursor is None:
            return None
        query = select(executions.c.n).where(
            executions.c.id == decode_cursor(self._wanted.cursor),
            executions.c.organization_id == self._organization_id,
        )
        position = self._connection.execute(query).scalar()
        if position is None:
            raise InvalidRequest("`cursor`: expected the `nextCursor` of an earlier page.")
        return position

    def _find_workflows(self) -> list[str] | None:
        """The workflows that match workflow_id, workflow_name and tag_ids; None without these filters."""
        wanted = self._wanted
        ids = None if wanted.workflow_id is None else [wanted.workflow_id]
        if wanted.workflow_name is not None:
            ids = self._intersect(ids, ids_with_name(self._organization_id, wanted.workflow_name))
        if wanted.tag_ids:
            ids = self._intersect(ids, ids_with_tags(self._organization_id, wanted.tag_ids))
        return ids

    def _intersect(self, ids: list[str] | None, query: Select[Any]) -> list[str]:
        found = self._connection.execute(query).scalars().all()
        return [workflow_id for workflow_id in found if ids is None or workflow_id in ids]

    def _dimensions(self) -> list[str]:
        wanted = self._wanted
        given = {
            "workflow": self._workflow_ids is not None,
            "login": wanted.login_id is not None,
            "batch": wanted.batch_id is not None,
            "hour": wanted.from_ms is not None or wanted.to_ms is not None,
        }
        return [dimension for dimension, is_given in given.items() if is_given]

    def _choose_driver(self) -> tuple[str, bool]:
        """The filter whose index to walk, and whether it is known to leave few rows."""
        candidates = self._dimensions()
        if self._wanted.status is not None:
            candidates.append("status")
        if self._wanted.is_test is not None:
            candidates.append("test")
        if len(candidates) <= 1:
            return (candidates[0] if candidates else "age"), False
        sizes = {candidate: self._size(candidate) for candidate in candidates}
        smallest = min(sizes, key=lambda candidate: sizes[candidate])
        return smallest, sizes[smallest] <= FEW

    def _size(self, candidate: str) -> int:
        status = self._wanted.status if candidate == "status" else None
        is_test = self._wanted.is_test if candidate == "test" else None
        return self._count_by(candidate, status=status, is_test=is_test)

    def _count_by(self, dimension: str, *, status: Status | None, is_test: bool | None) -> int:
        """How many have the wanted keys of a dimension; of another dimension, how many there are in all."""
        counter = ExecutionCounter(organization_id=self._organization_id, status=status, is_test=is_test)
        wanted = self._wanted
        if dimension == "hour":
            return counter.count_started(self._connection, wanted.from_ms, wanted.to_ms)
        workflow_ids = self._workflow_ids or []
        keys = {
            "workflow": workflow_ids,
            "login": [wanted.login_id],
            "workflow login": [f"{workflow_id} {wanted.login_id}" for workflow_id in workflow_ids],
            "batch": [wanted.batch_id],
        }
        if dimension in keys:
            return counter.count_of(self._connection, dimension, [key for key in keys[dimension] if key])
        return counter.count(self._connection)

    def _count(self, driver: str) -> int:
        """The exact total: from counters if there are any for these filters, else by counting rows."""
        dimensions = self._dimensions()
        if len(dimensions) <= 1 or dimensions == ["workflow", "login"]:
            return self._count_by(
                " ".join(dimensions), status=self._wanted.status, is_test=self._wanted.is_test
            )
        query = select(func.count()).select_from(executions).where(*self._conditions(driver))
        return self._connection.execute(query).scalar_one()

    def _conditions(self, driver: str | None) -> list[ColumnElement[bool]]:
        """All filters; only the driver's is visible to the planner, so that it walks that index."""
        wanted, column = self._wanted, executions.c
        given: list[tuple[str, ColumnElement[bool]]] = []
        if self._workflow_ids is not None:
            given.append(("workflow", column.workflow_id.in_(self._workflow_ids)))
        if wanted.login_id is not None:
            given.append(("login", column.login_id == wanted.login_id))
        if wanted.batch_id is not None:
            given.append(("batch", column.batch_id == wanted.batch_id))
        if wanted.status is not None:
            given.append(("status", column.status == wanted.status))
        if wanted.is_test is not None:
            given.append(("test", column.is_test == wanted.is_test))
        given += [("hour", condition) for condition in started_between(wanted.from_ms, wanted.to_ms)]
        conditions = [condition if name == driver else _opaque(condition) for name, condition in given]
        return [column.organization_id == self._organization_id, *conditions]

    def _walk(self, driver: str, before: int | None, *, few: bool) -> Select[Any]:
        """A query for the numbers of the page, and one more if there is a next page."""
        position = [] if before is None else [executions.c.n < before]
        if driver == "workflow" and self._workflow_ids is not None and len(self._workflow_ids) > 1:
            if len(self._workflow_ids) <= _MOST_WORKFLOWS:
                return self._merged(position)
            driver = "age"
        if driver == "hour" and few:
            # ordered by an expression: otherwise the planner may walk all executions to avoid the sort
            return self._limit(
                select(executions.c.n).where(*self._conditions("hour"), *position), executions.c.n + 0
            )
        if driver == "hour":
            wanted = self._wanted
            top = newest_started(self._connection, self._organization_id, wanted.from_ms, wanted.to_ms)
            position.append(executions.c.n <= top)
            # PostgreSQL's statistics tell which index is faster; SQLite has none
            driver = "age" if self._is_sqlite else "hour"
        return self._limit(select(executions.c.n).where(*self._conditions(driver), *position), executions.c.n)

    def _merged(self, position: list[ColumnElement[bool]]) -> Select[Any]:
        """The newest of several workflows: the newest of each, merged."""
        most = self._wanted.limit + self._wanted.offset + 1
        parts = [
            select(
                select(executions.c.n)
                .where(*self._conditions(None), executions.c.workflow_id == workflow_id, *position)
                .order_by(executions.c.n.desc())
                .limit(most)
                .subquery()
            )
            for workflow_id in self._workflow_ids or ()
        ]
        merged = union_all(*parts).subquery()
        return self._limit(select(merged.c.n), merged.c.n)

    def _limit(self, query: Select[Any], order: ColumnElement[int]) -> Select[Any]:
        return query.order_by(order.desc()).limit(self._wanted.limit + 1).offset(self._wanted.offset)

    def _page(self, numbers: Select[Any] | Sequence[int], total: int) -> ExecutionPage:
        if isinstance(numbers, Select):
            numbers = select(numbers.subquery().c.n)
        query = select(*LIST_COLUMNS).where(executions.c.n.in_(numbers))
        result = self._connection.execute(query.order_by(executions.c.n.desc()))
        page = ExecutionPage(total=total)
        for rows in result.partitions(_ROWS_AT_ONCE):
            for row in rows:
                fields: dict[str, Any] = dict(zip(_LIST_FIELDS, row, strict=True))
                page.params[fields["id"]] = fields.pop("params")
                page.items.append(Execution(**fields))
            if not self._is_sqlite:
                # making a thousand records takes long: others may go on in between
                await_only(asyncio.sleep(0))
        # one more row than asked for was read, to know whether there is a next page
        if len(page.items) > self._wanted.limit:
            page.items.pop()
            page.next_cursor = encode_cursor(page.items[-1].id)
        return page


def _opaque(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    """The same condition in a form for which no planner uses an index."""
    return case((condition, 1), else_=0) == 1


def encode_cursor(execution_id: str) -> str:
    """The cursor of the page after this execution; it holds only its id."""
    return urlsafe_b64encode(execution_id.encode()).decode().rstrip("=")


def decode_cursor(cursor: str) -> str:
    """The id in a cursor; raises InvalidRequest if it is malformed."""
    try:
        return sanitize_text(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode())
    except (binascii.Error, ValueError) as error:
        raise InvalidRequest("`cursor`: expected the `nextCursor` of an earlier page.") from error
