"""Reads the sheets of a workbook: XLSX, XLSM, XLSB, XLS and ODS."""

import datetime as dt
import io
from collections.abc import Mapping
from typing import Any, Final

import orjson
from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    PasswordError,
    SheetTypeEnum,
)

from pagehand.documents.document import Document, Page, Row, Table, page_positions
from pagehand.documents.tasks import SendFile
from pagehand.documents.text import csv_rows, decode_text
from pagehand.errors import BlockFailed
from pagehand.records import Json

_ROWS_PER_PART: Final = 1000


def read(content: bytes, options: Mapping[str, Any], _: SendFile) -> Json:
    """One table per sheet, with the results of formulas."""
    book = _open(content)
    names = _sheet_names(book)
    pages: list[Page] = []
    for at in page_positions(options.get("pages"), len(names)):
        rows = _rows(book.get_sheet_by_name(names[at]))
        text = "\n".join("\t".join(_to_text(cell) for cell in row) for row in rows)
        pages.append(Page(text, [Table(rows, names[at])] if rows else []))
    return Document(pages, len(names), more={"sheets": names}).to_json(options)


def read_rows(content: bytes, options: Mapping[str, Any], _: SendFile) -> list[Row]:
    """The rows of the first sheet, or of the sheet by that name, or of a CSV file."""
    return _all_rows(content, options)


def send_rows(content: bytes, options: Mapping[str, Any], send: SendFile) -> int:
    """Send the same rows in parts, as JSON, because one answer is limited in size; how many rows.

    `mostRows`, `mostCells` and `mostCharacters` limit what is sent.
    """
    rows = _all_rows(content, options)
    if len(rows) > options["mostRows"]:
        raise BlockFailed(f"It has {len(rows):,} rows with its heading; {options['mostRows']:,} are taken.")
    cells = sum(len(row) for row in rows)
    if cells > options["mostCells"]:
        raise BlockFailed(f"It has {cells:,} cells; {options['mostCells']:,} are taken.")
    if sum(len(_to_text(cell)) for row in rows for cell in row) > options["mostCharacters"]:
        raise BlockFailed(f"Its cells hold more than {options['mostCharacters']:,} characters.")
    for first in range(0, len(rows), _ROWS_PER_PART):
        send("rows", orjson.dumps(rows[first : first + _ROWS_PER_PART]))
    return len(rows)


def _all_rows(content: bytes, options: Mapping[str, Any]) -> list[Row]:
    if not content.startswith((b"PK", b"\xd0\xcf\x11\xe0")):
        return list(csv_rows(decode_text(content)))
    book = _open(content)
    names = _sheet_names(book)
    wanted = options.get("sheet") or next(iter(names), None)
    if wanted not in names:
        listed = ", ".join(f"`{name}`" for name in names) or "none"
        raise BlockFailed(f"There is no sheet `{wanted}`; there is {listed}.")
    return _rows(book.get_sheet_by_name(wanted))


def _open(content: bytes) -> CalamineWorkbook:
    try:
        return CalamineWorkbook.from_filelike(io.BytesIO(content))
    except PasswordError as error:
        raise BlockFailed("The workbook is encrypted; save it without a password.") from error
    except CalamineError as error:
        raise BlockFailed(f"It is not a workbook, or a damaged one: {error}.") from error


def _sheet_names(book: CalamineWorkbook) -> list[str]:
    """The sheets with cells, without charts and macros."""
    return [sheet.name for sheet in book.sheets_metadata if sheet.typ == SheetTypeEnum.WorkSheet]


def _rows(sheet: CalamineSheet) -> list[Row]:
    rows = [[_to_json(cell) for cell in row] for row in sheet.to_python()]
    return [row for row in rows if any(cell is not None for cell in row)]


def _to_json(cell: Any) -> Any:
    """A cell as JSON: integers without a point, dates in ISO form, null for empty."""
    if isinstance(cell, float):
        return int(cell) if cell.is_integer() and abs(cell) < 2**53 else cell
    if cell == "":
        return None
    if isinstance(cell, dt.datetime) and cell.time() == dt.time():
        return cell.date().isoformat()
    if isinstance(cell, dt.date | dt.time):
        return cell.isoformat()
    return str(cell) if isinstance(cell, dt.timedelta) else cell


def _to_text(cell: Any) -> str:
    return "" if cell is None else str(cell).lower() if isinstance(cell, bool) else str(cell)
