"""Whether a browser still lives, and what a failed call to it means."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from playwright.async_api import Browser
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.devtools import send
from pagehand.browser.errors import translate
from pagehand.browser.provider import ProvidedBrowser
from pagehand.errors import BlockFailed, BrowserLost, PagehandError
from pagehand.page.page_loss import is_page_lost

# Playwright fails the call and reports the disconnection in either order
_NEWS_SECONDS: Final = 0.3
_ANSWER_SECONDS: Final = 2.0


class BrowserLiveness:
    """The state of one browser, from its launch to the end of its session."""

    def __init__(self, provided: ProvidedBrowser) -> None:
        self._control = provided.control
        self.lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """For others to wait for: resolves with the reason when it is over."""
        self.end: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """The same for the browser's own parts: a waiter that gives up cancels what it waited for."""
        self._guards: set[asyncio.Timeout] = set()
        provided.browser.on("disconnected", self._disconnected)
        provided.died.add_done_callback(self._died)

    @property
    def is_over(self) -> bool:
        """True once the browser or its page has died, or the session has ended."""
        return self.end.done()

    async def answers(self) -> bool:
        """True when the browser answers a command within two seconds."""
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                await send(self._control, "Browser.getVersion")
        except (PlaywrightError, TimeoutError):
            return False
        return not self.is_over

    def lose(self, reason: str) -> None:
        """It is over: whoever uses the browser just now learns of it at once."""
        if self.is_over:
            return
        self.end.set_result(reason)
        if not self.lost.done():
            self.lost.set_result(reason)
        now = asyncio.get_running_loop().time()
        for limit in list(self._guards):
            # a call to a dead browser may never return: the time limit around it is what ends it
            limit.reschedule(now)

    @asynccontextmanager
    async def guard(self, what: str) -> AsyncGenerator[None]:
        """Around whatever uses the browser: errors become ours, and a dead browser ends it at once."""
        limit = asyncio.timeout(None)
        try:
            async with limit:
                self._guards.add(limit)
                try:
                    if self.is_over:
                        raise BrowserLost(self.end.result())
                    yield
                except PlaywrightError as error:
                    raise await self._meaning(error, what) from error
                finally:
                    self._guards.discard(limit)
        except TimeoutError:
            # a limit of the caller's own ran out, which says nothing about the browser
            if not limit.expired():
                raise
            raise BrowserLost(self.end.result()) from None

    async def _meaning(self, error: PlaywrightError, what: str) -> PagehandError:
        if not is_page_lost(error):
            return translate(error, what)
        # the news of a death and the failed call race each other
        await asyncio.wait([self.end], timeout=_NEWS_SECONDS)
        if not await self.answers():
            self.lose("The browser died.")
        if self.is_over:
            return BrowserLost(self.end.result())
        return BlockFailed(f"The tab was closed meanwhile{f' ({what})' if what else ''}.")

    def _disconnected(self, _browser: Browser) -> None:
        self.lose("The browser died.")

    def _died(self, news: "asyncio.Future[str]") -> None:
        if not news.cancelled():
            self.lose(news.result())
