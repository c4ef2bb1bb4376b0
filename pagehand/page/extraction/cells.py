"""The value of a cell in the type that the schema asks for."""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile
from typing import Any, TypeVar
from urllib.parse import unquote

from pagehand.page.extraction.snapshot import Cell
from pagehand.page.extraction.target_field import ValueKind
from pagehand.page.extraction.values import ValueFormat, to_boolean, to_date, to_datetime, to_number
from pagehand.workflow.dates import MONTH_NUMBERS

_T = TypeVar("_T")
_BLANK = frozenset(("", "-", "\u2013", "—", "n/a", "n.a.", "…"))
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++")
_LETTERS, _MORE_THAN_A_WORD = re.compile(r"[^\W\d_]{2}"), re.compile(r"[\d,]|\w\s\w")
_AMOUNT = re.compile(r"\d|\b(?:free|gratis|included|none|request|negotiable|varies|call)\b", re.IGNORECASE)
_DAY = re.compile(
    rf"\d|\b(?:today|tomorrow|yesterday|now|never|daily|weekly|asap|tb[ac]|{'|'.join(MONTH_NUMBERS)}"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)
_REACHED = re.compile(
    r"\S+@|\+?[\d(][\d ()./-]{6,}$|(?:tel|phone|telephone|mobile|fax|e-?mail)\b|[^:]{1,30}: ", re.IGNORECASE
)
"""How a line begins that is a mail address, a phone number, or has a label of its own."""
_SEPARATOR = re.compile(r"[,;|•·]")


def is_blank(cell: Cell, kind: ValueKind) -> bool:
    """True when the page shows nothing there, or a dash."""
    if kind == "link":
        return not _page_links(cell)
    if kind == "image":
        return not cell.images
    if kind == "email" and _mailto_address(cell):
        return False  # an icon that writes to the address shows no text
    return cell.text.strip().casefold() in _BLANK and not cell.value


def read_cell(cell: Cell, kind: ValueKind, value_format: ValueFormat, choices: Sequence[str] = ()) -> Any:
    """The cell's value; None when it has none of that kind."""
    if is_blank(cell, kind):
        return None
    if kind in ("link", "image"):
        found = _page_links(cell) if kind == "link" else cell.images
        return found[0] if len(found) == 1 else None
    if choices:
        return _choice(cell.text, choices)
    if kind == "email" and (address := _mailto_address(cell)):
        return address
    # an address below a name is no part of it
    shown = cell.lines[0] if kind == "party" and cell.lines else _own_lines(cell)
    for text in (cell.value, shown):
        if text and (value := _from_text(text, kind, value_format)) is not None:
            return value
    return None


def read_single(
    cells: Sequence[Cell], kind: ValueKind, value_format: ValueFormat, choices: Sequence[str] = ()
) -> Any:
    """The value that all cells agree on; None when they do not."""
    values = [read_cell(cell, kind, value_format, choices) for cell in cells]
    # `79` and `79.00` agree
    return _only(list({value for value in values if value is not None}))


def read_list(
    cells: Sequence[Cell], kind: ValueKind, value_format: ValueFormat, choices: Sequence[str] = ()
) -> list[Any] | None:
    """All values of cells; one text with commas in it is a list too. None when one cannot be read."""
    filled = [cell for cell in cells if not is_blank(cell, kind)]
    if len(filled) == 1 and kind not in ("link", "image") and filled[0].items:
        filled = [Cell(text) for text in filled[0].items]
    # `1,200` is one number and not a list of two
    elif len(filled) == 1 and kind not in ("link", "image") and to_number(filled[0].text) is None:
        filled = [Cell(text) for part in _SEPARATOR.split(filled[0].text) if (text := part.strip())]
    values = [read_cell(item, kind, value_format, choices) for item in filled]
    # half a list would look like the whole one
    return None if None in values else values


def cell_texts(cells: Iterable[Sequence[Cell]]) -> list[str]:
    """The texts of cells, to infer how a column is written."""
    return [cell.text for several in cells for cell in several]


_READERS: dict[ValueKind, Callable[[str, ValueFormat], Any]] = {
    "number": lambda text, value_format: to_number(text, value_format.decimal),
    "integer": lambda text, value_format: _as_integer(to_number(text, value_format.decimal)),
    "boolean": lambda text, _: to_boolean(text),
    "date": lambda text, value_format: to_date(text, day_first=value_format.day_first),
    "date-time": lambda text, _: to_datetime(text),
    "email": lambda text, _: _only(_EMAIL.findall(text)),
    "phone": lambda text, _: _if(text, re.search(r"\d", text)),
    "address": lambda text, _: _if(text, _is_address(text.strip())),
    "written amount": lambda text, _: _if(text, _AMOUNT.search(text)),
    "written date": lambda text, _: _if(text, _DAY.search(text)),
}


def _from_text(text: str, kind: ValueKind, value_format: ValueFormat) -> Any:
    read = _READERS.get(kind)
    return text.strip() if read is None else read(text, value_format)


def _own_lines(cell: Cell) -> str:
    """The text without the lines that say how to reach whom it names."""
    kept = [*cell.lines[:1], *takewhile(lambda line: not _REACHED.match(line), cell.lines[1:])]
    return " ".join(kept) if len(kept) < len(cell.lines) else cell.text


def _is_address(text: str) -> bool:
    """Letters, and with them a number, a comma or another word."""
    has_parts = _LETTERS.search(text) and _MORE_THAN_A_WORD.search(text)
    return bool(has_parts) and not _EMAIL.fullmatch(text)


def _if(text: str, looks_right: object) -> str | None:
    """A value that does not look like what it is called is some other text of the page."""
    return text.strip() if looks_right else None


def _as_integer(number: float | None) -> int | None:
    return int(number) if number is not None and number == int(number) else None


def _only(found: Sequence[_T]) -> _T | None:
    return found[0] if len(found) == 1 else None


def _mailto_address(cell: Cell) -> str | None:
    """The address of a `mailto:` link, whose text may be anything."""
    addresses = [link[7:].partition("?")[0] for link in cell.links if link[:7].casefold() == "mailto:"]
    # escaped as addresses of pages are (RFC 6068), and it may write to several at once
    return _only([address for text in addresses for address in _EMAIL.findall(unquote(text))])


def _choice(text: str, choices: Sequence[str]) -> str | None:
    folded = " ".join(text.split()).casefold()
    return next(
        (choice for choice in choices if choice.casefold().replace("_", " ") == folded.replace("_", " ")),
        None,
    )


def _page_links(cell: Cell) -> tuple[str, ...]:
    return tuple(link for link in cell.links if not link.startswith(("mailto:", "tel:", "javascript:")))
