"""ParseDocument reads every format it names, with and without a schema."""

import base64
from typing import Any

import pytest

from pagehand.blocks import examples, kinds
from pagehand.errors import BlockFailed, InvalidRequest, NotPresent
from pagehand.testing import Harness
from support import documents
from support.blocks import value

pytestmark = pytest.mark.anyio
Json = dict[str, Any]

TEXT = "text/plain"
MAIL = (
    b"From: Ada <ada@example.com>\r\nTo: bob@example.com\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\n"
    b"MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n"
    b"Content-Type: text/html; charset=utf-8\r\n\r\n<p>Order: A-17</p>"
    b"<table><tr><th>Item<th>Price<tr><td>Oil<td>4.50</table>\r\n--x\r\n"
    b"Content-Type: application/pdf\r\nContent-Disposition: attachment; filename=bill.pdf\r\n"
    b"Content-Transfer-Encoding: base64\r\n\r\n" + base64.b64encode(b"%PDF-1.4 tiny") + b"\r\n--x--\r\n"
)


async def parsed(harness: Harness, name: str, content: bytes, **data: Any) -> Any:
    info = await harness.add_file(name, content)
    definition = {"type": "ParseDocument", "blockReferenceId": "it", "data": {"file": info["id"], **data}}
    return (await harness.run(definition)).outputs["it"]


async def test_examples_run_as_shown(harness: Harness) -> None:
    kind = kinds().kind_named("ParseDocument")
    assert kind is not None
    for example in examples(kind):
        info = await harness.add_file("invoice.pdf", documents.invoice(), "application/pdf")
        download = value("download", info)
        done = await harness.run(download, {**example, "blockReferenceId": "it"})
        assert "INV-0042" in str(done.outputs["it"])


async def test_a_pdf_gives_text_tables_and_pages(harness: Harness) -> None:
    read = await parsed(harness, "invoice.pdf", documents.invoice())
    assert read["pages"] == 1
    assert read["tables"] == [documents.ITEMS]
    assert "Invoice number: INV-0042" in read["text"]


async def test_columns_without_lines_are_a_table(harness: Harness) -> None:
    read = await parsed(harness, "statement.pdf", documents.statement())
    assert documents.MOVEMENTS in read["tables"]


async def test_pages_are_chosen(harness: Harness) -> None:
    read = await parsed(harness, "five.pdf", documents.pages(5), pages="1,3-4,-1")
    assert read["text"].split("\n\f\n") == [f"This is page {item}" for item in (1, 3, 4, 5)]
    assert read["pages"] == 5
    with pytest.raises(BlockFailed, match="there is no page 9; the document has 5"):
        await parsed(harness, "five.pdf", documents.pages(5), pages="9")


@pytest.mark.parametrize("pages", ["", "0", "1-", "a", "2--", "1;2"])
def test_pages_that_are_none_are_refused_early(pages: str) -> None:
    kind = kinds().kind_named("ParseDocument")
    assert kind is not None
    with pytest.raises(InvalidRequest, match="pages"):
        kind.check({"file": "x", "pages": pages}, None)


async def test_word_gives_text_tables_and_pages(harness: Harness) -> None:
    read = await parsed(harness, "note.docx", documents.letter())
    assert read["tables"] == [[["Article", "Pieces", "Weight"], ["Screws", "100", "2.5"]]]
    assert read["pages"] == 2
    assert read["text"].endswith("Signed on the second page")
    second = await parsed(harness, "note.docx", documents.letter(), pages="2")
    assert second["text"] == "Signed on the second page"


async def test_a_workbook_gives_a_table_per_sheet_with_types(harness: Harness) -> None:
    book = documents.workbook([["n", "ok"], [1, True], [2.5, None]], Second=[["x"], ["y"]])
    read = await parsed(harness, "book.xlsx", book)
    assert read["tables"] == [[["n", "ok"], [1, True], [2.5, None]], [["x"], ["y"]]]
    assert (read["pages"], read["sheets"]) == (2, ["Data", "Second"])
    assert (await parsed(harness, "book.xlsx", book, pages="2"))["tables"] == [[["x"], ["y"]]]


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        (b"a,b\n1,2\n", [["a", "b"], ["1", "2"]]),
        ("\ufeffa;b\nä;2\n".encode(), [["a", "b"], ["ä", "2"]]),
        ("a\tb\nä\t2\n".encode("utf-16"), [["a", "b"], ["ä", "2"]]),
        ("a;b\nä;2\n".encode("cp1252"), [["a", "b"], ["ä", "2"]]),
        (b'"a","b"\n"1, 2","x\ny"\n', [["a", "b"], ["1, 2", "x\ny"]]),
    ],
)
async def test_csv_in_any_encoding(harness: Harness, content: bytes, rows: Any) -> None:
    assert (await parsed(harness, "list.csv", content))["tables"] == [rows]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252"])
async def test_text_in_any_encoding(harness: Harness, encoding: str) -> None:
    read = await parsed(harness, "note.txt", "Größe: 12\fnext".encode(encoding))
    assert (read["text"], read["pages"]) == ("Größe: 12\n\f\nnext", 2)


async def test_html_gives_what_a_person_sees(harness: Harness) -> None:
    page = (
        "<html><head><title>T</title><script>evil()</script></head><body><h1>Bill</h1>"
        "<p>Pay <b>now</b>, please<table><caption>Lines</caption>"
        "<tr><th>Item<th>Price<tr><td>Oil<td>4.50</table><p hidden>secret</body>"
    )
    read = await parsed(harness, "bill.html", page.encode())
    assert read["text"] == "Bill\nPay now, please\nLines\nItem\tPrice\nOil\t4.50"
    assert read["tables"] == [[["Item", "Price"], ["Oil", "4.50"]]]


