"""`/batches/…`: pausing, cancelling, sheets that become rows, and results as CSV and ZIP."""

import base64
import csv
import io
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from pagehand.clock import now_ms
from pagehand.ids import new_id
from pagehand.records import Batch, Execution, ExecutionFailure, FileInfo, Json, Status

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio

AMOUNT = [{"name": "amount", "type": "number", "isRequired": True}, {"name": "policy"}]


TOO_MANY: list[Json] = [{}] * 10_001


def to_base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


async def start_batch(api: "Api", rows: int = 2, waits_ms: int = 60_000, **fields: Any) -> dict[str, Any]:
    workflow = await api.create_workflow(waits_ms=waits_ms)
    body = {"name": "March", "workflowId": workflow["id"], "rows": [{"n": n} for n in range(rows)], **fields}
    answer = await api.post("/batches/create", body)
    assert answer.status_code == 200, answer.text
    return answer.json()["batch"]


async def add_batch(api: "Api", count: int, **fields: Any) -> Batch:
    """A batch as rows alone, with executions that nothing runs."""
    owner, now = await api.organization_id(), now_ms()
    batch = Batch(
        id=new_id("batch"),
        organization_id=owner,
        name="March",
        workflow_id="wf_1",
        workflow_name="Invoices",
        total=count,
        concurrency=None,
        created_at=now,
        **fields,
    )
    await api.services.stores.batches.add(batch, [])
    return batch


async def add_row(api: "Api", batch: Batch, final: dict[str, Any] | None = None, **fields: Any) -> Execution:
    return await api.add_ended(final, batch_id=batch.id, batch_name=batch.name, **fields)


@pytest.mark.parametrize(
    ("fields", "status", "word"),
    [
        ({"workflowId": None}, 400, "workflowName"),
        ({"workflowId": "wf_none"}, 404, "Workflow not found"),
        ({"workflowId": None, "workflowName": "nobody"}, 404, "Workflow `nobody` not found"),
        ({"loginId": "login_none"}, 404, "login"),
        ({"name": ""}, 400, "name"),
        ({"concurrency": 0}, 400, "concurrency"),
        ({"concurrency": 10_001}, 400, "concurrency"),
        ({"rows": TOO_MANY}, 400, "rows"),
        ({"params": {}}, 400, "params"),
    ],
)
async def test_batch_that_does_not_fit_starts_nothing(
    api: "Api", fields: dict[str, Any], status: int, word: str
) -> None:
    workflow = await api.create_workflow()
    answer = await api.post(
        "/batches/create", {"name": "b", "workflowId": workflow["id"], "rows": [{}], **fields}
    )
    assert answer.status_code == status, answer.text
    assert word in answer.json()["error"]
    assert (await api.post("/executions/list")).json()["total"] == 0
    assert (await api.post("/batches/list")).json()["total"] == 0


async def test_batch_of_a_mistyped_workflow_names_the_nearest(api: "Api") -> None:
    workflow = await api.create_workflow()
    body: dict[str, Any] = {"name": "b", "workflowName": workflow["name"].lower() + "s", "rows": [{}]}
    answer = await api.post("/batches/create", body)
    assert answer.status_code == 404
    assert answer.json()["error"].endswith(f"nearest: `{workflow['name']}`")


async def test_one_row_that_does_not_fit_starts_none_of_them(api: "Api") -> None:
    workflow = await api.create_workflow(parameters=AMOUNT)
    rows = [{"amount": 1}, {"amount": "much"}, {"amount": 3}]
    answer = await api.post("/batches/create", {"name": "b", "workflowId": workflow["id"], "rows": rows})
    assert answer.status_code == 400
    assert "amount" in answer.json()["error"]
    assert (await api.post("/executions/list")).json()["total"] == 0


async def test_paused_batch_begins_nothing_until_it_is_resumed(api: "Api") -> None:
    batch = await start_batch(api, rows=3, concurrency=1)
    paused = (await api.post("/batches/pause", {"id": batch["id"]})).json()["batch"]
    assert paused["status"] == "paused"
    assert paused["pausedAt"] is not None
    resumed = (await api.post("/batches/resume", {"id": batch["id"]})).json()["batch"]
    assert (resumed["status"], resumed["pausedAt"]) == ("running", None)
    ended = (await api.post("/batches/cancel", {"id": batch["id"]})).json()["batch"]
    assert ended["status"] == "cancelled"
    assert ended["cancelledAt"] is not None


@pytest.mark.parametrize("path", ["cancel", "pause"])
async def test_finished_batch_can_be_neither_cancelled_nor_paused(api: "Api", path: str) -> None:
    batch = await add_batch(api, 1)
    await add_row(api, batch)
    answer = await api.post(f"/batches/{path}", {"id": batch.id})
    assert answer.status_code == 409
    assert "ended already" in answer.json()["error"]


