"""Going through a proxy: showing it our credentials, and learning what it could not or would not reach."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from playwright.async_api import BrowserContext, Page, ProxySettings

from pagehand.browser.devtools import send
from pagehand.errors import PagehandError


class Outbound(Protocol):
    """What the proxy knows about requests that did not get through."""

    def mark(self) -> int:
        """A point in time to ask from."""
        ...

    def trouble(self, url: str, since: int) -> PagehandError | None:
        """Why the host of `url` was not reached since then; None when it was not tried or was reached."""
        ...

    def latest(self, since: int) -> PagehandError | None:
        """The newest trouble since then, whatever the host."""
        ...


@dataclass(slots=True, frozen=True)
class ProxyAddress:
    """A proxy and the credentials it asks for."""

    server: str
    username: str | None = None
    password: str | None = None
    ready_url: str | None = None
    """What the proxy itself answers with 204, so that a browser can show its credentials once and for all."""
    outbound: Outbound | None = None
    """What the proxy has to say about requests that did not get through."""
    leave: Callable[[], None] | None = None
    """Called when the browser is done with the proxy."""
    limit: Callable[[Sequence[str] | None], None] | None = None
    """Called to hold the browser to a few domains, or to let go of them."""

    def settings(self) -> ProxySettings:
        """As Playwright wants it; loopback goes through the proxy like everything else."""
        settings = ProxySettings(server=self.server, bypass="<-loopback>")
        # credentials given to Playwright make it intercept every request and switch the cache off
        if self.username is not None and self.ready_url is None:
            settings["username"] = self.username
            settings["password"] = self.password or ""
        return settings


class Unhindered:
    """Implements `Outbound` where there is no proxy: nothing is ever reported."""

    def mark(self) -> int:
        """Nothing happens here."""
        return 0

    def trouble(self, url: str, since: int) -> PagehandError | None:  # noqa: ARG002 - there is never any
        """None."""
        return None

    def latest(self, since: int) -> PagehandError | None:  # noqa: ARG002 - as above
        """None."""
        return None


async def show_credentials(context: BrowserContext, page: Page, proxy: ProxyAddress) -> None:
    """Answer the proxy's 407 once; from then on Chromium knows the credentials and nothing is intercepted."""
    channel = await context.new_cdp_session(page)
    answers: list[asyncio.Task[Any]] = []
    credentials = {
        "response": "ProvideCredentials",
        "username": proxy.username or "",
        "password": proxy.password or "",
    }

    def let_through(event: dict[str, Any]) -> None:
        command = send(channel, "Fetch.continueRequest", requestId=event["requestId"])
        answers.append(asyncio.create_task(command))

    def answer(event: dict[str, Any]) -> None:
        what = {"requestId": event["requestId"], "authChallengeResponse": credentials}
        answers.append(asyncio.create_task(send(channel, "Fetch.continueWithAuth", **what)))

    channel.on("Fetch.requestPaused", let_through)
    channel.on("Fetch.authRequired", answer)
    await send(channel, "Fetch.enable", handleAuthRequests=True, patterns=[{"urlPattern": proxy.ready_url}])
    await send(channel, "Page.navigate", url=proxy.ready_url)  # 204: the page stays as it is
    await asyncio.gather(*answers)
    await send(channel, "Fetch.disable")
    await channel.detach()
