"""Write values into a spreadsheet: an existing one, or a new one.

Reach for it to fill in a template, or to add rows to a list. `cells` sets single cells by their address;
text that begins with `=` is a formula there. `rows` are appended below what is there: arrays by
position, or objects by the names in the header row, where new names become new columns. Formats and
formulas of the file stay as they are; the given file is not changed, a new one is put out.
"""

import asyncio
import io
import re
import zipfile
from typing import TYPE_CHECKING, Any, ClassVar, cast

from pydantic import Field, field_validator

from pagehand.blocks.base import Block, Outcome, RunContext
from pagehand.errors import BlockFailed
from pagehand.workflow.wire import Text

if TYPE_CHECKING:
    from openpyxl.cell.cell import Cell
    from openpyxl.workbook import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

_SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_MACRO_TYPE = "application/vnd.ms-excel.sheet.macroEnabled.12"
_LARGEST_UNPACKED = 500_000_000
_ADDRESS = re.compile(r"\$?[A-Za-z]{1,3}\$?[1-9]\d{0,6}")


class FillSpreadsheet(Block):
    """Write values into a spreadsheet."""

    type: ClassVar[str] = "FillSpreadsheet"
    title: ClassVar[str] = "Fill Spreadsheet"

    file: Any = None
    """The spreadsheet (.xlsx or .xlsm) to start from; a new one without it."""
    sheet: Text | None = Field(default=None, min_length=1)
    """The sheet to write to, made if it is not there; the active one without it."""
    cells: dict[str, Any] = Field(default_factory=dict[str, Any])
    """Values by address, such as `B7`."""
    rows: list[Any] = Field(default_factory=list[Any])
    """Rows to append: arrays, or objects by the names in the header row."""
    header_row: int = Field(default=1, ge=1)
    """The row that holds the names of the columns."""
    file_name: Text | None = Field(default=None, min_length=1)
    """What to call the file; the given file's name without it."""

    @field_validator("cells")
    @classmethod
    def _has_addresses(cls, cells: dict[str, Any]) -> dict[str, Any]:
        for address in cells:
            if not _ADDRESS.fullmatch(address) and "{{" not in address:
                raise ValueError(f"{address} is no cell address such as B7")
        return cells

    async def run(self, ctx: RunContext) -> Outcome:
        """Open, write, keep as a new file."""
        name, content = self.file_name or "spreadsheet.xlsx", b""
        if self.file not in (None, ""):
            info = await ctx.files.find(self.file)
            name, content = self.file_name or info.name, await ctx.files.read(info)
        # openpyxl is slow enough with large sheets to hold up everything else
        filled, has_macros = await asyncio.to_thread(self._fill, content)
        ending = ".xlsm" if has_macros else ".xlsx"
        name = name if name.lower().endswith(ending) else name.removesuffix(".xlsx") + ending
        saved = await ctx.files.save(name, _MACRO_TYPE if has_macros else _SHEET_TYPE, filled)
        message = f"Wrote {len(self.cells)} cells and {len(self.rows)} rows to `{saved.name}`"
        return Outcome(ctx.files.describe(saved), message, {"cells": len(self.cells), "rows": len(self.rows)})

    def _fill(self, content: bytes) -> tuple[bytes, bool]:
        book, has_macros = _open_book(content)
        sheet = _sheet(book, self.sheet)
        for address, value in self.cells.items():
            cell = sheet[address.replace("$", "")]
            _write(cell, value, may_be_formula=True)
        _append(sheet, self.rows, self.header_row)
        out = io.BytesIO()
        book.save(out)
        return out.getvalue(), has_macros


