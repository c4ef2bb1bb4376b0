"""Browsers for executions: from the pool, each with its own credential for the egress proxy."""

from pagehand.browser.connection_errors import ConnectionErrors
from pagehand.browser.healing import Thresholds
from pagehand.browser.pool import BrowserPool
from pagehand.browser.provider import Provider, ProxyAddress
from pagehand.browser.providers import goes_through_proxy
from pagehand.browser.session import BrowserSession
from pagehand.browser.session_options import SessionOptions
from pagehand.browser_session import BrowserRequest
from pagehand.egress.proxy.server import READY_URL, EgressProxy
from pagehand.egress.upstream import UpstreamProxy
from pagehand.egress.upstream_proxies import UpstreamProxies
from pagehand.errors import Unavailable
from pagehand.settings import Settings


def _no_proxy() -> None:
    """For browsers that cannot reach the egress proxy."""


class ExecutionBrowsers:
    """Opens browser sessions for the engine."""

    def __init__(
        self, provider: Provider, proxy: EgressProxy, proxies: UpstreamProxies, settings: Settings
    ) -> None:
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
            max_uses=settings.browser_uses,
            new_proxy=self._new_proxy if self._is_proxied else _no_proxy,
        )

    async def __call__(self, request: BrowserRequest) -> BrowserSession:
        """A session that reaches what the policy allows, through the organization's proxy if asked for."""
        upstream = await self._proxies.require(request.organization_id) if request.use_proxy else None
        if upstream and not self._is_proxied:
            raise Unavailable(
                "`useProxy` needs the egress proxy, which this remote browser does not go through. "
                "The operator sets `PAGEHAND_EGRESS_PROXY_URL`."
            )
        chained = self._new_proxy(upstream) if upstream else None
        options = SessionOptions(
            save_file=request.save_file,
            organization_id=request.organization_id,
            on_event=request.report,
            before_send=request.before_send,
            proxy=chained,
            healing=self._healing,
            check_room=request.check_room,
        )
        try:
            session = await self.pool.take(options)
        except BaseException:
            if chained is not None and chained.leave is not None:
                chained.leave()
            raise
        # the proxy was made when the browser was launched, before it had an execution to report to
        if session.proxy is not None and session.proxy.errors is not None:
            session.proxy.errors.report = request.report
        return session

    def _new_proxy(self, upstream: UpstreamProxy | None = None) -> ProxyAddress:
        """A credential for one browser; the pool asks before the browser has an execution."""
        errors = ConnectionErrors()
        access = self._proxy.admit(errors.add_refused, errors.add_unreachable, upstream=upstream)
        return ProxyAddress(
            access.server,
            access.username,
            access.password,
            ready_url=READY_URL,
            errors=errors,
            leave=lambda: self._proxy.dismiss(access),
            limit=lambda domains: self._proxy.limit(access, domains),
            hold=lambda before_send: self._proxy.hold(access, before_send),
        )
