"""Executions while the database's answers are lost: each runs once, and waiting callers get their answer."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.assemble import Service, open_service
from pagehand.blocks import kinds
from pagehand.clock import now_ms
from pagehand.engine.port import ExecutionRequest
from pagehand.errors import Unavailable
from pagehand.ids import new_id
from pagehand.records import Status, Workflow
from pagehand.settings import Settings
from pagehand.storage import Database
from pagehand.workflow import tree
from pagehand.workflow.parse import parse_blocks
from support.webservice import web_service

pytestmark = pytest.mark.anyio
T = TypeVar("T")


@pytest.fixture
async def service(tmp_path: Path) -> AsyncGenerator[Service]:
    """A whole service in this process, without a browser ahead of need."""
    settings = Settings(
        data_dir=tmp_path / "data", demo=False, browser_pool=0, egress_allow="127.0.0.1:*", concurrency=3
    )
    async with open_service(settings, "http://127.0.0.1", lambda _: None) as running:
        await running.start()
        yield running


@pytest.fixture
def every_second_answer_is_lost(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Begin to lose every second answer to a commit."""
    commit, write, count = Database.commit, Database.write, 0

    def lose() -> None:
        nonlocal count
        count += 1
        if count % 2:
            raise Unavailable("The answer was lost.")

    async def lossy_commit(database: Database, work: Callable[[Connection], T]) -> T:
        done = await commit(database, work)
        lose()
        return done

    @asynccontextmanager
    async def lossy_write(database: Database) -> AsyncGenerator[AsyncConnection]:
        async with write(database) as connection:
            yield connection
        lose()

    def begin() -> None:
        monkeypatch.setattr(Database, "commit", lossy_commit)
        monkeypatch.setattr(Database, "write", lossy_write)

    return begin


async def workflow_of(service: Service, organization_id: str, *blocks: dict[str, Any]) -> Workflow:
    return await service.stores.workflows.add(
        Workflow(
            id=new_id("wf"),
            organization_id=organization_id,
            name="lossy",
            version=1,
            blocks=tree.to_json(parse_blocks(list(blocks), kinds())),
            created_at=now_ms(),
            updated_at=now_ms(),
        ),
        [],
    )


async def test_every_execution_runs_once_and_is_heard_of(
    service: Service, every_second_answer_is_lost: Callable[[], None]
) -> None:
    organization = await service.stores.organizations.ensure("default")
    with web_service() as ledger:
        workflow = await workflow_of(
            service,
            organization.id,
            {"type": "API", "data": {"route": f"{ledger.url}/pay/{{{{params.n}}}}", "method": "POST"}},
        )
        every_second_answer_is_lost()
        requests = [ExecutionRequest(workflow_id=workflow.id, params={"n": number}) for number in range(8)]
        async with asyncio.timeout(120):
            accepted = [await service.engine.accept(organization.id, request) for request in requests]
            ended = await asyncio.gather(*(service.engine.wait(item) for item in accepted))
    assert [item.status for item in ended] == [Status.COMPLETED] * len(requests)
    paths = sorted(item.path for item in ledger.requests)
    assert paths == [f"/pay/{number}" for number in range(8)]
