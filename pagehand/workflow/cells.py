"""Cells of a sheet as the parameters they are meant for."""

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from pagehand.workflow.templates import as_text
from pagehand.workflow.words import read_yes_no

_NUMBER: Final = re.compile(r"[+-]?(\d+)(\.\d+)?([eE][+-]?\d{1,3})?")
_NOT_LETTERS: Final = re.compile(r"[\W_]+")


def headings(cells: Iterable[Any]) -> list[str]:
    """Names of a sheet's columns; empty and repeated ones get their position."""
    texts = [as_text(cell).strip() for cell in cells]
    names: list[str] = []
    # a made-up name must not be that of another column: rows become objects, and one of the two would be lost
    taken = set(texts)
    for position, text in enumerate(texts, 1):
        name = text
        if not text or text in names:
            name = f"{text or 'column'}_{position}"
            while name in taken:
                name += "_"
        taken.add(name)
        names.append(name)
    return names


def by_name(columns: Sequence[str], parameters: Iterable[str]) -> dict[str, str]:
    """The parameter each column is meant for: the one it resembles, else one of its own name."""
    # people write `Order No.` over a column for the parameter `orderNo`
    known = {_plain(name): name for name in parameters}
    return {column: known.get(_plain(column), column) for column in columns}


def _plain(name: str) -> str:
    return _NOT_LETTERS.sub("", name).casefold()


def as_parameter(declared: Mapping[str, Any], cell: Any) -> Any:
    """A cell as a value of the declared type; what does not look like one stays as it is."""
    kind = str(declared.get("type"))
    if kind in _CELLS:
        return _CELLS[kind](cell.strip() if isinstance(cell, str) else cell)
    return cell


def is_empty(cell: Any) -> bool:
    """Whether nothing was written into a cell: the parameter is not given."""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _number(cell: Any) -> Any:
    if not isinstance(cell, str) or not (found := _NUMBER.fullmatch(cell)):
        return cell
    is_whole = found[2] is None and found[3] is None and len(found[1]) <= 15  # noqa: PLR2004 - exact in JSON
    if is_whole:
        return int(cell)
    number = float(cell)
    return number if math.isfinite(number) else cell  # JSON has no infinity, which 1e999 becomes


def _boolean(cell: Any) -> Any:
    if isinstance(cell, bool):
        return cell
    said = read_yes_no(as_text(cell))
    return cell if said is None else said


def _json(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return cell


_CELLS: Final[dict[str, Callable[[Any], Any]]] = {
    "string": as_text,
    "number": _number,
    "boolean": _boolean,
    "date": as_text,
    "file": as_text,
    "object": _json,
    "array": _json,
}
