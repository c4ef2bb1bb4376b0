"""Where browsers come from, and how they are reached: DevTools, and the proxy that each goes through."""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final, Protocol, cast
from urllib.parse import urlsplit

from playwright.async_api import Browser, BrowserContext, CDPSession, Page, ProxySettings
from playwright.async_api import Error as PlaywrightError

from pagehand.browser_session import BeforeSend, ReportEvent
from pagehand.egress.policy import EgressRefused
from pagehand.errors import BlockFailed, PagehandError, SiteDown
from pagehand.records import Json
from pagehand.workflow.allowed_domains import NOT_ALLOWED, WEB_PORTS

_FOLLOWED: Final = [{"type": "page"}, {"type": "shared_worker"}]
"""The targets that a browser announces: tabs, and workers whose requests Playwright does not show."""
_CAUSES: Final = {"dns": "its name could not be resolved"}
# a page that requests new host names without end must not fill the memory
_MAX_ERRORS: Final = 1000
_MAX_REPORTED: Final = 100


async def open_control(browser: Browser) -> CDPSession:
    """A channel to the browser itself that announces tabs and shared workers from now on."""
    control = await browser.new_browser_cdp_session()
    await send(control, "Target.setDiscoverTargets", discover=True, filter=_FOLLOWED)
    return control


async def send(channel: CDPSession, method: str, **parameters: Any) -> Json:
    """Send one command and wait for its answer."""
    # Playwright's annotation leaves the dictionary's types open
    return await cast("Any", channel).send(method, parameters)


@dataclass(slots=True, frozen=True)
class _ConnectionError:
    host: str
    port: int
    error: PagehandError


@dataclass(slots=True)
class ConnectionErrors:
    """The failed connections of one browser; each refused host is reported once.

    Without a proxy nothing is ever added, and every question is answered with None.
    """

    report: ReportEvent | None = None
    _errors: deque[_ConnectionError] = field(
        default_factory=lambda: deque[_ConnectionError](maxlen=_MAX_ERRORS)
    )
    _count: int = 0
    _reported: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])

    def add_refused(self, host: str, port: int, reason: str) -> None:
        """The egress policy does not allow the host."""
        error = EgressRefused(host, port, reason) if reason != NOT_ALLOWED else _outside_domains(host, port)
        self._add(host, port, error)
        if self.report is None or (host, port) in self._reported or len(self._reported) > _MAX_REPORTED:
            return
        self._reported.add((host, port))
        data: Json = {"host": host, "port": port}
        message = error.message
        if len(self._reported) > _MAX_REPORTED:  # the last report: a page can make up names for ever
            data = {"hosts": _MAX_REPORTED}
            message = f"More than {_MAX_REPORTED} hosts were refused; the rest is not listed."
        self.report("egress.refused", message, data)

    def add_unreachable(self, host: str, port: int, cause: str) -> None:
        """The host is allowed but does not answer."""
        self._add(host, port, SiteDown(f"`{host}:{port}` cannot be reached: {_CAUSES.get(cause, cause)}."))

    def mark(self) -> int:
        """The present moment, to ask later what failed since."""
        return self._count

    def error_of(self, url: str, since: int) -> PagehandError | None:
        """Why the host of `url` was not reached since the mark; None when it was reached or not tried."""
        parts = urlsplit(url)
        wanted = (parts.hostname, parts.port or WEB_PORTS.get(parts.scheme))
        return next((found.error for found in self._since(since) if (found.host, found.port) == wanted), None)

    def latest(self, since: int) -> PagehandError | None:
        """The newest error since the mark, whatever the host."""
        return next((found.error for found in self._since(since)), None)

    @contextmanager
    def explaining(self, url: str) -> Generator[None]:
        """Replace a failure to load `url` within by the reason the proxy had: refused, or not reached."""
        since = self.mark()
        try:
            yield
        except (PlaywrightError, BlockFailed, SiteDown) as failure:
            # after a redirect to another host only the newest error can be the cause
            error = self.error_of(url, since) or self.latest(since)
            if error is None:
                raise
            raise error from failure

    def _add(self, host: str, port: int, error: PagehandError) -> None:
        self._count += 1
        self._errors.append(_ConnectionError(host, port, error))

    def _since(self, mark: int) -> Iterable[_ConnectionError]:
        """Those after a mark that are still kept, newest first."""
        return islice(reversed(self._errors), self._count - mark)


def _outside_domains(host: str, port: int) -> BlockFailed:
    return BlockFailed(
        f"`{host}:{port}` {NOT_ALLOWED}; it was not contacted. The block's `allowedDomains` decides about it."
    )


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
    close: Callable[[], Coroutine[Any, Any, None]]
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