@pytest.mark.parametrize("path", ["get", "cancel", "pause", "resume", "results", "resultsZip"])
async def test_unknown_batch_is_not_found(api: "Api", path: str) -> None:
    answer = await api.post(f"/batches/{path}", {"id": "batch_none"})
    assert (answer.status_code, list(answer.json())) == (404, ["error"])


async def test_progress_counts_every_status_and_says_when_it_is_over(api: "Api") -> None:
    batch = await add_batch(api, 4)
    await add_row(api, batch)
    await add_row(api, batch, {"status": Status.FAILED})
    await api.add_running({"status": Status.PAUSED}, batch_id=batch.id)
    await api.add_execution(batch_id=batch.id)
    shown = (await api.post("/batches/get", {"id": batch.id})).json()["batch"]
    counts = {"enqueued": 1, "inProgress": 0, "paused": 1, "completed": 1, "failed": 1}
    assert (shown["progress"], shown["status"]) == (counts, "running")


async def test_batch_whose_executions_were_swept_away_is_finished(api: "Api") -> None:
    batch = await add_batch(api, 5)
    shown = (await api.post("/batches/get", {"id": batch.id})).json()["batch"]
    assert (shown["status"], shown["total"]) == ("finished", 5)


async def read_results(api: "Api", batch: Batch) -> list[list[str]]:
    answer = await api.post("/batches/results", {"id": batch.id})
    assert answer.status_code == 200
    assert answer.content.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))


async def test_results_have_a_line_per_row_in_the_order_of_rows(api: "Api") -> None:
    batch = await add_batch(api, 2)
    failure = ExecutionFailure(code="NotClear", message="Two buttons, one name")
    first = await add_row(api, batch, {"response": {"total": 3.5, "who": None}}, params={"policy": "P-1"})
    second = await add_row(
        api, batch, {"status": Status.FAILED, "failure": failure}, params={"policy": "P-2", "note": "a,b\nc"}
    )
    heading, *lines = await read_results(api, batch)
    assert heading == [
        "row",
        "status",
        "reason",
        "execution",
        "startTime",
        "durationMs",
        "params.policy",
        "params.note",
        "response.total",
        "response.who",
    ]
    assert [line[:4] for line in lines] == [
        ["1", "Completed", "", first.id],
        ["2", "Failed", "Two buttons, one name", second.id],
    ]
    assert [line[6:] for line in lines] == [["P-1", "", "3.5", ""], ["P-2", "a,b\nc", "", ""]]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("+49 30 1234", "'+49 30 1234"),
        ("-x", "'-x"),
        ("\t=1", "'\t=1"),
        ("-12.5", "-12.5"),
        ("+1e3", "+1e3"),
        ("a=b", "a=b"),
        (-7, "-7"),
        (True, "true"),
        ({"a": [1]}, '{"a": [1]}'),
    ],
)
async def test_text_that_a_spreadsheet_would_run_is_shown_as_text(
    api: "Api", value: object, shown: str
) -> None:
    batch = await add_batch(api, 1)
    await add_row(api, batch, params={"value": value})
    heading, line = await read_results(api, batch)
    assert line[heading.index("params.value")] == shown


async def test_retried_row_shows_its_newest_execution_in_its_old_place(api: "Api") -> None:
    batch = await add_batch(api, 2)
    failed = await add_row(api, batch, {"status": Status.FAILED}, params={"n": 1})
    other = await add_row(api, batch, params={"n": 2})
    retried = await add_row(api, batch, params={"n": 1}, metadata={"retryOf": failed.id})
    third = await add_row(api, batch, params={"n": 1}, metadata={"retryOf": retried.id})
    _, *lines = await read_results(api, batch)
    assert [(line[0], line[3]) for line in lines] == [("1", third.id), ("2", other.id)]


async def test_file_is_named_like_the_batch_and_is_never_shown_in_the_browser(api: "Api") -> None:
    batch = await add_batch(api, 0)
    answer = await api.post("/batches/results", {"id": batch.id})
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''March.csv"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert len(await read_results(api, batch)) == 1


async def test_zip_holds_results_and_files_and_a_note_where_a_file_is_gone(api: "Api") -> None:
    batch = await add_batch(api, 1)
    done = await add_row(api, batch)
    owner = done.organization_id
    for name, content in (("../report.pdf", b"%PDF"), ("gone.txt", None)):
        info = FileInfo(
            id=new_id("file"),
            organization_id=owner,
            execution_id=done.id,
            name=name,
            mime_type="application/pdf",
            size_bytes=4,
            key=f"{owner}/{done.id}/{new_id('file')}",
            created_at=now_ms(),
        )
        await api.services.stores.files.add(info)
        if content is not None:
            await api.services.files.put(info.key, content)
    answer = await api.post("/batches/resultsZip", {"id": batch.id})
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        report = next(name for name in names if name.endswith("report.pdf"))
        assert archive.read(report) == b"%PDF"
        note = next(name for name in names if name.endswith("gone.txt.txt"))
        assert b"deleted" in archive.read(note)
    assert names[0] == "results.csv"
    assert not any(".." in name or name.startswith("/") for name in names)
    assert report.startswith(f"files/00001-{done.id}/")


