"""Browsers launched ahead of time, and those that an organization has used before."""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

from playwright.async_api import Error as PlaywrightError

from pagehand.browser.provider import LaunchOptions, ProvidedBrowser, Provider, ProxyAddress
from pagehand.browser.reuse import KeptBrowsers
from pagehand.browser.session import BrowserSession
from pagehand.browser.session_options import SessionOptions
from pagehand.errors import BrowserLost, PagehandError
from pagehand.loop import spawn

_TRIES: Final = 3
_OPEN_SECONDS: Final = 30.0
# a launch that failed is not likely to succeed a moment later
_REFILL_PAUSE_SECONDS: Final = 5.0
# a launch takes some 250 ms of CPU time, which on two cores the run that just began would lack
_REFILL_AFTER_SECONDS: Final = 2.0


def _no_proxy() -> ProxyAddress | None:
    return None


class BrowserPool:
    """Gives out browser sessions; keeps `size` browsers ready, because a launch takes time."""

    def __init__(
        self,
        provider: Provider,
        *,
        size: int,
        max_tabs: int = 20,
        max_uses: int = 1,
        new_proxy: Callable[[], ProxyAddress | None] = _no_proxy,
    ) -> None:
        """Nothing starts before `start` or the first `take`.

        `new_proxy` gives the proxy of each session that is prepared; `session.proxy` has it. A browser ends
        after `max_uses` executions.
        """
        self._provider = provider
        self._size = size
        self._max_tabs = max_tabs
        self._new_proxy = new_proxy
        self._idle: deque[BrowserSession] = deque()
        self._kept = KeptBrowsers(
            self._open,
            lambda session: self._discard(session.provided, session.proxy),
            max_uses=max_uses,
            max_kept=max(size, 1),
        )
        self._refilling: asyncio.Task[None] | None = None
        self._first: asyncio.Task[BrowserSession] | None = None
        self._ending: set[asyncio.Task[None]] = set()
        self._is_closed = False

    def start(self) -> None:
        """Begin to end browsers of an earlier process, and to launch new ones."""
        self._provider.start()
        self._refill()

    def warm_up(self) -> None:
        """Launch the browser that the first `take` gets; no other is launched ahead because of it."""
        self._first = asyncio.ensure_future(self._prepare())

    def end_lost(self, vendor_id: str) -> None:
        """End a browser whose process has died; in the background."""
        spawn(self._ending, self._provider.end_lost(vendor_id))

    @property
    def ready(self) -> int:
        """How many browsers are ready to be taken."""
        return len(self._idle)

    async def take(self, options: SessionOptions) -> BrowserSession:
        """A session in a new browser; raises `Unavailable` or `BrowserLost` when there is none."""
        # the operator's limit applies, whatever a caller asks for
        bounded = replace(options, max_tabs=min(options.max_tabs, self._max_tabs))
        for _ in range(_TRIES):
            session = await self._next(options.organization_id)
            try:
                if options.proxy is not None:
                    session = await self._reopen(session, options.proxy)
                await session.bind(bounded)
            except (PlaywrightError, TimeoutError, BrowserLost):
                # it died while it was idle, or with the driver: end it and take the next
                self._discard(session.provided, _proxy_to_leave(session, options))
            except BaseException:
                # the caller was cancelled: nobody else would end it
                self._discard(session.provided, _proxy_to_leave(session, options))
                raise
            else:
                if options.organization_id is not None and session.provided.is_reusable:
                    self._kept.used(session, options.organization_id)
                    session.keep = partial(self._kept.give_back, session)
                return session
        raise BrowserLost("Browsers die as soon as they are started. `pagehand doctor` may say why.")

    async def close(self) -> None:
        """End all browsers, those in use too, and leave nothing behind."""
        self._is_closed = True
        # before the provider closes: a launch in progress would start a browser that nobody ends
        for launching in (self._refilling, self._first):
            if launching is not None:
                launching.cancel()
                await asyncio.gather(launching, return_exceptions=True)
        await self._kept.close()
        await asyncio.gather(*self._ending)
        self._idle.clear()
        await self._provider.close()

    async def _next(self, organization_id: str | None) -> BrowserSession:
        kept = None if organization_id is None else await self._kept.take(organization_id)
        if kept is not None and await self._is_alive(kept):
            return kept
        self._kept.make_room()
        if self._first is not None:
            first, self._first = self._first, None
            return await first
        while self._idle:
            session = self._idle.popleft()
            self._refill_soon()
            if await self._is_alive(session):
                return session
        session = await self._prepare()
        self._refill()
        return session

    async def _is_alive(self, session: BrowserSession) -> bool:
        is_alive = False
        try:
            is_alive = await session.answers()
        finally:
            if not is_alive:  # dead, or the caller was cancelled meanwhile
                self._discard(session.provided, session.proxy)
        return is_alive

    async def _prepare(self) -> BrowserSession:
        """Launch a browser and open a session in it."""
        for _ in range(_TRIES):
            # a browser that cannot open a context stays broken; the next one may work
            provided = await self._launch()
            try:
                return await self._open(provided)
            except (PlaywrightError, TimeoutError, BrowserLost):
                self._discard(provided)
            except BaseException:
                self._discard(provided)
                raise
        raise BrowserLost("Browsers die as soon as they are started. `pagehand doctor` may say why.")

    async def _open(self, provided: ProvidedBrowser) -> BrowserSession:
        proxy = self._new_proxy()
        try:
            async with asyncio.timeout(_OPEN_SECONDS):
                return await BrowserSession.open(provided, proxy)
        except BaseException:
            _leave(proxy)
            raise

    async def _launch(self) -> ProvidedBrowser:
        """Launch a browser; if the caller is cancelled meanwhile, the browser is ended once it is there.

        Cancelling the launch itself would leave a process behind that nobody ends.
        """
        launching = asyncio.ensure_future(self._provider.launch(LaunchOptions()))
        try:
            return await asyncio.shield(launching)
        except asyncio.CancelledError:
            spawn(self._ending, _close_launched(launching))
            raise

    async def _reopen(self, session: BrowserSession, proxy: ProxyAddress) -> BrowserSession:
        """The same browser with another proxy, which needs a new context."""
        async with asyncio.timeout(_OPEN_SECONDS):
            fresh = await BrowserSession.open(session.provided, proxy)
            await session.context.close()
        _leave(session.proxy)
        return fresh

    def _refill_soon(self) -> None:
        """Launch at once if none is left; otherwise leave the CPU to the run that has just begun."""
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
                # the next caller of `take` gets the same error and reports it
                await asyncio.sleep(_REFILL_PAUSE_SECONDS)

    def _discard(self, provided: ProvidedBrowser, proxy: ProxyAddress | None = None) -> None:
        _leave(proxy)
        spawn(self._ending, provided.close())


def _leave(proxy: ProxyAddress | None) -> None:
    if proxy is not None and proxy.leave is not None:
        proxy.leave()


def _proxy_to_leave(session: BrowserSession, options: SessionOptions) -> ProxyAddress | None:
    """The proxy to leave with the session: never the caller's, which the next try needs."""
    return None if session.proxy is options.proxy else session.proxy


async def _close_launched(launching: "asyncio.Future[ProvidedBrowser]") -> None:
    with contextlib.suppress(PagehandError, PlaywrightError):
        await (await launching).close()
