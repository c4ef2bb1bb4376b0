"""Tables of a page as sources: header, data rows, totals apart, and label columns read across."""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from pagehand.extraction.snapshot import Cell, Column, Row, Source, cell

_SUM_ROW = re.compile(
    r"(sub-?\s?total|grand total|total|sum|balance|tax|vat|shipping|discount|amount due|summe|gesamt)\b",
    re.IGNORECASE,
)
_Line = dict[str, Any]
_PAIR = 2
_GUESSED = 0.9


def table_sources(raw: dict[str, Any]) -> Iterator[Source]:
    """The ways one table can be read."""
    lines: list[_Line] = [line for line in raw["rows"] if any(one["text"] for one in line["cells"])]
    header, weight = raw["header"], 1.0
    # where labels stand in the first column, "Total" is one of them
    footers = [line for line in _footers(lines) if header is not None or line["foot"]]
    body = [line for line in lines if line not in footers and not line["whole"]]
    if header is None and _looks_like_header(body):
        header, weight, body = [one["text"] for one in body[0]["cells"]], _GUESSED, body[1:]
    if header is not None and not header[0] and all(line["heads"][0] for line in body):
        yield from _across(raw, [_cells(line) for line in body], body)
    if header is not None:
        yield _with_header(raw, header, weight, [_cells(line) for line in body])
    else:
        yield from _across(raw, [_cells(line) for line in body], body)
    if header is not None and body and all(len(line["cells"]) == _PAIR for line in body):
        yield _pairs(raw, [_cells(line) for line in body])
    if footers:
        yield _pairs(raw, [_ends(line) for line in footers])


def _cells(line: _Line) -> list[Cell]:
    return [cell(one) for one in line["cells"]]


def _with_header(raw: dict[str, Any], header: list[str], weight: float, lines: list[list[Cell]]) -> Source:
    wanted = [place for place, label in enumerate(header) if label]
    columns = tuple(Column(header[place], weight) for place in wanted)
    rows = tuple(tuple((line[at],) if at < len(line) else () for at in wanted) for line in lines)
    return Source("table", raw["caption"], columns, rows, around=raw["around"])


def _across(raw: dict[str, Any], lines: list[list[Cell]], body: list[_Line]) -> Iterator[Source]:
    """A table without a header row: label and value side by side, or one record per column."""
    if all(len(line) == _PAIR for line in lines):
        yield _pairs(raw, lines)
    elif lines and all(line["heads"][0] for line in body):
        columns = tuple(Column(line[0].text) for line in lines)
        width = min(len(line) for line in lines)
        rows = tuple(tuple((line[at],) for line in lines) for at in range(1, width))
        yield Source("table", raw["caption"], columns, rows, around=raw["around"])


def _pairs(raw: dict[str, Any], lines: list[list[Cell]]) -> Source:
    labelled = [
        (Column(line[0].text.rstrip(" :"), group=raw["caption"]), line[1]) for line in lines if line[0].text
    ]
    row: Row = tuple((value,) for _, value in labelled)
    return Source(
        "pairs", raw["caption"], tuple(column for column, _ in labelled), (row,), around=raw["around"]
    )


def _looks_like_header(lines: list[_Line]) -> bool:
    """True when the first row names things and the others do not: no digits there, some below."""
    if len(lines) < _PAIR:
        return False
    first, *rest = [[one["text"] for one in line["cells"]] for line in lines]
    if len(first) <= _PAIR or not all(first) or len(set(first)) < len(first):
        return False
    return not re.search(r"\d", " ".join(first)) and all(re.search(r"\d", " ".join(line)) for line in rest)


def _footers(lines: list[_Line]) -> list[_Line]:
    """Rows that sum up the others: those of `tfoot`, and last ones that begin with "Total" or the like."""
    data = [line for line in lines if not line["foot"]]
    usual = max((_filled(line) for line in data), default=0)
    trailing = list(takewhile(lambda line: _is_sum(line, usual), reversed(data)))
    return [*reversed(trailing), *(line for line in lines if line["foot"])]


def _is_sum(line: _Line, usual: int) -> bool:
    first = next((one["text"] for one in line["cells"] if one["text"]), "").rstrip(" :")
    is_short = line["wide"] or _filled(line) < usual
    return bool(_SUM_ROW.fullmatch(first) or (is_short and _SUM_ROW.match(first)))


def _filled(line: _Line) -> int:
    return len(_shown(line))


def _ends(line: _Line) -> list[Cell]:
    shown = _shown(line)
    return [cell(shown[0]), cell(shown[-1])]


def _shown(line: _Line) -> list[dict[str, Any]]:
    """Cells with something in them, one that spans several columns once."""
    both: list[tuple[dict[str, Any], bool]] = list(zip(line["cells"], line["repeated"], strict=True))
    return [one for one, is_repeated in both if one["text"] and not is_repeated]