def _open_book(content: bytes) -> "tuple[Workbook, bool]":
    # half a second of imports that only this block needs
    from openpyxl import Workbook, load_workbook  # noqa: PLC0415 - see above

    if not content:
        return Workbook(), False
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(part.file_size for part in archive.infolist()) > _LARGEST_UNPACKED:
                raise BlockFailed(f"The spreadsheet unpacks to more than {_LARGEST_UNPACKED // 1_000_000} MB")
            has_macros = "xl/vbaProject.bin" in archive.namelist()
        return load_workbook(io.BytesIO(content), keep_vba=has_macros, rich_text=True), has_macros
    except (zipfile.BadZipFile, KeyError, ValueError) as error:
        raise BlockFailed("The file is no .xlsx or .xlsm spreadsheet; save it as one first") from error


def _sheet(book: "Workbook", name: str | None) -> "Worksheet":
    from openpyxl.worksheet.worksheet import Worksheet  # noqa: PLC0415 - as in _open_book

    if name is not None and name not in book.sheetnames:
        if book.active is not None and book.sheetnames == ["Sheet"] and book.active.max_row == 1:
            book.active.title = name
        else:
            try:
                book.create_sheet(name)
            except ValueError as error:
                raise BlockFailed(f"A sheet cannot be called `{name}`: {error}") from error
    sheet = book[name] if name is not None else book.active
    if not isinstance(sheet, Worksheet):
        raise BlockFailed(f"`{name or 'The active sheet'}` holds a chart, not cells; name another `sheet`")
    return sheet


def _append(sheet: "Worksheet", rows: list[Any], header_row: int) -> None:
    columns = _columns(sheet, header_row)
    at = _last_row(sheet) + 1
    if any(isinstance(row, dict) for row in rows):
        at = max(at, header_row + 1)
    for row in rows:
        if isinstance(row, dict):
            for name, value in cast("dict[str, Any]", row).items():
                if name not in columns:
                    columns[name] = max(columns.values(), default=0) + 1
                    _write(sheet.cell(header_row, columns[name]), name)
                _write(sheet.cell(at, columns[name]), value)
        elif isinstance(row, list):
            for column, value in enumerate(cast("list[Any]", row), 1):
                _write(sheet.cell(at, column), value)
        else:
            raise BlockFailed("Each of `rows` must be an array or an object")
        at += 1


def _columns(sheet: "Worksheet", header_row: int) -> dict[str, int]:
    if header_row > sheet.max_row:
        return {}
    cells = sheet[header_row]
    return {str(cell.value).strip(): cell.column for cell in cells if cell.value is not None}


def _last_row(sheet: "Worksheet") -> int:
    """The last row with a value; formatted but empty rows below it do not count."""
    for row in range(sheet.max_row, 0, -1):
        if any(cell.value is not None for cell in sheet[row]):
            return row
    return 0


def _write(cell: "Cell | Any", value: Any, *, may_be_formula: bool = False) -> None:
    from openpyxl.cell.cell import MergedCell  # noqa: PLC0415 - as in _open_book
    from openpyxl.utils.exceptions import IllegalCharacterError  # noqa: PLC0415 - as in _open_book

    if isinstance(cell, MergedCell):
        raise BlockFailed(f"`{cell.coordinate}` lies inside a merged cell; write to its first cell")
    if not isinstance(value, str | int | float | bool | None):
        raise BlockFailed(
            f"`{cell.coordinate}` takes text, a number, true, false or null, not an object or array"
        )
    try:
        cell.value = value
    except IllegalCharacterError as error:
        raise BlockFailed(
            f"The text for `{cell.coordinate}` has control characters, which no cell can hold"
        ) from error
    if isinstance(value, str) and not may_be_formula:
        cell.data_type = "s"  # data read off a page must never become a formula


EXAMPLES: list[dict[str, Any]] = [
    {
        "type": "FillSpreadsheet",
        "data": {
            "sheet": "Invoices",
            "cells": {"A1": "number", "B1": "amount", "D1": "=SUM(B2:B99)"},
            "rows": [{"number": "A-1", "amount": 12.5}, {"number": "A-2", "amount": 7}],
            "fileName": "invoices.xlsx",
        },
    },
]
