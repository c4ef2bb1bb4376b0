"""Tasks of MiniWoB++ solved through the API by workflows alone.

Each file in `tasks` holds the blocks that solve one task: they read the instruction, work out what it asks
for and act. What is the same for all of them is added here: a loop over the seeds, opening the page with one,
pressing START and reading the instruction before, and reading the reward the page gave after.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from support.miniwob import CLOSING, OPENING
from support.service import Api

TASKS = sorted(path.stem for path in (Path(__file__).parent / "tasks").glob("*.json"))
SEEDS = (1, 3, 5, 7, 9)


def test_there_are_enough_tasks() -> None:
    assert len(TASKS) >= 60


def test_docs_name_every_task_once_and_the_solved_ones_as_solved(folder: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "miniwob.md").read_text("utf-8")
    solved, others = text.split("## Not solved")

    assert sorted(re.findall(r"`([a-z0-9-]+)`", solved.split("## Solved")[1])) == TASKS
    left = {path.stem for path in (folder / "miniwob").glob("*.html")} - set(TASKS)
    assert sorted(re.findall(r"`([a-z0-9-]+)`", others)) == sorted(left)


@pytest.mark.parametrize("task", TASKS)
def test_workflow_earns_the_full_reward_with_every_seed(api: Api, pages: str, task: str) -> None:
    blocks = json.loads((Path(__file__).parent / "tasks" / f"{task}.json").read_text("utf-8"))
    rounds: dict[str, Any] = {
        "type": "LoopV2",
        "blockReferenceId": "rounds",
        "data": {"over": {"items": "{{params.seeds}}"}, "itemName": "seed"},
        "sequenceData": {"sequence": [*OPENING, *blocks, *CLOSING]},
    }
    workflow = api.create(f"MiniWoB {task}", rounds)

    order = {
        "workflowId": workflow["id"],
        "params": {"page": f"{pages}/{task}.html", "seeds": list(SEEDS)},
        "timeout": 200,
    }
    execution = api.call("/workflows/executeSync", order)["execution"]

    assert execution["status"] == "Completed", execution["errorAnalysis"]
    earned = {
        seed: item["episode"] for seed, item in zip(SEEDS, execution["response"]["rounds"], strict=True)
    }
    assert earned == {seed: {"done": True, "reward": 1} for seed in SEEDS}
