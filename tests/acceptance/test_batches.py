"""Batches: one execution per row, progress, cancel."""

from pathlib import Path
from typing import Any

import pytest

from support.blocks import value, wait
from support.service import FINAL, Api, Json, RunningService
from support.shapes import BATCH, FINISHED, ListOf, misfits


@pytest.fixture(scope="module")
def flow(api: Api) -> Json:
    return api.create("per row", value("row", "{{params.n}}"))


def create(api: Api, **fields: Any) -> Json:
    return api.call("/batches/create", fields)["batch"]


def executions(api: Api, batch: Json) -> list[Json]:
    return api.call("/executions/list", {"batch": batch["id"]})["executions"]


def test_every_row_becomes_an_execution_with_it_as_params(api: Api, flow: Json) -> None:
    answer = api.call(
        "/batches/create", {"name": "March", "workflowId": flow["id"], "rows": [{"n": 1}, {"n": 2}]}
    )
    assert list(answer) == ["batch"]
    batch = answer["batch"]
    assert misfits(batch, BATCH) == []
    assert (batch["name"], batch["total"], batch["cancelledAt"]) == ("March", 2, None)
    assert batch["workflow"] == {"id": flow["id"], "name": "per row"}
    found = executions(api, batch)
    done = [api.wait_for(item["id"], *FINAL) for item in found]
    assert sorted(item["response"]["row"] for item in done) == [1, 2]
    assert all(item["batch"] == {"id": batch["id"], "name": "March"} for item in done)
    assert len({item["browserSessionId"] for item in done}) == 2
    after = api.call("/batches/get", {"id": batch["id"]})["batch"]
    assert after["progress"] == {"enqueued": 0, "inProgress": 0, "paused": 0, "completed": 2, "failed": 0}
    assert after["status"] == "finished"


def test_a_row_that_fails_fails_alone(api: Api, flow: Json) -> None:
    batch = create(api, name="mixed", workflowName=flow["name"], rows=[{"n": 1}, {"other": 2}])
    for execution in executions(api, batch):
        api.wait_for(execution["id"], *FINAL)
    progress = api.call("/batches/get", {"id": batch["id"]})["batch"]["progress"]
    assert (progress["completed"], progress["failed"]) == (1, 1)


def test_batches_are_listed_newest_first(api: Api, flow: Json) -> None:
    made = [create(api, name=f"listed {n}", workflowId=flow["id"], rows=[{"n": n}]) for n in range(2)]
    page = api.call("/batches/list")
    assert set(page) == {"batches", "total"}
    assert misfits(page["batches"], ListOf(BATCH)) == []
    assert [batch["id"] for batch in page["batches"][:2]] == [item["id"] for item in reversed(made)]
    part = api.call("/batches/list", {"limit": 1, "offset": 1})
    assert ([batch["id"] for batch in part["batches"]], part["total"]) == ([made[0]["id"]], page["total"])


def test_cancel_ends_all_that_is_not_over(api: Api) -> None:
    slow = api.create("slow rows", wait(60_000))
    batch = create(api, name="ended", workflowId=slow["id"], rows=[{}] * 6)
    assert api.call("/batches/get", {"id": batch["id"]})["batch"]["status"] == "running"
    cancelled = api.call("/batches/cancel", {"id": batch["id"]})["batch"]
    assert misfits(cancelled, BATCH) == []
    assert cancelled["status"] == "cancelled"
    assert cancelled["cancelledAt"]
    assert cancelled["progress"] == {"enqueued": 0, "inProgress": 0, "paused": 0, "completed": 0, "failed": 6}
    for execution in executions(api, batch):
        shown = api.get(execution["id"])
        assert misfits(shown, FINISHED) == []
        assert "Cancelled with its batch by a request without a key" in shown["errorAnalysis"]


