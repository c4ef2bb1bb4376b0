"""Tables of a page as sources: header, data rows, totals apart, and label columns read across."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from pagehand.page.extraction.marks import telling_marks
from pagehand.page.extraction.reader_answer import ReadTable, TableLine
from pagehand.page.extraction.snapshot import Cell, Column, Row, Source
from pagehand.page.extraction.values import style_of, to_date, to_number

_SUM_ROW = re.compile(
    r"(sub-?\s?total|grand total|total|sum|balance|tax|vat|shipping|discount|amount due|summe|gesamt)\b",
    re.IGNORECASE,
)
_PAIR = 2
_LONGEST_NAME = 40
_GUESSED, _MARKED, _TYPED = 0.9, 0.92, 0.7
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


def table_sources(table: ReadTable) -> Iterator[Source]:
    """The ways one table can be read."""
    lines = [line for line in table.rows if any(item.text for item in line.cells)]
    header, weight = table.header or None, 1.0
    # where labels stand in the first column, "Total" is one of them
    footers = [line for line in _footers(lines) if header is not None or line.foot]
    summing = {id(line) for line in footers}
    body = [line for line in lines if id(line) not in summing and not line.whole]
    # the bold row may be a title across the table, which is not among the rows of data
    is_bold = table.bold and bool(body) and body[0] is table.rows[0]
    if header is None and (is_bold or _looks_like_header(body)):
        header, weight, body = [item.text for item in body[0].cells], _GUESSED, body[1:]
    cells = [line.cells for line in body]
    if header is None:
        yield from _without_header(table, body, cells)
    else:
        yield from _below_header(table, header, weight, body, cells)
    if footers:
        yield _pairs(table, [_ends(line) for line in footers])


def _below_header(
    table: ReadTable, header: list[str], weight: float, body: list[TableLine], cells: list[list[Cell]]
) -> Iterator[Source]:
    if not header[0] and all(line.heads[0] for line in body):
        yield from _across(table, cells, body)
    yield _with_header(table, header, weight, cells)
    if body and all(len(line) == _PAIR for line in cells):
        yield _pairs(table, cells)


def _without_header(table: ReadTable, body: list[TableLine], cells: list[list[Cell]]) -> Iterator[Source]:
    """By the first row, should it name columns after all, by markup, by types, by labels on the left."""
    if _may_be_header(cells):
        names = [item.text for item in cells[0]]
        columns = [(Column(name, _GUESSED, kind="guess"), at) for at, name in enumerate(names)]
        yield _of_columns(table, columns, cells[1:])
    named = [*_marked_columns(table), *_typed_columns(cells)]
    has_labels = all(line.heads[0] for line in body)
    if len(cells) >= _PAIR and named and not has_labels:
        yield _of_columns(table, named, cells)
    yield from _across(table, cells, body)


def _with_header(table: ReadTable, header: list[str], weight: float, lines: list[list[Cell]]) -> Source:
    """Columns by their names; those without one by their markup."""
    labelled = [(Column(label, weight), at) for at, label in enumerate(header) if label]
    marked = [(column, at) for column, at in _marked_columns(table) if at >= len(header) or not header[at]]
    return _of_columns(table, [*labelled, *marked], lines)


def _of_columns(
    table: ReadTable, columns: Sequence[tuple[Column, int]], lines: Sequence[list[Cell]]
) -> Source:
    rows = tuple(tuple((line[at],) if at < len(line) else () for _, at in columns) for line in lines)
    return Source("table", table.caption, tuple(column for column, _ in columns), rows, around=table.around)


def _marked_columns(table: ReadTable) -> Iterator[tuple[Column, int]]:
    """Names that the markup gives to all cells of a column."""
    for at, marks in enumerate(table.marks):
        for mark in telling_marks(marks):
            yield Column(mark, _MARKED, kind="mark"), at


def _typed_columns(cells: Sequence[list[Cell]]) -> Iterator[tuple[Column, int]]:
    """The only column of dates, of amounts, of addresses: what else could a `date` be."""
    width = min((len(line) for line in cells), default=0)
    texts = [[line[at].text for line in cells if line[at].text] for at in range(width)]
    kinds: dict[str, Callable[[Sequence[str]], bool]] = {
        "date": _are_dates,
        "amount": _are_amounts,
        "email": _are_emails,
    }
    for name, is_of_kind in kinds.items():
        fitting = [at for at in range(width) if texts[at] and is_of_kind(texts[at])]
        # with two columns of dates neither is `the` date
        if len(fitting) == 1:
            yield Column(name, _TYPED, kind="guess"), fitting[0]


def _are_dates(texts: Sequence[str]) -> bool:
    style = style_of(texts)
    return all(to_date(text, day_first=style.day_first) is not None for text in texts)


def _are_amounts(texts: Sequence[str]) -> bool:
    """Numbers with decimals or a currency; whole numbers may count or name anything."""
    return all(to_number(text) is not None for text in texts) and all(
        re.search(r"\d[.,]\d{2}(?!\d)|[$€£¥]|\b(?:USD|EUR|GBP|CHF)\b", text) for text in texts
    )


def _are_emails(texts: Sequence[str]) -> bool:
    return all(_EMAIL.fullmatch(text) for text in texts)


def _across(table: ReadTable, lines: list[list[Cell]], body: list[TableLine]) -> Iterator[Source]:
    """A table without a header row: label and value side by side, or one record per column."""
    if all(len(line) == _PAIR for line in lines):
        yield _pairs(table, lines)
    elif lines and all(line.heads[0] for line in body):
        columns = tuple(Column(line[0].text) for line in lines)
        width = min(len(line) for line in lines)
        rows = tuple(tuple((line[at],) for line in lines) for at in range(1, width))
        yield Source("table", table.caption, columns, rows, around=table.around)


def _pairs(table: ReadTable, lines: list[list[Cell]]) -> Source:
    labelled = [
        (Column(line[0].text.rstrip(" :"), group=table.caption), line[1]) for line in lines if line[0].text
    ]
    row: Row = tuple((value,) for _, value in labelled)
    return Source(
        "pairs", table.caption, tuple(column for column, _ in labelled), (row,), around=table.around
    )


def _looks_like_header(lines: list[TableLine]) -> bool:
    """True when the first row names things and the others do not: no digits there, some below."""
    if len(lines) < _PAIR:
        return False
    first, *rest = [[item.text for item in line.cells] for line in lines]
    if len(first) <= _PAIR or not all(first) or len(set(first)) < len(first):
        return False
    return not re.search(r"\d", " ".join(first)) and all(re.search(r"\d", " ".join(line)) for line in rest)


def _may_be_header(cells: Sequence[list[Cell]]) -> bool:
    """True when the first row could name columns; only names that fit exactly are taken from it."""
    if len(cells) < _PAIR or len(cells[0]) < _PAIR:
        return False
    names = [item.text for item in cells[0]]
    is_short = all(name and len(name) <= _LONGEST_NAME and not name.endswith(":") for name in names)
    return is_short and len(set(names)) == len(names)


def _footers(lines: list[TableLine]) -> list[TableLine]:
    """Rows that sum up the others: those of `tfoot`, and last ones that begin with "Total" or the like."""
    data = [line for line in lines if not line.foot]
    usual = max((_filled(line) for line in data), default=0)
    trailing = list(takewhile(lambda line: _is_sum(line, usual), reversed(data)))
    return [*reversed(trailing), *(line for line in lines if line.foot)]


def _is_sum(line: TableLine, usual: int) -> bool:
    first = next((item.text for item in line.cells if item.text), "").rstrip(" :")
    # a product called `Total care` fills its row like the others
    is_short = line.wide or _filled(line) < usual
    return bool(_SUM_ROW.fullmatch(first) or (is_short and _SUM_ROW.match(first)))


def _filled(line: TableLine) -> int:
    return len(_shown(line))


def _ends(line: TableLine) -> list[Cell]:
    shown = _shown(line)
    return [shown[0], shown[-1]]


def _shown(line: TableLine) -> list[Cell]:
    """Cells with something in them, one that spans several columns once."""
    both = zip(line.cells, line.repeated, strict=True)
    return [cell for cell, is_repeated in both if cell.text and not is_repeated]
