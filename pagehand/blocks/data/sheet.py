"""The rows of a spreadsheet file: the first sheet of an XLSX workbook, or a CSV file."""

import csv
import io
import zipfile
from datetime import date, datetime, time
from typing import Any, Final

from pagehand.errors import BlockFailed

_MOST_BYTES: Final = 200 * 1024 * 1024
_SNIFFED: Final = 64 * 1024


def read_rows(content: bytes, name: str) -> list[list[Any]]:
    """All rows that hold anything; blocks while it reads, so call it in a thread."""
    rows = _from_workbook(content, name) if content.startswith(b"PK") else _from_csv(content, name)
    return [row for row in rows if any(cell not in (None, "") for cell in row)]


def _from_workbook(content: bytes, name: str) -> list[list[Any]]:
    # openpyxl takes most of a second to load, which every start of the service would pay
    import openpyxl  # noqa: PLC0415 - as above
    from openpyxl.utils.exceptions import InvalidFileException  # noqa: PLC0415 - as above

    try:
        _check_size(content, name)
        workbook = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        try:
            sheet = workbook.worksheets[0]
            return [[_cell(value) for value in row] for row in sheet.iter_rows(values_only=True)]
        finally:
            workbook.close()
    except (InvalidFileException, zipfile.BadZipFile, KeyError, ValueError, IndexError) as error:
        raise BlockFailed(f"`{name}` cannot be read as a spreadsheet: {error}") from error


def _check_size(content: bytes, name: str) -> None:
    """A small archive can unpack to more than there is memory."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = sum(member.file_size for member in archive.infolist())
    if size > _MOST_BYTES:
        raise BlockFailed(f"`{name}` unpacks to {size} bytes; at most {_MOST_BYTES} are read.")


def _cell(value: Any) -> Any:
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _from_csv(content: bytes, name: str) -> list[list[Any]]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BlockFailed(f"`{name}` is neither a workbook (XLSX) nor a CSV file in UTF-8.") from error
    try:
        dialect = csv.Sniffer().sniff(text[:_SNIFFED], delimiters=",;\t|")
    except csv.Error:
        # a single column has no delimiter to find
        dialect = csv.excel
    try:
        return [list(row) for row in csv.reader(io.StringIO(text, newline=""), dialect)]
    except csv.Error as error:
        raise BlockFailed(f"`{name}` cannot be read as CSV: {error}") from error
