"""A service without a network or a browser: the real app, engine and stores, and a client of it."""

from collections.abc import AsyncIterator
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
from pagehand.engine.changes import Changes
from pagehand.engine.local.engine import LocalEngine
from pagehand.engine.reporting.metrics import Metrics
from pagehand.engine.schedules.stored import StoredSchedules
from pagehand.files.quota import Quota
from pagehand.files.signing import UrlSigner
from pagehand.logins.stored import StoredLogins
from pagehand.records import Execution
from pagehand.sandbox import EgressPolicy, HttpClient, Proxies
from pagehand.secrets.master_key import MasterKey
from pagehand.secrets.secret_params import SecretParams
from pagehand.secrets.vault import Vault
from pagehand.testing import Harness

PORT = 8700
BASE = f"http://127.0.0.1:{PORT}"


class TroubledEngine(LocalEngine):
    """The engine of the service, which can be made to fail whoever waits for an execution."""

    trouble: Exception | None = None

    async def wait(self, execution: Execution) -> Execution:
        """Wait for the end, and fail with the trouble there is."""
        ended = await super().wait(execution)
        if self.trouble is not None:
            raise self.trouble
        return ended


class Api:
    """The app and a client of it."""

    def __init__(self, parts: Parts, engine: TroubledEngine) -> None:
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

    async def workflow(self, name: str = "quick", *, waits_ms: int = 1, **more: Any) -> dict[str, Any]:
        """A workflow of the default organization that waits, and puts out its parameters."""
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
    """How long executeSync stays silent; a test that wants white space gives another."""
    return 60


@pytest.fixture
async def api(quiet_seconds: float) -> AsyncIterator[Api]:
    async with Harness() as harness:
        engine = TroubledEngine(harness.services)
        engine.start()
        made = Api(_parts(harness, engine, quiet_seconds), engine)
        async with made.client:
            yield made
        await engine.stop()


def _parts(harness: Harness, engine: TroubledEngine, quiet_seconds: float) -> Parts:
    """What `assemble` gives the API, over the harness's database and files."""
    settings = harness.settings.model_copy(update={"port": PORT})
    stores, policy = harness.stores, EgressPolicy()
    vault = Vault(MasterKey(bytes(32)))
    signer = UrlSigner(b"0" * 32, BASE, 900)
    return Parts(
        settings=settings,
        admission=Admission(settings, stores, signer),
        changes=Changes(),
        engine=engine,
        stores=stores,
        logins=StoredLogins(stores.logins, vault),
        files=harness.file_store,
        documents=harness.documents,
        signer=signer,
        kinds=kinds(),
        models=Gateway(settings, _name_of),
        webhooks=Webhooks(stores, vault, HttpClient(policy), policy, Metrics()).stored,
        knowledge=harness.knowledge,
        quota=Quota(stores.files, None),
        schedules=StoredSchedules(
            stores.schedules, engine, SecretParams(vault, "schedules"), SecretParams(vault)
        ),
        proxies=Proxies(settings.proxy, stores.organizations, vault, policy),
        metrics=Metrics(),
        idle_browsers=lambda: 0,
        count_workers=_one_worker,
        quiet_seconds=quiet_seconds,
    )
