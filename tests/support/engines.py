"""Services in this process, asked as over HTTP: one alone, or several that share a PostgreSQL."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from pagehand.assemble import Service, open_service
from pagehand.settings import Settings

Json = dict[str, Any]
FINAL = ("Completed", "Failed")
_ADDRESS = "http://127.0.0.1:8700"


class Client:
    """Posts JSON to a service in this process."""

    def __init__(self, service: Service) -> None:
        transport = httpx2.ASGITransport(app=service.app, client=("127.0.0.1", 8700))
        self.http = httpx2.AsyncClient(transport=transport, base_url=_ADDRESS, timeout=120)

    async def post(self, path: str, **fields: Any) -> httpx2.Response:
        return await self.http.post(path, json=fields)

    async def call(self, path: str, **fields: Any) -> Json:
        answer = await self.post(path, **fields)
        assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text[:500]}"
        return answer.json()

    async def create(self, *blocks: Json, **more: Any) -> str:
        made = await self.call("/workflows/create", name="test", blocks=list(blocks), **more)
        return made["workflow"]["id"]

    async def start(self, workflow_id: str, **params: Any) -> str:
        started = await self.call("/workflows/execute", workflowId=workflow_id, params=params)
        return started["execution"]["id"]

    async def get(self, execution_id: str) -> Json:
        return (await self.call("/executions/get", id=execution_id))["execution"]

    async def wait_for(self, execution_id: str, *statuses: str) -> Json:
        async with asyncio.timeout(120):
            while (found := await self.get(execution_id))["status"] not in statuses:  # noqa: ASYNC110 - asked as clients ask
                await asyncio.sleep(0.02)
        return found


class RunningServices:
    """Services of one installation: `api` and `other` are asked, `workers` work."""

    def __init__(self, start: Callable[[bool], Awaitable[Service]]) -> None:
        self._start = start
        self.api: Client
        self.other: Client
        self.workers: list[Service] = []

    async def worker(self) -> Service:
        """One more process that works."""
        made = await self._start(True)
        self.workers.append(made)
        return made


@asynccontextmanager
async def single_service(folder: Path, **more: Any) -> AsyncGenerator[RunningServices]:
    """One service that does everything, on SQLite unless told otherwise."""
    async with AsyncExitStack() as stack:
        made = RunningServices(lambda _: _started(stack, _settings(folder, **more)))
        made.api = made.other = Client(await made.worker())
        stack.push_async_callback(made.api.http.aclose)
        yield made


@asynccontextmanager
async def shared_services(database: str, folder: Path) -> AsyncGenerator[RunningServices]:
    """Two API nodes on PostgreSQL; `worker` adds those who work."""
    numbers = count()
    async with AsyncExitStack() as stack:

        def process(works: bool) -> Awaitable[Service]:
            settings = _settings(
                folder / f"process{next(numbers)}",
                database=database,
                engine="postgres",
                worker=works,
                master_key=SecretStr("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="),
                files=f"file://{folder / 'files'}",
            )
            return _started(stack, settings)

        made = RunningServices(process)
        made.api, made.other = Client(await process(False)), Client(await process(False))
        stack.push_async_callback(made.api.http.aclose)
        stack.push_async_callback(made.other.http.aclose)
        yield made


def _settings(folder: Path, **more: Any) -> Settings:
    plain: Json = {"demo": False, "browser_pool": 0, "concurrency": 2, "stop_grace_seconds": 1}
    return Settings(data_dir=folder, **{**plain, **more})


async def _started(stack: AsyncExitStack, settings: Settings) -> Service:
    service = await stack.enter_async_context(open_service(settings, _ADDRESS, pytest.fail))
    await service.start()
    service.readiness.problem = ""
    return service
