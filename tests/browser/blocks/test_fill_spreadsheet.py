"""FillSpreadsheet writes cells and rows and keeps the rest."""

import io
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.styles import Font
from openpyxl.worksheet.worksheet import Worksheet

from pagehand.errors import BlockFailed, InvalidRequest

from .conftest import Desk, examples_of

pytestmark = pytest.mark.anyio


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


async def filled(desk: Desk, output: dict[str, Any], sheet: str) -> Worksheet:
    content = await desk.files.read(await desk.files.find(output))
    opened = load_workbook(io.BytesIO(content))[sheet]
    assert isinstance(opened, Worksheet)
    return opened


async def test_examples_run_as_shown(desk: Desk) -> None:
    for example in examples_of("FillSpreadsheet"):
        outcome = await desk.run_block(example)
        assert outcome.output["name"] == "invoices.xlsx"
        sheet = await filled(desk, outcome.output, "Invoices")
        rows = [[cell.value for cell in row] for row in sheet.iter_rows(max_col=2)]
        assert rows == [["number", "amount"], ["A-1", 12.5], ["A-2", 7]]
        assert sheet["D1"].value == "=SUM(B2:B99)"


async def test_rows_go_under_their_headers_and_everything_else_stays(desk: Desk) -> None:
    given = await desk.files.save("list.xlsx", "x", template())
    data = {"file": given.id, "rows": [{"Amount": 7, "Name": "Bob", "City": "Oslo"}], "cells": {"C2": True}}
    outcome = await desk.run("FillSpreadsheet", data)
    assert outcome.output["name"] == "list.xlsx"
    sheet = await filled(desk, outcome.output, "List")
    assert [sheet["A3"].value, sheet["B3"].value, sheet["C2"].value] == ["Bob", 7, True]
    assert [sheet["D1"].value, sheet["A1"].font.bold, sheet["B2"].number_format] == [
        "=SUM(B2:B9)",
        True,
        "0.00",
    ]
    header = [cell.value for cell in sheet[1]]
    assert sheet.cell(3, header.index("City") + 1).value == "Oslo"


async def test_text_in_rows_never_becomes_a_formula(desk: Desk) -> None:
    outcome = await desk.run("FillSpreadsheet", {"rows": [["=1+1"]], "cells": {"B5": "=1+1"}, "sheet": "S"})
    sheet = await filled(desk, outcome.output, "S")
    kinds = {cell.coordinate: cell.data_type for row in sheet.iter_rows() for cell in row if cell.value}
    assert kinds["B5"] == "f"
    assert [kind for place, kind in kinds.items() if place.startswith("A")] == ["s"]


async def test_what_cannot_be_written_is_named(desk: Desk) -> None:
    given = await desk.files.save("list.xlsx", "x", template())
    for data, word in (
        ({"cells": {"G1": 1}}, "merged"),
        ({"cells": {"A1": {"a": 1}}}, "A1"),
        ({"cells": {"A1": "a\x01"}}, "control"),
        ({"rows": ["text"]}, "array or an object"),
    ):
        with pytest.raises(BlockFailed, match=word):
            await desk.run("FillSpreadsheet", {"file": given.id, **data})
    text = await desk.files.save("list.csv", "text/csv", b"a,b")
    with pytest.raises(BlockFailed, match=r"no \.xlsx"):
        await desk.run("FillSpreadsheet", {"file": text.id, "cells": {"A1": 1}})


async def test_a_wrong_address_is_refused(desk: Desk) -> None:
    with pytest.raises(InvalidRequest, match="7B"):
        await desk.run("FillSpreadsheet", {"cells": {"7B": 1}})
