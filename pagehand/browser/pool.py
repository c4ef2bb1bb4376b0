"""Browsers launched ahead of need, each used by one execution and thrown away."""

import asyncio
from collections import deque
from dataclasses import replace
from typing import Final

from playwright.async_api import Error as PlaywrightError

from pagehand.browser.provider import LaunchOptions, ProvidedBrowser, Provider
from pagehand.browser.session import BrowserSession, SessionOptions
from pagehand.errors import BrowserLost, PagehandError

_TRIES: Final = 3
_CHECK_SECONDS: Final = 2.0
_REFILL_PAUSE_SECONDS: Final = 5.0


class BrowserPool:
    """Hands out browser sessions; keeps `size` browsers ready so that nobody waits for a launch."""

    def __init__(self, provider: Provider, *, size: int, max_tabs: int = 20) -> None:
        """Nothing starts before `start` or the first `take`."""
        self._provider = provider
        self._size = size
        self._max_tabs = max_tabs
        self._idle: deque[ProvidedBrowser] = deque()
        self._taken: set[BrowserSession] = set()
        self._refilling: asyncio.Task[None] | None = None
        self._throwing: set[asyncio.Task[None]] = set()
        self._is_closed = False

    def start(self) -> None:
        """Begin to launch browsers ahead, in the background."""
        self._refill()

    @property
    def ready(self) -> int:
        """How many browsers wait to be taken."""
        return len(self._idle)

    async def take(self, options: SessionOptions) -> BrowserSession:
        """A session in a browser of its own; raises `Unavailable` or `BrowserLost` when none can be had."""
        if options.max_tabs != self._max_tabs:
            options = replace(options, max_tabs=min(options.max_tabs, self._max_tabs))
        for _ in range(_TRIES):
            provided = await self._next()
            try:
                session = await asyncio.wait_for(BrowserSession.open(provided, options), 30)
            except (PlaywrightError, TimeoutError, BrowserLost):
                # it died while it waited, or with the driver: throw it away and take the next
                self._throw_away(provided)
                continue
            self._taken.add(session)
            session.lost.add_done_callback(lambda _, ended=session: self._taken.discard(ended))
            return session
        raise BrowserLost("Browsers die as soon as they are started. `pagehand doctor` may say why.")

    async def close(self) -> None:
        """End all browsers, those in use too, and leave nothing behind."""
        self._is_closed = True
        if self._refilling is not None:
            self._refilling.cancel()
            await asyncio.gather(self._refilling, return_exceptions=True)
        await asyncio.gather(*self._throwing)
        while self._idle:
            await self._idle.popleft().close()
        await self._provider.close()

    async def _next(self) -> ProvidedBrowser:
        while self._idle:
            provided = self._idle.popleft()
            self._refill()
            if provided.browser.is_connected():
                return provided
            self._throw_away(provided)
        provided = await self._provider.launch(LaunchOptions())
        self._refill()
        return provided

    def _refill(self) -> None:
        if not self._is_closed and (self._refilling is None or self._refilling.done()):
            self._refilling = asyncio.ensure_future(self._launch_ahead())

    async def _launch_ahead(self) -> None:
        while len(self._idle) < self._size:
            try:
                self._idle.append(await self._provider.launch(LaunchOptions()))
            except PagehandError:
                # whoever takes a browser meets the same trouble and reports it
                await asyncio.sleep(_REFILL_PAUSE_SECONDS)

    def _throw_away(self, provided: ProvidedBrowser) -> None:
        task = asyncio.ensure_future(provided.close())
        self._throwing.add(task)
        task.add_done_callback(self._throwing.discard)