def test_a_cancelled_batch_takes_no_more_executions(api: Api) -> None:
    slow = api.create("closed rows", wait(60_000))
    batch = create(api, name="closed", workflowId=slow["id"], rows=[{}])
    api.call("/batches/cancel", {"id": batch["id"]})
    answer = api.post("/workflows/execute", {"workflowId": slow["id"], "batchId": batch["id"]})
    assert (answer.status_code, "was cancelled" in answer.text) == (409, True)
    assert len(executions(api, batch)) == 1


def test_a_batch_that_is_over_cannot_be_cancelled(api: Api, flow: Json) -> None:
    batch = create(api, name="over", workflowId=flow["id"], rows=[{"n": 1}])
    [row] = executions(api, batch)
    api.wait_for(row["id"], *FINAL)
    answer = api.post("/batches/cancel", {"id": batch["id"]})
    assert (answer.status_code, list(answer.json())) == (409, ["error"])
    shown = api.call("/batches/get", {"id": batch["id"]})["batch"]
    assert (shown["status"], shown["cancelledAt"]) == ("finished", None)


REFUSED: list[tuple[Json, int, str]] = [
    ({"name": "b", "rows": []}, 400, "rows"),
    ({"name": "b", "rows": [{}, 1]}, 400, "rows[1]"),
    ({"name": "", "rows": [{}]}, 400, "name"),
    ({"name": "b", "rows": [{}], "workflowId": None}, 400, "workflowId"),
    ({"name": "b", "rows": [{}], "workflowId": "wf_no"}, 404, "Workflow not found"),
    ({"name": "b", "rows": [{}], "loginId": "login_no"}, 404, "loginId"),
    ({"name": "b", "rows": [{}], "workflowName": "another name"}, 400, "workflowName"),
]


@pytest.mark.parametrize(
    ("fields", "status", "named"),
    REFUSED,
)
def test_a_batch_that_is_refused_starts_nothing(
    api: Api, flow: Json, fields: Json, status: int, named: str
) -> None:
    before = [api.call(path)["total"] for path in ("/batches/list", "/executions/list")]
    answer = api.post("/batches/create", {"workflowId": flow["id"], **fields})
    assert answer.status_code == status, answer.text
    assert named in answer.json()["error"]
    assert [api.call(path)["total"] for path in ("/batches/list", "/executions/list")] == before


@pytest.mark.slow
def test_a_paused_batch_stays_paused_when_the_service_dies(tmp_path: Path) -> None:
    service = RunningService(tmp_path / "data", PAGEHAND_BROWSER_POOL="0").start()
    try:
        api = service.api()
        workflow = api.create("Naps", wait("{{params.ms}}"))["id"]
        rows = [{"ms": 600_000}, {"ms": 1}, {"ms": 1}]
        batch = api.call(
            "/batches/create", {"name": "b", "workflowId": workflow, "rows": rows, "concurrency": 1}
        )["batch"]["id"]
        api.call("/batches/pause", {"id": batch})
        service.kill()
        service.start()
        api = service.api()
        assert api.run(value("n"))["status"] == "Completed"
        assert api.call("/batches/get", {"id": batch})["batch"]["status"] == "paused"
        assert api.call("/batches/get", {"id": batch})["batch"]["progress"]["completed"] == 0
        api.call("/batches/resume", {"id": batch})
        api.call("/batches/cancel", {"id": batch})
        assert api.post("/batches/pause", {"id": batch}).status_code == 409
    finally:
        service.stop()


@pytest.mark.slow
def test_a_service_that_runs_nothing_does_not_claim_to_pause(tmp_path: Path) -> None:
    service = RunningService(tmp_path / "data", "--no-worker").start()
    try:
        api = service.api()
        workflow = api.create("Naps", wait(1))["id"]
        batch = api.call("/batches/create", {"name": "b", "workflowId": workflow, "rows": [{}]})["batch"][
            "id"
        ]
        refused = api.post("/batches/pause", {"id": batch})
        assert refused.status_code == 409
        assert "another process" in refused.json()["error"]
        assert api.call("/batches/get", {"id": batch})["batch"]["pausedAt"] is None
    finally:
        service.stop()
