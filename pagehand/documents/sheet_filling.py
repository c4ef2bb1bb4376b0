"""Writes cells and rows into a new or existing workbook, keeping its formats and formulas."""

import copy
import datetime as dt
import io
import zipfile
from collections.abc import Mapping
from typing import Any, Final, cast

from openpyxl import Workbook, load_workbook
from openpyxl.cell.cell import Cell, MergedCell
from openpyxl.drawing.spreadsheet_drawing import SpreadsheetDrawing
from openpyxl.styles.numbers import is_date_format
from openpyxl.utils import get_column_letter, range_boundaries
from openpyxl.utils.exceptions import IllegalCharacterError, InvalidFileException
from openpyxl.worksheet._writer import WorksheetWriter
from openpyxl.worksheet.worksheet import Worksheet
from openpyxl.writer.excel import ExcelWriter

from pagehand.documents.document import check_package
from pagehand.documents.tasks import SendFile
from pagehand.errors import BlockFailed
from pagehand.records import Json

_NOT_KEPT: Final = {"xl/media/": "pictures"}
_LONGEST_TEXT: Final = 32_767
"""The limit of a cell; the library silently cuts longer text."""
_LONGEST_TITLE: Final = 31
_NOT_IN_TITLES: Final = frozenset("[]:*?/\\")


def fill(content: bytes, options: Mapping[str, Any], send: SendFile) -> Json:
    """Send the filled workbook; whether it has macros, and what was lost."""
    book, parts = _open(content)
    sheet = _sheet(book, options.get("sheet"))
    for address, value in cast("Json", options["cells"]).items():
        _write(sheet[address.replace("$", "")], value, may_be_formula=True)
    _append(sheet, options["rows"], options["headerRow"])
    # stored results of formulas are outdated: recalculate when the workbook is opened
    if book.calculation is not None:
        book.calculation.fullCalcOnLoad = True
    send("", _save(book))
    lost = [name for folder, name in _NOT_KEPT.items() if any(part.startswith(folder) for part in parts)]
    return {"hasMacros": "xl/vbaProject.bin" in parts, "lost": lost}


def _open(content: bytes) -> tuple[Workbook, set[str]]:
    if not content:
        return Workbook(), set()
    parts = check_package(content, ".xlsx or .xlsm", "xl/workbook.xml")
    try:
        keep_vba = "xl/vbaProject.bin" in parts
        return load_workbook(io.BytesIO(content), keep_vba=keep_vba, rich_text=True), parts
    except (InvalidFileException, KeyError, ValueError, TypeError) as error:
        raise BlockFailed(f"The workbook is damaged: {error}.") from error


def _sheet(book: Workbook, name: str | None) -> Worksheet:
    # sheet names are case-insensitive
    name = next((title for title in book.sheetnames if name and title.casefold() == name.casefold()), name)
    if name is not None and name not in book.sheetnames:
        _check_title(name)
        if book.active is not None and book.sheetnames == ["Sheet"] and book.active.max_row == 1:
            book.active.title = name
        else:
            book.create_sheet(name)
    sheet = book[name] if name is not None else book.active
    if not isinstance(sheet, Worksheet):
        raise BlockFailed(f"`{name or 'The active sheet'}` holds a chart, not cells; name another `sheet`.")
    return sheet


def _check_title(name: str) -> None:
    """Raise `BlockFailed` for a name that spreadsheet programs do not accept."""
    is_usable = len(name) <= _LONGEST_TITLE and not _NOT_IN_TITLES & set(name) and name.strip("'") == name
    if not is_usable:
        raise BlockFailed(
            f"A sheet cannot be called `{name[:80]}`: at most {_LONGEST_TITLE} characters, none of "
            r"`[ ] : * ? / \`, and no `'` at either end."
        )


