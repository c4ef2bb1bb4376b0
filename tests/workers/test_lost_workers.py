"""A worker that dies or stands still loses its executions to another one, and nothing is done twice."""

import signal
import time

from support.fault_run import FaultRun, ledger
from support.service import FINAL, Api, Json
from support.workers import Fleet, RunningWorker


def nap(milliseconds: int) -> Json:
    return {"type": "Wait", "data": {"durationMs": milliseconds}}


def post(url: str) -> Json:
    return {"type": "API", "data": {"method": "POST", "route": url, "saveAs": "x"}}


def who_runs(fleet: Fleet, execution_id: str) -> RunningWorker:
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
    execution = api.start(api.create("long", nap(600_000))["id"])["id"]
    lost = who_runs(fleet, execution)
    lost.kill()
    again = until_requeued(api, execution)
    assert (again["attempts"], again["metadata"]["requeued"]) == (1, 1)
    api.wait_for(execution, "InProgress")
    api.call("/executions/cancel", {"id": execution})
    assert api.wait_for(execution, *FINAL)["failure"]["code"] == "Cancelled"


def test_a_worker_that_stood_still_writes_and_does_nothing_more(fleet: Fleet) -> None:
    with ledger() as book:
        api = fleet.node().api()
        fleet.worker()
        fleet.worker()
        execution = api.start(api.create("once", nap(3000), post(f"{book.url}/paid"))["id"])["id"]
        frozen = who_runs(fleet, execution)
        frozen.send(signal.SIGSTOP)
        ended = api.wait_for(execution, *FINAL)
        assert (ended["status"], book.seen["paid"]) == ("Completed", 1)
        told = api.events(execution)
        frozen.send(signal.SIGCONT)
        end = time.monotonic() + 60
        while "begins anew" not in frozen.log.read_text():
            assert time.monotonic() < end, frozen.log.read_text()[-2000:]
            time.sleep(0.1)
        # it works again, under another number: what it runs now shows that it is done with what it lost
        others = [worker for worker in fleet.workers if worker is not frozen]
        for worker in others:
            worker.stop()
        following = api.call("/workflows/executeSync", {"workflowId": api.create("next", nap(10))["id"]})
        assert following["execution"]["status"] == "Completed"
        assert (book.seen["paid"], api.events(execution)) == (1, told)
        assert api.get(execution) == ended


def test_under_random_faults_nothing_is_lost_or_done_twice(fleet: Fleet) -> None:
    with ledger() as book:
        for _ in range(2):
            fleet.node()
            fleet.worker()
        outcome = FaultRun(fleet, book, seed=7, every_seconds=2).run(40, patience_seconds=200)
        assert outcome.problems == []
        assert outcome.accepted == 40
        assert outcome.faults.total() > 0


def test_a_worker_that_is_asked_to_stop_gives_back_what_it_runs(fleet: Fleet) -> None:
    api = fleet.node().api()
    fleet.env["PAGEHAND_STOP_GRACE_SECONDS"] = "1"
    leaving = fleet.worker()
    execution = api.start(api.create("long", nap(5000))["id"])["id"]
    api.wait_for(execution, "InProgress")
    assert leaving.stop() == 0
    assert api.get(execution)["status"] == "Enqueued"
    fleet.worker()
    ended = api.wait_for(execution, *FINAL)
    assert (ended["status"], ended["attempts"], ended["metadata"]["requeued"]) == ("Completed", 1, 1)
