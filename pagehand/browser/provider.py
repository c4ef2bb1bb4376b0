"""Where browsers come from: the interface of all providers, on this machine or at a vendor."""

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
    """A running browser and how to end it."""

    browser: Browser
    control: CDPSession
    """The browser's protocol channel; it announces every tab, also those about to open."""
    vendor_id: str
    downloads: Path | None
    """Where the browser puts its half-finished files, when that is a folder of this machine."""
    died: "asyncio.Future[str]"
    """Resolves with the reason when the provider learns of its death before Playwright reports it."""
    close: Callable[[], Awaitable[None]]
    """Ends the browser and removes its files; may be called twice, never raises for a dead one."""
    is_shared: bool = False
    """True when other sessions have tabs in it too."""


class Provider(Protocol):
    """A source of browsers."""

    async def launch(self, options: LaunchOptions) -> ProvidedBrowser:
        """Start a browser; raises `Unavailable` when there is none."""
        ...

    def start(self) -> None:
        """Begin to end browsers that an earlier process of this installation left running."""
        ...

    async def end_lost(self, vendor_id: str) -> None:
        """End a browser whose process has died; never raises."""
        ...

    async def close(self) -> None:
        """End everything this provider started."""
        ...