async def test_a_mail_message_lists_its_attachments(harness: Harness) -> None:
    read = await parsed(harness, "mail.eml", MAIL)
    assert read["attachments"] == [{"name": "bill.pdf", "mimeType": "application/pdf", "sizeBytes": 13}]
    assert (read["subject"], read["from"]) == ("Grüße", "Ada <ada@example.com>")
    assert "Order: A-17" in read["text"]
    assert read["tables"] == [[["Item", "Price"], ["Oil", "4.50"]]]


async def test_a_picture_without_tesseract_names_the_command(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(BlockFailed, match="apt-get install tesseract-ocr"):
        await parsed(harness, "scan.png", b"\x89PNG\r\n\x1a\n")


def shaped(**properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": list(properties)}


NUMBER, STRING, DATE = {"type": "number"}, {"type": "string"}, {"type": "string", "format": "date"}


async def test_a_schema_is_filled_from_labels_and_tables(harness: Harness) -> None:
    rows = {"type": "array", "items": shaped(description=STRING, quantity={"type": "integer"}, amount=NUMBER)}
    schema = shaped(invoiceNumber=STRING, invoiceDate=DATE, customer=STRING, items=rows, total=NUMBER)
    read = await parsed(harness, "invoice.pdf", documents.invoice(), schema=schema)
    assert read == {
        "invoiceNumber": "INV-0042",
        "invoiceDate": "2026-03-03",
        "customer": "Ada Lovelace",
        "total": 2054.5,
        "items": [
            {"description": "Analytical engine, brass", "quantity": 2, "amount": 2000.0},
            {"description": "Punched cards", "quantity": 500, "amount": 50.0},
            {"description": "Oil", "quantity": 1, "amount": 4.5},
        ],
    }


async def test_labels_side_by_side_are_found(harness: Harness) -> None:
    schema = shaped(accountNumber=STRING, statementDate=DATE, closingBalance=NUMBER)
    read = await parsed(harness, "statement.pdf", documents.statement(), schema=schema)
    assert read == {"accountNumber": "12-345", "statementDate": "2026-03-04", "closingBalance": 1596.5}


async def test_a_table_over_several_pages_is_one_list(harness: Harness) -> None:
    schema = {"type": "array", "items": shaped(item=STRING, price=NUMBER)}
    read = await parsed(harness, "long.pdf", documents.long_invoice(120), schema=schema)
    assert [item["item"] for item in read] == [f"Part {at}" for at in range(120)]


async def test_every_format_takes_a_schema(harness: Harness) -> None:
    rows = {"type": "array", "items": shaped(item=STRING, price=NUMBER)}
    expected = [{"item": "Oil", "price": 4.5}, {"item": "Cards", "price": 50}]
    table = [["Item", "Price"], ["Oil", 4.5], ["Cards", 50]]
    text = "Item;Price\nOil;4.50\nCards;50\n"
    html = "<table><tr><th>Item<th>Price<tr><td>Oil<td>4.50<tr><td>Cards<td>50</table>"
    for name, content in (
        ("a.xlsx", documents.workbook(table)),
        ("a.csv", text.encode()),
        ("a.html", html.encode()),
    ):
        assert await parsed(harness, name, content, schema=rows) == expected, name
    order = shaped(orderNumber=STRING)
    assert await parsed(harness, "a.docx", documents.letter(), schema=order) == {"orderNumber": "A-17"}
    assert await parsed(harness, "a.txt", b"Order number: A-17", schema=order) == {"orderNumber": "A-17"}
    assert await parsed(harness, "a.eml", MAIL, schema=shaped(subject=STRING)) == {"subject": "Grüße"}


async def test_fields_of_a_filled_form_are_read(harness: Harness) -> None:
    form = await harness.add_file("form.pdf", documents.tax_form(), "application/pdf")
    fill = {"type": "FillDocument", "blockReferenceId": "fill"}
    parse = {"type": "ParseDocument", "blockReferenceId": "it"}
    values = {"name": "Ada", "income": 12000.5, "resident": True, "status": "married"}
    schema = shaped(name=STRING, income=NUMBER)
    done = await harness.run(
        {**fill, "data": {"file": form["id"], "values": values}},
        {**parse, "data": {"file": "{{blocks.fill}}", "schema": schema}},
    )
    assert done.outputs["it"] == {"name": "Ada", "income": 12000.5}


async def test_what_cannot_be_found_names_the_model_setting(harness: Harness) -> None:
    with pytest.raises(NotPresent, match=r"`vatRate` in the document.*PAGEHAND_MODEL"):
        await parsed(harness, "invoice.pdf", documents.invoice(), schema=shaped(vatRate=NUMBER))
    with pytest.raises(BlockFailed, match="PAGEHAND_MODEL"):
        await parsed(harness, "invoice.pdf", documents.invoice(), prompt="Is it friendly?")


async def test_an_encrypted_pdf_asks_for_its_password(harness: Harness) -> None:
    locked = documents.encrypted(documents.pages(1), "open sesame")
    assert (await parsed(harness, "a.pdf", locked, password="open sesame"))["text"] == "This is page 1"
    for more, sentence in (({}, "give its `password`"), ({"password": "no"}, "does not open it")):
        with pytest.raises(BlockFailed, match=f"`a.pdf`: The PDF is encrypted.*{sentence}"):
            await parsed(harness, "a.pdf", locked, **more)
