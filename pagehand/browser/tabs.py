"""The tabs of a session: which one is current, which came from which, and how many there may be."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Final

from playwright.async_api import BrowserContext, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.dialogs import Report
from pagehand.errors import BlockFailed, BrowserLost
from pagehand.javascript import load_script
from pagehand.page.page_loss import is_page_lost

_REPORTED: Final = 5
_NEWS_MS: Final = 500
_BLANK: Final = frozenset({"", "about:blank"})
_IS_EMPTY: Final = "() => !document.body?.childElementCount && !document.body?.innerText.trim()"

# Each new tab stops its page for a moment. A page that opens hundreds is answered as popup blockers do:
# there is no window; 40 in ten seconds is more than an honest page wants and more than a session keeps.
_STORM_BREAKER: Final = load_script(__file__, "storm_breaker")


class Tabs:
    """Keeps track of open tabs, oldest first."""

    def __init__(self, context: BrowserContext, report: Report, limit: int) -> None:
        """More than `limit` tabs are closed as they open."""
        self._context = context
        self._report = report
        self.limit = limit
        self._open: list[Page] = []
        self._openers: dict[Page, Page | None] = {}
        self._current: Page | None = None
        self._noted: list[Page] | None = None
        self._closed_count = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._opening = 0
        self.own = 0
        """How many tabs were opened by us and not by a page."""
        self.arrived = asyncio.Event()
        """Set whenever a tab appears; whoever waits for one clears it first."""

    @property
    def current(self) -> Page:
        """The tab blocks act on."""
        if self._current is None:
            raise BrowserLost("The browser has no open tab.")
        return self._current

    @property
    def all(self) -> Sequence[Page]:
        """Every open tab."""
        return tuple(self._open)

    async def prepare(self) -> None:
        """Have every document stop opening tabs long before it could do harm."""
        await self._context.add_init_script(_STORM_BREAKER)

    async def open(self) -> Page:
        """A blank tab, made current."""
        if len(self._open) >= self.limit:
            raise BlockFailed(
                f"There are {len(self._open)} tabs open already, the limit. Close some with ClosePage."
            )
        opener = self._current
        page = await self._blank(opener)
        self._current = page
        return page

    def appeared(self, page: Page) -> None:
        """Take in a tab that has opened by whatever means."""
        self.arrived.set()
        if len(self._open) >= self.limit and not self._opening:
            self._turn_away(page)
            return
        self._open.append(page)
        # a guess until `_learn_opener` knows better; a tab that closes at once still needs an opener
        self._openers[page] = self._current
        if self._noted is not None:
            self._noted.append(page)
        page.once("close", self._closed)
        if not self._opening:
            self._spawn(self._learn_opener(page))

    def turn_away(self, page: Page) -> None:
        """Close a tab that has nothing to show; blocks never see it."""
        self.arrived.set()
        self._spawn_close(page)

    def drop_blank(self, page: Page) -> None:
        """Close a tab that a page opened and that only carried a download; its opener is current again."""
        if page in self._open and self._openers.get(page) is not None and page.url in _BLANK:
            self._closed(page)
            self._spawn_close(page)

    @contextmanager
    def noting(self, opened: list[Page]) -> Generator[None]:
        """While a block acts: note the tabs that open."""
        before, self._noted = self._noted, opened
        try:
            yield
        finally:
            self._noted = before

    async def open_aside(self) -> Page:
        """A blank tab that blocks never see; whoever asks for it closes it."""
        page = await self._blank(None)
        self._open.remove(page)
        return page

    async def demand_content(self) -> None:
        """Refuse to read a tab in which nothing was ever opened."""
        if self.current.url in _BLANK and await self.current.evaluate(_IS_EMPTY):
            raise BlockFailed(
                "There is nothing to read: the current tab is blank. Open a page with a Navigate block "
                "first, or switch to another tab with its `tab`."
            )

    @asynccontextmanager
    async def looking(self) -> AsyncGenerator[None]:
        """Within, the current tab is looked at, in a loop that ends by returning.

        When the tab closes meanwhile, as look-up windows do, its opener is current: the loss is forgotten, so
        that the loop looks there.
        """
        page = self.current
        try:
            yield
        except PlaywrightError as error:
            gone = is_page_lost(error) and await is_soon_closed(page)
            if not gone or self._current in (None, page):
                raise

    async def switch_to(self, page: Page) -> None:
        """Make `page` current, also for the site (focus, visibility)."""
        if page not in self._open:
            raise BlockFailed("That tab is not open any more.")
        self._current = page
        await page.bring_to_front()

    async def replace(self, page: Page) -> None:
        """Put a blank tab in the place of one that does not answer any more."""
        opener = self._openers.get(page)
        fresh = await self._blank(opener)
        if self._current is page:
            self._current = fresh
        self._spawn_close(page)

    async def close(self, pages: Sequence[Page]) -> int:
        """Close tabs; how many it were. The last one leaves a blank tab behind."""
        closing = [page for page in pages if page in self._open]
        if len(closing) == len(self._open):
            fresh = await self._blank(None)
            # so that the blank tab becomes current, and not one that is about to close
            self._openers.update(dict.fromkeys(closing, fresh))
        for page in closing:
            await page.close()
        return len(closing)

    async def _blank(self, opener: Page | None) -> Page:
        self.own += 1
        self._opening += 1
        try:
            page = await self._context.new_page()
        finally:
            self._opening -= 1
        self._openers[page] = opener
        return page

    def _closed(self, page: Page) -> None:
        if page in self._open:
            self._open.remove(page)
        if page is self._current:
            opener = self._openers.get(page)
            # its opener may be gone too: go up until one is left
            while opener is not None and opener not in self._open:
                opener = self._openers.get(opener)
            self._current = opener or (self._open[-1] if self._open else None)

    def _turn_away(self, page: Page) -> None:
        self._closed_count += 1
        # a page can open tabs for ever; events have a limit per execution
        if self._closed_count <= _REPORTED:
            message = f"A tab was closed because {self.limit} are open already."
            self._report("popup.closed", message, {"url": page.url})
        self._spawn_close(page)

    async def _learn_opener(self, page: Page) -> None:
        """A window of a window was not opened by the current tab."""
        with suppress(PlaywrightError):
            opener = await page.opener()
            if opener is not None and page in self._openers:
                self._openers[page] = opener

    def _spawn_close(self, page: Page) -> None:
        self._spawn(_close_quietly(page))

    def _spawn(self, chore: Coroutine[None, None, None]) -> None:
        task = asyncio.ensure_future(chore)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def is_soon_closed(page: Page) -> bool:
    """True for a tab that is closed; the news of it and a failed call race each other."""
    with suppress(PlaywrightError, TimeoutError):
        if not page.is_closed():
            await page.wait_for_event("close", timeout=_NEWS_MS)
    return page.is_closed()


async def _close_quietly(page: Page) -> None:
    try:
        await page.close()
    except PlaywrightError:
        # gone already, or the whole browser is
        return
