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

    async def launch(self, options: LaunchOptions) -> ProvidedBrowser:  # noqa: ARG002 - a context has its own proxy
        """A browser of the vendor's, connected."""
        await self._end_those_left_behind()
        rented = await self._vendor.rent()
        try:
            return await self._connected(rented)
        except BaseException as error:
            await self._give_back(rented.id)
            if isinstance(error, PlaywrightError):
                raise Unavailable(f"The remote browser cannot be reached: {error.message[:800]}") from error
            raise

    async def close(self) -> None:
        """Give every browser back and end the driver."""
        if self._reaping is not None:
            await asyncio.wait([self._reaping])
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
            # what cannot be ended now is found among those left behind at the next start
            _log.warning("a remote browser could not be ended", vendor_id=vendor_id, reason=error.message)

    async def _end_those_left_behind(self) -> None:
        """Once: an earlier process may have died before it could give its browsers back."""
        if self._reaping is None:
            self._reaping = asyncio.ensure_future(self._reap())
        await asyncio.shield(self._reaping)

    async def _reap(self) -> None:
        try:
            left_behind = await self._vendor.left_behind()
        except Unavailable as error:
            # every launch waits for this: it must not fail them all
            _log.warning("the vendor of browsers cannot say which were left behind", reason=error.message)
            return
        await asyncio.gather(*(self._give_back(vendor_id) for vendor_id in left_behind))
