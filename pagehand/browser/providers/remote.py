"""Browsers elsewhere, driven over Chromium's debugging protocol: rented from a vendor, or simply there."""

import asyncio
import contextlib
from dataclasses import dataclass, field
from typing import Final, Protocol

import structlog
from playwright.async_api import Browser
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.devtools import send
from pagehand.browser.provider import LaunchOptions, ProvidedBrowser
from pagehand.browser.providers.driver import CLOSE_SECONDS, Drivers
from pagehand.errors import Unavailable

_log = structlog.get_logger("pagehand.browsers")
_CONNECT_MS: Final = 30_000
_END_SECONDS: Final = 10.0
_END_AGAIN_SECONDS: Final = 30.0


@dataclass(slots=True, frozen=True)
class Rented:
    """A browser that somebody runs for us."""

    id: str
    """What the vendor calls it; enough to end it."""
    address: str
    """Where it speaks the debugging protocol (`ws:`, `wss:` or `http:`)."""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    is_shared: bool = False
    """Whether others have tabs in it, too."""


class Vendor(Protocol):
    """Somebody who runs browsers."""

    async def rent(self) -> Rented:
        """A browser of our own; raises `Unavailable` when none can be had."""
        ...

    async def end(self, vendor_id: str) -> None:
        """Give it back, even if it is gone already; raises `Unavailable` if the vendor cannot be asked."""
        ...

    async def left_behind(self) -> list[str]:
        """Browsers that this installation rented before and that still run."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


class RemoteProvider:
    """Rents browsers and always gives them back: a connection that closes ends nothing."""

    def __init__(self, vendor: Vendor) -> None:
        """Nothing starts before the first launch."""
        self._vendor = vendor
        self._drivers = Drivers()
        self._rented: dict[str, Browser] = {}
        self._reaping: asyncio.Task[None] | None = None
        self._unended: set[str] = set()
        """Those that the vendor could not be asked to end."""
        self._ending: asyncio.Task[None] | None = None

    async def launch(self, options: LaunchOptions) -> ProvidedBrowser:  # noqa: ARG002 - a context has its own proxy
        """A browser of the vendor's, connected."""
        await asyncio.shield(self._reaped())
        rented = await self._vendor.rent()
        try:
            return await self._connected(rented)
        except BaseException as error:
            # ending a shared browser does nothing: without this its connection would stay open
            await self._close(rented.id) if rented.id in self._rented else await self._give_back(rented.id)
            if isinstance(error, PlaywrightError):
                raise Unavailable(f"The remote browser cannot be reached: {error.message[:800]}") from error
            raise

    def start(self) -> None:
        """Begin to end what an earlier process rented and could not give back before it died."""
        self._reaped()

    async def end_lost(self, vendor_id: str) -> None:
        """End a browser that another process rented; a vendor who does not know it has nothing to end."""
        try:
            async with asyncio.timeout(_END_SECONDS):
                await self._vendor.end(vendor_id)
        except (Unavailable, TimeoutError) as error:
            _log.warning("a lost browser could not be ended", vendor_id=vendor_id, reason=str(error))

    async def close(self) -> None:
        """Give every browser back and end the driver."""
        if self._reaping is not None:
            await asyncio.wait([self._reaping], timeout=CLOSE_SECONDS)
            self._reaping.cancel()
        if self._ending is not None:
            self._ending.cancel()
            await asyncio.wait([self._ending])
        await asyncio.gather(*(self._close(vendor_id) for vendor_id in list(self._rented)))
        await self._drivers.close()
        await self._vendor.close()

    async def _connected(self, rented: Rented) -> ProvidedBrowser:
        driver = await self._drivers.living()
        browser = await driver.playwright.chromium.connect_over_cdp(
            rented.address, headers=rented.headers, timeout=_CONNECT_MS
        )
        self._rented[rented.id] = browser
        control = await browser.new_browser_cdp_session()
        await send(control, "Target.setDiscoverTargets", discover=True, filter=[{"type": "page"}])
        return ProvidedBrowser(
            browser,
            control,
            rented.id,
            None,
            driver.new_death(),
            lambda: self._close(rented.id),
            is_shared=rented.is_shared,
        )

    async def _close(self, vendor_id: str) -> None:
        # before the first await, so that a second call finds nothing to close
        browser = self._rented.pop(vendor_id, None)
        if browser is not None:
            with contextlib.suppress(PlaywrightError, TimeoutError):
                await asyncio.wait_for(browser.close(), CLOSE_SECONDS)
            await self._give_back(vendor_id)

    async def _give_back(self, vendor_id: str) -> None:
        self._rented.pop(vendor_id, None)
        try:
            await self._vendor.end(vendor_id)
        except Unavailable as error:
            _log.warning("a remote browser could not be ended", vendor_id=vendor_id, reason=error.message)
            self._unended.add(vendor_id)
            if self._ending is None or self._ending.done():
                self._ending = asyncio.ensure_future(self._end_later())

    async def _end_later(self) -> None:
        """A browser bills until it is ended: ask until the vendor can be reached again."""
        while self._unended:
            await asyncio.sleep(_END_AGAIN_SECONDS)
            for vendor_id in list(self._unended):
                with contextlib.suppress(Unavailable):
                    await self._vendor.end(vendor_id)
                    self._unended.discard(vendor_id)

    def _reaped(self) -> asyncio.Task[None]:
        """Done once: what is listed later may be our own."""
        if self._reaping is None:
            self._reaping = asyncio.ensure_future(self._reap())
        return self._reaping

    async def _reap(self) -> None:
        try:
            left_behind = await self._vendor.left_behind()
        except Unavailable as error:
            # every launch waits for this: it must not fail them all
            _log.warning("the vendor of browsers cannot say which were left behind", reason=error.message)
            return
        await asyncio.gather(*(self._give_back(vendor_id) for vendor_id in left_behind))
