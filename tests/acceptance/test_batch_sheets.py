"""Batches from sheets: CSV and XLSX become rows of params, and what came of them becomes CSV."""

import csv
import io
import zipfile
from base64 import b64encode
from typing import Any

import pytest
from openpyxl import Workbook

from support.blocks import fail, value
from support.service import FINAL, Api, Json

PARAMETERS = [
    {"name": "policyNumber", "type": "string", "isRequired": True},
    {"name": "amount", "type": "number"},
    {"name": "urgent", "type": "boolean"},
]


@pytest.fixture(scope="module")
def flow(api: Api) -> Json:
    return api.create("of a sheet", value("seen", "{{params.policyNumber}}"), parameters=PARAMETERS)


def sheet(api: Api, flow: Json, content: bytes, **more: Any) -> Json:
    return api.call("/batches/readSheet", asked(flow, content, **more))["sheet"]


def asked(flow: Json, content: bytes, **more: Any) -> Json:
    return {"workflowId": flow["id"], "contentBase64": b64encode(content).decode(), **more}


def workbook(*rows: list[Any]) -> bytes:
    book = Workbook()
    for row in rows:
        book.worksheets[0].append(row)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def lines_of(api: Api, batch: Json) -> list[Json]:
    answer = api.post("/batches/results", {"id": batch["id"]})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/csv")
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))


def test_cells_of_a_csv_become_what_their_parameters_are(api: Api, flow: Json) -> None:
    content = "Policy number;Amount;Urgent;Remark\n0012;12.50;yes;é\n0013;;no;\n".encode("cp1252")
    found = sheet(api, flow, content)
    assert [column["parameter"] for column in found["columns"]] == [
        "policyNumber",
        "amount",
        "urgent",
        "Remark",
    ]
    assert [row["params"] for row in found["rows"]] == [
        {"policyNumber": "0012", "amount": 12.5, "urgent": True, "Remark": "é"},
        {"policyNumber": "0013", "urgent": False},
    ]
    assert (found["total"], found["wrong"]) == (2, 0)


def test_a_workbook_gives_the_same_as_a_csv(api: Api, flow: Json) -> None:
    content = workbook(["policyNumber", "amount", "urgent"], [12, 12.5, True], ["P-2", None, None])
    assert [row["params"] for row in sheet(api, flow, content)["rows"]] == [
        {"policyNumber": "12", "amount": 12.5, "urgent": True},
        {"policyNumber": "P-2"},
    ]


def test_wrong_rows_are_named_with_what_is_wrong(api: Api, flow: Json) -> None:
    found = sheet(api, flow, b"policyNumber,amount\nP-1,1\n,2\nP-3,a lot\n")
    assert found["wrong"] == 2
    assert [(row["number"], row["problem"]) for row in found["rows"]] == [
        (1, None),
        (2, "`policyNumber` is missing: the workflow declares it as required."),
        (3, '`amount`: expected a number, got "a lot".'),
    ]


def test_columns_go_where_they_are_sent_and_others_are_left_out(api: Api, flow: Json) -> None:
    content = b"A,B,C\nP-1,5,secret\n"
    found = sheet(api, flow, content, columns={"A": "policyNumber", "B": "amount"})
    assert found["rows"][0]["params"] == {"policyNumber": "P-1", "amount": 5}
    assert [column["parameter"] for column in found["columns"]] == ["policyNumber", "amount", None]
    for columns, words in (({"D": "amount"}, "no column `D`"), ({"A": "x", "B": "x"}, "two columns")):
        refused = api.post("/batches/readSheet", asked(flow, content, columns=columns))
        assert (refused.status_code, words in refused.json()["error"]) == (400, True)


def stored(api: Api, content: bytes, name: str = "claims.csv") -> str:
    answer = api.http.post("/batches/uploadSheet", files={"file": (name, content)})
    assert answer.status_code == 200, answer.text
    return answer.json()["file"]["id"]


