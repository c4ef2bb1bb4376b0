"""The one place that picks the concrete parts and wires them into a service."""

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
from pagehand.api.auth import Authenticator
from pagehand.api.demo_site import DemoSite
from pagehand.api.live_view.links import LiveViewLinks
from pagehand.api.readiness import Readiness
from pagehand.api.services import ApiServices
from pagehand.assemble.engines import RunnableEngine, engine_choice
from pagehand.assemble.file_store import file_store
from pagehand.assemble.knowledge import knowledge_base
from pagehand.assemble.logins import LoginParts, open_vault
from pagehand.assemble.schedules import Schedules
from pagehand.assemble.traces import traces
from pagehand.assemble.webhooks import Webhooks
from pagehand.blocks import kinds
from pagehand.browser.captcha_solver import HttpCaptchaSolver
from pagehand.browser.for_executions import Browsers
from pagehand.browser.providers import provider_of
from pagehand.documents import DocumentProcess
from pagehand.egress.http import HttpClient
from pagehand.egress.policy import EgressPolicy
from pagehand.egress.proxy.server import EgressProxy
from pagehand.egress.smtp import MailServer
from pagehand.egress.upstream_proxies import Proxies
from pagehand.engine.reporting.metrics import Metrics
from pagehand.engine.schedules.stored import StoredSchedules
from pagehand.engine.services import EngineServices
from pagehand.errors import Unavailable
from pagehand.files.description import FileDescriber
from pagehand.files.quota import Quota
from pagehand.files.responses import FilesAndResponses
from pagehand.files.retention import Retention
from pagehand.files.signing import UrlSigner
from pagehand.ids import new_id
from pagehand.logins.stored import StoredLogins
from pagehand.sandbox import PythonSandbox
from pagehand.secrets.redactor import Redactor
from pagehand.settings import Settings
from pagehand.storage import Database, Stores

_log = structlog.get_logger(__name__)
_OPEN_AGAIN_SECONDS = 2.0


@dataclass(slots=True, kw_only=True)
class Service:
    """A running service: the application to serve and the parts behind it."""

    app: Starlette
    engine: RunnableEngine
    stores: Stores
    logins: StoredLogins
    schedules: StoredSchedules
    readiness: Readiness
    worker_id: Callable[[], str]
    """By which people know this process among several workers."""
    start: Callable[[], Awaitable[None]]
    """Opens the database and begins to work; waits for a database that cannot be reached."""


