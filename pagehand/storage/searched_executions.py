"""A page of the executions whose texts hold any of the terms, and how many there are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cachetools import LRUCache
from sqlalchemy import ColumnElement, Select, any_, case, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.clock import now_ms
from pagehand.storage.counts import Tally
from pagehand.storage.execution_list import FEW, ExecutionFilter, ExecutionPage, Listing
from pagehand.storage.search import Terms
from pagehand.storage.tables import execution_search, executions

_SAMPLE = 300
_SETTLING_MS = 600_000
_COMMON = 0.05  # the share of matches from which a page is found sooner by walking than by the trigram index
_VERY_COMMON = 0.25  # the share from which looking into every text counts them sooner


@dataclass(slots=True, frozen=True)
class Counted:
    """What an earlier search has counted."""

    upto: int = 0
    """The number of the last execution that was looked at."""
    found: int = 0
    rows: int = 0
    """How many executions the organization had up to there: fewer, and retention has deleted some."""


class SearchTotals:
    """Totals of earlier searches; ids, names and params never change, so what was counted stays counted."""

    def __init__(self, most: int = 1000) -> None:
        self._counted = LRUCache[tuple[str, ...], Counted](most)

    def get(self, key: tuple[str, ...]) -> Counted | None:
        """What was counted for these terms; None at first."""
        return self._counted.get(key)

    def keep(self, key: tuple[str, ...], counted: Counted) -> None:
        """Remember a count, dropping the one not asked for longest."""
        self._counted[key] = counted


class SearchedListing(Listing):
    """One call of `ExecutionStore.list` that searches."""

    def __init__(
        self, connection: AsyncConnection, organization_id: str, wanted: ExecutionFilter, totals: SearchTotals
    ) -> None:
        super().__init__(connection, organization_id, wanted)
        self._totals = totals
        self._terms = Terms(organization_id, wanted.search, is_sqlite=self._is_sqlite)

    async def _read(self, before: int | None) -> ExecutionPage:
        return await (self._search(before) if self._terms else super()._read(before))

    async def _search(self, before: int | None) -> ExecutionPage:
        """A page of what has any of the terms: by index if they are rare, else by walking."""
        driver, _ = await self._choose_driver()
        walked = self._checked(driver)
        if driver != "age" and await self._size(driver) <= FEW * 4:
            return await self._found(walked, before)
        await self._terms.prepare(self._connection)
        sample = await self._sample()
        share = sum(self._terms.found_in(text) for text in sample) / max(len(sample), 1)
        is_indexable = self._terms.are_indexable
        if is_indexable and share < _COMMON:
            return await self._found(self._looked_up(sample), before)
        if driver != "age":
            total = await self._count_all(walked)
        elif is_indexable and self._is_sqlite and share < _VERY_COMMON:
            total = await self._search_total(self._looked_up(sample))
        else:
            total = await self._search_total(self._scanned())
        if total == 0:
            return ExecutionPage()
        if before is not None:
            walked = walked.where(executions.c.n < before)
        return await self._page(self._cut(walked, executions.c.n), total)

    async def _found(self, query: Select[Any], before: int | None) -> ExecutionPage:
        """The page, from the numbers of everything that matches: they are few."""
        numbers = sorted((await self._connection.execute(query)).scalars(), reverse=True)
        left = numbers if before is None else [number for number in numbers if number < before]
        offset = self._wanted.offset
        on_page = left[offset : offset + self._wanted.limit + 1]
        return await self._page(on_page, len(numbers)) if on_page else ExecutionPage(total=len(numbers))

    def _checked(self, driver: str) -> Select[Any]:
        """Walk the driver's index and look into each text."""
        query = select(executions.c.n).join(execution_search, execution_search.c.n == executions.c.n)
        return query.where(*self._conditions(driver), self._terms.matching())

    def _looked_up(self, sample: Sequence[str]) -> Select[Any]:
        """Let the trigram index name the texts to look into."""
        candidates = self._terms.candidates(sample)
        # as an array: otherwise PostgreSQL's planner, who thinks them many, may read every text
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
        """The newest texts of the organization: a cheap hint at what is common here."""
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
        """Look into every text, in the order they lie in."""
        return select(execution_search.c.n).where(
            execution_search.c.organization_id == self._organization_id, self._terms.matching()
        )

    async def _search_total(self, query: Select[Any]) -> int:
        """How many `query` finds; what an earlier call has counted is not counted again."""
        key = (self._organization_id, *self._terms.folded)
        known = self._totals.get(key)
        if known is not None and await self._rows(known.upto) != known.rows:
            known = None  # some of what was counted is gone: nobody knows whether it had the terms
        if self._terms.are_in_index and known is None:
            rows = await self._rows(None)
            upto, total = await self._count_in_index()
            if upto is not None:
                self._totals.keep(key, Counted(upto, total, rows))
                return total
        settled, known = await self._settled(), known or Counted()
        # before the count: what is deleted or added meanwhile makes the next search count anew
        rows = await self._rows(settled)
        if settled - known.upto <= FEW * 4:
            query = self._scanned()
        fresh = query.where(execution_search.c.n > known.upto).subquery()
        counted = select(func.count(), func.count().filter(fresh.c.n <= settled)).select_from(fresh)
        total, old = (await self._connection.execute(counted)).one()
        self._totals.keep(key, Counted(settled, known.found + old, rows))
        return known.found + total

    async def _rows(self, upto: int | None) -> int:
        """How many executions the organization has up to a number: counters, less those that came since."""
        rows: ColumnElement[int] = (
            Tally(organization_id=self._organization_id).query(self._connection).scalar_subquery()
        )
        if upto is not None:
            own = executions.c.organization_id == self._organization_id
            later = select(func.count()).select_from(executions).where(own, executions.c.n > upto)
            rows = rows - later.scalar_subquery()
        return (await self._connection.execute(select(rows))).scalar_one()

    async def _count_in_index(self) -> tuple[int | None, int]:
        """The newest number and how many the index finds; (None, 0) where the index cannot know.

        It does not tell organizations apart, and of long texts it has the beginning only.
        """
        own = Tally(organization_id=self._organization_id).query(self._connection)
        strangers = select(func.count(execution_search.c.n)).scalar_subquery() - own.scalar_subquery()
        long = select(execution_search.c.n).where(text("execution_search.is_long")).exists()
        found = select(func.count()).select_from(self._terms.in_index().subquery()).scalar_subquery()
        newest = select(func.max(execution_search.c.n)).scalar_subquery()
        # one statement, so that all of it is true at the same moment
        query = select(newest, case(((strangers == 0) & ~long, found)))
        upto, total = (await self._connection.execute(query)).one()
        return (None, 0) if total is None else (upto, total)

    async def _settled(self) -> int:
        """A number up to which no execution is still being added."""
        query = select(executions.c.n).where(executions.c.organization_id == self._organization_id)
        if self._is_sqlite:
            query = query.order_by(executions.c.n.desc())  # one writer: numbers are committed in order
        else:
            # numbers are given out before the commit: wait until every transaction of that time is over
            query = query.where(executions.c.start_time <= now_ms() - _SETTLING_MS)
            query = query.order_by(executions.c.start_time.desc())
        return (await self._connection.execute(query.limit(1))).scalar() or 0
