"""The tabs of a session: which one is current, which opened which, and how many there may be."""

import asyncio
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Final

from playwright.async_api import BrowserContext, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.dialogs import Report
from pagehand.browser.liveness import Guard
from pagehand.browser_session import WhichTabs
from pagehand.errors import BlockFailed, BrowserLost
from pagehand.javascript import load_script
from pagehand.loop import spawn
from pagehand.page.dom import is_page_lost

_MAX_REPORTED: Final = 5
_CLOSE_EVENT_MS: Final = 500
_BLANK_URLS: Final = frozenset({"", "about:blank"})
_IS_EMPTY: Final = "() => !document.body?.childElementCount && !document.body?.innerText.trim()"

# Each new tab stops its page for a moment. A page that opens hundreds gets what popup blockers answer, no
# window; 40 in ten seconds is more than an honest page wants and more than a session keeps.
_POPUP_LIMITER: Final = load_script(__file__, "popup_limiter")


class Tabs:
    """Keeps track of open tabs, oldest first."""

    def __init__(self, context: BrowserContext, guard: Guard, report: Report, limit: int) -> None:
        """More than `limit` tabs are closed as they open."""
        self._context = context
        self._guard = guard
        self._report = report
        self.limit = limit
        self._open: list[Page] = []
        self._openers: dict[Page, Page | None] = {}
        self._current: Page | None = None
        self._recorded: list[Page] | None = None
        self._closed_count = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._opening = 0
        self.opened_by_us = 0
        """How many tabs were opened by us and not by a page."""
        self.arrived = asyncio.Event()
        """Set whenever a tab appears; clear it before waiting for the next one."""

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
        """Install the limit on popups in every document."""
        await self._context.add_init_script(_POPUP_LIMITER)

    async def open(self) -> Page:
        """Open a blank tab and make it current."""
        async with self._guard("open a tab"):
            if len(self._open) >= self.limit:
                raise BlockFailed(
                    f"There are {len(self._open)} tabs open already, the limit. Close some with ClosePage."
                )
            self._current = await self._open_blank(self._current)
            return self._current

    async def open_unlisted(self) -> Page:
        """Open a blank tab that blocks never see; the caller closes it."""
        page = await self._open_blank(None)
        self._open.remove(page)
        return page

    async def switch_to(self, page: Page) -> None:
        """Make `page` current, also for the site (focus, visibility)."""
        async with self._guard("switch to a tab"):
            if page not in self._open:
                raise BlockFailed("That tab is not open any more.")
            self._current = page
            await page.bring_to_front()

    async def close(self, which: WhichTabs) -> int:
        """Close tabs and count them; a current tab's opener becomes current.

        Closing the last one leaves a blank tab.
        """
        async with self._guard("close tabs"):
            closing = {
                "current": [self.current],
                "others": [page for page in self._open if page is not self.current],
                "last": self._open[-1:],
            }[which]
            if len(closing) == len(self._open):
                fresh = await self._open_blank(None)
                # without this the newest tab becomes current, which may be one that is about to close
                self._openers.update(dict.fromkeys(closing, fresh))
            for page in closing:
                await page.close()
            return len(closing)

    async def replace(self, page: Page) -> None:
        """Put a blank tab in the place of one that does not answer any more."""
        fresh = await self._open_blank(self._openers.get(page))
        if self._current is page:
            self._current = fresh
        spawn(self._tasks, _close_quietly(page))

    async def raise_if_blank(self) -> None:
        """Fail when nothing was ever opened in the current tab: reading it gives nothing."""
        async with self._guard("look at the page"):
            if self.current.url in _BLANK_URLS and await self.current.evaluate(_IS_EMPTY):
                raise BlockFailed(
                    "There is nothing to read: the current tab is blank. Open a page with a Navigate block "
                    "first, or switch to another tab with its `tab`."
                )

    @asynccontextmanager
    async def forgiving_closed_tab(self) -> AsyncGenerator[None]:
        """Around a look at the current tab, in a loop that ends by returning.

        Look-up windows close themselves once something was chosen in them. When the tab closes meanwhile, the
        error is suppressed, and the loop looks again in the opener, which is current by then.
        """
        page = self.current
        try:
            yield
        except PlaywrightError as error:
            is_gone = is_page_lost(error) and await has_closed(page)
            if not is_gone or self._current in (None, page):
                raise

    def add(self, page: Page) -> None:
        """Take in a tab that was opened, by us or by a page; one above the limit is closed."""
        self.arrived.set()
        if len(self._open) >= self.limit and not self._opening:
            self._close_above_limit(page)
            return
        self._open.append(page)
        # a guess until `_learn_opener` knows better; a tab that closes at once still needs an opener
        self._openers[page] = self._current
        if self._recorded is not None:
            self._recorded.append(page)
        page.once("close", self._closed)
        if not self._opening:
            spawn(self._tasks, self._learn_opener(page))

    def close_unlisted(self, page: Page) -> None:
        """Close a new tab that has no document; blocks never see it."""
        self.arrived.set()
        spawn(self._tasks, _close_quietly(page))

    def close_download_tab(self, page: Page) -> None:
        """Close a tab that a page opened only to begin a download; its opener is current again."""
        if page in self._open and self._openers.get(page) is not None and page.url in _BLANK_URLS:
            self._closed(page)
            spawn(self._tasks, _close_quietly(page))

    @contextmanager
    def recording(self, opened: list[Page]) -> Generator[None]:
        """While a block acts: add the tabs that open to `opened`."""
        before, self._recorded = self._recorded, opened
        try:
            yield
        finally:
            self._recorded = before

    async def _open_blank(self, opener: Page | None) -> Page:
        self.opened_by_us += 1
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

    def _close_above_limit(self, page: Page) -> None:
        self._closed_count += 1
        # a page can open tabs for ever; events have a limit per execution
        if self._closed_count <= _MAX_REPORTED:
            message = f"A tab was closed because {self.limit} are open already."
            self._report("popup.closed", message, {"url": page.url})
        spawn(self._tasks, _close_quietly(page))

    async def _learn_opener(self, page: Page) -> None:
        """A popup of a popup was not opened by the current tab."""
        with suppress(PlaywrightError):
            opener = await page.opener()
            if opener is not None and page in self._openers:
                self._openers[page] = opener


async def has_closed(page: Page) -> bool:
    """True for a closed tab; waits a moment, because a failed call can come before the close event."""
    with suppress(PlaywrightError, TimeoutError):
        if not page.is_closed():
            await page.wait_for_event("close", timeout=_CLOSE_EVENT_MS)
    return page.is_closed()


async def _close_quietly(page: Page) -> None:
    try:
        await page.close()
    except PlaywrightError:
        # closed already, or the whole browser is
        return
