"""Wires browsers, logins, webhooks, schedules, the knowledge base and traces to what they need."""

import asyncio
import logging
import os
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from math import inf
from time import monotonic
from typing import Final

from pagehand.browser.healing import Thresholds
from pagehand.browser.pool import BrowserPool
from pagehand.browser.provider import ConnectionErrors, Provider, ProxyAddress
from pagehand.browser.providers import goes_through_proxy
from pagehand.browser.session import BrowserSession
from pagehand.browser.session_options import SessionOptions
from pagehand.browser_session import BrowserRequest
from pagehand.documents import DocumentProcess
from pagehand.egress.http import HttpClient
from pagehand.egress.policy import EgressPolicy
from pagehand.egress.proxy.server import READY_URL, EgressProxy
from pagehand.egress.upstream import UpstreamProxy
from pagehand.egress.upstream_proxies import UpstreamProxies
from pagehand.engine.base import Engine
from pagehand.engine.changes import Changes
from pagehand.engine.reporting.events import NoTraces, Traces
from pagehand.engine.reporting.metrics import Metrics
from pagehand.engine.schedules.scheduler import Scheduler
from pagehand.engine.schedules.stored import StoredSchedules
from pagehand.errors import Unavailable, UserMistake
from pagehand.knowledge import KnowledgeBase
from pagehand.knowledge.base import DocumentText, EmbeddingsEndpoint
from pagehand.logins.failures import LoginHealthTracker
from pagehand.logins.saved_sessions import SavedSessions
from pagehand.logins.second_factor.inbox import Inboxes
from pagehand.logins.second_factor.mail_listener import LoginMailSources, MailListener, own_address
from pagehand.logins.sign_in.sign_in import SignIn
from pagehand.logins.stored import StoredLogins
from pagehand.ports import FileStore
from pagehand.secrets.master_key import MasterKey, load_master_keys, watch_key_file
from pagehand.secrets.vault import SecretParams, Vault
from pagehand.settings import Settings
from pagehand.storage import Stores
from pagehand.webhooks import AlertMail, Deliverer, StoredWebhooks, WebhookListeners
from pagehand.webhooks.secret import WebhookSecrets
from pagehand.webhooks.stored import check_target

_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_PROTOCOL: Final = "http/protobuf"
_INSTALL: Final = "pip install pagehand[otel]"
_LAST_SPANS_SECONDS: Final = 3.0
_REPEAT_SECONDS: Final = 60.0
Close = Callable[[], Awaitable[None]]


def open_vault(settings: Settings) -> tuple[MasterKey, Vault]:
    """The master key and the vault behind it, which notices when `pagehand keys rotate` changes the key."""
    keys = load_master_keys(settings)
    # a key from the environment changes with a restart only
    if settings.master_key is not None:
        return keys[0], Vault(*keys)
    return keys[0], Vault(*keys, changed=watch_key_file(settings.data_dir))


class LoginServices:
    """Stored logins, signing in with them, and the mail listener for their codes."""

    def __init__(self, settings: Settings, stores: Stores, vault: Vault) -> None:
        self._settings = settings
        self._listener: MailListener | None = None
        if settings.mail_domain:
            self._listener = MailListener(
                stores.login_states, stores.logins.find_in_any_organization, vault, settings.mail_domain
            )
        self.secret_params = SecretParams(vault)
        self.schedule_secrets = SecretParams(vault, "schedules")
        self.stored = StoredLogins(
            stores.logins, vault, stores.login_states, lambda login_id: own_address(settings, login_id)
        )
        self.sign_in = SignIn(
            vault,
            sessions=SavedSessions(stores.login_states, vault),
            health=LoginHealthTracker(stores.login_states),
            inboxes=Inboxes(LoginMailSources(settings, stores, vault), settings.mail_code_seconds),
        )

    async def start(self) -> None:
        """Start the mail listener, if a mail domain is set."""
        if self._listener is not None:
            settings = self._settings
            await self._listener.start(settings.mail_host, settings.mail_port, is_shared=settings.is_shared)

    async def stop(self) -> None:
        """Stop the mail listener."""
        if self._listener is not None:
            await self._listener.stop()


