"""Sheets of a workbook read as JSON: whole numbers without a point, dates in ISO form, null for nothing."""

import datetime as dt
from typing import Any

import pytest

from pagehand.documents import sheets
from pagehand.errors import BlockFailed
from support import documents
from support.documents import done, tables_of


def rows_of(content: bytes, **options: Any) -> list[list[Any]]:
    return done(sheets.read_rows, content, **options)[0]


@pytest.mark.parametrize(
    ("cell", "read"),
    [
        ("text", "text"),
        ("  spaced  ", "  spaced  "),
        (3, 3),
        (3.0, 3),
        (2.5, 2.5),
        (-0.1, -0.1),
        (1e300, 1e300),
        (True, True),
        (False, False),
        (dt.date(2026, 3, 4), "2026-03-04"),
        (dt.datetime(2026, 3, 4), "2026-03-04"),  # noqa: DTZ001 - cells have no time zone
        (dt.datetime(2026, 3, 4, 13, 30), "2026-03-04T13:30:00"),  # noqa: DTZ001 - as above
        (dt.time(13, 30), "13:30:00"),
        ("日本 שלום", "日本 שלום"),
        ("00042", "00042"),
    ],
)
def test_a_cell_reads_as_json(cell: Any, read: Any) -> None:
    (row,) = rows_of(documents.workbook([["key", cell]]))
    assert row == ["key", read]
    assert type(row[1]) is type(read)


def test_empty_rows_go_and_empty_cells_are_null() -> None:
    content = documents.workbook([["a", None, "c"], [None, None, None], [None, "b", None]])
    assert rows_of(content) == [["a", None, "c"], [None, "b", None]]


def test_each_sheet_is_a_page_with_its_table_and_name() -> None:
    content = documents.workbook([["a", True, None]], Second=[["b", 2.0]], Empty=[])
    document, _ = done(sheets.read, content)
    assert [page["text"].rstrip() for page in document["pages"]] == ["a\ttrue", "b\t2", ""]
    assert [[table["caption"] for table in page["tables"]] for page in document["pages"]] == [
        ["Data"],
        ["Second"],
        [],
    ]
    assert (document["count"], document["more"]) == (3, {"sheets": ["Data", "Second", "Empty"]})


def test_pages_choose_sheets() -> None:
    content = documents.workbook([["a"]], Second=[["b"]], Third=[["c"]])
    assert tables_of(sheets.read, content, pages="-1,1") == [[["a"]], [["c"]]]


def test_rows_come_from_the_first_sheet_or_the_one_that_is_named() -> None:
    content = documents.workbook([["a"]], Second=[["b"]])
    assert rows_of(content) == [["a"]]
    assert rows_of(content, sheet="Second") == [["b"]]


def test_a_sheet_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(BlockFailed, match="There is no sheet `Third`; there is `Data`, `Second`"):
        rows_of(documents.workbook([["a"]], Second=[["b"]]), sheet="Third")


def test_rows_of_a_csv_file_are_text() -> None:
    assert rows_of("Kunde;Betrag\nMüller;3,50\n".encode()) == [["Kunde", "Betrag"], ["Müller", "3,50"]]


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ({"mostRows": 2}, "3 rows with its heading; 2 are taken"),
        ({"mostCells": 5}, "6 cells; 5 are taken"),
        ({"mostCharacters": 9}, "more than 9 characters"),
    ],
)
def test_sheets_beyond_a_limit_are_refused_with_both_numbers(limit: dict[str, int], reason: str) -> None:
    content = documents.workbook([["a1", "b1"], ["a2", "b2"], [True, None]])
    bounds = {"mostRows": 3, "mostCells": 6, "mostCharacters": 12}
    assert done(sheets.send_rows, content, **bounds)[0] == 3
    with pytest.raises(BlockFailed, match=reason):
        done(sheets.send_rows, content, **bounds | limit)


@pytest.mark.parametrize("content", [b"PK\x03\x04damaged", b"\xd0\xcf\x11\xe0damaged", documents.letter()])
def test_what_is_not_a_workbook_is_refused(content: bytes) -> None:
    with pytest.raises(BlockFailed, match="not a workbook, or a damaged one"):
        rows_of(content)
