"""Tasks of MiniWoB++ solved through the API by workflows alone.

Each file in `tasks` holds the blocks that solve one task: they read the instruction, work out what it asks
for and act. What is the same for all of them is added here: opening the page with a seed, pressing START and
reading the instruction before, and reading the reward the page gave after.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from support.service import Api

TASKS = sorted(path.stem for path in (Path(__file__).parent / "tasks").glob("*.json"))
SEEDS = (1, 3, 5)

OPENING: list[dict[str, Any]] = [
    {"type": "Navigate", "data": {"url": "{{params.page}}"}},
    {
        "type": "CodeV2",
        "name": "Set the seed, and give slow machines time",
        "data": {
            "language": "javascript",
            "inputs": {"seed": "{{params.seed}}"},
            "code": "inputs => { Math.seedrandom(inputs.seed); core.EPISODE_MAX_TIME = 60000; return null; }",
        },
    },
    {"type": "Mouse", "name": "Press START", "locator": {"css": "#sync-task-cover"}, "data": {}},
    {
        "type": "Extract",
        "name": "Read the instruction",
        "blockReferenceId": "query",
        "data": {"fields": {"text": {"locator": {"css": "#query"}}}},
    },
]
CLOSING: list[dict[str, Any]] = [
    {
        "type": "CodeV2",
        "name": "Read the reward",
        "blockReferenceId": "episode",
        "data": {
            "language": "javascript",
            "code": "() => ({done: WOB_DONE_GLOBAL, reward: WOB_RAW_REWARD_GLOBAL})",
        },
    },
]


def test_there_are_enough_tasks() -> None:
    assert len(TASKS) >= 34


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("seed", SEEDS)
def test_workflow_earns_the_full_reward(api: Api, pages: str, task: str, seed: int) -> None:
    order = {
        "workflowId": workflow_id(api, task),
        "params": {"page": f"{pages}/{task}.html", "seed": seed},
        "timeout": 60,
    }
    execution = api.call("/workflows/executeSync", order)["execution"]

    assert execution["status"] == "Completed", execution["errorAnalysis"]
    assert execution["response"]["episode"] == {"done": True, "reward": 1}, execution["response"]


@cache
def workflow_id(api: Api, task: str) -> str:
    """The task's workflow, created on first use."""
    blocks = json.loads((Path(__file__).parent / "tasks" / f"{task}.json").read_text("utf-8"))
    return api.create(f"MiniWoB {task}", *OPENING, *blocks, *CLOSING)["id"]
