"""Logins that serve one execution at a time, and batches of which only so many run at once."""

import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from support.blocks import wait
from support.portal import PASSWORD, Portal, serve_portal
from support.service import FINAL, Api, Json, RunningService


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    folder = tmp_path_factory.mktemp("exclusive")
    running = RunningService(folder / "data", PAGEHAND_CONCURRENCY="3").start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def api(service: RunningService) -> Api:
    return service.api()


@pytest.fixture
def portal() -> Iterator[Portal]:
    with serve_portal(Portal()) as portal:
        yield portal


def make_login(api: Api, portal: Portal, name: str, **fields: Any) -> str:
    written = {
        "name": name,
        "authenticationUrl": f"{portal.url}/in",
        "homeUrl": f"{portal.url}/home",
        "loginConfiguration": {"username": f"ada+{name}", "password": PASSWORD},
    }
    return api.call("/logins/create", {**written, **fields})["login"]["id"]


def signing_in(login_id: str) -> Json:
    return {"type": "Login", "data": {"loginId": login_id, "forceLoginEveryTime": True}}


def signing_out(portal: Portal) -> Json:
    return {"type": "Navigate", "data": {"url": f"{portal.url}/out"}}


def span(execution: Json) -> tuple[str, str]:
    return execution["startTime"], execution["endTime"]


def ended(api: Api, *started: Json) -> list[Json]:
    done = [api.wait_for(item["id"], *FINAL) for item in started]
    assert [item["status"] for item in done] == ["Completed"] * len(done), [
        item["errorAnalysis"] for item in done
    ]
    return sorted(done, key=span)


def busy_events(api: Api, execution: Json) -> list[str]:
    return [event["message"] for event in api.events(execution["id"]) if event["type"] == "login.busy"]


@pytest.mark.slow
def test_a_login_that_blocks_name_serves_one_execution_at_a_time(api: Api, portal: Portal) -> None:
    login = make_login(api, portal, "shared")
    flow = api.create("named in a block", signing_in(login), wait(500), signing_out(portal))
    first, second = ended(api, *(api.start(flow["id"]) for _ in range(2)))
    assert second["startTime"] >= first["endTime"]
    assert portal.signed_in_at_once == 1


@pytest.mark.slow
def test_it_counts_whether_the_execution_or_a_block_names_the_login(api: Api, portal: Portal) -> None:
    login = make_login(api, portal, "mixed")
    by_block = api.create("by block", signing_in(login), wait(500), signing_out(portal))
    by_execution = api.create("by execution", wait(500), signing_out(portal))
    started = api.start(by_execution["id"], loginId=login), api.start(by_block["id"])
    first, second = ended(api, *started)
    assert second["startTime"] >= first["endTime"]
    assert portal.signed_in_at_once == 1


@pytest.mark.slow
def test_logins_that_may_be_used_at_once_are(api: Api, portal: Portal) -> None:
    login = make_login(api, portal, "open", supportConcurrentLogins=True)
    flow = api.create("both at once", signing_in(login), wait(3000))
    first, second = ended(api, *(api.start(flow["id"]) for _ in range(2)))
    assert second["startTime"] < first["endTime"]


@pytest.mark.slow
@pytest.mark.parametrize("how", ["ids", "params"])
def test_two_logins_named_in_different_order_do_not_block_each_other_for_ever(
    api: Api, portal: Portal, how: str
) -> None:
    first, other = (make_login(api, portal, f"{name} {how}") for name in ("one", "other"))
    orders = [(first, other), (other, first)] * 2
    if how == "ids":
        flows = [api.create("crossed", signing_in(a), wait(300), signing_in(b)) for a, b in orders]
        started = [api.start(flow["id"]) for flow in flows]
    else:
        blocks = signing_in("{{params.first}}"), wait(300), signing_in("{{params.second}}")
        flow = api.create("crossed by params", *blocks)
        started = [api.start(flow["id"], {"first": a, "second": b}) for a, b in orders]
    done = ended(api, *started)
    assert all(later["startTime"] >= before["endTime"] for before, later in pairwise(done))