@asynccontextmanager
async def assembled(
    settings: Settings,
    base_url: str,
    on_lost: Callable[[str], None],
    demo: DemoSite | None = None,
    address: str | None = None,
) -> AsyncGenerator[Service]:
    """A service that can be started while the context is entered; `base_url` is where clients reach it.

    `address` is where other processes of the service reach this one, if not there.

    Until it is started it answers every request with 503 and says what it waits for. `on_lost` is called when
    another process has taken over the executions.
    """
    await asyncio.to_thread(settings.data_dir.mkdir, parents=True, exist_ok=True)
    master, vault = open_vault(settings)
    signer = UrlSigner(master.subkey("signed urls"), base_url, settings.file_url_seconds)
    database = Database(settings.database_url)
    installation = installation_of(settings.data_dir)
    choice = engine_choice(settings, database, installation, address or base_url, on_lost)
    stores = choice.stores
    files = FilesAndResponses(file_store(settings), stores.executions.get)
    sandbox = PythonSandbox()
    documents = DocumentProcess()
    policy = EgressPolicy(settings.egress_allow)
    proxy = EgressProxy(policy, settings.egress_proxy_listen, settings.egress_proxy_url)
    proxies = Proxies(settings.proxy, stores.organizations, vault, policy)
    http = HttpClient(policy)
    browsers = Browsers(provider_of(settings, installation), proxy, proxies, settings)
    models = Gateway(settings, stores.organizations.name_of)
    logins = LoginParts(settings, stores, vault)
    metrics = Metrics()
    traced, send_last_spans = traces()
    webhooks = Webhooks(stores, vault, http, policy, metrics)
    quota = Quota(stores.files, settings.max_stored_bytes)
    retention = Retention(stores.retention, stores.deliveries, files, settings.keep_days)
    knowledge = knowledge_base(settings, stores, files, documents)
    engine = choice.engine(
        EngineServices(
            settings=settings,
            stores=stores,
            file_bytes=files,
            describe_file=FileDescriber(signer),
            kinds=kinds(),
            sandbox=sandbox,
            documents=documents,
            open_browser=browsers,
            http=http,
            proxies=proxies,
            mail=MailServer(settings),
            logins=logins.sign_in,
            secret_params=logins.secret_params,
            models=models,
            new_redactor=Redactor,
            live_view_url=LiveViewLinks(signer),
            announcer=webhooks.announcer,
            metrics=metrics,
            traces=traced,
            knowledge=knowledge,
            check_room=quota.check,
            end_lost_browser=browsers.pool.end_lost,
            captcha_solver=HttpCaptchaSolver(settings.captcha_solver) if settings.captcha_solver else None,
        )
    )
    schedules = Schedules(stores, engine, logins, stores.changes)
    services = ApiServices(
        settings=settings,
        authenticator=Authenticator(settings, stores, signer),
        changes=stores.changes,
        demo=demo,
        engine=engine,
        stores=stores,
        logins=logins.stored,
        files=files,
        documents=documents,
        signer=signer,
        schedules=schedules.stored,
        metrics=metrics,
        idle_browsers=lambda: browsers.pool.ready,
        count_workers=choice.count_workers,
        webhooks=webhooks.stored,
        knowledge=knowledge,
        quota=quota,
        proxies=proxies,
        models=models,
        kinds=kinds(),
    )
    async with AsyncExitStack() as stack:

        async def start() -> None:
            _begin_to_tidy(stack)
            await _opened(database, services.readiness)
            await choice.open()
            stack.push_async_callback(choice.close)
            if settings.worker:
                browsers.pool.start()
            await logins.start()
            stack.push_async_callback(logins.stop)
            # the scheduler last: what it starts needs an engine that takes it, and it stops first
            for part in (retention, webhooks.deliverer, engine, schedules.scheduler):
                part.start()
                stack.push_async_callback(part.stop)

        # the port is open from the start: callers get a sentence instead of a refused connection
        services.readiness.problem = "The service is starting; try again shortly."
        # first in, last out: everything below still writes while it stops
        stack.push_async_callback(database.close)
        stack.push_async_callback(send_last_spans)
        stack.push_async_callback(sandbox.close)
        stack.push_async_callback(documents.close)
        stack.push_async_callback(proxy.close)
        stack.push_async_callback(models.close)
        stack.push_async_callback(http.close)
        stack.push_async_callback(proxies.close)
        stack.push_async_callback(browsers.pool.close)
        yield Service(
            app=create_app(services),
            engine=engine,
            stores=stores,
            logins=logins.stored,
            schedules=schedules.stored,
            readiness=services.readiness,
            worker_id=choice.worker_id,
            start=start,
        )


def _begin_to_tidy(stack: AsyncExitStack) -> None:
    """Remove temporary files of processes that were killed, while this one starts."""
    tidying = asyncio.create_task(asyncio.to_thread(temporary_files.remove_orphans))
    stack.push_async_callback(asyncio.wait, [tidying])


async def _opened(database: Database, readiness: Readiness) -> None:
    """Open the database, however long it takes, and say meanwhile why nothing is served."""
    while True:
        try:
            await database.open()
        except Unavailable as error:
            cause = f" ({error.__cause__})" if error.__cause__ else ""
            readiness.problem = "The database cannot be opened yet; try again shortly."
            _log.error("the database cannot be opened; trying again%s", cause)
            await asyncio.sleep(_OPEN_AGAIN_SECONDS)
        else:
            return


def installation_of(data_dir: Path) -> str:
    """The name of this data folder, made when it is first used."""
    path = data_dir / "installation"
    with suppress(FileNotFoundError):
        if known := path.read_text().strip():
            return known
    name = new_id("installation")
    with suppress(OSError):  # a full disk: the next start waits until this process is known to be gone
        path.write_text(name)
    return name
