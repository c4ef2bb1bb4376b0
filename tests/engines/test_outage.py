"""The database of several processes goes away for a while and comes back."""

import asyncio
from pathlib import Path

import pytest

from support.engines import FINAL, shared_services
from support.postgres import database_unavailable

pytestmark = pytest.mark.anyio


@pytest.mark.slow
async def test_running_executions_continue_and_later_ones_run(database: str, tmp_path: Path) -> None:
    async with shared_services(database, tmp_path) as fleet:
        api = fleet.api
        await fleet.worker()
        long = await api.create({"type": "Wait", "data": {"durationMs": 3000}})
        workflow = await api.create({"type": "Transform", "data": {"input": 1, "code": "input"}})
        execution = await api.start(long)
        await api.wait_for(execution, "InProgress")
        with database_unavailable(database):
            refused = await api.post("/workflows/execute", workflowId=workflow)
            assert refused.status_code == 503
            await asyncio.sleep(4)  # longer than the execution needs: its end is written afterwards
        while (await api.post("/executions/get", id=execution)).status_code != 200:  # noqa: ASYNC110 - asked as clients ask
            await asyncio.sleep(0.1)
        ended = await fleet.other.wait_for(execution, *FINAL)
        assert (ended["status"], ended["attempts"]) == ("Completed", 1)
        following = await api.call("/workflows/executeSync", workflowId=workflow)
        assert following["execution"]["status"] == "Completed"
