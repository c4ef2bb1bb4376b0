"""Runs workflows through the real intake and the real walk, over a temporary database."""

import asyncio
import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, cast

from pagehand.blocks import Registry, kinds
from pagehand.browser import BrowserSession, OpenBrowser
from pagehand.browser_session import BrowserRequest
from pagehand.clock import now_ms
from pagehand.documents import DocumentProcess
from pagehand.engine.intake import Intake
from pagehand.engine.port import ExecutionRequest
from pagehand.engine.services import EngineServices
from pagehand.errors import OurFault
from pagehand.files import FileDescriber, UrlSigner
from pagehand.ids import new_id
from pagehand.knowledge import KnowledgeBase
from pagehand.logins.login_fields import CredentialFields, LoginConfigurationFields, LoginFields
from pagehand.logins.stored import StoredLogins
from pagehand.ports import CaptchaSolver, Documents, Http, Mail, Models, Sandbox
from pagehand.records import Execution, FileInfo, Json, Login, Workflow
from pagehand.sandbox import PythonSandbox
from pagehand.secrets.master_key import MasterKey
from pagehand.secrets.redactor import Redactor
from pagehand.secrets.vault import SecretParams, Vault
from pagehand.settings import PREFIX, Settings
from pagehand.storage import Database, Stores
from pagehand.testing.fakes import (
    BlankBrowser,
    FakeSignIn,
    MemoryFileStore,
    NoModels,
    NoProxies,
    Outbox,
    ScriptedHttp,
    SignInCall,
)
from pagehand.testing.run import HarnessRun, RunResult
from pagehand.webhooks import WebhookListeners
from pagehand.workflow import tree
from pagehand.workflow.parse import parse_blocks

_BASE_URL = "http://pagehand.test"
_PASSWORD = "not-for-anyone"  # noqa: S105 - no account has it
_Started = TypeVar("_Started", PythonSandbox, DocumentProcess)
_migrated: list[bytes] = []
"""An empty database with all tables, once there is one: migrating takes longer than most tests."""


async def _blank(request: BrowserRequest) -> BrowserSession:
    del request
    # not all of a session: what is missing fails the block that asks for it
    return cast("BrowserSession", BlankBrowser())


@dataclass(slots=True, kw_only=True)
class Seams:
    """What a run meets of the outside; each may be replaced, also between two runs.

    Without a `sandbox` or `documents` the harness starts the real ones, and ends them.
    """

    http: Http = field(default_factory=ScriptedHttp)
    mail: Mail = field(default_factory=Outbox)
    models: Models = field(default_factory=NoModels)
    open_browser: OpenBrowser = _blank
    captcha_solver: CaptchaSolver | None = None
    sandbox: Sandbox | None = None
    documents: Documents | None = None
    kinds: Registry = field(default_factory=kinds)
    """The block kinds there are: for an outside package, those of the entry point are among them."""