def test_a_stored_sheet_starts_a_batch_without_its_wrong_rows(api: Api, flow: Json) -> None:
    file_id = stored(api, b"Nr,amount\nP-1,1\n,2\nP-3,3\n")
    fields = {"workflowId": flow["id"], "fileId": file_id, "columns": {"Nr": "policyNumber"}}
    found = api.call("/batches/readSheet", {**fields, "limit": 1})["sheet"]
    assert [(row["number"], row["problem"] is None) for row in found["rows"]] == [(1, True), (2, False)]
    assert (found["total"], found["wrong"]) == (3, 1)
    refused = api.post("/batches/createFromSheet", {"name": "b", **fields})
    assert refused.status_code == 400
    assert "1 of 3 rows do not fit the workflow. Row 2: `policyNumber` is missing" in refused.json()["error"]
    batch = api.call("/batches/createFromSheet", {"name": "b", **fields, "leaveOutWrongRows": True})["batch"]
    listed = api.call("/executions/list", {"batch": batch["id"]})["executions"]
    assert [item["params"] for item in listed] == [{"policyNumber": "P-3"}, {"policyNumber": "P-1"}]
    assert (batch["total"], batch["skipped"]) == (2, 1)
    skipped = api.call("/batches/skippedRows", {"id": batch["id"]})
    problem = "`policyNumber` is missing: the workflow declares it as required."
    assert skipped == {"rows": [{"number": 2, "params": {}, "problem": problem}], "total": 1}
    lines = [(line["row"], line["status"], line["reason"]) for line in lines_of(api, batch)]
    assert lines[1] == ("2", "Skipped", problem)
    assert [number for number, *_ in lines] == ["1", "2", "3"]


def test_skipped_rows_at_the_end_have_lines_and_show_no_secret(api: Api) -> None:
    declared = [
        {"name": "amount", "type": "number", "isRequired": True},
        {"name": "pin", "type": "string", "isSecret": True},
    ]
    flow = api.create("pays", value("paid", "{{params.amount}}"), parameters=declared)
    fields = {"workflowId": flow["id"], "fileId": stored(api, b"amount,pin\n1,s3cret-1\nmuch,s3cret-2\n")}
    batch = api.call("/batches/createFromSheet", {"name": "b", **fields, "leaveOutWrongRows": True})["batch"]
    [row] = api.call("/batches/skippedRows", {"id": batch["id"]})["rows"]
    assert row["params"] == {"amount": "much"}
    [_, last] = lines_of(api, batch)
    assert (last["row"], last["status"], last["params.amount"]) == ("2", "Skipped", "much")
    assert "s3cret" not in str(last)


def test_skipped_rows_of_somebody_elses_batch_are_not_there(api: Api, other: Api, flow: Json) -> None:
    rows = [{"policyNumber": "P-1"}]
    batch = api.call("/batches/create", {"name": "mine", "workflowId": flow["id"], "rows": rows})["batch"]
    assert api.call("/batches/skippedRows", {"id": batch["id"]}) == {"rows": [], "total": 0}
    assert other.post("/batches/skippedRows", {"id": batch["id"]}).status_code == 404


def test_a_stored_sheet_of_which_no_row_fits_starts_nothing(api: Api, flow: Json) -> None:
    fields = {"workflowId": flow["id"], "fileId": stored(api, b"amount\n1\n"), "leaveOutWrongRows": True}
    assert api.post("/batches/createFromSheet", {"name": "b", **fields}).status_code == 400


def test_a_sheet_is_named_in_one_way(api: Api, other: Api, flow: Json) -> None:
    file_id = stored(api, b"a\n1\n")
    both = api.post("/batches/readSheet", asked(flow, b"a\n1\n", fileId=file_id))
    neither = api.post("/batches/readSheet", {"workflowId": flow["id"]})
    assert (both.status_code, neither.status_code) == (400, 400)
    theirs = other.create("theirs", value("x"))
    for path, more in (("/batches/readSheet", {}), ("/batches/createFromSheet", {"name": "b"})):
        refused = other.post(path, {"workflowId": theirs["id"], "fileId": file_id, **more})
        assert (refused.status_code, "no file" in refused.json()["error"]) == (404, True), refused.text


def bomb() -> bytes:
    """A workbook of some kilobytes that unpacks to gigabytes."""
    made = io.BytesIO(workbook(["a"]))
    with zipfile.ZipFile(made, "a", zipfile.ZIP_DEFLATED) as archive:
        body = b"<row><c><v>1</v></c></row>" * 400_000
        with archive.open("xl/worksheets/sheet1.xml", "w") as entry:
            entry.write(
                b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
            )
            for _ in range(60):
                entry.write(body)
    return made.getvalue()


