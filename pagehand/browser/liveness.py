"""Whether a browser is still running, and what a failed call to it means."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final

from playwright.async_api import Browser
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.errors import translate
from pagehand.browser.provider import ProvidedBrowser, send
from pagehand.errors import BlockFailed, BrowserLost, PagehandError
from pagehand.page.dom import is_page_lost

Guard = Callable[[str], AbstractAsyncContextManager[None]]
"""`BrowserLiveness.guard`: goes around each use of the browser, and is given what the use is for."""

# Playwright fails the call and reports the disconnection in either order
_DISCONNECT_SECONDS: Final = 0.3
_ANSWER_SECONDS: Final = 2.0


class BrowserLiveness:
    """The state of one browser, from its launch to the end of its session."""

    def __init__(self, provided: ProvidedBrowser) -> None:
        self._control = provided.control
        self.lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """For callers outside: resolves with the reason when the browser is lost or the session ends."""
        self.ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """The same for parts of the session: a caller that stops waiting for `lost` cancels it."""
        self._guards: set[asyncio.Timeout] = set()
        provided.browser.on("disconnected", self._disconnected)
        provided.died.add_done_callback(self._died)

    @property
    def is_over(self) -> bool:
        """True once the browser or its page has died, or the session has ended."""
        return self.ended.done()

    async def answers(self) -> bool:
        """True when the browser answers a command within two seconds."""
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                await send(self._control, "Browser.getVersion")
        except (PlaywrightError, TimeoutError):
            return False
        return not self.is_over

    def mark_lost(self, reason: str) -> None:
        """The browser is gone: fail every guarded use of it at once."""
        if self.is_over:
            return
        self.ended.set_result(reason)
        if not self.lost.done():
            self.lost.set_result(reason)
        now = asyncio.get_running_loop().time()
        for limit in list(self._guards):
            # a call to a dead browser may never return: the time limit around it is what ends it
            limit.reschedule(now)

    @asynccontextmanager
    async def guard(self, action: str = "") -> AsyncGenerator[None]:
        """Around each use of the browser: errors become ours, and a lost browser ends the use at once.

        `action` names the use in error messages, such as "open a tab".
        """
        limit = asyncio.timeout(None)
        try:
            async with limit:
                self._guards.add(limit)
                try:
                    if self.is_over:
                        raise BrowserLost(self.ended.result())
                    yield
                except PlaywrightError as error:
                    raise await self._translate(error, action) from error
                finally:
                    self._guards.discard(limit)
        except TimeoutError:
            # a time limit of the caller ran out, which says nothing about the browser
            if not limit.expired():
                raise
            raise BrowserLost(self.ended.result()) from None

    async def _translate(self, error: PlaywrightError, action: str) -> PagehandError:
        if not is_page_lost(error):
            return translate(error, action)
        # the call may fail before the disconnection is reported
        await asyncio.wait([self.ended], timeout=_DISCONNECT_SECONDS)
        if not await self.answers():
            self.mark_lost("The browser died.")
        if self.is_over:
            return BrowserLost(self.ended.result())
        return BlockFailed(f"The tab was closed meanwhile{f' ({action})' if action else ''}.")

    def _disconnected(self, _browser: Browser) -> None:
        self.mark_lost("The browser died.")

    def _died(self, death: "asyncio.Future[str]") -> None:
        if not death.cancelled():
            self.mark_lost(death.result())
