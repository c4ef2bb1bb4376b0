"""`pagehand run` as a user meets it: a file runs without any service, and ends with its status."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.service import RunningService, free_port

pytestmark = pytest.mark.slow
ADD_UP = """\
name: Add up
parameters:
  numbers: {type: array, required: true}
output: "{{blocks.total}}"
blocks:
  - kind: Transform
    name: The total
    ref: total
    input: "{{params.numbers}}"
    code: sum(input)
"""
MISSING_BUTTON = """\
name: Press what is not there
parameters:
  portal: {type: string}
blocks:
  - kind: Navigate
    name: Open the portal
    url: "{{params.portal}}"
  - kind: Mouse
    name: Press it
    at: the Flimflam button
    timeoutMs: 1000
"""


def begin(*arguments: str, **environment: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "pagehand", *arguments]
    env = {**os.environ, "PAGEHAND_DEMO_PORT": "0", **environment}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)  # noqa: S603 - our own command


def ended(process: "subprocess.Popen[str]") -> tuple[int, str, str]:
    out, messages = process.communicate(timeout=200)
    return process.returncode, out, messages


def test_a_file_runs_without_a_service_and_prints_its_response(tmp_path: Path) -> None:
    file = tmp_path / "add.workflow.yaml"
    file.write_text(ADD_UP)
    status, out, messages = ended(begin("run", str(file), "-p", "numbers=[1, 2, 3]"))
    assert status == 0, messages
    assert json.loads(out) == {"output": 6}
    assert "✓ The total" in messages
    assert "Completed in" in messages


def test_a_failure_is_explained_and_its_picture_is_beside_the_file(tmp_path: Path) -> None:
    file, port = tmp_path / "press.workflow.yaml", free_port()
    file.write_text(MISSING_BUTTON)
    portal = f"portal=http://127.0.0.1:{port}"
    status, out, messages = ended(
        begin("run", str(file), "--json", "-p", portal, PAGEHAND_DEMO_PORT=str(port))
    )
    assert status == 1, messages
    assert messages == ""
    execution = json.loads(out)
    assert execution["failure"]["code"] in ("ElementNotFound", "NotClear")
    assert "Block: `Press it`" in execution["errorAnalysis"]
    assert (tmp_path / "press.failure.jpg").read_bytes().startswith(b"\xff\xd8")


def test_an_interruption_cancels_the_execution_on_the_service(service: RunningService) -> None:
    api = service.api()
    workflow = api.create("A long nap", {"type": "Wait", "name": "Nap", "data": {"durationMs": 600_000}})
    running = begin("run", "A long nap", "--url", service.url, "-p", "why=test")
    execution_id = ""
    while not execution_id:
        assert running.poll() is None
        listed = api.call("/executions/list", {"workflowId": workflow["id"], "status": "InProgress"})
        execution_id = next((item["id"] for item in listed["executions"]), "")
    running.send_signal(signal.SIGINT)
    status, _, messages = ended(running)
    assert status == 130, messages
    assert api.wait_for(execution_id, "Failed")["failure"]["code"] == "Cancelled"
    assert api.get(execution_id)["params"] == {"why": "test"}


@pytest.mark.parametrize(
    ("arguments", "expected", "said"),
    [
        (["run", "Anything", "--url", "http://127.0.0.1:9"], 3, "no service answers at http://127.0.0.1:9"),
        (["run", "gone.workflow.yaml"], 2, "there is no file gone.workflow.yaml"),
        (["run", "Anything", "-p", "a=b", "--login"], 2, "requires an argument"),
    ],
    ids=["no service", "no file", "wrong use"],
)
def test_other_ends_have_their_own_status(arguments: list[str], expected: int, said: str) -> None:
    status, out, messages = ended(begin(*arguments))
    assert (status, out) == (expected, "")
    assert said in messages