HOSTILE = {
    "heading alone": (b"a,b\n", "no rows"),
    "nothing": (b"", "no rows"),
    "no workbook": (b"PK\x03\x04 not a zip", "cannot be read"),
    "zero bytes": (b"\x00\x01\x02\x03" * 50, "cannot be read"),
    "too many rows": (b"a\n" + b"1\n" * 10_001, "10,002 rows"),
    "too many cells": (b"a," * 400 + b"\n" + (b"1," * 400 + b"\n") * 700, "cells"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_not_a_sheet_is_refused_with_a_reason(api: Api, flow: Json, name: str) -> None:
    content, words = HOSTILE[name]
    refused = api.post("/batches/readSheet", asked(flow, content))
    assert (refused.status_code, words in refused.json()["error"]) == (400, True), refused.text


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_workbook_that_unpacks_to_gigabytes_is_refused(api: Api, flow: Json) -> None:
    refused = api.post("/batches/readSheet", asked(flow, bomb()))
    assert refused.status_code == 400, refused.text
    assert "cannot be read" in refused.json()["error"]
    assert api.call("/workflows/get", {"id": flow["id"]})


def test_a_workflow_of_somebody_else_is_not_there(other: Api, flow: Json) -> None:
    assert other.post("/batches/readSheet", asked(flow, b"a\n1\n")).status_code == 404


def test_results_have_a_line_for_each_row_in_its_place(api: Api, flow: Json) -> None:
    rows = [row["params"] for row in sheet(api, flow, b"policyNumber,amount\nP-1,1\nP-2,-2\nP-3,3\n")["rows"]]
    batch = api.call("/batches/create", {"name": "Ä/b", "workflowId": flow["id"], "rows": rows})["batch"]
    for execution in api.call("/executions/list", {"batch": batch["id"]})["executions"]:
        api.wait_for(execution["id"], *FINAL)
    found = lines_of(api, batch)
    assert [(item["row"], item["status"], item["params.policyNumber"]) for item in found] == [
        ("1", "Completed", "P-1"),
        ("2", "Completed", "P-2"),
        ("3", "Completed", "P-3"),
    ]
    assert [item["params.amount"] for item in found] == ["1", "-2", "3"]
    assert [item["response.seen"] for item in found] == ["P-1", "P-2", "P-3"]


def test_text_that_a_spreadsheet_would_run_stays_text(api: Api, flow: Json) -> None:
    rows = [{"policyNumber": text} for text in ("=1+1", "@SUM(A1)", "+x", "-x", "\tx", "-12.5")]
    batch = api.call("/batches/create", {"name": "formulas", "workflowId": flow["id"], "rows": rows})["batch"]
    shown = [line["params.policyNumber"] for line in lines_of(api, batch)]
    assert shown == ["'=1+1", "'@SUM(A1)", "'+x", "'-x", "'\tx", "-12.5"]


def test_a_retried_row_shows_its_newest_execution(api: Api) -> None:
    failing = api.create("fails by row", fail("It had to"))
    batch = api.call("/batches/create", {"name": "again", "workflowId": failing["id"], "rows": [{}, {}]})[
        "batch"
    ]
    for execution in api.call("/executions/list", {"batch": batch["id"]})["executions"]:
        api.wait_for(execution["id"], *FINAL)
    before = lines_of(api, batch)
    assert all("It had to" in item["reason"] for item in before)
    retried = api.call("/executions/retry", {"id": before[0]["execution"]})["execution"]["execution"]
    api.wait_for(retried["id"], *FINAL)
    after = lines_of(api, batch)
    assert [item["execution"] for item in after] == [retried["id"], before[1]["execution"]]


def test_results_of_somebody_elses_batch_are_not_there(api: Api, other: Api, flow: Json) -> None:
    rows = [{"policyNumber": "P-1"}]
    batch = api.call("/batches/create", {"name": "mine", "workflowId": flow["id"], "rows": rows})["batch"]
    assert other.post("/batches/results", {"id": batch["id"]}).status_code == 404
    assert other.post("/batches/resultsZip", {"id": batch["id"]}).status_code == 404


def test_a_zip_has_the_csv_and_the_files_of_each_row(api: Api) -> None:
    data = {"input": [{"policy": "{{params.policy}}"}], "fileName": "policy.csv"}
    makes_file = api.create("makes a file", {"type": "ParseToCsv", "blockReferenceId": "made", "data": data})
    rows = [{"policy": f"P-{number}"} for number in (1, 2, 3)]
    asked_for = {"name": "März / 1", "workflowId": makes_file["id"], "rows": rows}
    batch = api.call("/batches/create", asked_for)["batch"]
    for item in api.call("/executions/list", {"batch": batch["id"]})["executions"]:
        assert api.wait_for(item["id"], *FINAL)["status"] == "Completed"
    answer = api.post("/batches/resultsZip", {"id": batch["id"]})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as packed:
        assert packed.testzip() is None
        table = packed.read("results.csv")
        made = {name: packed.read(name) for name in packed.namelist() if name != "results.csv"}
    lines = list(csv.DictReader(io.StringIO(table.decode("utf-8-sig"), newline="")))
    assert lines == lines_of(api, batch)
    assert [name.rpartition("/")[0] for name in made] == [
        f"files/{int(line['row']):05}-{line['execution']}" for line in lines
    ]
    assert [f"P-{number}".encode() in content for number, content in enumerate(made.values(), 1)] == [
        True
    ] * 3
