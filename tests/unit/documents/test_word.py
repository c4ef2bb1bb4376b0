"""A Word file gives its text from top to bottom, its tables, and its pages as Word last saw them."""

from typing import Any, cast

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from docx.shared import Cm

from pagehand.documents import word
from pagehand.errors import BlockFailed
from support import documents
from support.documents import done, pages_of, tables_of

_COMPATIBILITY = "http://schemas.openxmlformats.org/markup-compatibility/2006"


def file_with(*parts: str) -> bytes:
    """A Word file whose body is written in its own markup."""
    document = docx.Document()
    body = cast("Any", document.element).body
    for at, part in enumerate(parts):
        opened = part.replace(">", f' {nsdecls("w")} xmlns:mc="{_COMPATIBILITY}">', 1)
        body.insert(at, parse_xml(opened))
    return documents.saved_word(document)


def paragraph(*runs: str) -> str:
    return f"<w:p>{''.join(f'<w:r>{run}</w:r>' for run in runs)}</w:p>"


def text(words: str) -> str:
    return f'<w:t xml:space="preserve">{words}</w:t>'


def cell(words: str, settings: str = "") -> str:
    return f"<w:tc><w:tcPr>{settings}</w:tcPr>{paragraph(text(words))}</w:tc>"


def control(inside: str) -> str:
    return f"<w:sdt><w:sdtPr/><w:sdtContent>{inside}</w:sdtContent></w:sdt>"


def table(*rows: str) -> str:
    return f"<w:tbl><w:tblPr/><w:tblGrid/>{''.join(rows)}</w:tbl>"


def row(*cells: str) -> str:
    return f"<w:tr>{''.join(cells)}</w:tr>"


def text_in(content: bytes) -> str:
    return "\f".join(page["text"] for page in pages_of(word.read, content))


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        (paragraph(text("Order "), text("A-17")), "Order A-17"),
        (paragraph(text("a"), "<w:tab/>", text("b")), "a\tb"),
        (paragraph(text("a"), "<w:br/>", text("b")), "a\nb"),
        (paragraph(text("non"), "<w:noBreakHyphen/>", text("breaking")), "non-breaking"),
        (paragraph(text("one"), '<w:br w:type="page"/>', text("two")), "one\ftwo"),
        (paragraph("<w:lastRenderedPageBreak/>", text("only")), "only"),
        (f"<w:p><w:ins><w:r>{text('new')}</w:r></w:ins></w:p>", "new"),
        (
            f"<w:p><w:del><w:r><w:delText>old</w:delText><w:br/></w:r></w:del><w:r>{text('kept')}</w:r></w:p>",
            "kept",
        ),
        (control(paragraph(text("In a control"))), "In a control"),
        (control(control(paragraph(text("In two")))), "In two"),
        (f"<w:customXml>{paragraph(text('In custom markup'))}</w:customXml>", "In custom markup"),
        (paragraph(text("שלום עולם"), text(" 你好 é")), "שלום עולם 你好 é"),
        ("<w:p></w:p>", ""),
    ],
)
def test_the_text_is_what_a_reader_sees(part: str, shown: str) -> None:
    assert text_in(file_with(part)) == shown


def test_tab_stops_of_a_paragraph_are_not_tabs_in_its_text() -> None:
    document = docx.Document()
    line = document.add_paragraph("Invoice:\tINV-7")
    for position in (2, 4, 8):
        cast("Any", line.paragraph_format.tab_stops).add_tab_stop(Cm(position))
    page = pages_of(word.read, documents.saved_word(document), lines=True)[0]
    assert page["text"] == "Invoice:\tINV-7"
    assert page["lines"] == [["Invoice:", "INV-7"]]


def test_a_text_box_kept_for_old_versions_of_word_is_read_once() -> None:
    inside = paragraph(text("Boxed"))
    box = (
        f"<w:p><w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:txbxContent>{inside}</w:txbxContent>"
        f"</mc:Choice><mc:Fallback><w:txbxContent>{inside}</w:txbxContent></mc:Fallback>"
        "</mc:AlternateContent></w:r></w:p>"
    )
    assert text_in(file_with(box)) == "Boxed"


@pytest.mark.parametrize(
    ("part", "rows"),
    [
        (table(row(cell("a"), cell("b"))), [["a", "b"]]),
        (
            table(
                row(cell("Sum", '<w:gridSpan w:val="2"/>'), cell("5")), row(cell("a"), cell("b"), cell("c"))
            ),
            [["Sum", "", "5"], ["a", "b", "c"]],
        ),
        (
            table(
                row(cell("A", '<w:vMerge w:val="restart"/>'), cell("1")),
                row(cell("", "<w:vMerge/>"), cell("2")),
            ),
            [["A", "1"], ["", "2"]],
        ),
        (table(control(row(cell("in"), cell("control")))), [["in", "control"]]),
        (table(row(control(cell("x")), cell("y"))), [["x", "y"]]),
        (control(table(row(cell("whole"), cell("table")))), [["whole", "table"]]),
        (
            table(row(f"<w:tc>{paragraph(text('two'))}{paragraph(text('lines'))}</w:tc>")),
            [["two\nlines"]],
        ),
    ],
)
def test_cells_stand_under_their_columns(part: str, rows: list[list[str]]) -> None:
    assert tables_of(word.read, file_with(part)) == [rows]


def test_a_table_is_called_like_the_line_above_it_unless_that_is_prose() -> None:
    short, long = "Open invoices", "word " * 30
    parts = [
        paragraph(text(short)),
        table(row(cell("a"))),
        paragraph(text(long)),
        table(row(cell("b"))),
    ]
    tables = pages_of(word.read, file_with(*parts))[0]["tables"]
    assert [item["caption"] for item in tables] == [short, ""]


def test_a_table_after_a_page_break_stands_on_the_second_page() -> None:
    parts = [paragraph(text("first")), paragraph('<w:br w:type="page"/>'), table(row(cell("a")))]
    pages = pages_of(word.read, file_with(*parts))
    assert [len(page["tables"]) for page in pages] == [0, 1]


def test_the_page_header_comes_first_and_once() -> None:
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = "ACME Ltd"
    document.add_paragraph("Dear Ada")
    document.add_section()
    assert text_in(documents.saved_word(document)) == "ACME Ltd\nDear Ada"


def test_title_and_count_are_of_the_whole_file_whatever_pages_are_asked_for() -> None:
    document, _ = done(word.read, documents.letter(), pages="2")
    assert (document["title"], document["count"]) == ("Delivery note", 2)
    assert [page["text"] for page in document["pages"]] == ["Signed on the second page"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not a DOCX file"),
        (b"PK\x03\x04 cut off", "not a DOCX file"),
        (b"\xd0\xcf\x11\xe0old", "encrypted, or of an old format; save it as DOCX without a password"),
        (documents.archive({"a.txt": b"x"}), "it has no `word/document.xml`"),
        (documents.archive({"word/document.xml": b"<x/>"}), "not a DOCX file, or a damaged one"),
    ],
)
def test_what_is_not_a_word_file_is_refused_with_the_reason(content: bytes, reason: str) -> None:
    with pytest.raises(BlockFailed, match=reason):
        done(word.read, content)
