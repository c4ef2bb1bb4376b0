"""The tabs as the live view lists them: numbered, with their titles."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final
from urllib.parse import urlsplit

from playwright.async_api import CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.devtools import send
from pagehand.browser.tabs import Tabs
from pagehand.browser_session import Tab

_TITLE_SECONDS: Final = 1.0
_TITLE_LENGTH: Final = 200


class TabList:
    """Numbers the tabs of a session; a number is never used again."""

    def __init__(self, tabs: Tabs, channel: Callable[[Page], Awaitable[CDPSession]]) -> None:
        """`channel` gives a tab's protocol channel."""
        self._tabs = tabs
        self._channel = channel
        self._numbers: dict[Page, int] = {}
        self._last_number = 0

    def number_new(self) -> list[Page]:
        """Give every new tab a number; the new ones."""
        new = [page for page in self._tabs.all if page not in self._numbers]
        for page in new:
            self._last_number += 1
            self._numbers[page] = self._last_number
        for page in self._numbers.keys() - set(self._tabs.all):
            del self._numbers[page]
        return new

    def page_of(self, number: int) -> Page | None:
        """The tab of that number; None when it is closed."""
        return next((page for page, own in self._numbers.items() if own == number), None)

    async def describe(self) -> tuple[Tab, ...]:
        """All tabs, oldest first."""
        return tuple([await self._describe(page) for page in self._tabs.all])

    async def _describe(self, page: Page) -> Tab:
        title = ""
        with suppress(PlaywrightError, TimeoutError):
            async with asyncio.timeout(_TITLE_SECONDS):
                # asked of the browser, because the page itself cannot answer while a dialog is open
                answer = await send(await self._channel(page), "Target.getTargetInfo")
                title = str(answer["targetInfo"]["title"])[:_TITLE_LENGTH]
        site = urlsplit(page.url).netloc.rpartition("@")[2]
        if "://" in title or title.startswith(f"{site}/"):
            title = ""  # Chromium gives the address of a page that has no title
        return Tab(self._numbers.get(page, 0), title, site, page is self._tabs.current)
