"""Accepted by one process, run by a second, asked and ended through a third."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support.blocks import value, wait
from support.service import FINAL
from support.workers import Fleet


def test_one_node_accepts_and_waits_for_what_a_worker_runs(fleet: Fleet) -> None:
    api = fleet.node().api()
    workflow = api.create("small", value("kept"))
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(api.call, "/workflows/executeSync", {"workflowId": workflow["id"]})
        while not api.call("/executions/list")["total"]:
            time.sleep(0.05)
        accepted = api.call("/executions/list")["executions"][0]
        assert accepted["status"] == "Enqueued"  # nobody works yet
        fleet.worker()
        ended = answer.result()["execution"]
    assert (ended["id"], ended["status"]) == (accepted["id"], "Completed")
    assert ended["response"]["kept"] == 1


def test_pause_resume_and_cancel_reach_an_execution_through_any_node(fleet: Fleet) -> None:
    first, second = fleet.node().api(), fleet.node().api()
    fleet.worker()
    workflow = first.create("long", wait("{{params.ms}}"), value("after"))
    execution = first.start(workflow["id"], {"ms": 60_000})
    first.wait_for(execution["id"], "InProgress")

    second.call("/executions/pause", {"id": execution["id"]})
    first.wait_for(execution["id"], "Paused")
    assert second.post("/executions/pause", {"id": execution["id"]}).status_code == 409
    second.call("/executions/resume", {"id": execution["id"]})
    first.wait_for(execution["id"], "InProgress")
    assert second.post("/executions/resume", {"id": execution["id"]}).status_code == 409

    second.call("/executions/cancel", {"id": execution["id"]})
    ended = first.wait_for(execution["id"], *FINAL)
    assert ended["status"] == "Failed"
    assert ended["errorAnalysis"].startswith("Cancelled by ")


def test_what_waits_is_cancelled_without_a_worker(fleet: Fleet) -> None:
    first, second = fleet.node().api(), fleet.node().api()
    execution = first.start(first.create("waits", wait(10))["id"])
    ended = second.call("/executions/cancel", {"id": execution["id"]})["execution"]
    assert ended["status"] == "Failed"
    fleet.worker()
    other = first.call("/workflows/executeSync", {"workflowId": first.create("next", value("v"))["id"]})
    assert other["execution"]["status"] == "Completed"
    assert first.get(execution["id"])["status"] == "Failed"


@pytest.mark.parametrize(
    ("missing", "named"), [("PAGEHAND_MASTER_KEY", "master key"), ("PAGEHAND_FILES", "place for files")]
)
def test_a_worker_demands_what_all_processes_share(
    fleet: Fleet, tmp_path: Path, missing: str, named: str
) -> None:
    env = {name: text for name, text in fleet.env.items() if name != missing}
    command = [sys.executable, "-m", "pagehand", "worker", "--database", fleet.database]
    refused = subprocess.run(  # noqa: S603 - our own command
        [*command, "--data-dir", str(tmp_path / "w")],
        env={"PATH": "/usr/bin", **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert refused.returncode == 2
    assert named in refused.stderr
    assert missing in refused.stderr
