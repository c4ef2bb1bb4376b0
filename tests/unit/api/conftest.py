"""A service without a network: the real app and stores, a client that calls it directly."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from httpx2 import ASGITransport, AsyncClient, Response

from pagehand.ai import Gateway
from pagehand.api.app import create_app
from pagehand.api.auth import Admission
from pagehand.api.keys import new_key
from pagehand.api.parts import Parts
from pagehand.assemble.webhooks import Webhooks
from pagehand.blocks import kinds
from pagehand.clock import now_ms
from pagehand.documents import DocumentProcess
from pagehand.engine.changes import Changes
from pagehand.engine.live.session import LiveSession
from pagehand.engine.port import Commit, IdempotencyKey, Order
from pagehand.engine.reporting.metrics import Metrics
from pagehand.engine.schedules.stored import StoredSchedules
from pagehand.engine.signing_in.codes import CodeVerdict, Wanted
from pagehand.errors import Conflict, NotFound
from pagehand.files.local import LocalFiles
from pagehand.files.quota import Quota
from pagehand.files.signing import UrlSigner
from pagehand.ids import new_id
from pagehand.knowledge import KnowledgeBase
from pagehand.logins.stored import StoredLogins
from pagehand.records import Batch, Execution, FileInfo, Json, Status
from pagehand.sandbox import EgressPolicy, HttpClient, Proxies
from pagehand.secrets.master_key import MasterKey
from pagehand.secrets.secret_params import SecretParams
from pagehand.secrets.vault import Vault
from pagehand.settings import Settings
from pagehand.storage import Database, Stores

PORT = 8700
BASE = f"http://127.0.0.1:{PORT}"


class InstantEngine:
    """Implements `Engine`; `params.hold` keeps an execution running until `release` is set."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self.release = asyncio.Event()
        self.trouble: Exception | None = None

    busy_browsers = 0

    async def accept(
        self, organization_id: str, order: Order, idempotency_key: IdempotencyKey | None = None
    ) -> Execution:
        """Keep an execution of the workflow named."""
        workflow = await self._stores.workflows.get(organization_id, order.workflow_id or "")
        if workflow is None:
            raise NotFound("Workflow not found or does not belong to this organization")
        now = now_ms()
        execution = Execution(
            id=new_id("exec"),
            organization_id=organization_id,
            workflow_id=workflow.id,
            workflow_name=workflow.name,
            workflow_version=workflow.version,
            browser_session_id=new_id("bs"),
            accepted_at=now,
            start_time=now,
            deadline_at=now + round(order.timeout_seconds * 1000),
            params=order.params,
            name=order.name,
            is_test=order.is_test,
        )
        return await self._stores.executions.add(
            execution, (idempotency_key.value, idempotency_key.digest) if idempotency_key else None
        )

    async def accept_batch(
        self,
        organization_id: str,
        name: str,
        order: Order,
        rows: Sequence[Json],
        concurrency: int | None = None,
    ) -> Batch:
        """Keep a batch."""
        workflow = await self._stores.workflows.get(organization_id, order.workflow_id or "")
        if workflow is None:
            raise NotFound("Workflow not found or does not belong to this organization")
        batch = Batch(
            id=new_id("batch"),
            organization_id=organization_id,
            name=name,
            workflow_id=workflow.id,
            workflow_name=workflow.name,
            total=len(rows),
            created_at=now_ms(),
            concurrency=concurrency,
        )
        executions = [
            replace(await self._unsaved(organization_id, workflow.id), params=row, batch_id=batch.id)
            for row in rows
        ]
        await self._stores.batches.add(batch, executions)
        return batch

    async def prepare(self, organization_id: str, order: Order) -> Execution:
        """An execution of the workflow named, kept nowhere."""
        return await self._unsaved(organization_id, order.workflow_id or "")

    async def accept_together(
        self, organization_id: str, orders: Sequence[Order], commit: Commit
    ) -> Sequence[Execution]:
        """Have `commit` keep an execution per order."""
        return await commit([await self.prepare(organization_id, order) for order in orders])

    async def address_of(self, execution_id: str) -> str | None:
        """Everything runs here."""
        del execution_id

    async def live_session(self, organization_id: str, execution_id: str) -> LiveSession:
        """There is none."""
        raise NotFound(f"There is no live session `{execution_id}` in `{organization_id}`")

    async def _unsaved(self, organization_id: str, workflow_id: str) -> Execution:
        now = now_ms()
        return Execution(
            id=new_id("exec"),
            organization_id=organization_id,
            workflow_id=workflow_id,
            workflow_name="w",
            workflow_version=1,
            browser_session_id=new_id("bs"),
            accepted_at=now,
            start_time=now,
            deadline_at=now + 1000,
        )

    async def retry(self, organization_id: str, execution_id: str) -> Execution:
        """A new execution like a finished one."""
        original = await self._stores.executions.get(organization_id, execution_id)
        if original is None:
            raise NotFound("There is no execution with this `id` in this organization")
        if not original.status.is_final:
            raise Conflict("The execution is not finished")
        return await self.accept(organization_id, Order(workflow_id=original.workflow_id))

    async def wait(self, execution: Execution) -> Execution:
        """End the execution, at once or when it is released."""
        if execution.params.get("hold"):
            await self.release.wait()
        if self.trouble is not None:
            raise self.trouble
        return await self._end(execution, Status.COMPLETED)

    async def _end(self, execution: Execution, status: Status) -> Execution:
        file_id = new_id("file")
        info = FileInfo(
            id=file_id,
            organization_id=execution.organization_id,
            execution_id=execution.id,
            name="response.json",
            mime_type="application/json",
            size_bytes=2,
            key=f"{execution.organization_id}/{execution.id}/{file_id}",
            created_at=now_ms(),
        )
        await self._stores.files.add(info)
        await self._stores.executions.finish(
            execution.id,
            None,
            status=status,
            end_time=now_ms(),
            duration_ms=1,
            response={"echo": execution.params},
            response_file={
                "id": file_id,
                "name": info.name,
                "mimeType": info.mime_type,
                "sizeBytes": 2,
                "key": info.key,
            },
            summary="It was echoed.",
            error_analysis="",
            context={},
            downloads=None,
        )
        ended = await self._stores.executions.find(execution.id)
        assert ended is not None
        return ended

    async def cancel(self, organization_id: str, execution_id: str, by: str) -> Execution:
        """End an execution that is not final."""
        execution = await self._stores.executions.get(organization_id, execution_id)
        if execution is None:
            raise NotFound("There is no execution with this `id` in this organization")
        if execution.status.is_final:
            raise Conflict(f"It is finished; {by} cannot cancel it")
        return await self._end(execution, Status.FAILED)

    async def cancel_batch(self, organization_id: str, batch_id: str, by: str) -> Batch:
        """Mark a batch."""
        await self._stores.batches.mark_cancelled(organization_id, batch_id, now_ms())
        batch = await self._stores.batches.get(organization_id, batch_id)
        if batch is None:
            raise NotFound(f"There is no batch with this `id` for {by}")
        return batch

    async def pause_batch(self, organization_id: str, batch_id: str) -> Batch:
        """Nothing waits long enough."""
        raise Conflict(f"{organization_id} {batch_id} does not run")

    async def resume_batch(self, organization_id: str, batch_id: str) -> Batch:
        """Nothing is paused."""
        raise Conflict(f"{organization_id} {batch_id} is not paused")

    async def pause(self, organization_id: str, execution_id: str) -> Execution:
        """Nothing runs long enough."""
        raise Conflict(f"{organization_id} {execution_id} does not run")

    async def resume(self, organization_id: str, execution_id: str) -> Execution:
        """Nothing is paused."""
        raise Conflict(f"{organization_id} {execution_id} is not paused")

    def live(self, organization_id: str, execution_id: str) -> None:
        """Nothing here has a browser."""

    async def submit_code(self, organization_id: str, wanted: Wanted, code: str) -> CodeVerdict:
        """Nothing waits for a code."""
        raise NotFound(f"{organization_id} {wanted} waits for no code such as {code}")