class Harness:
    """An engine for tests: `async with Harness() as harness`, then `run` blocks."""

    def __init__(self, seams: Seams | None = None) -> None:
        self.seams = seams or Seams()
        self.file_store = MemoryFileStore()
        self._stack = AsyncExitStack()
        self._result: RunResult | None = None
        self.sign_ins: list[SignInCall] = []
        """The sign-ins that runs asked for, oldest first; none of them reaches a site."""

    async def __aenter__(self) -> Self:
        """Open a database in a temporary folder."""
        folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="pagehand-test-")))
        self.settings = _settings().model_copy(update={"data_dir": folder}, deep=True)
        database = await opened_database(folder / "pagehand.db", self.settings.database_url)
        self._stack.push_async_callback(database.close)
        self.stores = Stores(database)
        # a well-known key: nothing that a test stores is secret
        self._vault = Vault(MasterKey(bytes(32)))
        self.organization_id = (await self.stores.organizations.ensure("Test")).id
        self.sandbox = self.seams.sandbox or self._own(PythonSandbox(processes=1, seconds=2))
        self.documents = self.seams.documents or self._own(DocumentProcess())
        self.knowledge = KnowledgeBase(self.stores.knowledge, self.stores.files, self.file_store, _decoded)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End what the harness started."""
        await self._stack.__aexit__(kind, error, trace)

    @property
    def result(self) -> RunResult:
        """What the latest run left behind, also when it failed."""
        if self._result is None:
            raise OurFault("No run has begun: `run` raised before its first block.")
        return self._result

    @property
    def response(self) -> Json:
        """The outputs of the latest run, also when it failed."""
        return self.result.outputs

    @property
    def services(self) -> EngineServices:
        """What the engine works with: real but for the seams."""
        seams = self.seams
        return EngineServices(
            settings=self.settings,
            stores=self.stores,
            file_bytes=self.file_store,
            describe_file=FileDescriber(UrlSigner(b"0" * 32, _BASE_URL, 900)),
            kinds=seams.kinds,
            sandbox=self.sandbox,
            documents=self.documents,
            open_browser=seams.open_browser,
            http=seams.http,
            proxies=NoProxies(lambda: self.seams.http),
            mail=seams.mail,
            logins=FakeSignIn(self._vault, self.sign_ins),
            secret_params=SecretParams(self._vault),
            models=seams.models,
            new_redactor=Redactor,
            live_view_url=lambda execution: f"{_BASE_URL}/live/{execution.id}",
            webhook_listeners=WebhookListeners(self.stores.webhooks, lambda: None),
            captcha_solver=seams.captcha_solver,
            knowledge=self.knowledge,
        )

    async def add_file(self, name: str, content: bytes, mime_type: str = "application/octet-stream") -> Json:
        """Store a file of the organization; its File info, to give to blocks."""
        file_id = new_id("file")
        info = FileInfo(
            id=file_id,
            organization_id=self.organization_id,
            execution_id=None,
            name=name,
            mime_type=mime_type,
            size_bytes=len(content),
            key=f"{self.organization_id}/uploads/{file_id}",
            created_at=now_ms(),
        )
        await self.file_store.put(info.key, content)
        await self.stores.files.add(info)
        return self.services.describe_file(info)

    async def read_file(self, described: Mapping[str, Any] | str) -> bytes:
        """The bytes of a File info that a block returned, or of a file's id."""
        file_id = described if isinstance(described, str) else str(described["id"])
        info = await self.stores.files.get(self.organization_id, file_id)
        if info is None:
            raise OurFault(f"The run stored no file `{file_id}`.")
        return await self.file_store.read(info.key)

    async def add_login(self, url: str, *, password: str = _PASSWORD, **secrets: str) -> Login:
        """A stored login of the site at `url`, with `{{login.<name>}}` for each secret."""
        written = LoginFields(
            name="Test login",
            authentication_url=url,
            home_url=url,
            login_configuration=LoginConfigurationFields(
                username="ann",
                password=password,
                additional_credentials=[
                    CredentialFields(key=key, value=secret) for key, secret in secrets.items()
                ],
            ),
        )
        return await StoredLogins(self.stores.logins, self._vault).create(self.organization_id, written)

    async def add_workflow(self, *blocks: Mapping[str, Any], **more: Any) -> Workflow:
        """Store a workflow of these blocks; refused as the API would refuse it."""
        now = now_ms()
        parsed = parse_blocks([dict(block) for block in blocks], self.seams.kinds)
        workflow = Workflow(
            id=new_id("wf"),
            organization_id=self.organization_id,
            name="Test workflow",
            version=1,
            blocks=tree.to_json(parsed),
            created_at=now,
            updated_at=now,
            **more,
        )
        return await self.stores.workflows.add(workflow, [])

    async def accept(self, workflow: Workflow, **request: Any) -> Execution:
        """An execution of it, as intake makes it, waiting to be run."""
        execution = await Intake(self.services).execution(
            self.organization_id, ExecutionRequest(workflow_id=workflow.id, **request)
        )
        return await self.stores.executions.add(execution)

    async def run(
        self,
        *blocks: Mapping[str, Any],
        params: Json | None = None,
        start: str | None = None,
        login: Login | None = None,
        downloads: Sequence[Json] = (),
    ) -> RunResult:
        """Run blocks as a workflow; an error that ends the run is raised as the block raised it.

        `start` is the reference of the block to begin with, `downloads` the files it has downloaded before.
        """
        workflow = await self.add_workflow(*blocks)
        return await self.run_workflow(
            workflow,
            downloads,
            params=params or {},
            start_block_id=start,
            login_id=login.id if login else None,
        )

    async def run_workflow(
        self, workflow: Workflow, downloads: Sequence[Json] = (), **request: Any
    ) -> RunResult:
        """Run a stored workflow, perhaps once more: it has learned from the runs before."""
        execution = await self.accept(workflow, **request)
        claimed = await self.stores.executions.claim(execution.id, at=now_ms(), token=new_id("claim"))
        if claimed is None:
            raise OurFault("Another run has claimed the execution.")
        run = HarnessRun(self.services, claimed)
        try:
            return await run.walk(workflow, downloads)
        finally:
            self._result = run.result

    def _own(self, started: _Started) -> _Started:
        self._stack.push_async_callback(started.close)
        return started


async def _decoded(content: bytes, name: str, mime_type: str) -> str:
    del name, mime_type
    return content.decode()


def _settings() -> Settings:
    given = ((name, value) for name, value in os.environ.items() if name.upper().startswith(PREFIX))
    return _settings_in(frozenset(given))


@cache
def _settings_in(_environment: frozenset[tuple[str, str]], /) -> Settings:
    """Kept: to read them takes as long as an execution of a small workflow."""
    return Settings()


async def opened_database(path: Path, url: str) -> Database:
    """A database at `path` (of `url`) with all tables and no rows."""
    if not _migrated:
        first = Database(url)
        await first.open()
        await first.close()
        _migrated.append(await asyncio.to_thread(path.read_bytes))
    await asyncio.to_thread(path.write_bytes, _migrated[0])
    database = Database(url)
    await database.open()
    return database