async def test_sheet_becomes_params_of_the_types_the_workflow_declares(api: "Api") -> None:
    workflow = await api.create_workflow(parameters=AMOUNT)
    text = "Policy,Amount,Left out\nP-1,12.50,\nP-2,many,x\nP-3,,x\n"
    answer = await api.post(
        "/batches/readSheet", {"workflowId": workflow["id"], "contentBase64": to_base64(text)}
    )
    sheet = answer.json()["sheet"]
    assert {column["name"]: column["parameter"] for column in sheet["columns"]}["Policy"] == "policy"
    assert sheet["rows"][0]["params"]["amount"] == 12.5
    assert sheet["rows"][0]["problem"] is None
    assert "amount" in sheet["rows"][1]["problem"]
    assert "amount" in sheet["rows"][2]["problem"]
    assert (sheet["total"], sheet["wrong"]) == (3, 2)
    assert (await api.post("/executions/list")).json()["total"] == 0


async def test_limit_shows_the_first_rows_and_the_later_ones_with_a_problem(api: "Api") -> None:
    workflow = await api.create_workflow(parameters=AMOUNT)
    text = "amount\n1\n2\nx\n4\ny\nz"
    body = {"workflowId": workflow["id"], "contentBase64": to_base64(text), "limit": 1}
    sheet = (await api.post("/batches/readSheet", body)).json()["sheet"]
    assert [row["number"] for row in sheet["rows"]] == [1, 3]
    assert (sheet["total"], sheet["wrong"]) == (6, 3)


@pytest.mark.parametrize(
    ("fields", "status", "word"),
    [
        ({}, 400, "fileId"),
        ({"fileId": "file_none", "contentBase64": "YQ=="}, 400, "contentBase64"),
        ({"fileId": "file_none"}, 404, "fileId"),
        ({"contentBase64": "%%%"}, 400, "base64"),
        ({"contentBase64": to_base64("amount\n")}, 400, "no rows"),
        ({"contentBase64": to_base64("amount\n1\n"), "columns": {"price": "amount"}}, 400, "`price`"),
        ({"contentBase64": to_base64("a,b\n1,2\n"), "columns": {"a": "x", "b": "x"}}, 400, "`x`"),
        ({"contentBase64": to_base64("a\n1\n"), "workflowId": "wf_none"}, 404, "`workflowId`"),
        ({"contentBase64": to_base64("a\n1\n"), "limit": 0}, 400, "limit"),
    ],
)
async def test_sheet_that_cannot_be_read_is_refused_naming_the_field(
    api: "Api", fields: dict[str, Any], status: int, word: str
) -> None:
    workflow = await api.create_workflow(parameters=AMOUNT)
    answer = await api.post("/batches/readSheet", {"workflowId": workflow["id"], **fields})
    assert answer.status_code == status, answer.text
    assert word in answer.json()["error"]


async def test_batch_of_a_sheet_names_the_first_wrong_row_or_leaves_wrong_rows_out(api: "Api") -> None:
    workflow = await api.create_workflow(parameters=AMOUNT, waits_ms=60_000)
    content = {"name": "March.csv", "contentBase64": to_base64("amount\n1\nx\n3\n")}
    file = (await api.post("/batches/uploadSheet", content)).json()["file"]
    body = {"name": "March", "workflowId": workflow["id"], "fileId": file["id"]}
    refused = await api.post("/batches/createFromSheet", body)
    assert refused.status_code == 400
    assert "1 of 3 rows" in refused.json()["error"]
    assert "Row 2" in refused.json()["error"]
    assert (await api.post("/executions/list")).json()["total"] == 0
    made = await api.post("/batches/createFromSheet", {**body, "leaveOutWrongRows": True})
    batch = made.json()["batch"]
    assert batch["total"] == 2
    await api.post("/batches/cancel", {"id": batch["id"]})
    results = await api.post("/batches/results", {"id": batch["id"]})
    # as the sheet numbers them, with those that were left out
    lines = [line.split(",")[:2] for line in results.text.splitlines()[1:]]
    assert lines == [["1", "Failed"], ["2", "Skipped"], ["3", "Failed"]]


async def test_sheet_with_no_right_row_starts_nothing_even_without_the_wrong_ones(api: "Api") -> None:
    workflow = await api.create_workflow(parameters=AMOUNT)
    content = {"name": "March.csv", "contentBase64": to_base64("amount\nx\ny\n")}
    file = (await api.post("/batches/uploadSheet", content)).json()["file"]
    body = {"name": "b", "workflowId": workflow["id"], "fileId": file["id"], "leaveOutWrongRows": True}
    answer = await api.post("/batches/createFromSheet", body)
    assert answer.status_code == 400
    assert "2 of 2 rows" in answer.json()["error"]
