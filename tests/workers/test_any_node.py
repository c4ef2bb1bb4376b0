"""What happens at one process is seen, answered and counted at every other."""

import json
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager

import httpx2
import psycopg

from support.blocks import navigate, value, wait
from support.live_viewer import LiveViewClient
from support.portal import PASSWORD, RIGHT_CODE, PortalWithCode
from support.service import FINAL, Api, Json, RunningService
from support.site import Site
from support.webservice import Reply, WebService
from support.workers import Fleet

SUBMIT = "/authentication/submitTwoFactorAuthCode"


class Stream:
    """The console's stream at one node."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines

    def until(self, noun: str, changed: str = "") -> None:
        """Read on until a change of this noun is told, and of this thing if one is named."""
        end = time.monotonic() + 60
        for line in self._lines:
            assert time.monotonic() < end, f"no {noun} was told"
            if line.startswith("data: "):
                message = json.loads(line.removeprefix("data: "))
                if message["noun"] == noun and changed in ("", message["id"]):
                    return
        raise AssertionError("the stream ended")


@contextmanager
def console_at(node: RunningService) -> Generator[Stream]:
    with httpx2.stream("GET", f"{node.url}/console/events", timeout=60) as answer:
        lines = answer.iter_lines()
        assert next(lines).startswith("retry")  # it watches from here on
        yield Stream(lines)


def test_the_console_at_a_node_sees_what_other_nodes_and_workers_change(fleet: Fleet) -> None:
    first, second = fleet.node(), fleet.node()
    fleet.worker()
    other = second.api()
    with console_at(first) as stream:
        workflow = other.create("seen", wait(600_000))["id"]
        stream.until("workflow")
        execution = other.start(workflow)["id"]
        stream.until("execution", execution)
        stream.until("event", execution)  # only the worker writes these
        other.call("/executions/pause", {"id": execution})
        stream.until("attention")
        other.call("/executions/cancel", {"id": execution})
        stream.until("execution", execution)


def test_the_console_reads_everything_again_when_its_node_may_have_missed_something(fleet: Fleet) -> None:
    first = fleet.node()
    address = fleet.database.replace("postgresql+psycopg://", "postgresql://", 1)
    with console_at(first) as stream, psycopg.connect(address, autocommit=True) as other:
        cut = other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE query LIKE 'LISTEN%' OR query = 'SELECT 1'"
        )
        assert cut.fetchall()
        stream.until("*")


def approval(api: Api, partner: WebService) -> str:
    """An execution that waits for somebody to say whether its payment happened."""
    partner.answers["/pay"] = Reply(drops=True)
    data = {"route": f"{partner.url}/pay", "method": "POST", "isCommit": True, "onDoubt": "pause"}
    execution = api.start(api.create("pay", {"type": "API", "data": data}, value("after"))["id"])["id"]
    waiting = api.wait_for(execution, "Paused", *FINAL)
    assert waiting["waiting"]["kind"] == "approval", waiting
    return execution


def test_what_a_worker_asks_is_approved_or_declined_at_another_node(
    fleet: Fleet, partner: WebService
) -> None:
    first, second = fleet.node().api(), fleet.node().api()
    fleet.worker()
    approved, declined = approval(first, partner), approval(first, partner)
    listed = second.call("/attention/list")["items"]
    assert {item["execution"]["id"] for item in listed} == {approved, declined}
    second.call("/executions/resume", {"id": approved})
    second.call("/executions/cancel", {"id": declined})
    done = first.wait_for(approved, *FINAL)
    assert (done["status"], done["response"]["after"]) == ("Completed", 1)
    refused = first.wait_for(declined, *FINAL)
    assert (refused["status"], refused["failure"]["code"]) == ("Failed", "Cancelled")
    assert "after" not in refused["response"]


HAND_IN = """<!doctype html><form action=/home>
<button style="position:fixed;top:0;left:0;width:100%;height:100%">Sign in</button></form>"""


def test_a_person_signs_in_by_hand_through_a_node(fleet: Fleet, site: Site) -> None:
    first, second = fleet.node().api(), fleet.node().api()
    fleet.worker()
    site.page("/home", "<title>Home</title><h1>Welcome</h1><a href=/out>Sign out</a>")
    fields = {
        "name": "By hand",
        "authenticationUrl": site.page("/in", HAND_IN),
        "homeUrl": f"{site.url}/home",
        "isManualAuthentication": True,
    }
    login = first.call("/logins/create", fields)["login"]["id"]
    execution = first.start(first.create("Manual", value("in"))["id"], loginId=login)["id"]
    paused = second.wait_for(execution, "Paused", *FINAL)
    assert [item["status"] for item in paused["authentications"]] == ["WaitingForUser"], paused
    person = LiveViewClient(paused["authentications"][0]["liveViewUrl"])
    person.picture()
    person.send(type="take")
    while (message := person.next_message())["type"] != "state" or message["driver"] != "you":
        pass
    for kind in ("down", "up"):
        person.send(type="mouse", kind=kind, x=200, y=120, button="left", buttons=1, clicks=1)
    ended = first.wait_for(execution, *FINAL)
    person.leave()
    assert (ended["status"], ended["response"]["in"]) == ("Completed", 1), ended["errorAnalysis"]


def code_login(api: Api, portal: PortalWithCode, name: str) -> str:
    fields = {
        "name": name,
        "authenticationUrl": f"{portal.url}/in",
        "homeUrl": f"{portal.url}/home",
        "loginConfiguration": {
            "username": f"ada+{name}",
            "password": PASSWORD,
            "twoFactorAuthConfiguration": {"method": "SMS"},
        },
    }
    return api.call("/logins/create", fields)["login"]["id"]


def test_the_only_one_that_waits_for_a_code_is_found_whichever_worker_runs_it(
    fleet: Fleet, guarded: PortalWithCode
) -> None:
    first, second = fleet.node().api(), fleet.node().api()
    workers = [fleet.worker(), fleet.worker()]
    workflow = first.create("in", value("in"))["id"]
    waiting: list[str] = []
    for name in ("one", "two"):
        waiting.append(first.start(workflow, loginId=code_login(first, guarded, name))["id"])
        first.wait_for(waiting[-1], "Paused", *FINAL)
        assert any(waiting[-1] in worker.log.read_text() for worker in workers)
    several = second.post(SUBMIT, {"code": RIGHT_CODE})
    assert several.status_code == 409, several.text
    assert all(node in several.json()["error"] for node in waiting)
    assert second.post(SUBMIT, {"code": RIGHT_CODE, "executionId": waiting[0]}).json()["success"] is True
    assert first.wait_for(waiting[0], *FINAL)["status"] == "Completed"
    alone = second.post(SUBMIT, {"code": RIGHT_CODE}).json()
    assert (alone["success"], alone["data"]["executionId"]) == (True, waiting[1])
    assert first.wait_for(waiting[1], *FINAL)["status"] == "Completed"
    assert second.post(SUBMIT, {"code": RIGHT_CODE}).status_code == 404


def test_events_of_a_run_at_a_worker_are_followed_at_any_node(fleet: Fleet, site: Site) -> None:
    first, second = fleet.node().api(), fleet.node().api()
    fleet.worker()
    page = site.page("/", "<p>here</p>")
    execution = first.start(first.create("long", navigate(page), wait(600_000))["id"])["id"]
    seen: list[Json] = []
    end = time.monotonic() + 120
    while not any(event["blockReferenceId"] == "nap" for event in seen):
        assert time.monotonic() < end, seen
        seen += second.call("/executions/events", {"id": execution, "offset": len(seen)})["events"]
    assert [event["seq"] for event in seen] == list(range(1, len(seen) + 1))
    assert second.get(execution)["status"] == "InProgress"
    first.call("/executions/cancel", {"id": execution})


def test_how_many_may_wait_is_counted_for_all_nodes_together(fleet: Fleet) -> None:
    fleet.env["PAGEHAND_MAX_QUEUED"] = "3"
    first, second = fleet.node().api(), fleet.node().api()
    workflow = first.create("small", value("v"))["id"]
    accepted = [api.start(workflow)["id"] for api in (first, second, first)]
    for api in (first, second):
        refused = api.post("/workflows/execute", {"workflowId": workflow})
        assert (refused.status_code, "retry-after" in refused.headers) == (429, True), refused.text
    second.call("/executions/cancel", {"id": accepted[0]})
    accepted[0] = second.start(workflow)["id"]
    assert first.post("/workflows/execute", {"workflowId": workflow}).status_code == 429
    fleet.worker()
    for execution in accepted:
        assert first.wait_for(execution, *FINAL)["status"] == "Completed"
    assert second.start(workflow)["status"] == "Enqueued"


def test_how_many_may_start_per_minute_is_counted_for_all_nodes_together(fleet: Fleet) -> None:
    fleet.env["PAGEHAND_MAX_PER_MINUTE"] = "3"
    first, second = fleet.node().api(), fleet.node().api()
    workflow = first.create("small", value("v"))["id"]
    accepted = [api.start(workflow)["id"] for api in (first, second, first)]
    second.call("/executions/cancel", {"id": accepted[0]})  # it was started all the same
    for api in (first, second):
        refused = api.post("/workflows/execute", {"workflowId": workflow})
        assert refused.status_code == 429, refused.text
        assert 1 <= int(refused.headers["retry-after"]) <= 60