class WebhookServices:
    """Stored webhooks, the listeners for events, and the deliverer that sends them."""

    def __init__(
        self,
        stores: Stores,
        vault: Vault,
        http: HttpClient,
        policy: EgressPolicy,
        metrics: Metrics,
        mail: AlertMail | None = None,
        console_url: str = "",
    ) -> None:
        """`mail` is None without a mail server; messages to people link to `console_url`."""
        secrets = WebhookSecrets(vault)
        self.deliverer = Deliverer(stores.deliveries, stores.webhooks, secrets, http, metrics.delivered, mail)
        self.listeners = WebhookListeners(stores.webhooks, self.deliverer.wake, console_url)
        self.stored = StoredWebhooks(
            stores.webhooks,
            stores.deliveries,
            secrets,
            self.listeners,
            self.deliverer,
            partial(check_target, policy, can_mail=mail is not None),
        )


def knowledge_base(
    settings: Settings, stores: Stores, files: FileStore, documents: DocumentProcess
) -> KnowledgeBase:
    """The knowledge base, with embeddings if an endpoint for them is set."""
    embedder = None
    if settings.embeddings_url:
        key = settings.embeddings_key.get_secret_value() if settings.embeddings_key else None
        embedder = EmbeddingsEndpoint(settings.embeddings_url, settings.embeddings_model, key)
    return KnowledgeBase(stores.knowledge, stores.files, files, DocumentText(documents), embedder)


class ScheduleServices:
    """Stored schedules, and the scheduler that starts them."""

    def __init__(
        self,
        stores: Stores,
        engine: Engine,
        logins: LoginServices,
        changes: Changes,
        listeners: WebhookListeners,
    ) -> None:
        secrets = logins.schedule_secrets
        self.stored = StoredSchedules(stores.schedules, engine, secrets, logins.secret_params)
        self.scheduler = Scheduler(stores.schedules, engine, secrets, changes, listeners=listeners)


def traces() -> tuple[Traces, Close]:
    """The traces of this process, and a function that sends the last of them at the end."""
    endpoint = next((name for name in _ENDPOINTS if os.environ.get(name)), None)
    if endpoint is None or _is_disabled():
        return NoTraces(), _close_nothing
    protocol = next((name for name in _PROTOCOLS if os.environ.get(name)), None)
    if protocol is not None and os.environ[protocol] != _PROTOCOL:
        raise UserMistake(f"`{protocol}`: traces are sent as `{_PROTOCOL}`, not as `{os.environ[protocol]}`.")
    try:
        # an optional dependency that most installations do not have
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

        from pagehand.engine.reporting.opentelemetry import (  # noqa: PLC0415
            ExecutionIds,
            OpenTelemetryTraces,
        )
    except ImportError as error:
        raise UserMistake(f"`{endpoint}` asks for traces, which need `{_INSTALL}`.") from error
    name = {} if _has_service_name() else {"service.name": "pagehand"}
    provider = TracerProvider(
        resource=Resource.create(name), id_generator=ExecutionIds(), shutdown_on_exit=False
    )
    exporter = OTLPSpanExporter()
    provider.add_span_processor(BatchSpanProcessor(exporter))
    logging.getLogger(OTLPSpanExporter.__module__).addFilter(_OncePerMinute())

    async def close() -> None:
        # The SDK takes no notice of a time limit here and tries again for a minute, so a thread that the end
        # of the process does not wait for sends the last spans.
        sending = threading.Thread(target=provider.shutdown, daemon=True)
        sending.start()
        await asyncio.to_thread(sending.join, _LAST_SPANS_SECONDS)
        if sending.is_alive():
            exporter.shutdown()  # ends the repeated tries

    return OpenTelemetryTraces(provider), close


def _is_disabled() -> bool:
    is_sdk_disabled = os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true"
    return is_sdk_disabled or os.environ.get("OTEL_TRACES_EXPORTER", "").lower() == "none"


def _has_service_name() -> bool:
    """Whether the operator has named the service."""
    return bool(os.environ.get("OTEL_SERVICE_NAME")) or "service.name" in os.environ.get(
        "OTEL_RESOURCE_ATTRIBUTES", ""
    )


async def _close_nothing() -> None:
    """Do nothing: without traces there are no spans to send."""


class _OncePerMinute(logging.Filter):
    """Keeps a collector that is away from filling the log: each message of the SDK comes once a minute."""

    def __init__(self) -> None:
        super().__init__()
        self._logged_at: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the message, without its values, has not been logged for a minute."""
        message, now = str(record.msg), monotonic()
        if now - self._logged_at.get(message, -inf) < _REPEAT_SECONDS:
            return False
        self._logged_at[message] = now
        return True


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
