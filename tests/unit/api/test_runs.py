from typing import TYPE_CHECKING, Any

import pytest
from msgspec import Raw

from pagehand.api.resources.execution_views import truncated
from pagehand.errors import Unavailable

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio

FINISHED = (
    "durationMs",
    "endTime",
    "response",
    "truncatedResponse",
    "responseFile",
    "errorAnalysis",
    "summary",
    "context",
)


async def execute(api: "Api", **fields: Any) -> dict[str, Any]:
    workflow = await api.create_workflow()
    answer = await api.post("/workflows/executeSync", {"workflowId": workflow["id"], **fields})
    assert answer.status_code == 200, answer.text
    return answer.json()["execution"]


async def test_execute_sync_answers_with_the_finished_form(api: "Api") -> None:
    done = await execute(api, params={"x": "ünï"})
    assert done["status"] == "Completed"
    assert done["response"] == {"echo": {"x": "ünï"}}
    assert done["truncatedResponse"] == '{"echo":{"x":"ünï"}}'
    assert done["batch"] is None
    assert done["startBlock"] is None
    assert list(done["metadata"]) == ["acceptedAt"]
    assert done["responseFile"]["downloadUrl"].startswith("http://127.0.0.1:8700/files/download?t=")


async def test_execute_answers_with_the_active_form(api: "Api") -> None:
    workflow = await api.create_workflow()
    answer = await api.post("/workflows/execute", {"workflowId": workflow["id"]})
    execution = answer.json()["execution"]
    assert execution["status"] == "Enqueued"
    assert not set(FINISHED) & set(execution)


@pytest.mark.parametrize(
    ("given", "kept"), [(42, "42"), (0, "0"), (4.5, "4.5"), (-7, "-7"), ("", ""), (None, None)]
)
async def test_name_is_kept_as_a_string(api: "Api", given: object, kept: str | None) -> None:
    assert (await execute(api, name=given))["name"] == kept


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", True),
        ("name", []),
        ("timeout", 0),
        ("timeout", 86_401),
        ("timeout", True),
        ("params", []),
        ("useProxy", 1),
    ],
)
async def test_field_that_does_not_fit_comes_before_the_unknown_workflow(
    api: "Api", field: str, value: object
) -> None:
    answer = await api.post("/workflows/executeSync", {"workflowId": "wf_none", field: value})
    assert answer.status_code == 400
    assert f"`{field}`" in answer.json()["error"]


async def test_neither_id_nor_name_is_refused_naming_both(api: "Api") -> None:
    answer = await api.post("/workflows/executeSync", {"workflowId": None})
    assert answer.status_code == 400
    assert "`workflowId`" in answer.json()["error"]
    assert "`workflowName`" in answer.json()["error"]


@pytest.mark.parametrize("quiet_seconds", [0.05])
async def test_long_run_sends_white_space_ahead_of_the_answer(api: "Api") -> None:
    workflow = await api.create_workflow(waits_ms=300)
    answer = await api.post("/workflows/executeSync", {"workflowId": workflow["id"]})
    assert answer.content.startswith(b" ")
    assert answer.json()["execution"]["status"] == "Completed"
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("quiet_seconds", [0.05])
async def test_trouble_after_white_space_is_an_error_body(api: "Api") -> None:
    workflow = await api.create_workflow(waits_ms=300)
    api.engine.error = Unavailable("Shutting down")
    answer = await api.post("/workflows/executeSync", {"workflowId": workflow["id"]})
    assert answer.status_code == 200
    assert answer.json() == {"error": "Shutting down"}


async def test_idempotency_key_gives_the_same_execution_and_refuses_another_body(api: "Api") -> None:
    workflow = await api.create_workflow()
    body = {"workflowId": workflow["id"], "params": {"a": 1, "b": 2}}
    same = {"params": {"b": 2, "a": 1}, "workflowId": workflow["id"]}
    first, second = [
        await api.post("/workflows/execute", item, idempotency_key="k1") for item in (body, same)
    ]
    assert first.json()["execution"]["id"] == second.json()["execution"]["id"]
    other = await api.post("/workflows/execute", {**body, "params": {}}, idempotency_key="k1")
    assert other.status_code == 409


