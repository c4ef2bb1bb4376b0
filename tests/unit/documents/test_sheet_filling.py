"""Cells and rows are written into a workbook; what is there already stays."""

import io
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.styles import Font
from openpyxl.worksheet.table import Table
from openpyxl.worksheet.worksheet import Worksheet

from pagehand.documents import sheet_filling
from pagehand.errors import BlockFailed
from support import documents
from support.documents import done

DATED = "yyyy-mm-dd"


def filled(
    content: bytes = b"",
    *,
    cells: dict[str, Any] | None = None,
    rows: list[Any] | None = None,
    sheet: str | None = None,
    header_row: int = 1,
) -> Any:
    """The sheet that was written to, read back by another program."""
    options = {"sheet": sheet, "cells": cells or {}, "rows": rows or [], "headerRow": header_row}
    _, files = done(sheet_filling.fill, content, **options)
    book = load_workbook(io.BytesIO(files[""]))
    return book[sheet] if sheet else book.active


def values(sheet: Any) -> list[list[Any]]:
    return [list(row) for row in sheet.iter_rows(values_only=True)]


def saved(sheet: Any) -> bytes:
    out = io.BytesIO()
    sheet.parent.save(out)
    return out.getvalue()


def new_sheet() -> Worksheet:
    sheet = Workbook().active
    assert isinstance(sheet, Worksheet)
    return sheet


@pytest.mark.parametrize(
    ("cells", "written"),
    [
        ({"A1": "x"}, [["x"]]),
        ({"$B$2": 1}, [[None, None], [None, 1]]),
        ({"a1": True, "B1": None, "C1": 2.5}, [[True, None, 2.5]]),
        ({"A1": "=1+1"}, [["=1+1"]]),
        ({"A1": "日本 שלום 😀"}, [["日本 שלום 😀"]]),
        ({"A1": "2026-03-04"}, [["2026-03-04"]]),
    ],
)
def test_cells_take_what_json_has(cells: dict[str, Any], written: list[list[Any]]) -> None:
    assert values(filled(cells=cells)) == written


def test_rows_of_objects_make_their_heading_once() -> None:
    rows = [{"Name": "Ada", "Sum": 1}, {"Sum": 2, "Note": "new"}]
    assert values(filled(rows=rows)) == [["Name", "Sum", "Note"], ["Ada", 1, None], [None, 2, "new"]]


def test_rows_find_the_columns_that_are_there() -> None:
    content = documents.workbook([[" Sum ", "Name"], [1, "Ada"]])
    assert values(filled(content, rows=[{"Name": "Bob", "Sum": 2}])) == [
        [" Sum ", "Name"],
        [1, "Ada"],
        [2, "Bob"],
    ]


def test_rows_go_below_the_last_value_not_below_empty_looks() -> None:
    sheet = new_sheet()
    sheet.append(["Name"])
    sheet.append(["Ada"])
    sheet["A9"].font = Font(bold=True)
    assert filled(saved(sheet), rows=[["Bob"]])["A3"].value == "Bob"


def test_a_heading_further_down_is_found_by_its_row() -> None:
    content = documents.workbook([["Report"], [None], ["Name", "Sum"], ["Ada", 1]])
    assert values(filled(content, rows=[{"Sum": 2, "Name": "Bob"}], header_row=3))[-1] == ["Bob", 2]


def test_new_rows_look_like_the_last_one() -> None:
    sheet = new_sheet()
    sheet.append(["Day", "Sum"])
    sheet.append(["x", 1])
    sheet["A2"].number_format, sheet["B2"].number_format = DATED, "0.00"
    written = filled(saved(sheet), rows=[["2026-03-04", 5]])
    assert (written["A3"].number_format, written["B3"].number_format) == (DATED, "0.00")
    assert str(written["A3"].value) == "2026-03-04 00:00:00"


@pytest.mark.parametrize("text", ["not a date", "4 March", "", "2026-13-01"])
def test_text_that_is_not_a_date_stays_text_in_a_cell_of_dates(text: str) -> None:
    sheet = new_sheet()
    sheet["A1"].number_format = DATED
    assert (filled(saved(sheet), cells={"A1": text})["A1"].value or "") == text


@pytest.mark.parametrize("text", ["=HYPERLINK(1)", "=1+1", "#N/A", "@SUM(A1)", "+1", "-1"])
def test_text_in_rows_never_becomes_a_formula(text: str) -> None:
    assert filled(rows=[[text]])["A1"].data_type == "s"


def test_a_table_grows_over_rows_that_are_appended_to_it() -> None:
    sheet = new_sheet()
    sheet.append(["Name", "Sum"])
    sheet.append(["Ada", 1])
    sheet.add_table(Table(displayName="People", ref="A1:B2"))
    written = filled(saved(sheet), rows=[["Bob", 2], ["Eve", 3]])
    assert written.tables["People"].ref == "A1:B4"


def test_a_table_elsewhere_keeps_its_size() -> None:
    sheet = new_sheet()
    for row in (["Name"], ["Ada"], [None], ["Note"]):
        sheet.append(row)
    sheet.add_table(Table(displayName="People", ref="A1:A2"))
    assert filled(saved(sheet), rows=[["Bob"]]).tables["People"].ref == "A1:A2"


def test_a_sheet_that_is_not_there_is_made_and_an_empty_first_one_renamed() -> None:
    assert filled(cells={"A1": 1}, sheet="March").parent.sheetnames == ["March"]
    assert filled(documents.workbook([["a"]]), cells={"A1": 1}, sheet="March").parent.sheetnames == [
        "Data",
        "March",
    ]


def test_formulas_elsewhere_are_kept_and_computed_when_opened() -> None:
    content = documents.workbook([[1, "=A1*2"]])
    written = filled(content, cells={"A1": 5})
    assert written["B1"].value == "=A1*2"
    assert written.parent.calculation.fullCalcOnLoad is True


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"cells": {"A1": {"a": 1}}}, "`A1` takes text, a number, true, false or null"),
        ({"rows": [[["nested"]]]}, "`A1` takes text, a number, true, false or null"),
        ({"rows": ["text"]}, "Each of `rows` must be an array or an object"),
        ({"cells": {"B7": "bell\x07"}}, "The text for `B7` has control characters"),
        ({"sheet": "a/b", "cells": {"A1": 1}}, "A sheet cannot be called `a/b`"),
    ],
)
def test_what_no_cell_can_hold_is_refused_with_its_place(given: dict[str, Any], reason: str) -> None:
    with pytest.raises(BlockFailed, match=reason):
        filled(documents.workbook([[None]], Other=[["x"]]), **given)


def test_a_cell_inside_a_merged_one_is_refused() -> None:
    sheet = new_sheet()
    sheet.merge_cells("A1:B2")
    with pytest.raises(BlockFailed, match="`B2` lies inside a merged cell; write to its first cell"):
        filled(saved(sheet), cells={"B2": 1})


@pytest.mark.parametrize("content", [b"text", documents.letter(), b"\xd0\xcf\x11\xe0"])
def test_what_is_not_a_workbook_is_refused(content: bytes) -> None:
    with pytest.raises(BlockFailed, match="xlsx"):
        filled(content, cells={"A1": 1})
