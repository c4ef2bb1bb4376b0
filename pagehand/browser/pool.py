"""Browsers launched ahead of need, each used by one execution and thrown away."""

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

from playwright.async_api import Error as PlaywrightError

from pagehand.browser.provider import LaunchOptions, ProvidedBrowser, Provider
from pagehand.browser.proxy import ProxyAddress
from pagehand.browser.session import BrowserSession, SessionOptions
from pagehand.errors import BrowserLost, PagehandError

_TRIES: Final = 3
_OPEN_SECONDS: Final = 30.0
# where no browser can be launched, the next try is not likely to fare better at once
_REFILL_PAUSE_SECONDS: Final = 5.0
# a launch takes some 250 ms of CPU time, which on two cores would come out of the run that just began
_REFILL_AFTER_SECONDS: Final = 2.0


def _no_proxy() -> ProxyAddress | None:
    return None


class BrowserPool:
    """Hands out browser sessions; keeps `size` browsers ready so that nobody waits for a launch."""

    def __init__(
        self,
        provider: Provider,
        *,
        size: int,
        max_tabs: int = 20,
        new_proxy: Callable[[], ProxyAddress | None] = _no_proxy,
    ) -> None:
        """Nothing starts before `start` or the first `take`.

        `new_proxy` names the proxy for each session that is prepared; its taker finds it in `session.proxy`.
        """
        self._provider = provider
        self._size = size
        self._max_tabs = max_tabs
        self._new_proxy = new_proxy
        self._idle: deque[BrowserSession] = deque()
        self._refilling: asyncio.Task[None] | None = None
        self._ending: set[asyncio.Task[None]] = set()
        self._is_closed = False

    def start(self) -> None:
        """Begin to end what an earlier process left, and to launch browsers ahead."""
        self._provider.start()
        self._refill()

    def end_lost(self, vendor_id: str) -> None:
        """End a browser of another process, which was lost with it; in the background."""
        self._in_background(self._provider.end_lost(vendor_id))

    @property
    def ready(self) -> int:
        """How many browsers wait to be taken."""
        return len(self._idle)

    async def take(self, options: SessionOptions) -> BrowserSession:
        """A session in a browser of its own; raises `Unavailable` or `BrowserLost` when none can be had."""
        # the operator's limit holds, whatever a caller asks for
        bounded = replace(options, max_tabs=min(options.max_tabs, self._max_tabs))
        for _ in range(_TRIES):
            session = await self._next()
            try:
                if options.proxy is not None:
                    session = await self._reopen(session, options.proxy)
                await session.bind(bounded)
            except (PlaywrightError, TimeoutError, BrowserLost):
                # it died while it waited, or with the driver: throw it away and take the next
                self._throw_away(session.provided, _own_proxy(session, options))
            except BaseException:
                # its taker was cancelled: nobody else knows of it
                self._throw_away(session.provided, _own_proxy(session, options))
                raise
            else:
                return session
        raise BrowserLost("Browsers die as soon as they are started. `pagehand doctor` may say why.")

    async def close(self) -> None:
        """End all browsers, those in use too, and leave nothing behind."""
        self._is_closed = True
        # before the provider closes: a launch under way would start a browser that nobody ends
        if self._refilling is not None:
            self._refilling.cancel()
            await asyncio.gather(self._refilling, return_exceptions=True)
        await asyncio.gather(*self._ending)
        self._idle.clear()
        await self._provider.close()

    async def _next(self) -> BrowserSession:
        while self._idle:
            session = self._idle.popleft()
            self._refill_soon()
            is_alive = False
            try:
                is_alive = await session.answers()
            finally:
                if not is_alive:  # dead, or its taker was cancelled meanwhile
                    self._throw_away(session.provided, session.proxy)
            if is_alive:
                return session
        session = await self._prepare()
        self._refill()
        return session

    async def _prepare(self) -> BrowserSession:
        """Launch a browser and open a session in it, so that taking it costs nothing."""
        for _ in range(_TRIES):
            # a browser that opens no context is broken for good; the next one may not be
            provided = await self._launch()
            proxy = self._new_proxy()
            try:
                async with asyncio.timeout(_OPEN_SECONDS):
                    return await BrowserSession.open(provided, proxy)
            except (PlaywrightError, TimeoutError, BrowserLost):
                self._throw_away(provided, proxy)
            except BaseException:
                self._throw_away(provided, proxy)
                raise
        raise BrowserLost("Browsers die as soon as they are started. `pagehand doctor` may say why.")

    async def _launch(self) -> ProvidedBrowser:
        """Launch a browser; one whose taker is cancelled meanwhile is thrown away once it is there.

        A launch that is cancelled half way would leave a process behind that nobody knows of.
        """
        launching = asyncio.ensure_future(self._provider.launch(LaunchOptions()))
        try:
            return await asyncio.shield(launching)
        except asyncio.CancelledError:
            self._in_background(_close_launched(launching))
            raise

    async def _reopen(self, session: BrowserSession, proxy: ProxyAddress) -> BrowserSession:
        """The same browser with another proxy, which only a fresh context can have."""
        async with asyncio.timeout(_OPEN_SECONDS):
            fresh = await BrowserSession.open(session.provided, proxy)
            await session.context.close()
        if session.proxy is not None and session.proxy.leave is not None:
            session.proxy.leave()
        return fresh

    def _refill_soon(self) -> None:
        """Launch at once if none is left; otherwise leave the machine to the run that begins just now."""
        if self._idle:
            asyncio.get_running_loop().call_later(_REFILL_AFTER_SECONDS, self._refill)
        else:
            self._refill()

    def _refill(self) -> None:
        if not self._is_closed and (self._refilling is None or self._refilling.done()):
            self._refilling = asyncio.ensure_future(self._launch_ahead())

    async def _launch_ahead(self) -> None:
        while len(self._idle) < self._size:
            try:
                self._idle.append(await self._prepare())
            except PagehandError:
                # whoever takes a browser meets the same trouble and reports it
                await asyncio.sleep(_REFILL_PAUSE_SECONDS)

    def _throw_away(self, provided: ProvidedBrowser, proxy: ProxyAddress | None = None) -> None:
        if proxy is not None and proxy.leave is not None:
            proxy.leave()
        self._in_background(provided.close())

    def _in_background(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


def _own_proxy(session: BrowserSession, options: SessionOptions) -> ProxyAddress | None:
    """The proxy to leave with the session: the pool's own, never the taker's, which the next try needs."""
    return None if session.proxy is options.proxy else session.proxy


async def _close_launched(launching: "asyncio.Future[ProvidedBrowser]") -> None:
    with contextlib.suppress(PagehandError, PlaywrightError):
        await (await launching).close()
