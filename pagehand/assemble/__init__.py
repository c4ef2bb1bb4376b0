"""The one place that picks the concrete parts and wires them into a service."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from starlette.applications import Starlette

from pagehand.ai import Gateway
from pagehand.api.app import create_app
from pagehand.api.auth import Admission
from pagehand.api.live_view_links import LiveViewLinks
from pagehand.api.parts import Parts
from pagehand.assemble.browsers import Browsers
from pagehand.assemble.knowledge import knowledge_base
from pagehand.assemble.logins import LoginParts, open_vault
from pagehand.assemble.proxies import proxies_of
from pagehand.assemble.webhooks import Webhooks
from pagehand.blocks import kinds
from pagehand.browser.captcha_solver import HttpCaptchaSolver
from pagehand.browser.providers.local import LocalProvider
from pagehand.documents import DocumentProcess
from pagehand.engine.changes import Changes
from pagehand.engine.local import LocalEngine
from pagehand.engine.parts import EngineParts
from pagehand.files.local import LocalFiles
from pagehand.files.object_storage import ObjectStorage
from pagehand.files.quota import Quota
from pagehand.files.retention import Retention
from pagehand.files.signing import UrlSigner
from pagehand.files.store import FileStore
from pagehand.logins.redactor import Redactor
from pagehand.records import FileInfo, Json
from pagehand.sandbox import EgressPolicy, EgressProxy, HttpClient, MailServer, PythonSandbox
from pagehand.settings import Settings
from pagehand.storage import Database, Stores


@dataclass(slots=True, kw_only=True)
class Service:
    """A running service: the application to serve and the parts behind it."""

    app: Starlette
    engine: LocalEngine
    stores: Stores


@asynccontextmanager
async def assembled(settings: Settings, base_url: str) -> AsyncGenerator[Service]:
    """A service that works while the context is entered; `base_url` is where clients reach it."""
    await asyncio.to_thread(settings.data_dir.mkdir, parents=True, exist_ok=True)
    master, vault = open_vault(settings)
    signer = UrlSigner(master.subkey("signed urls"), base_url, settings.file_url_seconds)
    files: FileStore = (
        ObjectStorage(settings.files) if settings.files else LocalFiles(settings.data_dir / "files")
    )
    database = Database(settings.database_url)
    stores = Stores(database)
    sandbox = PythonSandbox()
    documents = DocumentProcess()
    policy = EgressPolicy(settings.egress_allow)
    proxy = EgressProxy(policy)
    proxies = proxies_of(settings, stores, vault, policy)
    http = HttpClient(policy)
    browsers = Browsers(LocalProvider(settings), proxy, proxies, settings)
    models = Gateway(settings, _NameOf(stores))
    logins = LoginParts(settings, stores, vault)
    webhooks = Webhooks(stores, vault, http, policy)
    quota = Quota(stores.files, settings.max_stored_bytes)
    retention = Retention(stores.retention, stores.deliveries, files, settings.keep_days)
    knowledge = knowledge_base(settings, stores, files, documents)
    engine = LocalEngine(
        EngineParts(
            settings=settings,
            stores=stores,
            file_bytes=files,
            describe_file=_FileDescriber(signer),
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
            knowledge=knowledge,
            check_room=quota.check,
            captcha_solver=HttpCaptchaSolver(settings.captcha_solver) if settings.captcha_solver else None,
        )
    )
    parts = Parts(
        settings=settings,
        admission=Admission(settings, stores, signer),
        changes=Changes(),
        engine=engine,
        stores=stores,
        logins=logins.stored,
        files=files,
        signer=signer,
        webhooks=webhooks.stored,
        knowledge=knowledge,
        quota=quota,
        proxies=proxies,
        models=models,
        kinds=kinds(),
    )
    async with AsyncExitStack() as stack:
        await database.open()
        stack.push_async_callback(database.close)
        stack.push_async_callback(sandbox.close)
        stack.push_async_callback(documents.close)
        stack.push_async_callback(proxy.close)
        stack.push_async_callback(models.close)
        stack.push_async_callback(http.close)
        stack.push_async_callback(proxies.close)
        stack.push_async_callback(browsers.pool.close)
        if settings.worker:
            browsers.pool.start()
        await logins.start()
        stack.push_async_callback(logins.stop)
        retention.start()
        stack.push_async_callback(retention.stop)
        webhooks.deliverer.start()
        stack.push_async_callback(webhooks.deliverer.stop)
        await engine.start()
        stack.push_async_callback(engine.stop)
        yield Service(app=create_app(parts), engine=engine, stores=stores)


class _NameOf:
    """The name of an organization by its id."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores

    async def __call__(self, organization_id: str) -> str:
        found = await self._stores.organizations.get(organization_id)
        return found.name if found else ""


class _FileDescriber:
    """File info as the API shows it, with a URL that works for a while."""

    def __init__(self, signer: UrlSigner) -> None:
        self._signer = signer

    def __call__(self, info: FileInfo) -> Json:
        return {
            "id": info.id,
            "name": info.name,
            "mimeType": info.mime_type,
            "sizeBytes": info.size_bytes,
            "key": info.key,
            "downloadUrl": self._signer.url("file", info.organization_id, info.id),
        }
