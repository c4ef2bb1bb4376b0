"""A worker that dies or stands still loses its executions to another one, and nothing is done twice."""

import signal
import threading
import time
from pathlib import Path
from urllib.parse import urlencode

import psycopg
import pytest

from support.blocks import click, navigate
from support.fault_run import FaultRun
from support.order_site import order_site
from support.postgres import database_unavailable
from support.random_faults import RandomFaults
from support.receiver import wait_until
from support.service import FINAL, Api, Json, processes_below
from support.site import Site
from support.token_recorder import token_recorder
from support.workers import Fleet, RunningWorker

LOST_AFTER_SECONDS = 30


def wait_block(milliseconds: int) -> Json:
    return {"type": "Wait", "data": {"durationMs": milliseconds}}


def post(url: str) -> Json:
    return {"type": "API", "data": {"method": "POST", "route": url, "saveAs": "x"}}


def worker_running(fleet: Fleet, execution_id: str) -> RunningWorker:
    """The worker whose log says that it began the execution last."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        for worker in fleet.workers:
            if execution_id in worker.log.read_text():
                return worker
        time.sleep(0.05)
    raise AssertionError("nobody runs it")


def until_requeued(api: Api, execution_id: str) -> Json:
    end = time.monotonic() + 120
    while "requeued" not in (found := api.get(execution_id))["metadata"]:
        assert time.monotonic() < end, found["status"]
        time.sleep(0.1)
    return found


def test_what_a_killed_worker_ran_begins_again_on_another(fleet: Fleet) -> None:
    api = fleet.node().api()
    fleet.worker()
    fleet.worker()
    execution = api.start(api.create("long", wait_block(600_000))["id"])["id"]
    lost = worker_running(fleet, execution)
    lost.kill()
    requeued = until_requeued(api, execution)
    assert (requeued["attempts"], requeued["metadata"]["requeued"]) == (1, 1)
    api.wait_for(execution, "InProgress")
    api.call("/executions/cancel", {"id": execution})
    assert api.wait_for(execution, *FINAL)["failure"]["code"] == "Cancelled"


def test_what_a_page_was_sending_when_its_worker_was_killed_is_not_sent_again(fleet: Fleet) -> None:
    ways = ["fetch", "websocket", "shared worker", "new tab"]
    arrived, is_killed = threading.Semaphore(0), threading.Event()

    def hold(_token: str) -> None:
        arrived.release()
        is_killed.wait(120)

    with order_site() as site:
        site.on_order = hold
        api, lost = fleet.node().api(), fleet.worker(PAGEHAND_CONCURRENCY=str(len(ways)))
        started: dict[str, str] = {}
        for way in ways:
            page = navigate(f"{site.url}/press?{urlencode({'t': way, 'way': way, 'label': 'Continue'})}")
            workflow = api.create(way, page, click("button", "Continue"), wait_block(600_000))
            started[way] = api.start(workflow["id"])["id"]
        for _ in ways:
            assert arrived.acquire(timeout=120), site.orders
        lost.kill()
        is_killed.set()
        fleet.worker()
        for way, execution in started.items():
            ended = api.wait_for(execution, *FINAL)
            assert (ended["failure"]["code"], site.orders[way]) == ("WorkerLost", 1), way
            assert "requeued" not in ended["metadata"]


def test_a_worker_that_stood_still_writes_and_does_nothing_more(fleet: Fleet) -> None:
    with token_recorder() as book:
        api = fleet.node().api()
        fleet.worker()
        fleet.worker()
        execution = api.start(api.create("once", wait_block(3000), post(f"{book.url}/paid"))["id"])["id"]
        frozen = worker_running(fleet, execution)
        frozen.send(signal.SIGSTOP)
        ended = api.wait_for(execution, *FINAL)
        assert (ended["status"], book.seen["paid"]) == ("Completed", 1)
        shown = api.events(execution)
        frozen.send(signal.SIGCONT)
        end = time.monotonic() + 60
        while "registers again" not in frozen.log.read_text():
            assert time.monotonic() < end, frozen.log.read_text()[-2000:]
            time.sleep(0.1)
        # it works again, under another number: what it runs now shows that it is done with what it lost
        others = [worker for worker in fleet.workers if worker is not frozen]
        for worker in others:
            worker.stop()
        following = api.call(
            "/workflows/executeSync", {"workflowId": api.create("next", wait_block(10))["id"]}
        )
        assert following["execution"]["status"] == "Completed"
        assert (book.seen["paid"], api.events(execution)) == (1, shown)
        assert api.get(execution) == ended


@pytest.mark.timeout(900)  # a freeze and a database that is away take a minute each
def test_under_random_faults_nothing_is_lost_or_done_twice(fleet: Fleet) -> None:
    with token_recorder() as book:
        for _ in range(2):
            fleet.node()
            fleet.worker()
        outcome = FaultRun(fleet, book, 7, RandomFaults(fleet, 7, 2)).run(40, patience_seconds=200)
        assert outcome.problems == []
        assert outcome.accepted == 40
        assert outcome.faults.total() > 0


def test_a_worker_that_is_asked_to_stop_gives_back_what_it_runs(fleet: Fleet) -> None:
    api = fleet.node().api()
    fleet.env["PAGEHAND_STOP_GRACE_SECONDS"] = "1"
    leaving = fleet.worker()
    execution = api.start(api.create("long", wait_block(5000))["id"])["id"]
    api.wait_for(execution, "InProgress")
    assert leaving.stop() == 0
    assert api.get(execution)["status"] == "Enqueued"
    fleet.worker()
    ended = api.wait_for(execution, *FINAL)
    assert (ended["status"], ended["attempts"], ended["metadata"]["requeued"]) == ("Completed", 1, 1)


def browsers_of(worker: RunningWorker) -> list[int]:
    return [
        pid
        for pid, command in processes_below(worker.running.pid)
        if "--headless" in command and "--type=" not in command
    ]


def test_a_worker_that_cannot_show_that_it_lives_ends_its_browsers(fleet: Fleet, site: Site) -> None:
    api = fleet.node().api()
    worker = fleet.worker()
    workflow = api.create("long", navigate(site.page("/", "<p>here</p>")), wait_block(600_000))["id"]
    execution = api.start(workflow)["id"]
    wait_until(lambda: "/" in site.hits)
    assert browsers_of(worker)
    with database_unavailable(fleet.database):
        began = time.monotonic()
        wait_until(lambda: not browsers_of(worker))
        assert time.monotonic() - began < LOST_AFTER_SECONDS  # before anybody may take the execution over
        assert worker.running.poll() is None
    wait_until(lambda: api.post("/executions/get", {"id": execution}).status_code == 200)
    until_requeued(api, execution)
    wait_until(lambda: bool(browsers_of(worker)))  # it works again
    api.call("/executions/cancel", {"id": execution})


def test_a_run_that_was_taken_over_leaves_no_pictures_behind(fleet: Fleet, site: Site) -> None:
    api = fleet.node().api()
    fleet.worker()
    # of pages that look the same there would be one picture
    first, second = site.page("/", "<p>here</p>"), site.page("/second", "<p>there</p>")
    workflow = api.create("pictured", navigate(first), wait_block(3000), navigate(second, "again"))["id"]
    execution = api.start(workflow)["id"]
    wait_until(lambda: any(event["screenshotUrl"] for event in api.events(execution)))
    address = fleet.database.replace("postgresql+psycopg://", "postgresql://", 1)
    with psycopg.connect(address, autocommit=True) as other:  # as another worker that takes it over
        other.execute("UPDATE executions SET fence = fence + 1 WHERE id = %s", (execution,))
        assert api.wait_for(execution, *FINAL)["metadata"]["requeued"] == 1
        rows = other.execute("SELECT screenshot_key FROM events WHERE execution_id = %s", (execution,))
        known = {Path(key).name for (key,) in rows if key is not None}
    assert len(site.hits) == 4  # the run that was taken over went on for a while
    kept = {path.name for path in (fleet.folder / "files").rglob(f"{execution}/shot-*")}
    assert kept == known
    assert len(kept) == 3
