"""FillSpreadsheet writes cells and rows and keeps the rest."""

import io
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.styles import Font
from openpyxl.worksheet.table import Table
from openpyxl.worksheet.worksheet import Worksheet

from pagehand.blocks import examples, kinds
from pagehand.errors import BlockFailed, InvalidRequest
from pagehand.testing import Harness
from support import documents

pytestmark = pytest.mark.anyio
Json = dict[str, Any]


def template() -> bytes:
    book = Workbook()
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    sheet.title = "List"
    sheet.append(["Name", "Amount"])
    sheet.append(["Ada", 5])
    sheet["D1"] = "=SUM(B2:B9)"
    sheet["A1"].font = Font(bold=True)
    sheet["B2"].number_format = "0.00"
    sheet.merge_cells("F1:G1")
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


async def fill(
    harness: Harness, data: Json, given: bytes | None = None, name: str = "list.xlsx"
) -> tuple[Json, Any]:
    """The output, and the workbook."""
    if given is not None:
        data = {"file": (await harness.add_file(name, given))["id"], **data}
    done = await harness.run({"type": "FillSpreadsheet", "blockReferenceId": "it", "data": data})
    output = done.outputs["it"]
    return output, load_workbook(io.BytesIO(await harness.read_file(output)))


async def test_examples_run_as_shown(harness: Harness) -> None:
    kind = kinds().kind_named("FillSpreadsheet")
    assert kind is not None
    for example in examples(kind):
        output, book = await fill(harness, example["data"])
        assert output["name"] == "invoices.xlsx"
        rows = [[cell.value for cell in row] for row in book["Invoices"].iter_rows(max_col=2)]
        assert rows == [["number", "amount"], ["A-1", 12.5], ["A-2", 7]]
        assert book["Invoices"]["D1"].value == "=SUM(B2:B99)"


async def test_rows_go_under_their_headers_and_everything_else_stays(harness: Harness) -> None:
    data = {"rows": [{"Amount": 7, "Name": "Bob", "City": "Oslo"}], "cells": {"C2": True}}
    output, book = await fill(harness, data, template())
    sheet = book["List"]
    assert output["name"] == "list.xlsx"
    assert [sheet["A3"].value, sheet["B3"].value, sheet["C2"].value] == ["Bob", 7, True]
    assert [sheet["D1"].value, sheet["A1"].font.bold, sheet["B2"].number_format] == [
        "=SUM(B2:B9)",
        True,
        "0.00",
    ]
    header = [cell.value for cell in sheet[1]]
    assert sheet.cell(3, header.index("City") + 1).value == "Oslo"


async def test_appended_rows_look_like_the_row_above(harness: Harness) -> None:
    _, book = await fill(harness, {"rows": [["Bob", 7], ["Cy", 8]]}, template())
    assert [book["List"][place].number_format for place in ("B3", "B4")] == ["0.00", "0.00"]
    assert not book["List"]["A3"].font.bold


async def test_a_table_grows_with_its_rows(harness: Harness) -> None:
    given = load_workbook(io.BytesIO(documents.workbook([["Name", "Amount"], ["Ada", 5]])))
    given["Data"].add_table(Table(displayName="People", ref="A1:B2"))
    out = io.BytesIO()
    given.save(out)
    _, book = await fill(harness, {"rows": [["Bob", 7], ["Cy", 8]]}, out.getvalue())
    assert book["Data"].tables["People"].ref == "A1:B4"


async def test_a_date_in_a_cell_that_shows_dates_is_a_date(harness: Harness) -> None:
    given = load_workbook(io.BytesIO(documents.workbook([["Day"]])))
    given["Data"]["A2"].number_format = "dd.mm.yyyy"
    out = io.BytesIO()
    given.save(out)
    _, book = await fill(harness, {"cells": {"A2": "2026-03-04", "B2": "2026-03-04"}}, out.getvalue())
    assert (book["Data"]["A2"].is_date, book["Data"]["A2"].number_format) == (True, "dd.mm.yyyy")
    assert book["Data"]["B2"].value == "2026-03-04"


async def test_text_in_rows_never_becomes_a_formula(harness: Harness) -> None:
    _, book = await fill(harness, {"rows": [["=1+1"]], "cells": {"B5": "=1+1"}, "sheet": "S"})
    kinds = {cell.coordinate: cell.data_type for row in book["S"].iter_rows() for cell in row if cell.value}
    assert kinds["B5"] == "f"
    assert [kind for place, kind in kinds.items() if place.startswith("A")] == ["s"]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"cells": {"G1": 1}}, "merged"),
        ({"cells": {"A1": {"a": 1}}}, "A1"),
        ({"cells": {"A1": "a\x01"}}, "control"),
        ({"rows": ["text"]}, "array or an object"),
        ({"sheet": "a/b"}, "cannot be called `a/b`"),
    ],
)
async def test_what_cannot_be_written_is_named(harness: Harness, data: Json, sentence: str) -> None:
    with pytest.raises(BlockFailed, match=sentence):
        await fill(harness, data, template())


async def test_what_is_not_a_workbook_is_refused(harness: Harness) -> None:
    with pytest.raises(BlockFailed, match=r"`list.csv`: It is not a \.xlsx"):
        await fill(harness, {"cells": {"A1": 1}}, b"a,b", "list.csv")


def test_a_wrong_address_is_refused() -> None:
    kind = kinds().kind_named("FillSpreadsheet")
    assert kind is not None
    with pytest.raises(InvalidRequest, match="7B"):
        kind.check({"cells": {"7B": 1}}, None)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"cells": {"B2": "x" * 32_768}}, "The text for `B2` has 32,768 characters; a cell holds 32,767."),
        ({"rows": [["x" * 40_000]]}, "`A1` has 40,000 characters"),
        ({"sheet": "a/b"}, "A sheet cannot be called `a/b`"),
        ({"sheet": "x" * 32}, "at most 31 characters"),
        ({"sheet": "'quoted'"}, "A sheet cannot be called `'quoted'`"),
    ],
)
async def test_what_a_workbook_cannot_hold_fails_instead_of_being_cut(
    harness: Harness, data: Json, message: str
) -> None:
    with pytest.raises(BlockFailed) as failed:
        await fill(harness, data)
    assert message in failed.value.message


async def test_the_longest_text_and_title_are_kept_whole(harness: Harness) -> None:
    _, book = await fill(harness, {"sheet": "s" * 31, "cells": {"XFD1048576": "x" * 32_767}})
    assert len(book["s" * 31]["XFD1048576"].value) == 32_767


async def test_a_sheet_is_found_whatever_its_capitals(harness: Harness) -> None:
    _, book = await fill(harness, {"sheet": "LIST", "cells": {"A9": 1}}, template())
    assert (book.sheetnames, book["List"]["A9"].value) == (["List"], 1)


@pytest.mark.parametrize("address", ["XFE1", "ZZZ1", "A1048577", "A0", "AAAA1", "A", "1", ""])
def test_a_cell_outside_every_sheet_is_refused_when_it_is_written(address: str) -> None:
    with pytest.raises(InvalidRequest, match="is not a cell address such as B7"):
        kinds()["FillSpreadsheet"].check({"cells": {address: 1}}, None)