def _append(sheet: Worksheet, rows: list[Any], header_row: int) -> None:
    """Add rows below the last row with a value, in the style of that row."""
    columns = _columns(sheet, header_row)
    last = _last_row(sheet)
    at = max(last + 1, header_row + 1) if any(isinstance(row, dict) for row in rows) else last + 1
    model = last if last > header_row else None
    for row in rows:
        if isinstance(row, dict):
            for name, value in cast("Json", row).items():
                if name not in columns:
                    columns[name] = max(columns.values(), default=0) + 1
                    _write(sheet.cell(header_row, columns[name]), name)
                _add(sheet, at, columns[name], value, model)
        elif isinstance(row, list):
            for column, value in enumerate(cast("list[Any]", row), 1):
                _add(sheet, at, column, value, model)
        else:
            raise BlockFailed("Each of `rows` must be an array or an object.")
        at += 1
    if rows:
        _extend_tables(sheet, last, at - 1)


def _columns(sheet: Worksheet, header_row: int) -> dict[str, int]:
    if header_row > sheet.max_row:
        return {}
    cells = sheet[header_row]
    return {str(cell.value).strip(): cell.column for cell in cells if cell.value is not None}


def _last_row(sheet: Worksheet) -> int:
    """The last row with a value; empty rows with a format do not count."""
    for row in range(sheet.max_row, 0, -1):
        if any(cell.value is not None for cell in sheet[row]):
            return row
    return 0


def _add(sheet: Worksheet, row: int, column: int, value: Any, model: int | None) -> None:
    cell = sheet.cell(row, column)
    if model is not None and isinstance(cell, Cell) and not cell.has_style:
        above = sheet.cell(model, column)
        if above.has_style:
            cell._style = copy.copy(above._style)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType] - the only way to copy all of a cell's looks
    _write(cell, value)


def _extend_tables(sheet: Worksheet, last: int, now: int) -> None:
    """Extend tables that ended at the last row over the appended rows."""
    for table in list(cast("Any", sheet.tables).values()):
        left, top, right, bottom = cast("tuple[int, int, int, int]", range_boundaries(table.ref))
        if bottom == last:
            table.ref = f"{get_column_letter(left)}{top}:{get_column_letter(right)}{now}"
            if table.autoFilter is not None:
                table.autoFilter.ref = table.ref


def _write(cell: Any, value: Any, *, may_be_formula: bool = False) -> None:
    if isinstance(cell, MergedCell):
        raise BlockFailed(f"`{cell.coordinate}` lies inside a merged cell; write to its first cell.")
    if not isinstance(value, str | int | float | bool | None):
        raise BlockFailed(
            f"`{cell.coordinate}` takes text, a number, true, false or null, not an object or array."
        )
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        raise BlockFailed(
            f"The text for `{cell.coordinate}` has {len(value):,} characters; a cell holds {_LONGEST_TEXT:,}."
        )
    moment = _parse_time(value) if is_date_format(cell.number_format) else None
    try:
        look = cell.number_format
        cell.value = value if moment is None else moment
        if moment is not None:
            cell.number_format = look
    except IllegalCharacterError as error:
        raise BlockFailed(
            f"The text for `{cell.coordinate}` has control characters, which no cell can hold."
        ) from error
    if isinstance(value, str) and moment is None and not may_be_formula:
        cell.data_type = "s"  # data from a page must never become a formula


def _parse_time(value: Any) -> dt.datetime | None:
    """The time of an ISO date, for cells with a date format."""
    try:
        return dt.datetime.fromisoformat(value).replace(tzinfo=None) if isinstance(value, str) else None
    except ValueError:
        return None


def _save(book: Workbook) -> bytes:
    out = io.BytesIO()
    writer = _InMemoryWriter(book, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED))
    writer.save()
    return out.getvalue()


class _InMemoryWriter(ExcelWriter):
    """The library's writer without its temporary files: the document process cannot write to disk."""

    def write_worksheet(self, ws: Any) -> None:
        """Write one sheet, with the steps of the method that this one replaces."""
        ws._drawing = SpreadsheetDrawing()  # noqa: SLF001 - as above
        ws._drawing.charts, ws._drawing.images = ws._charts, ws._images  # noqa: SLF001 - as above
        writer: Any = WorksheetWriter(ws, out=io.BytesIO())
        writer.write()
        ws._rels = writer._rels  # noqa: SLF001 - as above
        cast("Any", self)._archive.writestr(ws.path[1:], writer.out.getvalue())  # noqa: SLF001 - as above
        cast("Any", self).manifest.append(ws)
