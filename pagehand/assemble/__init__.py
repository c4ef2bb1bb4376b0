"""The one place that picks the concrete classes and wires them into a service."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import structlog
from starlette.applications import Starlette

from pagehand import temporary_files
from pagehand.ai import Gateway
from pagehand.api.app import create_app
from pagehand.api.auth import CallerAuthenticator
from pagehand.api.live_view.links import LiveViewLinks
from pagehand.api.services import ApiServices, DemoSite, Readiness, RequestLog
from pagehand.assemble.engines import choose_engine
from pagehand.assemble.services import (
    ExecutionBrowsers,
    LoginServices,
    ScheduleServices,
    WebhookServices,
    knowledge_base,
    open_vault,
    traces,
)
from pagehand.blocks import kinds
from pagehand.browser.provider import Provider
from pagehand.browser.providers import make_provider
from pagehand.documents import DocumentProcess
from pagehand.egress.http import HttpCaptchaSolver, HttpClient
from pagehand.egress.policy import EgressPolicy
from pagehand.egress.proxy.server import EgressProxy
from pagehand.egress.smtp import MailServer
from pagehand.egress.upstream_proxies import UpstreamProxies
from pagehand.engine.base import Engine
from pagehand.engine.changes import Changes
from pagehand.engine.reporting.metrics import Metrics
from pagehand.engine.schedules.stored import StoredSchedules
from pagehand.engine.services import EngineServices
from pagehand.errors import NotFound, Unavailable
from pagehand.files import FileDescriber, FilesAndResponses, UrlSigner, file_store
from pagehand.files.retention import Retention
from pagehand.ids import new_id
from pagehand.logins.stored import StoredLogins
from pagehand.recordings.network import RecordedNetwork
from pagehand.sandbox import PythonSandbox
from pagehand.secrets.redactor import Redactor
from pagehand.settings import Settings
from pagehand.storage import Database, Stores
from pagehand.webhooks import AlertMail

_log = structlog.get_logger(__name__)
_RETRY_SECONDS = 2.0


@dataclass(slots=True, kw_only=True)
class Service:
    """A service that was assembled: the application to serve, and what its process needs of it."""

    app: Starlette
    engine: Engine
    stores: Stores
    logins: StoredLogins
    schedules: StoredSchedules
    readiness: Readiness
    changes: Changes
    request_log: RequestLog
    worker_id: Callable[[], str]
    """The name of this process among several workers."""
    warm_up: Callable[[], None]
    """Launches the browser of the first execution while the service starts."""
    start: Callable[[], Awaitable[None]]
    """Opens the database and starts to work; waits for a database that cannot be reached."""


@asynccontextmanager
async def open_service(
    settings: Settings,
    base_url: str,
    on_lost: Callable[[str], None],
    demo: DemoSite | None = None,
    address: str | None = None,
    recorded: RecordedNetwork | None = None,
    provider: Provider | None = None,
) -> AsyncGenerator[Service]:
    """A service to start within the context; `base_url` is where clients reach it.

    `address` is where other processes of the service reach this one, if not at `base_url`. Until it has
    started, it answers every request with 503 and the reason. `on_lost` is called when another process has
    taken over the executions. With `recorded`, workflows meet a recording instead of the world. `provider`
    has browsers, if not the one that the settings name.
    """
    await asyncio.to_thread(settings.data_dir.mkdir, parents=True, exist_ok=True)
    components = _Components(settings, base_url, on_lost, demo, address or base_url, recorded, provider)
    async with AsyncExitStack() as stack:
        components.close_with(stack)
        # the port is open from the beginning: clients get a sentence instead of a refused connection
        components.api.readiness.problem = "The service is starting; try again shortly."
        yield Service(
            app=create_app(components.api),
            engine=components.engine,
            stores=components.stores,
            logins=components.logins.stored,
            schedules=components.schedules.stored,
            readiness=components.api.readiness,
            changes=components.api.changes,
            request_log=components.api.request_log,
            worker_id=components.engine_setup.worker_id,
            warm_up=components.warm_up,
            start=lambda: components.start(stack),
        )


class _Components:
    """Everything a service consists of, wired together; nothing runs before `start`."""

    def __init__(
        self,
        settings: Settings,
        base_url: str,
        on_lost: Callable[[str], None],
        demo: DemoSite | None,
        address: str,
        recorded: RecordedNetwork | None,
        provider: Provider | None,
    ) -> None:
        self._settings = settings
        master_key, vault = open_vault(settings)
        self._signer = UrlSigner(master_key.subkey("signed urls"), base_url, settings.file_url_seconds)
        self._database = Database(settings.database_url)
        installation = installation_name(settings.data_dir)
        self.engine_setup = choose_engine(settings, self._database, installation, address, on_lost)
        self.stores = self.engine_setup.stores
        self._files = FilesAndResponses(file_store(settings), self.stores.executions.get)
        self._retention = Retention(
            self.stores.retention, self.stores.deliveries, self._files, settings.keep_days
        )
        self._sandbox = PythonSandbox()
        self._documents = DocumentProcess()
        self._knowledge = knowledge_base(settings, self.stores, self._files, self._documents)
        policy = recorded.policy if recorded else EgressPolicy(settings.egress_allow)
        self._mail = recorded.mail if recorded else MailServer(settings)
        self._http = HttpClient(policy)
        self._egress_proxy = EgressProxy(policy, settings.egress_proxy_listen, settings.egress_proxy_url)
        self._proxies = UpstreamProxies(settings.proxy, self.stores.organizations, vault, policy)
        provider = provider or make_provider(settings, installation)
        self._browsers = ExecutionBrowsers(provider, self._egress_proxy, self._proxies, settings)
        self._models = Gateway(settings, self.stores.organizations.name_of)
        self._metrics = Metrics()
        self._traces, self._send_last_spans = traces()
        self.logins = LoginServices(settings, self.stores, vault)
        self._webhooks = WebhookServices(
            self.stores,
            vault,
            self._http,
            policy,
            self._metrics,
            AlertMail(self._mail, base_url, self._last_picture) if settings.smtp_host else None,
            base_url,
        )
        # after everything it uses, and before the schedules and the API, which use it
        self.engine = self.engine_setup.engine(self._engine_services())
        self.schedules = ScheduleServices(
            self.stores, self.engine, self.logins, self.engine_setup.changes, self._webhooks.listeners
        )
        self.api = self._api_services(demo)

    async def _last_picture(self, organization_id: str, execution_id: str) -> bytes | None:
        """What the page of an execution looked like last; None if it has no picture any more."""
        key = await self.stores.events.last_picture(organization_id, execution_id)
        try:
            return await self._files.read(key) if key is not None else None
        except NotFound:
            return None

    def _engine_services(self) -> EngineServices:
        settings = self._settings
        return EngineServices(
            settings=settings,
            stores=self.stores,
            file_bytes=self._files,
            describe_file=FileDescriber(self._signer),
            kinds=kinds(),
            sandbox=self._sandbox,
            documents=self._documents,
            open_browser=self._browsers,
            http=self._http,
            proxies=self._proxies,
            mail=self._mail,
            logins=self.logins.sign_in,
            secret_params=self.logins.secret_params,
            models=self._models,
            new_redactor=Redactor,
            live_view_url=LiveViewLinks(self._signer),
            webhook_listeners=self._webhooks.listeners,
            metrics=self._metrics,
            traces=self._traces,
            knowledge=self._knowledge,
            check_room=self.stores.files.check_room,
            end_lost_browser=self._browsers.pool.end_lost,
            captcha_solver=HttpCaptchaSolver(settings.captcha_solver) if settings.captcha_solver else None,
        )

    def _api_services(self, demo: DemoSite | None) -> ApiServices:
        return ApiServices(
            settings=self._settings,
            authenticator=CallerAuthenticator(self._settings, self.stores, self._signer),
            changes=self.engine_setup.changes,
            demo=demo,
            engine=self.engine,
            stores=self.stores,
            logins=self.logins.stored,
            files=self._files,
            documents=self._documents,
            signer=self._signer,
            schedules=self.schedules.stored,
            metrics=self._metrics,
            idle_browsers=lambda: self._browsers.pool.ready,
            count_workers=self.engine_setup.count_workers,
            webhooks=self._webhooks.stored,
            knowledge=self._knowledge,
            proxies=self._proxies,
            models=self._models,
            kinds=kinds(),
        )

    def close_with(self, stack: AsyncExitStack) -> None:
        """Close everything when the stack is left, the database last: the others write while they stop."""
        for close in (
            self._database.close,
            self._send_last_spans,
            self._sandbox.close,
            self._documents.close,
            self._egress_proxy.close,
            self._models.close,
            self._http.close,
            self._proxies.close,
            self._browsers.pool.close,
        ):
            stack.push_async_callback(close)

    def warm_up(self) -> None:
        """Launch the browser of the first execution."""
        self._browsers.pool.warm_up()

    async def start(self, stack: AsyncExitStack) -> None:
        """Start everything, to be stopped in the opposite order when the stack is left."""
        _remove_orphaned_files(stack)
        await _open_database(self._database, self.api.readiness)
        await self.engine_setup.open()
        stack.push_async_callback(self.engine_setup.close)
        if self._settings.worker:
            self._browsers.pool.start()
        await self.logins.start()
        stack.push_async_callback(self.logins.stop)
        # the scheduler last: it needs an engine that accepts executions, and stops before it
        for service in (
            self._retention,
            self._webhooks.deliverer,
            self.engine,
            self.schedules.scheduler.loop,
        ):
            service.start()
            stack.push_async_callback(service.stop)


def _remove_orphaned_files(stack: AsyncExitStack) -> None:
    """Remove temporary files of processes that were killed, while this one starts."""
    removing = asyncio.create_task(asyncio.to_thread(temporary_files.remove_orphans))
    stack.push_async_callback(asyncio.wait, [removing])


async def _open_database(database: Database, readiness: Readiness) -> None:
    """Open the database, however long it takes; until then `readiness` says why nothing is served."""
    while True:
        try:
            await database.open()
        except Unavailable as error:
            cause = f" ({error.__cause__})" if error.__cause__ else ""
            readiness.problem = "The database cannot be opened yet; try again shortly."
            _log.error("the database cannot be opened; trying again%s", cause)
            await asyncio.sleep(_RETRY_SECONDS)
        else:
            return


def installation_name(data_dir: Path) -> str:
    """The name of this data folder, made when it is first used."""
    path = data_dir / "installation"
    with suppress(FileNotFoundError):
        if known := path.read_text().strip():
            return known
    name = new_id("installation")
    with suppress(OSError):  # a full disk: the next start waits until this process is known to be gone
        path.write_text(name)
    return name