class Api:
    """The app and a client of it."""

    def __init__(self, parts: Parts, engine: InstantEngine) -> None:
        self.parts = parts
        self.engine = engine
        self.app = create_app(parts)
        self.client = AsyncClient(
            transport=ASGITransport(self.app, raise_app_exceptions=False), base_url=BASE
        )

    async def post(self, path: str, body: Any = None, **headers: str) -> Response:
        """Post JSON; header names with `_` for `-`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.client.post(path, json={} if body is None else body, headers=named)

    async def send(self, path: str, content: bytes, **headers: str) -> Response:
        """Post bytes as they are."""
        named = {"content-type": "application/json"} | {k.replace("_", "-"): v for k, v in headers.items()}
        return await self.client.post(path, content=content, headers=named)

    async def key(self, organization: str, scopes: list[str] | None = None) -> str:
        """A new key of an organization."""
        owner = await self.parts.stores.organizations.ensure(organization)
        key, text = new_key(owner.id, name="test", scopes=scopes)
        await self.parts.stores.keys.add(key)
        return text

    async def workflow(self, name: str = "quick", **more: Any) -> dict[str, Any]:
        """A workflow of the default organization."""
        blocks = [{"type": "Wait", "data": {"durationMs": 1}, "blockReferenceId": "nap"}]
        answer = await self.post("/workflows/create", {"name": name, "blocks": blocks, **more})
        assert answer.status_code == 200, answer.text
        return answer.json()["workflow"]


@pytest.fixture(scope="session")
async def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated database without rows; copying it is faster than migrating again."""
    folder = tmp_path_factory.mktemp("empty")
    database = Database(Settings(data_dir=folder).database_url)
    await database.open()
    await database.close()
    return folder / "pagehand.db"


