"""Where browsers come from, on this machine or at a vendor, and the proxy that a browser goes through."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from playwright.async_api import Browser, BrowserContext, CDPSession, Page, ProxySettings

from pagehand.browser.connection_errors import ConnectionErrors
from pagehand.browser.devtools import send
from pagehand.browser_session import BeforeSend


@dataclass(slots=True, frozen=True)
class ProxyAddress:
    """A proxy and the credentials it asks for."""

    server: str
    username: str | None = None
    password: str | None = None
    ready_url: str | None = None
    """What the proxy itself answers with 204; a browser logs in to the proxy by opening it once."""
    errors: ConnectionErrors | None = None
    """The hosts that the proxy refused or could not reach for this browser."""
    leave: Callable[[], None] | None = None
    """Called when the browser no longer uses the proxy."""
    limit: Callable[[Sequence[str] | None], None] | None = None
    """Called to allow a few domains only, or with None to allow all again."""
    hold: Callable[[BeforeSend], None] | None = None
    """Called with what has to be asked before something leaves that may have an effect."""

    def settings(self) -> ProxySettings:
        """As Playwright wants it; loopback goes through the proxy like everything else."""
        settings = ProxySettings(server=self.server, bypass="<-loopback>")
        # credentials given to Playwright make it intercept every request and switch the cache off
        if self.username is not None and self.ready_url is None:
            settings["username"] = self.username
            settings["password"] = self.password or ""
        return settings


async def show_credentials(context: BrowserContext, page: Page, proxy: ProxyAddress) -> None:
    """Answer the proxy's 407 once; from then on Chromium knows the credentials and nothing is intercepted."""
    channel = await context.new_cdp_session(page)
    commands: list[asyncio.Task[Any]] = []
    credentials = {
        "response": "ProvideCredentials",
        "username": proxy.username or "",
        "password": proxy.password or "",
    }

    def continue_request(event: dict[str, Any]) -> None:
        command = send(channel, "Fetch.continueRequest", requestId=event["requestId"])
        commands.append(asyncio.create_task(command))

    def authenticate(event: dict[str, Any]) -> None:
        parameters = {"requestId": event["requestId"], "authChallengeResponse": credentials}
        commands.append(asyncio.create_task(send(channel, "Fetch.continueWithAuth", **parameters)))

    channel.on("Fetch.requestPaused", continue_request)
    channel.on("Fetch.authRequired", authenticate)
    await send(channel, "Fetch.enable", handleAuthRequests=True, patterns=[{"urlPattern": proxy.ready_url}])
    await send(channel, "Page.navigate", url=proxy.ready_url)  # 204: the page stays as it is
    await asyncio.gather(*commands)
    await send(channel, "Fetch.disable")
    await channel.detach()


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
    is_reusable: bool = False
    """True when a later execution may use it, in a context of its own."""


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
