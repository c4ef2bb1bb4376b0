"""Executions for tests of the engine's parts."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from pagehand.ids import new_id
from pagehand.records import Execution
from pagehand.testing import Harness

MakeExecution = Callable[..., Execution]


@pytest.fixture
def make_execution() -> MakeExecution:
    """Executions as intake makes them, with changes."""

    def make(**changes: Any) -> Execution:
        plain: dict[str, Any] = {
            "id": new_id("exec"),
            "organization_id": "org_1",
            "workflow_id": "wf_1",
            "workflow_name": "Claims",
            "workflow_version": 1,
            "browser_session_id": new_id("bs"),
            "accepted_at": 1_000,
            "start_time": 1_000,
            "deadline_at": 61_000,
        }
        return Execution(**{**plain, **changes})

    return make


@pytest.fixture
async def harness() -> AsyncIterator[Harness]:
    async with Harness() as harness:
        yield harness