@pytest.fixture
async def stores(tmp_path: Path, empty_database: Path) -> AsyncIterator[Stores]:
    shutil.copy(empty_database, tmp_path / "pagehand.db")
    database = Database(Settings(data_dir=tmp_path).database_url)
    await database.open()
    yield Stores(database)
    await database.close()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path, port=PORT)


async def _name_of(organization_id: str) -> str:
    return organization_id


async def _plain_text(content: bytes, name: str, mime_type: str) -> str:
    del name, mime_type
    return content.decode()


@pytest.fixture
async def api(tmp_path: Path, stores: Stores, settings: Settings) -> AsyncIterator[Api]:
    engine = InstantEngine(stores)
    files = LocalFiles(tmp_path / "files")
    vault, policy = Vault(MasterKey(bytes(32))), EgressPolicy()
    signer = UrlSigner(b"0" * 32, BASE, 900)
    parts = Parts(
        settings=settings,
        admission=Admission(settings, stores, signer),
        changes=Changes(),
        engine=engine,
        stores=stores,
        logins=StoredLogins(stores.logins, vault),
        files=files,
        documents=DocumentProcess(),
        signer=signer,
        kinds=kinds(),
        models=Gateway(settings, _name_of),
        webhooks=Webhooks(stores, vault, HttpClient(policy), policy, Metrics()).stored,
        knowledge=KnowledgeBase(stores.knowledge, stores.files, files, _plain_text),
        quota=Quota(stores.files, None),
        schedules=StoredSchedules(
            stores.schedules, engine, SecretParams(vault, "schedules"), SecretParams(vault)
        ),
        proxies=Proxies(settings.proxy, stores.organizations, vault, policy),
        metrics=Metrics(),
        idle_browsers=lambda: 0,
        quiet_seconds=0.05,
    )
    made = Api(parts, engine)
    async with made.client:
        yield made
