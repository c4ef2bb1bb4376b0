"""A worker that stands still right before an effect does not bring it about afterwards."""

import time
from pathlib import Path
from typing import Any

import pytest

from pagehand.engine.postgres import lease
from pagehand.storage.executions import ExecutionStore
from support.engines import FINAL, shared_services
from support.webservice import Reply, web_service

pytestmark = pytest.mark.anyio


class Clock:
    """The worker's clock; a process that stood still finds it ahead of its last heartbeat."""

    def __init__(self) -> None:
        self.stood_still_seconds = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self.stood_still_seconds


@pytest.mark.slow
async def test_an_effect_that_is_on_the_row_does_not_happen_when_the_worker_stood_still_since(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(lease, "time", clock)
    update = ExecutionStore.update

    async def then_stand_still(store: ExecutionStore, execution_id: str, fence: int, **changes: Any) -> bool:
        is_kept = await update(store, execution_id, fence, **changes)
        if "effects" in (changes.get("metadata") or {}):
            clock.stood_still_seconds = 60.0
        return is_kept

    monkeypatch.setenv("PAGEHAND_EGRESS_ALLOW", "127.0.0.1:*")
    with web_service() as partner:
        partner.answers["/pay"] = Reply()
        async with shared_services(database, tmp_path) as fleet:
            await fleet.worker()
            monkeypatch.setattr(ExecutionStore, "update", then_stand_still)
            pay = {"type": "API", "data": {"route": f"{partner.url}/pay", "method": "POST", "isCommit": True}}
            execution = await fleet.api.start(await fleet.api.create(pay))
            ended = await fleet.api.wait_for(execution, *FINAL)
        assert clock.stood_still_seconds
        assert (ended["status"], ended["failure"]["code"]) == ("Failed", "WorkerLost")
        assert [item for item in partner.requests if item.path == "/pay"] == []
