"""One page of the executions that match a search, and how many match."""

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from cachetools import LRUCache
from sqlalchemy import ColumnElement, Connection, Select, any_, func, select

from pagehand.clock import now_ms
from pagehand.storage.counts import ExecutionCounter
from pagehand.storage.execution_list import FEW, ExecutionFilter, ExecutionPage, Listing
from pagehand.storage.search_index import SearchTerms
from pagehand.storage.tables import execution_search, executions

_SAMPLE = 300
_LONGEST_TRANSACTION_MS = 600_000
_COMMON = 0.01  # from this share of matches on, walking finds a page faster than the trigram index
_MOST_COUNTED = 100_000
"""So many texts one search reads to count the matches; the next search for the same goes on from there."""


@dataclass(slots=True, frozen=True)
class SearchTotal:
    """What earlier searches counted."""

    upto: int
    """The number of the last execution that was counted."""
    down_to: int
    """Executions up to this number are not counted yet; 0 when all are."""
    found: int = 0
    rows: int = 0
    """How many executions the organization had up to there; if it has fewer now, some were deleted."""


@dataclass(slots=True, frozen=True)
class _Count:
    found: int
    is_exact: bool = True


class SearchTotalCache:
    """Totals of earlier searches: ids, names and params never change, so only new executions are counted."""

    def __init__(self, most: int = 1000) -> None:
        self._totals = LRUCache[tuple[str, ...], SearchTotal](most)
        self._lock = Lock()  # on SQLite several threads search

    def get(self, key: tuple[str, ...]) -> SearchTotal | None:
        """The total for these terms, if it is known."""
        with self._lock:
            return self._totals.get(key)

    def set(self, key: tuple[str, ...], total: SearchTotal) -> None:
        """Remember a total, evicting the least recently used one."""
        with self._lock:
            self._totals[key] = total