@pytest.mark.parametrize("key", ["", " ", "a b", "x" * 256])
async def test_idempotency_key_is_1_to_255_visible_characters(api: "Api", key: str) -> None:
    workflow = await api.create_workflow()
    answer = await api.post("/workflows/execute", {"workflowId": workflow["id"]}, idempotency_key=key)
    assert answer.status_code == 400
    assert "`Idempotency-Key`" in answer.json()["error"]


async def test_get_gives_the_finished_form_of_a_finished_execution_twice(api: "Api") -> None:
    done = await execute(api)
    first, second = [await api.post("/executions/get", {"id": done["id"]}) for _ in range(2)]
    assert set(FINISHED) <= set(first.json()["execution"])
    assert second.content == first.content


async def test_kept_answer_is_not_for_another_organization(api: "Api") -> None:
    done = await execute(api)
    await api.post("/executions/get", {"id": done["id"]})
    answer = await api.post("/executions/get", {"id": done["id"]}, x_api_key=await api.create_key("two"))
    assert answer.status_code == 404
    nobody = await api.post("/executions/get", {"id": "exec_none"}, x_api_key=await api.create_key("two"))
    assert answer.content == nobody.content


async def test_retry_shows_in_progress_one_level_down(api: "Api") -> None:
    done = await execute(api)
    answer = (await api.post("/executions/retry", {"id": done["id"]})).json()
    assert set(answer) == {"success", "message", "execution"}
    assert answer["execution"]["execution"]["status"] == "InProgress"
    assert not set(FINISHED) & set(answer["execution"]["execution"])


async def test_list_pages_by_cursor_and_cuts_params(api: "Api") -> None:
    for number in range(3):
        await execute(api, params={"x": "y" * 2000, "n": number})
    first = (await api.post("/executions/list", {"limit": 2})).json()
    assert first["total"] == 3
    assert len(first["executions"][0]["truncatedParams"]) == 1001
    rest = (await api.post("/executions/list", {"limit": 2, "cursor": first["nextCursor"]})).json()
    assert [execution["params"]["n"] for execution in first["executions"] + rest["executions"]] == [2, 1, 0]
    assert rest["nextCursor"] is None


def test_text_of_a_thousand_characters_is_not_cut() -> None:
    assert truncated(Raw('"' + "ÿ" * 998 + '"')) == '"' + "ÿ" * 998 + '"'
    assert truncated(Raw('"' + "😀" * 9999 + '"')) == '"' + "😀" * 999 + "…"


async def test_cancelled_execution_is_shown_and_cannot_be_cancelled_again(api: "Api") -> None:
    workflow = await api.create_workflow(waits_ms=60_000)
    going = (await api.post("/workflows/execute", {"workflowId": workflow["id"]})).json()["execution"]
    ended = await api.post("/executions/cancel", {"id": going["id"]})
    assert ended.json()["execution"]["status"] == "Failed"
    assert "a request without a key" in ended.json()["execution"]["errorAnalysis"]
    second = await api.post("/executions/cancel", {"id": going["id"]})
    assert second.status_code == 409
    assert "already Failed" in second.json()["error"]


async def test_batch_shows_its_progress(api: "Api") -> None:
    workflow = await api.create_workflow(waits_ms=60_000)
    made = await api.post(
        "/batches/create", {"name": "b", "workflowId": workflow["id"], "rows": [{"a": 1}, {}]}
    )
    batch = made.json()["batch"]
    unfinished = batch["progress"]["enqueued"] + batch["progress"]["inProgress"]
    assert (batch["total"], batch["status"], unfinished) == (2, "running", 2)
    assert batch["workflow"]["id"] == workflow["id"]
    listed = (await api.post("/batches/list")).json()
    assert [batch["id"] for batch in listed["batches"]] == [batch["id"]]
    cancelled = (await api.post("/batches/cancel", {"id": batch["id"]})).json()["batch"]
    assert cancelled["status"] == "cancelled"


@pytest.mark.parametrize("rows", [None, [], [1], "x", {}])
async def test_batch_rows_are_objects(api: "Api", rows: object) -> None:
    workflow = await api.create_workflow()
    answer = await api.post("/batches/create", {"name": "b", "workflowId": workflow["id"], "rows": rows})
    assert answer.status_code == 400
    assert "`rows" in answer.json()["error"]
