"""The database under workers is killed or slow, and nodes die or are asked the same at once."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from support.blocks import wait
from support.fault_run import FaultRun
from support.postgres import PostgresServer, new_database, start_postgres
from support.random_faults import RandomFaults
from support.service import FINAL, Api, RunningService
from support.slow_database import slow_database
from support.token_recorder import token_recorder
from support.waiting import wait_until
from support.workers import Fleet, SingleServiceFleet

WAITING = 100


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    with start_postgres() as made:
        yield made


def test_a_server_that_was_killed_has_lost_nothing(server: PostgresServer, tmp_path: Path) -> None:
    with new_database(server.url) as database:
        fleet = Fleet(tmp_path, database)
        try:
            api = fleet.node().api()
            fleet.worker()
            workflow = api.create("long", wait(1500))["id"]
            accepted = [api.start(workflow)["id"] for _ in range(6)]
            api.wait_for(accepted[0], "InProgress")
            server.kill()
            refused = api.post("/workflows/execute", {"workflowId": workflow})
            assert (refused.status_code, "Retry-After" in refused.headers) == (503, True)
            server.start()
            back = time.monotonic()
            while api.post("/executions/get", {"id": accepted[0]}).status_code != 200:
                assert time.monotonic() - back < 30  # ten are promised; a busy machine gets more
                time.sleep(0.1)
            ended = [api.wait_for(item, *FINAL) for item in accepted]
            assert [(item["status"], item["attempts"]) for item in ended] == [("Completed", 1)] * 6
        finally:
            fleet.stop()


def test_a_slow_database_makes_no_worker_lost(fleet: Fleet, tmp_path: Path) -> None:
    api = fleet.node().api()
    workflow = api.create("short", wait(10))["id"]
    with slow_database(fleet.database, tmp_path / "slow", 0.5) as late:
        fleet.database = late
        worker = fleet.worker()
        began = time.monotonic()
        ended = [api.wait_for(api.start(workflow)["id"], *FINAL) for _ in range(8)]
        assert time.monotonic() - began > 20  # it was slow indeed, for several heartbeats
        assert [(item["status"], item["attempts"]) for item in ended] == [("Completed", 1)] * 8
        assert all("requeued" not in item["metadata"] for item in ended)
        assert "lost" not in worker.log.read_text()
        worker.kill()


def key(number: int) -> dict[str, str]:
    return {"Idempotency-Key": f"invoice-{number}"}


def kill_while_waiting(asked: RunningService, other: Api, workflow: str) -> None:
    """A hundred clients wait for their executions at a node, which is killed once all are accepted."""
    fields = {"workflowId": workflow}
    with ThreadPoolExecutor(WAITING) as pool:
        api = asked.api()
        answers = [
            pool.submit(api.post, "/workflows/executeSync", fields, headers=key(number))
            for number in range(WAITING)
        ]
        wait_until(lambda: other.call("/executions/list")["total"] == WAITING)
        asked.kill()
        outcomes = [answer.exception() for answer in answers]
    assert any(isinstance(outcome, httpx2.TransportError) for outcome in outcomes)


def test_the_same_key_a_hundred_times_at_two_nodes_is_one_execution(fleet: Fleet) -> None:
    first, second = fleet.node().api(), fleet.node().api()
    fleet.worker()
    workflow = first.create("once", wait(10))["id"]
    fields, headers = {"workflowId": workflow}, {"Idempotency-Key": "once"}
    with ThreadPoolExecutor(20) as pool:
        calls = [
            pool.submit((first, second)[number % 2].call, "/workflows/executeSync", fields, headers=headers)
            for number in range(100)
        ]
    assert len({call.result()["execution"]["id"] for call in calls}) == 1
    assert first.call("/executions/list", {"workflowId": workflow})["total"] == 1


def test_what_a_killed_node_waited_for_is_found_at_another_by_its_key(fleet: Fleet) -> None:
    fleet.env["PAGEHAND_CONCURRENCY"] = "10"
    asked, other = fleet.node(), fleet.node().api()
    fleet.worker()
    workflow = other.create("repeat", wait(1500))["id"]
    kill_while_waiting(asked, other, workflow)
    for number in range(WAITING):
        found = other.call("/workflows/executeSync", {"workflowId": workflow}, headers=key(number))
        assert (found["execution"]["status"], found["execution"]["attempts"]) == ("Completed", 1)
    assert other.call("/executions/list")["total"] == WAITING


def test_what_a_killed_service_alone_waited_for_is_found_by_its_key(tmp_path: Path) -> None:
    fleet = SingleServiceFleet(tmp_path, PAGEHAND_CONCURRENCY="10")
    try:
        service = fleet.node()
        api = service.api()
        workflow = api.create("repeat", wait(1500))["id"]
        kill_while_waiting(service, api, workflow)
        service.start()
        api = service.api()
        for number in range(WAITING):
            found = api.call("/workflows/executeSync", {"workflowId": workflow}, headers=key(number))
            assert (found["execution"]["status"], found["execution"]["attempts"]) == ("Completed", 1)
        assert api.call("/executions/list")["total"] == WAITING
    finally:
        fleet.stop()


@pytest.mark.timeout(900)
def test_a_service_alone_under_random_faults_loses_nothing_and_does_nothing_twice(tmp_path: Path) -> None:
    fleet = SingleServiceFleet(tmp_path)
    try:
        fleet.node()
        with token_recorder() as book:
            outcome = FaultRun(fleet, book, 7, RandomFaults(fleet, 7, 3, is_thorough=True)).run(
                120, patience_seconds=200
            )
        assert outcome.problems == []
        assert outcome.accepted == 120
        assert outcome.faults["kill_node"] > 0
    finally:
        fleet.stop()
