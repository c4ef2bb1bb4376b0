"""Browsers for executions: from the pool, each behind the egress proxy with a credential of its own."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from urllib.parse import urlsplit

from pagehand.browser.healing import Thresholds
from pagehand.browser.pool import BrowserPool
from pagehand.browser.provider import Provider
from pagehand.browser.providers import goes_through_proxy
from pagehand.browser.proxy import ProxyAddress
from pagehand.browser.session import BrowserSession, SessionOptions
from pagehand.errors import BlockFailed, PagehandError, SiteDown, Unavailable
from pagehand.ports import BrowserRequest, ReportEvent
from pagehand.records import Json
from pagehand.sandbox import OUTSIDE, READY_URL, EgressProxy, EgressRefused, Proxies, Upstream
from pagehand.settings import Settings
from pagehand.workflow.default_ports import WEB_PORTS

_CAUSES = {"dns": "its name could not be resolved"}
_MOST_TROUBLES = 1000
_MOST_TOLD = 100
Trouble = tuple[str, int, PagehandError]


@dataclass(slots=True)
class Traffic:
    """What the proxy could not or would not reach for one browser; tells the execution once per host."""

    tell: ReportEvent | None = None
    _troubles: deque[Trouble] = field(default_factory=lambda: deque[Trouble](maxlen=_MOST_TROUBLES))
    _count: int = 0
    _told: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])

    def refused(self, host: str, port: int, reason: str) -> None:
        """The policy keeps the host closed."""
        error = EgressRefused(host, port, reason) if reason != OUTSIDE else _outside(host, port)
        self._note(host, port, error)
        if self.tell is None or (host, port) in self._told or len(self._told) > _MOST_TOLD:
            return
        self._told.add((host, port))
        data: Json = {"host": host, "port": port}
        message = error.message
        if len(self._told) > _MOST_TOLD:  # a page can make up names for ever
            data, message = (
                {"hosts": _MOST_TOLD},
                f"More than {_MOST_TOLD} hosts were refused; the rest is not listed.",
            )
        self.tell("egress.refused", message, data)

    def unreachable(self, host: str, port: int, cause: str) -> None:
        """The host is open but does not answer."""
        error = SiteDown(f"`{host}:{port}` cannot be reached: {_CAUSES.get(cause, cause)}.")
        self._note(host, port, error)

    def mark(self) -> int:
        """A point in time to ask from."""
        return self._count

    def trouble(self, url: str, since: int) -> PagehandError | None:
        """Why the host of `url` was not reached since then."""
        parts = urlsplit(url)
        wanted = (parts.hostname, parts.port or WEB_PORTS.get(parts.scheme))
        return next((error for host, port, error in self._since(since) if (host, port) == wanted), None)

    def latest(self, since: int) -> PagehandError | None:
        """The newest trouble since then."""
        return next((error for _, _, error in self._since(since)), None)

    def _note(self, host: str, port: int, error: PagehandError) -> None:
        self._count += 1
        self._troubles.append((host, port, error))

    def _since(self, mark: int) -> Iterable[Trouble]:
        """Those after a mark that are still remembered, newest first."""
        return islice(reversed(self._troubles), self._count - mark)


def _outside(host: str, port: int) -> BlockFailed:
    return BlockFailed(
        f"`{host}:{port}` {OUTSIDE}; it was not contacted. The block's `allowedDomains` decides about it."
    )


def _no_proxy() -> None:
    """For browsers that cannot reach the egress proxy."""


class Browsers:
    """Opens browser sessions for the engine."""

    def __init__(self, provider: Provider, proxy: EgressProxy, proxies: Proxies, settings: Settings) -> None:
        self._proxy = proxy
        self._proxies = proxies
        self._is_proxied = goes_through_proxy(settings)
        self._healing = Thresholds(
            probability=settings.heal_probability,
            margin=settings.heal_margin,
            gap=settings.heal_gap,
            risky_probability=settings.heal_risky_probability,
        )
        self.pool = BrowserPool(
            provider,
            size=settings.browser_pool,
            max_tabs=settings.max_tabs,
            new_proxy=self._admit if self._is_proxied else _no_proxy,
        )

    async def __call__(self, order: BrowserRequest) -> BrowserSession:
        """A session that reaches what the policy allows, through the organization's proxy if asked for."""
        upstream = await self._proxies.of_run(order.organization_id) if order.use_proxy else None
        if upstream and not self._is_proxied:
            raise Unavailable(
                "`useProxy` needs the egress proxy, which this remote browser does not go through. "
                "The operator sets `PAGEHAND_EGRESS_PROXY_URL`."
            )
        chained = self._admit(upstream) if upstream else None
        options = SessionOptions(
            save_file=order.save_file,
            on_event=order.report,
            proxy=chained,
            healing=self._healing,
            check_room=order.check_room,
        )
        try:
            session = await self.pool.take(options)
        except BaseException:
            if chained is not None and chained.leave is not None:
                chained.leave()
            raise
        if session.proxy is not None and isinstance(session.proxy.outbound, Traffic):
            session.proxy.outbound.tell = order.report
        return session

    def _admit(self, upstream: Upstream | None = None) -> ProxyAddress:
        """A credential for a browser, which may not be anybody's yet."""
        traffic = Traffic()
        access = self._proxy.admit(traffic.refused, traffic.unreachable, upstream=upstream)
        return ProxyAddress(
            access.server,
            access.username,
            access.password,
            ready_url=READY_URL,
            outbound=traffic,
            leave=lambda: self._proxy.dismiss(access),
            limit=lambda domains: self._proxy.limit(access, domains),
        )