class SearchedListing(Listing):
    """One call of `ExecutionStore.list` with search terms."""

    def __init__(
        self,
        connection: Connection,
        organization_id: str,
        wanted: ExecutionFilter,
        totals: SearchTotalCache,
    ) -> None:
        super().__init__(connection, organization_id, wanted)
        self._totals = totals
        self._terms = SearchTerms(organization_id, wanted.search, is_sqlite=self._is_sqlite)

    def _read(self, before: int | None) -> ExecutionPage:
        return self._search(before) if self._terms else super()._read(before)

    def _search(self, before: int | None) -> ExecutionPage:
        """A page of the matches: by the trigram index if they are rare, else by walking."""
        driver, _ = self._choose_driver()
        walked = self._walked(driver)
        if driver != "age" and self._size(driver) <= FEW * 4:
            return self._page_of_few(walked, before)
        share = self._terms.prepare(self._sample())
        if share < _COMMON and self._terms.are_indexable(self._connection):
            return self._page_of_few(self._indexed(), before)
        count = _Count(self._count_all(walked)) if driver != "age" else self._search_total()
        if count == _Count(0):
            return ExecutionPage()
        # walking on for a full page might read every text
        is_sparse = not count.is_exact and count.found <= self._wanted.offset + self._wanted.limit
        if is_sparse and self._terms.are_indexable(self._connection):
            return self._page_of_few(self._indexed(), before)
        if before is not None:
            walked = walked.where(executions.c.n < before)
        page = self._page(self._limit(walked, executions.c.n), count.found)
        page.is_total_exact = count.is_exact
        if before is None and page.items and page.next_cursor is None:
            page.total, page.is_total_exact = self._wanted.offset + len(page.items), True
        page.total = max(page.total, len(page.items))
        return page

    def _page_of_few(self, query: Select[Any], before: int | None) -> ExecutionPage:
        """The page, from the numbers of all matches, which are few."""
        numbers = sorted(self._connection.execute(query).scalars(), reverse=True)
        remaining = numbers if before is None else [number for number in numbers if number < before]
        offset = self._wanted.offset
        on_page = remaining[offset : offset + self._wanted.limit + 1]
        return self._page(on_page, len(numbers)) if on_page else ExecutionPage(total=len(numbers))

    def _walked(self, driver: str) -> Select[Any]:
        """Matches found by walking the driver's index and checking each text."""
        query = select(executions.c.n).join(execution_search, execution_search.c.n == executions.c.n)
        return query.where(*self._conditions(driver), self._terms.matching())

    def _indexed(self) -> Select[Any]:
        """Matches among the texts that the trigram index finds."""
        candidates = self._terms.candidates()
        # as an array: PostgreSQL's planner overestimates them and might read every text
        found = (
            execution_search.c.n.in_(candidates)
            if self._is_sqlite
            else execution_search.c.n == any_(func.array(candidates.scalar_subquery()))
        )
        query = select(execution_search.c.n).where(
            found, execution_search.c.organization_id == self._organization_id, self._terms.matching()
        )
        filters = self._conditions(None)[1:]
        if filters:
            query = query.join(executions, executions.c.n == execution_search.c.n).where(*filters)
        return query

    def _sample(self) -> Sequence[str]:
        """The newest texts of the organization, to estimate which terms are common."""
        newest = select(executions.c.n).where(executions.c.organization_id == self._organization_id)
        newest = newest.order_by(executions.c.n.desc()).limit(_SAMPLE).subquery()
        query = select(func.substr(execution_search.c.text, 1, 2000)).where(
            execution_search.c.n.in_(select(newest.c.n))
        )
        return self._connection.execute(query).scalars().all()

    def _count_all(self, query: Select[Any]) -> int:
        return self._connection.execute(select(func.count()).select_from(query.subquery())).scalar_one()

    def _scanned(self, *range_: ColumnElement[bool]) -> Select[Any]:
        """Matches found by scanning the texts of a range of numbers."""
        own = execution_search.c.organization_id == self._organization_id
        return select(execution_search.c.n).where(own, *range_, self._terms.matching())

    def _search_total(self) -> _Count:
        """How many match; what earlier searches counted is not counted again."""
        key = (self._organization_id, *self._terms.folded)
        known = self._totals.get(key)
        if known is not None and self._rows(known.upto) != known.rows:
            known = None  # some were deleted, and whether they matched is unknown
        committed = self._last_committed()
        if known is None or committed - known.upto > _MOST_COUNTED:
            known = SearchTotal(committed, committed)
        # before the count: if rows are added or deleted meanwhile, the next search counts from the start
        rows = self._rows(committed)
        counted = self._scanned(execution_search.c.n > known.upto).subquery()
        query = select(func.count(), func.count().filter(counted.c.n <= committed)).select_from(counted)
        new, settled = self._connection.execute(query).one()
        older, down_to = self._count_older(known.down_to)
        found = known.found + older
        self._totals.set(key, SearchTotal(committed, down_to, found + settled, rows))
        return _Count(found + new, is_exact=down_to == 0)

    def _count_older(self, down_to: int) -> tuple[int, int]:
        """How many of the next older executions match, and down to which number they are counted now."""
        if down_to == 0:
            return 0, 0
        own = select(executions.c.n).where(executions.c.organization_id == self._organization_id)
        own = own.where(executions.c.n <= down_to).order_by(executions.c.n.desc())
        end = self._connection.execute(own.offset(_MOST_COUNTED).limit(1)).scalar() or 0
        number = execution_search.c.n
        return self._count_all(self._scanned(number > end, number <= down_to)), end

    def _rows(self, upto: int) -> int:
        """How many executions the organization has up to a number: all by counters, minus the later ones."""
        own = executions.c.organization_id == self._organization_id
        later = select(func.count()).select_from(executions).where(own, executions.c.n > upto)
        rows = ExecutionCounter(organization_id=self._organization_id).query(self._connection)
        query = select(rows.scalar_subquery() - later.scalar_subquery())
        return self._connection.execute(query).scalar_one()

    def _last_committed(self) -> int:
        """A number up to which all executions are committed."""
        query = select(executions.c.n).where(executions.c.organization_id == self._organization_id)
        if self._is_sqlite:
            query = query.order_by(executions.c.n.desc())  # one writer: numbers are committed in order
        else:
            # numbers are assigned before the commit: only those older than any open transaction are safe
            query = query.where(executions.c.start_time <= now_ms() - _LONGEST_TRANSACTION_MS)
            query = query.order_by(executions.c.start_time.desc())
        return self._connection.execute(query.limit(1)).scalar() or 0
