"""CSV text and rows."""

import csv as _pagehand_csv
from typing import Any


def csv_parse(text: str, delimiter: str = ",", header: bool = True) -> list[Any]:
    """Rows of a CSV text: objects named by its first row, or arrays with `header=False`."""
    lines = text.removeprefix("\ufeff").splitlines(True)
    rows = [row for row in _pagehand_csv.reader(lines, delimiter=delimiter) if row]
    if not header:
        return rows
    if not rows:
        return []
    return [dict(zip(rows[0], row)) for row in rows[1:]]  # noqa: B905 - a short row has fewer keys


def csv_write(rows: list[Any], columns: list[str] | None = None, delimiter: str = ",") -> str:
    """A CSV text of objects or arrays; `columns` picks and orders the keys."""
    names: Any = columns
    if names is None and rows and isinstance(rows[0], dict):
        names = list({key: None for row in rows for key in row})
    table: list[Any] = [] if names is None else [names]
    table += [_pagehand_cells(row, names) for row in rows]
    lines = [delimiter.join([_pagehand_cell(cell, delimiter) for cell in row]) for row in table]
    return "".join([line + "\r\n" for line in lines])


def _pagehand_cells(row: Any, names: Any) -> Any:
    return [row.get(name) for name in names] if isinstance(row, dict) else row  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - any JSON


def _pagehand_cell(value: Any, delimiter: str) -> str:
    text = "" if value is None else str(value)
    if any(mark in text for mark in (delimiter, '"', "\r", "\n")):
        return '"' + text.replace('"', '""') + '"'
    return text
