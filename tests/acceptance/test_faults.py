"""What is promised when things die."""

import os
import signal
import sqlite3
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from support.blocks import value, wait
from support.service import FINAL, Api, RunningService, command_line
from support.site import Site
from support.waiting import wait_until


@pytest.fixture
def own_service(tmp_path: Path) -> Generator[RunningService]:
    """A service that may be killed."""
    running = RunningService(
        tmp_path / "data", PAGEHAND_CONCURRENCY="3", PAGEHAND_STOP_GRACE_SECONDS="1"
    ).start()
    yield running
    running.stop()


def outputs_on_disk(service: RunningService) -> int:
    """How many running executions have outputs in the database."""
    question = "SELECT count(*) FROM execution_outputs WHERE path LIKE '%kept%'"
    with closing(sqlite3.connect(service.data_dir / "pagehand.db")) as database:
        return database.execute(question).fetchone()[0]


@pytest.mark.slow
def test_after_kill_9_every_accepted_execution_reaches_a_final_state(
    own_service: RunningService, site: Site
) -> None:
    api = own_service.api()
    call = {"type": "API", "data": {"method": "POST", "route": site.page("/", "thanks"), "saveAs": "x"}}
    workflow = api.create("faults", value("kept"), call, wait("{{params.ms}}"), value("after"))
    running = [api.start(workflow["id"], {"ms": 120_000})["id"] for _ in range(3)]
    waiting = [api.start(workflow["id"], {"ms": 100})["id"] for _ in range(9)]
    wait_until(lambda: outputs_on_disk(own_service) == len(running))
    own_service.kill()

    own_service.start()
    api = own_service.api()
    lost = [api.wait_for(item, *FINAL) for item in running]
    run_later = [api.wait_for(attempt, *FINAL) for attempt in waiting]

    assert {item["status"] for item in lost} == {"Failed"}
    assert all("worker was lost" in item["errorAnalysis"] for item in lost)
    assert all(item["response"]["kept"] == 1 for item in lost)
    assert all(item["response"]["after"] == 1 for item in run_later)


@pytest.mark.slow
def test_a_commit_point_that_had_begun_is_named_after_a_crash(
    own_service: RunningService, site: Site
) -> None:
    api = own_service.api()
    site.page("/pay", '<button onclick="for(;;);">Pay</button>')
    workflow = api.create(
        "commit",
        {"type": "Navigate", "data": {"url": f"{site.url}/pay"}},
        {
            "type": "Mouse",
            "name": "Pay the invoice",
            "locator": {"role": "button", "text": "Pay"},
            "data": {"isCommit": True},
        },
    )
    execution = api.start(workflow["id"])
    wait_until(lambda: "Pay the invoice began" in [event["message"] for event in api.events(execution["id"])])
    own_service.kill()
    own_service.start()
    ended = own_service.api().wait_for(execution["id"], *FINAL)
    assert ended["status"] == "Failed"
    assert "Pay the invoice" in ended["errorAnalysis"]


def test_killing_chromium_ends_that_execution_and_not_the_next(
    api: Api, service: RunningService, site: Site
) -> None:
    site.page("/", "<p>here</p>")
    workflow = api.create("crash", {"type": "Navigate", "data": {"url": site.url}}, wait(600_000))
    execution = api.start(workflow["id"])
    wait_until(
        lambda: any(
            event["type"] == "block.started" and event["blockReferenceId"] == "nap"
            for event in api.events(execution["id"])
        )
    )
    vendor = api.get(execution["id"])["browserSessionVendorId"]
    # Debian's browser is started by a shell script: that is not the one to kill
    browsers = [pid for pid, line in service.children().items() if vendor in line and "--type=" not in line]
    browser = browsers[-1]
    os.kill(browser, signal.SIGKILL)
    ended = api.wait_for(execution["id"], *FINAL)
    assert ended["status"] == "Failed"
    assert "browser" in ended["errorAnalysis"].lower()
    assert api.run({"type": "Navigate", "data": {"url": site.url}})["status"] == "Completed"


@pytest.mark.slow
def test_sigterm_puts_what_runs_back_into_the_queue(own_service: RunningService) -> None:
    api = own_service.api()
    workflow = api.create("stop", wait(3000), value("done"))
    execution = api.start(workflow["id"])
    api.wait_for(execution["id"], "InProgress")
    children = own_service.children()
    assert own_service.stop() == 0
    assert [line for pid, line in children.items() if command_line(pid) == line] == []
    own_service.start()
    ended = own_service.api().wait_for(execution["id"], *FINAL)
    assert (ended["status"], ended["attempts"]) == ("Completed", 1)


def test_cancel_is_seen_while_a_block_waits(api: Api) -> None:
    execution = api.start(api.create("slow", wait(600_000))["id"])
    api.wait_for(execution["id"], "InProgress")
    api.call("/executions/cancel", {"id": execution["id"]})
    ended = api.wait_for(execution["id"], *FINAL)
    assert ended["errorAnalysis"].startswith("Cancelled by ")


def test_the_same_key_a_hundred_times_at_once_is_one_execution(api: Api) -> None:
    workflow = api.create("once", value("x"))
    fields = {"workflowId": workflow["id"]}
    with ThreadPoolExecutor(20) as pool:
        calls = [
            pool.submit(api.call, "/workflows/executeSync", fields, headers={"Idempotency-Key": "once"})
            for _ in range(100)
        ]
    answers = [call.result() for call in calls]
    assert len({answer["execution"]["id"] for answer in answers}) == 1
    assert api.call("/executions/list", {"workflowId": workflow["id"]})["total"] == 1


@pytest.mark.slow
def test_time_runs_out_also_while_waiting_in_the_queue(own_service: RunningService) -> None:
    api = own_service.api()
    workflow = api.create("busy", wait(4000))
    for _ in range(3):
        api.start(workflow["id"])
    late = api.call("/workflows/executeSync", {"workflowId": workflow["id"], "timeout": 1})["execution"]
    assert late["status"] == "Failed"
    assert "before it began" in late["errorAnalysis"]