def named_during_the_run(login_id: str) -> list[Json]:
    """A login that nobody knows before a block has put it out."""
    found = {"type": "Transform", "blockReferenceId": "found", "data": {"input": login_id, "code": "input"}}
    return [found, signing_in("{{blocks.found}}")]


def held(api: Api, portal: Portal, login: str, seconds: float) -> Json:
    """An execution that has the login."""
    flow = api.create("has it", signing_in(login), wait(round(seconds * 1000)), signing_out(portal))
    execution = api.start(flow["id"])
    end = time.monotonic() + 60
    while not any(event["type"] == "login.accepted" for event in api.events(execution["id"])):
        assert time.monotonic() < end
        time.sleep(0.1)
    return execution


def waiting_in_its_block(api: Api, login: str, **more: Any) -> Json:
    flow = api.create("waits in its block", *named_during_the_run(login))
    execution = api.start(flow["id"], **more)
    end = time.monotonic() + 60
    while not busy_events(api, execution):
        assert time.monotonic() < end
        time.sleep(0.1)
    return execution


@pytest.mark.slow
def test_a_login_known_only_during_the_run_is_waited_for_in_the_block(api: Api, portal: Portal) -> None:
    login = make_login(api, portal, "late")
    holder = held(api, portal, login, 3)
    waiter = waiting_in_its_block(api, login)
    assert api.get(waiter["id"])["status"] == "InProgress"
    assert "`late`" in busy_events(api, waiter)[0]
    ended(api, holder, waiter)
    assert portal.signed_in_at_once == 1


@pytest.mark.slow
def test_a_block_that_waits_can_be_paused_cancelled_and_runs_out_of_time(api: Api, portal: Portal) -> None:
    login = make_login(api, portal, "waited for")
    holder = held(api, portal, login, 60)
    paused = waiting_in_its_block(api, login)
    api.call("/executions/pause", {"id": paused["id"]})
    api.wait_for(paused["id"], "Paused")
    api.call("/executions/cancel", {"id": paused["id"]})
    assert "Cancelled by" in api.wait_for(paused["id"], "Failed")["errorAnalysis"]
    late = waiting_in_its_block(api, login, timeout=4)
    assert "`timeout`" in api.wait_for(late["id"], "Failed")["errorAnalysis"]
    cancelled = waiting_in_its_block(api, login)
    api.call("/executions/cancel", {"id": cancelled["id"]})
    api.wait_for(cancelled["id"], "Failed")
    api.call("/executions/cancel", {"id": holder["id"]})
    flow = api.create("free again", signing_in(login))
    ended(api, api.start(flow["id"]))


@pytest.mark.slow
def test_of_a_batch_at_most_concurrency_run_at_once(api: Api) -> None:
    flow = api.create("rows", wait(700))
    fields: Json = {"name": "two by two", "workflowId": flow["id"], "rows": [{}] * 5, "concurrency": 2}
    batch = api.call("/batches/create", fields)["batch"]
    assert batch["concurrency"] == 2
    found = api.call("/executions/list", {"batch": batch["id"]})["executions"]
    done = ended(api, *found)
    for execution in done:
        others = [item for item in done if item is not execution]
        at_once = [
            other for other in others if other["startTime"] <= execution["startTime"] < other["endTime"]
        ]
        assert len(at_once) <= 1
    free = api.call("/batches/create", {"name": "all", "workflowId": flow["id"], "rows": [{}]})["batch"]
    assert free["concurrency"] is None


@pytest.mark.parametrize("concurrency", [0, -1, 1.5, "2", True])
def test_a_concurrency_that_is_not_a_count_is_refused(api: Api, concurrency: Any) -> None:
    fields: Json = {"name": "bad", "workflowName": "rows", "rows": [{}], "concurrency": concurrency}
    answer = api.post("/batches/create", fields)
    assert answer.status_code == 400
    assert "concurrency" in answer.json()["error"]
