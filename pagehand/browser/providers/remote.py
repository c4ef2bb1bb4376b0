"""Browsers on other machines, driven over Chromium's debugging protocol."""

import asyncio
import contextlib
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Final, Protocol
from urllib.parse import urlsplit

import structlog
from playwright.async_api import Browser
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.provider import LaunchOptions, ProvidedBrowser, open_control
from pagehand.browser.providers.driver import CLOSE_SECONDS, Drivers
from pagehand.errors import Unavailable

_log = structlog.get_logger("pagehand.browsers")
_CONNECT_MS: Final = 30_000
_SCHEMES: Final = frozenset({"ws", "wss", "http", "https"})
_END_SECONDS: Final = 30.0
_END_AGAIN_SECONDS: Final = 30.0


@dataclass(slots=True, frozen=True)
class RemoteBrowser:
    """A browser that a vendor runs for us."""

    id: str
    """The vendor's id of it; enough to end it."""
    address: str
    """The URL of its debugging protocol (`ws:`, `wss:` or `http:`)."""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    is_shared: bool = False
    """True when other sessions have tabs in it too."""
    vendor_url: str = ""
    """The vendor that gave the address; empty if the operator or our own cluster did."""


class Vendor(Protocol):
    """A service that runs browsers."""

    async def acquire(self) -> RemoteBrowser:
        """Start a browser; raises `Unavailable` when there is none."""
        ...

    async def end(self, vendor_id: str) -> None:
        """End a browser, also one that is gone; raises `Unavailable` if the vendor cannot be reached."""
        ...

    async def list_left_behind(self) -> list[str]:
        """Browsers that an earlier process of this installation started and that still run."""
        ...

    async def close(self) -> None:
        """Close connections to the vendor."""
        ...


class RemoteProvider:
    """Starts browsers at a vendor and always ends them: closing the connection does not."""

    def __init__(self, vendor: Vendor) -> None:
        """Nothing starts before the first launch."""
        self._vendor = vendor
        self._drivers = Drivers()
        self._connected: dict[str, Browser] = {}
        self._ending_left_behind: asyncio.Task[None] | None = None
        self._unended: set[str] = set()
        """Browsers still to be ended: the vendor could not be reached."""
        self._ending: asyncio.Task[None] | None = None

    async def launch(self, options: LaunchOptions) -> ProvidedBrowser:  # noqa: ARG002 - a context has its own proxy
        """Start a browser at the vendor and connect to it."""
        await asyncio.shield(self._end_left_behind())
        remote = await self._vendor.acquire()
        try:
            return await self._connect(remote)
        except BaseException as error:
            # ending a shared browser does nothing: without this its connection would stay open
            await self._close(remote.id) if remote.id in self._connected else await self._end(remote.id)
            if isinstance(error, PlaywrightError | TimeoutError):
                why = getattr(error, "message", "it does not answer")[:800]
                raise Unavailable(f"The remote browser cannot be reached: {why}") from error
            raise

    def start(self) -> None:
        """Begin to end browsers that an earlier process started and could not end before it died."""
        self._end_left_behind()

    async def end_lost(self, vendor_id: str) -> None:
        """End a browser that another process started; one that the vendor does not know is ended already."""
        try:
            async with asyncio.timeout(_END_SECONDS):
                await self._vendor.end(vendor_id)
        except (Unavailable, TimeoutError) as error:
            _log.warning("a lost browser could not be ended", vendor_id=vendor_id, reason=str(error))

    async def close(self) -> None:
        """End every browser and the driver."""
        if self._ending_left_behind is not None:
            await asyncio.wait([self._ending_left_behind], timeout=CLOSE_SECONDS)
            self._ending_left_behind.cancel()
        if self._ending is not None:
            self._ending.cancel()
            await asyncio.wait([self._ending])
        await asyncio.gather(*(self._close(vendor_id) for vendor_id in list(self._connected)))
        await self._drivers.close()
        await self._vendor.close()

    async def _connect(self, remote: RemoteBrowser) -> ProvidedBrowser:
        _check_address(remote)
        driver = await self._drivers.get()
        browser = await driver.playwright.chromium.connect_over_cdp(
            remote.address, headers=remote.headers, timeout=_CONNECT_MS
        )
        self._connected[remote.id] = browser
        async with asyncio.timeout(_CONNECT_MS / 1000):
            control = await open_control(browser)
        return ProvidedBrowser(
            browser,
            control,
            remote.id,
            None,
            driver.new_death(),
            lambda: self._close(remote.id),
            is_shared=remote.is_shared,
        )

    async def _close(self, vendor_id: str) -> None:
        # before the first await, so that a second call finds nothing to close
        browser = self._connected.pop(vendor_id, None)
        if browser is not None:
            with contextlib.suppress(PlaywrightError, TimeoutError):
                await asyncio.wait_for(browser.close(), CLOSE_SECONDS)
            await self._end(vendor_id)

    async def _end(self, vendor_id: str) -> None:
        self._connected.pop(vendor_id, None)
        try:
            async with asyncio.timeout(_END_SECONDS):
                await self._vendor.end(vendor_id)
        except (Unavailable, TimeoutError) as error:
            _log.warning("a remote browser could not be ended", vendor_id=vendor_id, reason=str(error))
            self._unended.add(vendor_id)
            if self._ending is None or self._ending.done():
                self._ending = asyncio.ensure_future(self._end_later())

    async def _end_later(self) -> None:
        """A browser costs money until it is ended: retry until the vendor can be reached again."""
        while self._unended:
            await asyncio.sleep(_END_AGAIN_SECONDS)
            for vendor_id in list(self._unended):
                with contextlib.suppress(Unavailable):
                    await self._vendor.end(vendor_id)
                    self._unended.discard(vendor_id)

    def _end_left_behind(self) -> asyncio.Task[None]:
        """End browsers of an earlier process, once: those listed later may be our own."""
        if self._ending_left_behind is None:
            self._ending_left_behind = asyncio.ensure_future(self._end_all_left_behind())
        return self._ending_left_behind

    async def _end_all_left_behind(self) -> None:
        try:
            left_behind = await self._vendor.list_left_behind()
        except Unavailable as error:
            # every launch waits for this: it must not fail them all
            _log.warning("the vendor of browsers cannot say which were left behind", reason=error.message)
            return
        await asyncio.gather(*(self._end(vendor_id) for vendor_id in left_behind))


def _check_address(remote: RemoteBrowser) -> None:
    """Refuse what is not an address, and one in our own network that a vendor outside of it gives."""
    try:
        parts = urlsplit(remote.address)
        is_address = parts.scheme in _SCHEMES and bool(parts.hostname) and parts.port != 0
        is_foreign = bool(remote.vendor_url) and not _is_inside(urlsplit(remote.vendor_url).hostname)
        if is_address and not (is_foreign and _is_inside(parts.hostname)):
            return
    except ValueError:
        pass  # the port is not a number, or brackets do not close
    raise Unavailable(f"The vendor gave an address that no browser of it has: {remote.address[:300]}")


def _is_inside(host: str | None) -> bool:
    """Whether a host is this machine or an address of its network; names are not looked up."""
    try:
        return not ip_address(host or "").is_global
    except ValueError:
        return host == "localhost" or (host or "").endswith(".localhost")
