"""Text, tables and fields of a PDF, and the pages that are taken out of one."""

import io
from functools import cache
from typing import Any

import pytest
from pypdf import PdfReader
from reportlab.pdfgen import canvas

from pagehand.documents import pdf, pdf_changes
from pagehand.errors import BlockFailed
from support import documents
from support.documents import done, pages_of, tables_of, text_of_pdf


@cache
def five_pages() -> bytes:
    return documents.pages(5)


def test_a_table_with_lines_gives_its_cells_and_the_rest_its_labels() -> None:
    content = documents.invoice("INV-0042")
    page = pages_of(pdf.read, content, lines=True)[0]
    assert page["tables"][0]["rows"] == documents.ITEMS
    assert ["Invoice number: INV-0042"] in page["lines"]


def test_a_table_without_lines_is_found_by_its_columns() -> None:
    assert documents.MOVEMENTS in tables_of(pdf.read, documents.statement())


@pytest.mark.parametrize(
    ("pages", "read"), [("1", [1]), ("2-3", [2, 3]), ("-1", [5]), (None, [1, 2, 3, 4, 5])]
)
def test_only_the_pages_asked_for_are_read(pages: str | None, read: list[int]) -> None:
    document, _ = done(pdf.read, five_pages(), pages=pages)
    assert [page["text"].strip() for page in document["pages"]] == [f"This is page {at}" for at in read]
    assert document["count"] == 5


def test_a_page_without_text_is_named_with_what_to_install() -> None:
    out = io.BytesIO()
    page = canvas.Canvas(out)
    page.drawString(72, 800, "Words")
    page.showPage()
    page.rect(72, 700, 100, 100, fill=1)
    page.save()
    (note,) = done(pdf.read, out.getvalue())[0]["notes"]
    assert note.startswith("Page 2 has no text; if it is a picture, install `tesseract`")


def test_fields_of_a_form_are_read_with_their_values() -> None:
    fields = done(pdf.read, documents.tax_form())[0]["more"]["fields"]
    assert fields["country"] == "France"
    assert fields["name"] == ""
    assert set(fields) == {"name", "income", "resident", "status", "country", "place"}


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({}, "The PDF is encrypted: give its `password`"),
        ({"password": "wrong"}, "`password` does not open it"),
    ],
)
def test_an_encrypted_pdf_says_what_it_needs(options: dict[str, Any], reason: str) -> None:
    content = documents.encrypted(documents.pages(2), "open sesame")
    with pytest.raises(BlockFailed, match=reason):
        done(pdf.read, content, **options)
    with pytest.raises(BlockFailed, match=reason):
        done(pdf_changes.remove, content, pages="1", **options)


def test_the_right_password_opens_it() -> None:
    content = documents.encrypted(documents.pages(2), "open sesame")
    assert len(pages_of(pdf.read, content, password="open sesame")) == 2
    assert done(pdf_changes.remove, content, pages="1", password="open sesame")[0] == {
        "removed": 1,
        "left": 1,
    }


@pytest.mark.parametrize("content", [b"", b"%PDF-", b"plain text", b"%PDF-1.7\n" + b"\x00" * 99])
def test_what_is_not_a_pdf_is_refused(content: bytes) -> None:
    with pytest.raises(BlockFailed, match="not a PDF, or a damaged one"):
        done(pdf.read, content)


@pytest.mark.parametrize(
    ("pages", "left"),
    [("1", [2, 3, 4, 5]), ("-1", [1, 2, 3, 4]), ("2-4", [1, 5]), ("1,1,3", [2, 4, 5]), ("1-4", [5])],
)
def test_pages_named_go_and_the_others_stay_in_order(pages: str, left: list[int]) -> None:
    answer, files = done(pdf_changes.remove, five_pages(), pages=pages)
    assert text_of_pdf(files[""]).splitlines() == [f"This is page {at}" for at in left]
    assert answer == {"removed": 5 - len(left), "left": len(left)}


@pytest.mark.parametrize(
    ("pages", "reason"),
    [
        ("1-5", "names all 5 pages; a PDF needs at least one"),
        ("6", "there is no page 6; the document has 5"),
        ("x", "is not a page or range"),
    ],
)
def test_pages_that_cannot_go_are_refused(pages: str, reason: str) -> None:
    with pytest.raises(BlockFailed, match=reason):
        done(pdf_changes.remove, five_pages(), pages=pages)


def test_fields_on_a_page_that_goes_go_with_it() -> None:
    _, files = done(pdf_changes.remove, documents.tax_form(), pages="1")
    assert set(PdfReader(io.BytesIO(files[""])).get_fields() or {}) == {"place"}
