"""Documents in a whole workflow, over HTTP: downloaded, read, written on."""

import base64
import io
from typing import Any

import pytest
from openpyxl import load_workbook
from pypdf import PdfReader

from support import documents
from support.blocks import navigate
from support.service import Api, Json
from support.site import Site

STRING, NUMBER = {"type": "string"}, {"type": "number"}


def block(kind: str, ref: str, **data: Any) -> Json:
    return {"type": kind, "blockReferenceId": ref, "data": data}


def upload(api: Api, name: str, content: bytes) -> str:
    fields = {"name": name, "contentBase64": base64.b64encode(content).decode()}
    return api.call("/files/upload", fields)["file"]["id"]


def content_of(api: Api, file: Json) -> bytes:
    answer = api.http.get(file["downloadUrl"])
    assert answer.status_code == 200
    return answer.content


def shaped(**properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": list(properties)}


@pytest.mark.slow
def test_a_downloaded_invoice_ends_in_a_spreadsheet_and_a_form(api: Api, site: Site) -> None:
    site.file("/invoice.pdf", documents.invoice(), "application/pdf")
    page = site.page("/", "<a href='/invoice.pdf' download>Invoice</a>")
    items = {"type": "array", "items": shaped(description=STRING, amount=NUMBER)}
    schema = shaped(invoiceNumber=STRING, customer=STRING, total=NUMBER, items=items)
    download = {**block("DownloadFile", "download"), "locator": {"role": "link", "text": "Invoice"}}
    ended = api.run(
        navigate(page),
        download,
        block("FindDocument", "found", namePattern="*.pdf"),
        block("ParseDocument", "invoice", file="{{blocks.found}}", schema=schema),
        block(
            "FillSpreadsheet",
            "sheet",
            rows="{{blocks.invoice.items}}",
            cells={"A1": "description", "B1": "amount", "D1": "=SUM(B2:B9)"},
            fileName="items.xlsx",
        ),
        block(
            "FillDocument",
            "form",
            file="{{params.form}}",
            values={"name": "{{blocks.invoice.customer}}", "income": "{{blocks.invoice.total}}"},
            flatten=True,
        ),
        params={"form": upload(api, "return.pdf", documents.tax_form())},
    )
    assert ended["status"] == "Completed", ended["errorAnalysis"]
    assert ended["response"]["invoice"]["invoiceNumber"] == "INV-0042"
    book = load_workbook(io.BytesIO(content_of(api, ended["response"]["sheet"])))
    assert [cell.value for cell in book["Sheet"]["B"]] == ["amount", 2000, 50, 4.5]
    assert book["Sheet"]["D1"].value == "=SUM(B2:B9)"
    text = PdfReader(io.BytesIO(content_of(api, ended["response"]["form"]))).pages[0].extract_text()
    assert "Ada Lovelace" in text
    assert "2054.5" in text


def test_an_archive_of_pdfs_is_read_one_by_one(api: Api) -> None:
    archive = documents.archive({"a.pdf": documents.pages(2), "b.pdf": documents.pages(3), "c.txt": b"no"})
    each: Json = {
        "type": "LoopV2",
        "blockReferenceId": "each",
        "data": {"over": {"items": "{{blocks.unzip}}"}},
        "sequenceData": {
            "sequence": [
                block("RemovePagesFromPdf", "short", file="{{item}}", pages="1"),
                block("ParseDocument", "read", file="{{blocks.short}}"),
            ]
        },
    }
    ended = api.run(
        block("UnzipFile", "unzip", file="{{params.archive}}", pattern="*.pdf"),
        each,
        params={"archive": upload(api, "all.zip", archive)},
    )
    assert ended["status"] == "Completed", ended["errorAnalysis"]
    assert [item["read"]["pages"] for item in ended["response"]["each"]] == [1, 2]


def test_a_hostile_document_fails_its_block_and_nothing_else(api: Api) -> None:
    bomb = documents.archive({"zeros": bytes(50 * 1024 * 1024)})
    ended = api.run(
        block("UnzipFile", "unzip", file="{{params.archive}}"), params={"archive": upload(api, "b.zip", bomb)}
    )
    assert ended["status"] == "Failed"
    assert "looks like a zip bomb" in ended["errorAnalysis"]
    assert api.run(block("Wait", "nap", durationMs=1))["status"] == "Completed"


def test_files_of_another_organization_are_out_of_reach(api: Api, other: Api) -> None:
    theirs = upload(other, "theirs.pdf", documents.pages(1))
    for kind, more in (("ParseDocument", {}), ("UnzipFile", {}), ("RemovePagesFromPdf", {"pages": "1"})):
        ended = api.run(block(kind, "it", file=theirs, **more))
        assert f"There is no file `{theirs}`" in ended["errorAnalysis"]
    ended = api.run(block("FindDocument", "it", namePattern="theirs*", **{"in": "files"}))
    assert ended["response"] == {"it": None}


def test_a_document_of_the_knowledge_base_is_found_by_what_it_says(api: Api) -> None:
    file_id = upload(api, "terms.pdf", documents.statement())
    api.call("/knowledge/create", {"name": "Statement", "fileId": file_id})
    asked: Json = {"query": "closing balance of the account", "in": "knowledge"}
    ended = api.run(
        block("FindDocument", "it", **asked),
        block("FindDocument", "none", query="zebra", **{"in": "knowledge"}),
    )
    assert ended["status"] == "Completed", ended["errorAnalysis"]
    assert ended["response"]["it"]["id"] == file_id
    assert ended["response"]["none"] is None
