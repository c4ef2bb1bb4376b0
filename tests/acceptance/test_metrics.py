"""`/metrics` as Prometheus meets it, and what the log says of requests and executions."""

import json
from pathlib import Path

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families

from support.blocks import fail, value
from support.database import add_key
from support.service import Api, Json, RunningService
from support.waiting import wait_until

NAMES = {
    "pagehand_executions",
    "pagehand_executions_finished",
    "pagehand_execution_seconds",
    "pagehand_queue_depth",
    "pagehand_queue_oldest_seconds",
    "pagehand_browsers",
    "pagehand_blocks_seconds",
    "pagehand_healed",
    "pagehand_model_calls",
    "pagehand_model_cost_dollars",
    "pagehand_egress_refused",
    "pagehand_webhook_deliveries",
    "pagehand_workers",
}


def figures(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_every_figure_is_there_and_counts(api: Api) -> None:
    before = figures(api.http.get("/metrics").text)
    api.run(value("answer"))
    api.run(fail("on purpose"))
    answer = api.http.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=")
    assert {family.name for family in text_string_to_metric_families(answer.text)} == NAMES
    after = figures(answer.text)

    def grown(name: str, **labels: str) -> float:
        key = (name, tuple(sorted(labels.items())))
        return after[key] - before.get(key, 0)

    assert grown("pagehand_executions", status="Completed") >= 1
    assert grown("pagehand_executions_finished_total", status="Completed", code="") >= 1
    failed = [key for key in after if key[0] == "pagehand_executions_finished_total" and dict(key[1])["code"]]
    assert failed
    assert grown("pagehand_execution_seconds_count") >= 2
    assert grown("pagehand_blocks_seconds_count", kind="Transform") >= 1
    assert after["pagehand_workers", ()] == 1


def test_no_label_names_an_organization(service: RunningService, api: Api) -> None:
    service.api(add_key(service, "Very Secret Company")).run(value("answer"))
    text = api.http.get("/metrics").text
    assert "Very Secret" not in text
    labels = {label for _, pairs in figures(text) for label, _ in pairs}
    assert labels == {"status", "code", "state", "kind", "result", "le"}


@pytest.mark.parametrize("header", [{"X-Forwarded-For": "203.0.113.9"}, {"Host": "evil.example"}])
def test_whoever_is_not_on_the_machine_needs_a_key_with_the_scope(
    locked: RunningService, header: dict[str, str]
) -> None:
    name = "watched"
    assert httpx2.get(f"{locked.url}/metrics").status_code == 200
    assert httpx2.get(f"{locked.url}/metrics", headers=header).status_code == 401
    for scopes, status in ((["read", "run"], 403), (["metrics"], 200)):
        key = add_key(locked, name, scopes=scopes)
        keyed = {**header, "Authorization": f"Bearer {key}"}
        assert httpx2.get(f"{locked.url}/metrics", headers=keyed).status_code == status
    only_metrics = locked.api(add_key(locked, name, scopes=["metrics"]))
    assert only_metrics.post("/workflows/list").status_code == 403


def lines(log: Path) -> list[Json]:
    return [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]


def test_the_log_has_a_line_for_a_request_and_for_an_executions_beginning_and_end(
    service: RunningService, api: Api
) -> None:
    workflow = api.create("Logged", value("answer", "{{params.token}}"))
    started = api.call(
        "/workflows/executeSync",
        {"workflowId": workflow["id"], "params": {"token": "do-not-log-me"}},
        headers={"X-Request-Id": "request-for-the-log"},
    )["execution"]
    wait_until(lambda: any(request.get("request") == "request-for-the-log" for request in requests(service)))
    [request] = [request for request in requests(service) if request["request"] == "request-for-the-log"]
    assert (request["method"], request["path"], request["status"]) == ("POST", "/workflows/executeSync", 200)
    shown = {line["event"]: line for line in lines(service.log) if line.get("execution") == started["id"]}
    assert {"execution accepted", "execution started", "execution finished"} <= shown.keys()
    assert shown["execution accepted"]["request"] == "request-for-the-log"
    assert shown["execution finished"]["status"] == "Completed"
    assert {item["organization"] for item in shown.values()} == {request["organization"]}
    assert "do-not-log-me" not in service.log.read_text()


def requests(service: RunningService) -> list[Json]:
    return [line for line in lines(service.log) if line["event"] == "request"]
