"""Webhooks as a receiver meets them: signed, retried, never lost, never held up by a slow neighbour."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from standardwebhooks.webhooks import Webhook as Verifier

from support.blocks import fail, value, wait
from support.database import add_key
from support.receiver import Receiver, webhook_receiver
from support.service import Api, Json, RunningService, free_port
from support.waiting import wait_until


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with webhook_receiver() as running:
        yield running


@pytest.fixture
def caller(service: RunningService, request: pytest.FixtureRequest) -> Api:
    """An organization of its own for each test."""
    return service.api(add_key(service, request.node.name[:60]))


def listen(caller: Api, url: str, *events: str) -> Json:
    return caller.call("/webhooks/create", {"url": url, "events": list(events)})


def log(caller: Api, webhook_id: str) -> list[Json]:
    return caller.call("/webhooks/deliveries", {"id": webhook_id})["deliveries"]


def test_a_finished_execution_is_announced_and_the_reference_verifier_accepts_it(
    caller: Api, receiver: Receiver
) -> None:
    made = listen(caller, receiver.url + "/in", "execution.completed")
    done = caller.run(value("answer", 42), params={"token": "only-ours"}, name="Run 7")
    [came] = receiver.wait("/in")
    assert Verifier(made["secret"]).verify(came.body, came.headers) == came.message
    assert re.fullmatch(r"v1=[0-9a-f]{64}", came.headers["x-webhooks-signature"])
    assert came.headers["content-type"] == "application/json"
    announced = came.message["data"]["execution"]
    same = ("id", "workflow", "batch", "name", "status", "startTime", "endTime", "durationMs")
    same += ("summary", "errorAnalysis", "response", "truncatedResponse", "attempts", "isTest")
    assert {name: announced[name] for name in same} == {name: done[name] for name in same}
    assert b"only-ours" not in came.body
    wait_until(lambda: log(caller, made["webhook"]["id"])[0]["status"] != "pending")
    [entry] = log(caller, made["webhook"]["id"])
    assert (entry["status"], entry["attempts"], entry["responseStatus"]) == ("delivered", 1, 200)
    assert entry["messageId"] == came.headers["webhook-id"]
    assert entry["payload"] == came.message


def test_each_webhook_hears_only_what_it_listens_for(caller: Api, receiver: Receiver) -> None:
    listen(caller, receiver.url + "/good", "execution.completed")
    listen(caller, receiver.url + "/all", "execution.started", "execution.completed", "execution.failed")
    caller.run(value("x"))
    caller.run(fail("on purpose"))
    receiver.wait("/all", 4)
    time.sleep(0.3)
    assert [item.message["type"] for item in receiver.on("/good")] == ["execution.completed"]
    types = sorted(item.message["type"] for item in receiver.on("/all"))
    assert types == ["execution.completed", "execution.failed", "execution.started", "execution.started"]
    [failed] = receiver.on("/all", "execution.failed")
    assert "on purpose" in failed.message["data"]["execution"]["errorAnalysis"]


def test_a_pause_is_announced(caller: Api, receiver: Receiver) -> None:
    listen(caller, receiver.url + "/in", "execution.paused")
    flow = caller.create("long", wait(200), wait(200, "again"))
    started = caller.start(flow["id"])
    caller.wait_for(started["id"], "InProgress")
    caller.call("/executions/pause", {"id": started["id"]})
    [came] = receiver.wait("/in")
    assert came.message["data"]["execution"]["id"] == started["id"]
    assert came.message["data"]["execution"]["status"] == "Paused"
    assert came.message["data"]["reason"]
    caller.call("/executions/resume", {"id": started["id"]})
    caller.wait_for(started["id"], "Completed")


def test_the_end_of_a_batch_is_announced_once(caller: Api, receiver: Receiver) -> None:
    made = listen(caller, receiver.url + "/in", "batch.finished")
    flow = caller.create("maybe", wait(20), fail("odd", "stop") | {"data": {"condition": "params.n == 1"}})
    rows = [{"n": number} for number in range(6)]
    batch = caller.call("/batches/create", {"name": "March", "workflowId": flow["id"], "rows": rows})["batch"]
    [came] = receiver.wait("/in")
    announced = came.message["data"]["batch"]
    assert announced["id"] == batch["id"]
    assert (announced["name"], announced["total"], announced["completed"], announced["failed"]) == (
        "March",
        6,
        5,
        1,
    )
    assert len(log(caller, made["webhook"]["id"])) == 1


@pytest.mark.slow
def test_a_target_that_fails_at_first_gets_the_same_message_again(caller: Api, receiver: Receiver) -> None:
    receiver.statuses["/in"] = [500]
    made = listen(caller, receiver.url + "/in", "execution.completed")
    caller.run(value("x"))
    first, second = receiver.wait("/in", 2)
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.body == second.body
    Verifier(made["secret"]).verify(second.body, second.headers)
    wait_until(lambda: log(caller, made["webhook"]["id"])[0]["status"] == "delivered")
    assert log(caller, made["webhook"]["id"])[0]["attempts"] == 2


def test_a_slow_target_does_not_hold_up_another(caller: Api, receiver: Receiver) -> None:
    receiver.delays["/slow"] = 600
    for _ in range(3):
        listen(caller, receiver.url + "/slow", "execution.completed")
    listen(caller, receiver.url + "/quick", "execution.completed")
    for _ in range(10):
        caller.run(value("x"))
    receiver.wait("/quick", 10)
    assert receiver.on("/slow")


def test_redirects_are_not_followed(caller: Api, receiver: Receiver) -> None:
    receiver.statuses["/in"] = [302]
    receiver.headers["/in"] = {"Location": receiver.url + "/elsewhere"}
    made = listen(caller, receiver.url + "/in", "execution.completed")
    sent = caller.call("/webhooks/test", {"id": made["webhook"]["id"]})["delivery"]
    assert (sent["status"], sent["responseStatus"]) == ("failed", 302)
    assert "redirect" in sent["error"]
    assert receiver.on("/elsewhere") == []


def test_a_test_message_says_how_it_went(caller: Api, receiver: Receiver) -> None:
    made = listen(caller, receiver.url + "/in", "batch.finished")
    sent = caller.call("/webhooks/test", {"id": made["webhook"]["id"]})["delivery"]
    assert (sent["event"], sent["status"], sent["responseStatus"]) == ("webhook.test", "delivered", 200)
    [came] = receiver.on("/in")
    assert came.message["type"] == "webhook.test"
    receiver.statuses["/in"] = [503]
    sent = caller.call("/webhooks/test", {"id": made["webhook"]["id"]})["delivery"]
    assert (sent["status"], sent["responseStatus"], sent["nextAttemptAt"]) == ("failed", 503, None)


def test_a_message_of_the_log_can_be_sent_again(caller: Api, receiver: Receiver) -> None:
    made = listen(caller, receiver.url + "/in", "execution.completed")
    caller.run(value("x"))
    [first] = receiver.wait("/in")
    [entry] = log(caller, made["webhook"]["id"])
    redelivered = caller.call("/webhooks/redeliver", {"id": made["webhook"]["id"], "deliveryId": entry["id"]})
    assert redelivered["delivery"]["id"] != entry["id"]
    _, second = receiver.wait("/in", 2)
    assert (second.body, second.headers["webhook-id"]) == (first.body, first.headers["webhook-id"])


def test_both_secrets_verify_after_a_rotation(caller: Api, receiver: Receiver) -> None:
    made = listen(caller, receiver.url + "/in", "execution.completed")
    rotated = caller.call("/webhooks/rotateSecret", {"id": made["webhook"]["id"]})
    assert rotated["secret"] != made["secret"]
    caller.call("/webhooks/test", {"id": made["webhook"]["id"]})
    [came] = receiver.on("/in")
    for secret in (made["secret"], rotated["secret"]):
        Verifier(secret).verify(came.body, came.headers)
    assert came.headers["x-webhooks-signature"].count("v1=") == 2


def test_a_webhook_that_is_switched_off_hears_nothing(caller: Api, receiver: Receiver) -> None:
    made = listen(caller, receiver.url + "/in", "execution.completed")
    off = caller.call("/webhooks/update", {"id": made["webhook"]["id"], "isActive": False})["webhook"]
    assert off["isActive"] is False
    caller.run(value("x"))
    caller.call("/webhooks/update", {"id": made["webhook"]["id"], "isActive": True, "name": "Back"})
    caller.run(value("y"))
    [came] = receiver.wait("/in")
    assert came.message["data"]["execution"]["response"] == {"y": 1}


def test_a_target_that_is_gone_is_switched_off(caller: Api, receiver: Receiver) -> None:
    receiver.statuses["/in"] = [410]
    made = listen(caller, receiver.url + "/in", "execution.completed")
    caller.run(value("x"))
    wanted = {"id": made["webhook"]["id"]}
    wait_until(lambda: caller.call("/webhooks/get", wanted)["webhook"]["isActive"] is False)
    assert log(caller, made["webhook"]["id"])[0]["status"] == "failed"


def test_a_deleted_webhook_hears_nothing_more(caller: Api, receiver: Receiver) -> None:
    made = listen(caller, receiver.url + "/in", "execution.completed")
    caller.call("/webhooks/delete", {"id": made["webhook"]["id"]})
    caller.run(value("x"))
    assert caller.post("/webhooks/get", {"id": made["webhook"]["id"]}).status_code == 404
    assert caller.call("/webhooks/list")["total"] == 0
    time.sleep(0.5)
    assert receiver.received == []


def test_secrets_are_shown_once_and_stored_encrypted(
    caller: Api, receiver: Receiver, service: RunningService
) -> None:
    made = listen(caller, receiver.url + "/in", "execution.completed")
    bare = made["secret"].removeprefix("whsec_")
    shown = [caller.post("/webhooks/list"), caller.post("/webhooks/get", {"id": made["webhook"]["id"]})]
    assert not [item for item in shown if bare in item.text]
    stored = b"".join(path.read_bytes() for path in service.data_dir.glob("pagehand.db*"))
    assert bare.encode() not in stored


@pytest.mark.parametrize(
    ("url", "named"),
    [
        ("http://169.254.169.254/latest", "PAGEHAND_EGRESS_ALLOW"),
        ("http://10.0.0.8/hook", "PAGEHAND_EGRESS_ALLOW"),
        ("http://[::1]:80/hook", "PAGEHAND_EGRESS_ALLOW"),
        ("ftp://hooks.example/x", "url"),
        ("http://user:secret@hooks.example/x", "url"),
        ("http://hooks.example:99999/x", "url"),
        ("http:///x", "url"),
    ],
)
def test_an_address_that_cannot_be_determined_is_refused(caller: Api, url: str, named: str) -> None:
    answer = caller.post("/webhooks/create", {"url": url, "events": ["execution.completed"]})
    assert answer.status_code == 400, answer.text
    assert named in answer.json()["error"]
    assert "`url`" in answer.json()["error"]


def test_a_name_that_leads_to_a_closed_address_is_not_contacted(caller: Api) -> None:
    made = listen(caller, "http://localhost.localdomain:9/x", "execution.completed")
    sent = caller.call("/webhooks/test", {"id": made["webhook"]["id"]})["delivery"]
    assert sent["status"] == "failed"
    assert sent["responseStatus"] is None


def test_an_organization_has_a_limited_number_of_webhooks(caller: Api) -> None:
    for number in range(20):
        listen(caller, f"https://hooks.example/{number}", "batch.finished")
    answer = caller.post("/webhooks/create", {"url": "https://hooks.example", "events": ["batch.finished"]})
    assert answer.status_code == 409


@pytest.mark.slow
def test_nothing_is_lost_when_the_service_is_killed(tmp_path: Path) -> None:
    port = free_port()
    service = RunningService(tmp_path / "data").start()
    try:
        caller = service.api()
        made = listen(caller, f"http://127.0.0.1:{port}/in", "execution.completed")
        flow = caller.create("quick", value("x"))
        ids = {caller.start(flow["id"])["id"] for _ in range(5)}
        for execution_id in ids:
            caller.wait_for(execution_id, "Completed")
        service.kill()
        with webhook_receiver(port) as receiver:
            service.start()
            receiver.wait("/in", 5, seconds=60)
            assert {item.message["data"]["execution"]["id"] for item in receiver.on("/in")} == ids
            Verifier(made["secret"]).verify(receiver.received[0].body, receiver.received[0].headers)
    finally:
        service.stop()
