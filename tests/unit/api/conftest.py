"""A service without a network or a browser: the real app, engine and stores, and a client of it."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from httpx2 import ASGITransport, AsyncClient, Response

from pagehand.ai import Gateway
from pagehand.api.app import create_app
from pagehand.api.auth import CallerAuthenticator
from pagehand.api.keys import new_key
from pagehand.api.services import ApiServices
from pagehand.assemble.services import WebhookServices
from pagehand.blocks import kinds
from pagehand.clock import now_ms
from pagehand.egress.http import HttpClient
from pagehand.egress.policy import EgressPolicy
from pagehand.egress.upstream_proxies import UpstreamProxies
from pagehand.engine.changes import Changes
from pagehand.engine.local.engine import LocalEngine
from pagehand.engine.reporting.metrics import Metrics
from pagehand.engine.schedules.stored import StoredSchedules
from pagehand.files import UrlSigner
from pagehand.ids import new_id
from pagehand.logins.stored import StoredLogins
from pagehand.records import Execution, Json
from pagehand.secrets.master_key import MasterKey
from pagehand.secrets.vault import SecretParams, Vault
from pagehand.testing import Harness
from support.ending import final_state

PORT = 8700
BASE = f"http://127.0.0.1:{PORT}"


class FailingEngine(LocalEngine):
    """The engine of the service; waiting for an execution fails with `error` once that is set."""

    error: Exception | None = None

    async def wait(self, execution: Execution) -> Execution:
        """Wait for the end, then raise `error` if it is set."""
        ended = await super().wait(execution)
        if self.error is not None:
            raise self.error
        return ended

    async def stop_reconciling(self) -> None:
        """Run only accepted executions: rows that a test writes stay unchanged."""
        await self._reconciler.loop.stop()


class Api:
    """The app and a client of it."""

    def __init__(self, services: ApiServices, engine: FailingEngine) -> None:
        self.services = services
        self.engine = engine
        self.app = create_app(services)
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

    async def create_key(self, organization: str, scopes: list[str] | None = None) -> str:
        """A new key of an organization."""
        owner = await self.services.stores.organizations.ensure(organization)
        key, text = new_key(owner.id, name="test", scopes=scopes)
        await self.services.stores.keys.add(key)
        return text

    async def organization_id(self) -> str:
        """The organization of callers without a key."""
        return (await self.services.stores.organizations.ensure("default")).id

    async def add_execution(self, **fields: Any) -> Execution:
        """An execution of the default organization as a row that the engine does not run."""
        await self.engine.stop_reconciling()
        now = now_ms()
        values: dict[str, Any] = {
            "id": new_id("exec"),
            "organization_id": await self.organization_id(),
            "workflow_id": "wf_none",
            "workflow_name": "Invoices",
            "workflow_version": 1,
            "browser_session_id": new_id("bs"),
            "accepted_at": now,
            "start_time": now,
            "deadline_at": now + 3_600_000,
        }
        return await self.services.stores.executions.add(Execution(**values | fields))

    async def add_running(self, changes: Json | None = None, **fields: Any) -> Execution:
        """An execution that runs according to its row; `changes` are written to it."""
        made = await self.add_execution(**fields)
        claimed = await self.services.stores.executions.claim(made.id, at=made.start_time)
        assert claimed is not None
        if changes:
            assert await self.services.stores.executions.update(made.id, claimed.fence, **changes)
        found = await self.services.stores.executions.find_in_any_organization(made.id)
        assert found is not None
        return found

    async def add_ended(self, final: Json | None = None, **fields: Any) -> Execution:
        """An execution that has ended: Completed unless `final` has another status."""
        return await self.finish(await self.add_running(**fields), final)

    async def finish(self, running: Execution, final: Json | None = None) -> Execution:
        """End an execution as its run would."""
        times: Json = {"end_time": running.start_time + 1000, "duration_ms": 1000}
        columns: Json = {"response": {}, "summary": "", **times, **(final or {})}
        state = final_state(running.id, **columns)
        done = await self.services.stores.executions.finish(state, running.fence)
        assert done is not None
        return done

    async def create_workflow(self, name: str = "quick", *, waits_ms: int = 1, **more: Any) -> dict[str, Any]:
        """A workflow of the default organization that waits, and outputs its parameters."""
        blocks = [{"type": "Wait", "data": {"durationMs": waits_ms}, "blockReferenceId": "nap"}]
        output = {"echo": "{{params}}"}
        answer = await self.post(
            "/workflows/create", {"name": name, "blocks": blocks, "output": output, **more}
        )
        assert answer.status_code == 200, answer.text
        return answer.json()["workflow"]


async def _one_worker() -> int:
    return 1


async def _name_of(organization_id: str) -> str:
    return organization_id


@pytest.fixture
def quiet_seconds() -> float:
    """How long executeSync stays silent; tests of white space override it."""
    return 60


@pytest.fixture
async def api(quiet_seconds: float) -> AsyncIterator[Api]:
    async with Harness() as harness:
        engine = FailingEngine(harness.services)
        engine.start()
        made = Api(_services(harness, engine, quiet_seconds), engine)
        async with made.client:
            yield made
        made.services.changes.close()  # as the service does: what waits for changes ends
        await engine.stop()


def _services(harness: Harness, engine: FailingEngine, quiet_seconds: float) -> ApiServices:
    """What `assemble` gives the API, over the harness's database and files."""
    settings = harness.settings.model_copy(update={"port": PORT})
    stores, policy = harness.stores, EgressPolicy()
    vault = Vault(MasterKey(bytes(32)))
    signer = UrlSigner(b"0" * 32, BASE, 900)
    return ApiServices(
        settings=settings,
        authenticator=CallerAuthenticator(settings, stores, signer),
        changes=Changes(),
        engine=engine,
        stores=stores,
        logins=StoredLogins(stores.logins, vault, stores.login_states),
        files=harness.file_store,
        documents=harness.documents,
        signer=signer,
        kinds=kinds(),
        models=Gateway(settings, _name_of),
        webhooks=WebhookServices(stores, vault, HttpClient(policy), policy, Metrics()).stored,
        knowledge=harness.knowledge,
        schedules=StoredSchedules(
            stores.schedules, engine, SecretParams(vault, "schedules"), SecretParams(vault)
        ),
        proxies=UpstreamProxies(settings.proxy, stores.organizations, vault, policy),
        metrics=Metrics(),
        idle_browsers=lambda: 0,
        count_workers=_one_worker,
        quiet_seconds=quiet_seconds,
    )
