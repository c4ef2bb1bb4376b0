"""How to get a browser: what every provider promises, be it this machine or a vendor."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from playwright.async_api import Browser, CDPSession

from pagehand.browser.proxy import ProxyAddress


@dataclass(slots=True, frozen=True)
class LaunchOptions:
    """What must be decided before a browser starts."""

    proxy: ProxyAddress | None = None


@dataclass(slots=True, frozen=True)
class ProvidedBrowser:
    """A running browser and the only right way to get rid of it."""

    browser: Browser
    control: CDPSession
    """The browser's own channel: it reports every tab, also those just about to open."""
    vendor_id: str
    downloads: Path | None
    """Where the browser puts its half-finished files, when that is a folder of this machine."""
    died: "asyncio.Future[str]"
    """Resolves with the reason when the provider learns of its death before Playwright reports it."""
    close: Callable[[], Awaitable[None]]
    """Ends the browser and removes what it left; may be called twice, never raises for a dead one."""
    is_shared: bool = False
    """Whether others have tabs in it, too."""


class Provider(Protocol):
    """A source of browsers."""

    async def launch(self, options: LaunchOptions) -> ProvidedBrowser:
        """Start a browser; raises `Unavailable` when none can be had."""
        ...

    def start(self) -> None:
        """Begin to end what an earlier process on this data folder left running."""
        ...

    async def end_lost(self, vendor_id: str) -> None:
        """End a browser of another process, which was lost with it; never raises."""
        ...

    async def close(self) -> None:
        """End everything this provider started."""
        ...
