"""One page of the executions that match a search, and how many match."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cachetools import LRUCache
from sqlalchemy import ColumnElement, Select, any_, case, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.clock import now_ms
from pagehand.storage.counts import ExecutionCounter
from pagehand.storage.execution_list import FEW, ExecutionFilter, ExecutionPage, Listing
from pagehand.storage.search_index import SearchTerms
from pagehand.storage.tables import execution_search, executions

_SAMPLE = 300
_LONGEST_TRANSACTION_MS = 600_000
_COMMON = 0.05  # from this share of matches on, walking finds a page faster than the trigram index
_VERY_COMMON = 0.25  # from this share on, scanning all texts counts them faster


@dataclass(slots=True, frozen=True)
class SearchTotal:
    """What an earlier search counted."""

    upto: int = 0
    """The number of the last execution that was counted."""
    found: int = 0
    rows: int = 0
    """How many executions the organization had up to there; if it has fewer now, some were deleted."""


class SearchTotalCache:
    """Totals of earlier searches: ids, names and params never change, so only new executions are counted."""

    def __init__(self, most: int = 1000) -> None:
        self._totals = LRUCache[tuple[str, ...], SearchTotal](most)

    def get(self, key: tuple[str, ...]) -> SearchTotal | None:
        """The total for these terms, if it is known."""
        return self._totals.get(key)

    def set(self, key: tuple[str, ...], total: SearchTotal) -> None:
        """Remember a total, evicting the least recently used one."""
        self._totals[key] = total


class SearchedListing(Listing):
    """One call of `ExecutionStore.list` with search terms."""

    def __init__(
        self,
        connection: AsyncConnection,
        organization_id: str,
        wanted: ExecutionFilter,
        totals: SearchTotalCache,
    ) -> None:
        super().__init__(connection, organization_id, wanted)
        self._totals = totals
        self._terms = SearchTerms(organization_id, wanted.search, is_sqlite=self._is_sqlite)

    async def _read(self, before: int | None) -> ExecutionPage:
        return await (self._search(before) if self._terms else super()._read(before))

    async def _search(self, before: int | None) -> ExecutionPage:
        """A page of the matches: by the trigram index if they are rare, else by walking."""
        driver, _ = await self._choose_driver()
        walked = self._walked(driver)
        if driver != "age" and await self._size(driver) <= FEW * 4:
            return await self._page_of_few(walked, before)
        share = await self._terms.prepare(self._connection, await self._sample())
        is_indexable = self._terms.are_indexable
        if is_indexable and share < _COMMON:
            return await self._page_of_few(self._indexed(), before)
        if driver != "age":
            total = await self._count_all(walked)
        elif is_indexable and self._is_sqlite and share < _VERY_COMMON:
            total = await self._search_total(self._indexed())
        else:
            total = await self._search_total(self._scanned())
        if total == 0:
            return ExecutionPage()
        if before is not None:
            walked = walked.where(executions.c.n < before)
        return await self._page(self._limit(walked, executions.c.n), total)

    async def _page_of_few(self, query: Select[Any], before: int | None) -> ExecutionPage:
        """The page, from the numbers of all matches, which are few."""
        numbers = sorted((await self._connection.execute(query)).scalars(), reverse=True)
        remaining = numbers if before is None else [number for number in numbers if number < before]
        offset = self._wanted.offset
        on_page = remaining[offset : offset + self._wanted.limit + 1]
        return await self._page(on_page, len(numbers)) if on_page else ExecutionPage(total=len(numbers))

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

    async def _sample(self) -> Sequence[str]:
        """The newest texts of the organization, to estimate which terms are common."""
        newest = select(executions.c.n).where(executions.c.organization_id == self._organization_id)
        newest = newest.order_by(executions.c.n.desc()).limit(_SAMPLE).subquery()
        query = select(func.substr(execution_search.c.text, 1, 2000)).where(
            execution_search.c.n.in_(select(newest.c.n))
        )
        return (await self._connection.execute(query)).scalars().all()

    async def _count_all(self, query: Select[Any]) -> int:
        return (
            await self._connection.execute(select(func.count()).select_from(query.subquery()))
        ).scalar_one()

    def _scanned(self) -> Select[Any]:
        """Matches found by scanning all texts."""
        return select(execution_search.c.n).where(
            execution_search.c.organization_id == self._organization_id, self._terms.matching()
        )

    async def _search_total(self, query: Select[Any]) -> int:
        """How many `query` finds; what an earlier search counted is not counted again."""
        key = (self._organization_id, *self._terms.folded)
        known = self._totals.get(key)
        if known is not None and await self._rows(known.upto) != known.rows:
            known = None  # some were deleted, and whether they matched is unknown
        if self._terms.are_in_index and known is None:
            rows = await self._rows(None)
            upto, total = await self._count_in_index()
            if upto is not None:
                self._totals.set(key, SearchTotal(upto, total, rows))
                return total
        committed, known = await self._last_committed(), known or SearchTotal()
        # before the count: if rows are added or deleted meanwhile, the next search counts from the start
        rows = await self._rows(committed)
        if committed - known.upto <= FEW * 4:
            query = self._scanned()
        new = query.where(execution_search.c.n > known.upto).subquery()
        counted = select(func.count(), func.count().filter(new.c.n <= committed)).select_from(new)
        total, old = (await self._connection.execute(counted)).one()
        self._totals.set(key, SearchTotal(committed, known.found + old, rows))
        return known.found + total

    async def _rows(self, upto: int | None) -> int:
        """How many executions the organization has up to a number: all by counters, minus the later ones."""
        rows: ColumnElement[int] = (
            ExecutionCounter(organization_id=self._organization_id).query(self._connection).scalar_subquery()
        )
        if upto is not None:
            own = executions.c.organization_id == self._organization_id
            later = select(func.count()).select_from(executions).where(own, executions.c.n > upto)
            rows = rows - later.scalar_subquery()
        return (await self._connection.execute(select(rows))).scalar_one()

    async def _count_in_index(self) -> tuple[int | None, int]:
        """The newest number and how many the index finds; (None, 0) if the index alone cannot tell.

        It does not distinguish organizations, and holds only the beginning of long texts.
        """
        own = ExecutionCounter(organization_id=self._organization_id).query(self._connection)
        others = select(func.count(execution_search.c.n)).scalar_subquery() - own.scalar_subquery()
        long = select(execution_search.c.n).where(text("execution_search.is_long")).exists()
        found = select(func.count()).select_from(self._terms.in_index().subquery()).scalar_subquery()
        newest = select(func.max(execution_search.c.n)).scalar_subquery()
        # one statement, so that all parts see the same snapshot
        query = select(newest, case(((others == 0) & ~long, found)))
        upto, total = (await self._connection.execute(query)).one()
        return (None, 0) if total is None else (upto, total)

    async def _last_committed(self) -> int:
        """A number up to which all executions are committed."""
        query = select(executions.c.n).where(executions.c.organization_id == self._organization_id)
        if self._is_sqlite:
            query = query.order_by(executions.c.n.desc())  # one writer: numbers are committed in order
        else:
            # numbers are assigned before the commit: only those older than any open transaction are safe
            query = query.where(executions.c.start_time <= now_ms() - _LONGEST_TRANSACTION_MS)
            query = query.order_by(executions.c.start_time.desc())
        return (await self._connection.execute(query.limit(1))).scalar() or 0
