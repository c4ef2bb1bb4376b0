"""Tables as sources: header, rows of data, totals separately, and labels on the left."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile

from msgspec.structs import replace

from pagehand.page.extraction.label_matching import heading_names
from pagehand.page.extraction.raw_page import RawRow, RawTable
from pagehand.page.extraction.sentences import rate_in_label
from pagehand.page.extraction.snapshot import Cell, Column, Row, Source
from pagehand.page.extraction.values import CURRENCY, infer_format, to_date, to_number

_LABELLED_VALUE = re.compile(r"(?P<label>[^\W\d_]+(?: [^\W\d_]+){0,2}) (?P<value>\d[^a-zA-Z]*+|#\d+)")
"""Such as "Created 01.01.2015" below a name."""
_COUNTED = re.compile(r"(?<![\d.,])\d[\d.,]*+ ?(?P<unit>%)? ?(?P<what>[^\W\d_]+(?: [^\W\d_]+){0,2})")
_SUM_ROW = re.compile(
    r"(sub-?\s?total|(?:(?:grand|in|page|table|list|report|column|running|overall) )?totals?|all"
    r"|overall|sum|(?:closing |ending |final )?balance|tax|vat"
    r"|shipping|discount|amount due|summe|gesamt)\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"(?:sub-?\s?|grand )?totals?\b|sum\b", re.IGNORECASE)
_PAIR = 2
_MAX_NAME_LENGTH = 40
_GROUP_NAMES = ("category", "group", "section")
_MAX_RESULTS = 100
_GUESS_WEIGHT, _MARKUP_WEIGHT, _TYPE_WEIGHT = 0.9, 0.92, 0.7
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++")
_DIGIT = re.compile(r"\d")
_OF_SEVERAL_LINES = re.compile(
    r"\b(?:address(?:es)?|location|venue|place|site|(?:ship(?:ped)?|deliver(?:y|ed)?|bill(?:ed)?) to|"
    r"period|time|hours|dates?|names|(?!status\b)\w{3,}[^\Ws]s)\Z",
    re.IGNORECASE,
)
"""Labels of what is written in several lines, or of several values."""
_STYLING = re.compile(
    r".*\d.*|(?!(?:co|dt)$).{1,2}|.*[:/\[\]].*|(?:text|bg|font|flex|grid|col|row|btn|mt|mb|px|py|is|has|js|fa|border|align|"
    r"justify|d|w|h|p|m|float|rounded|shadow|display|position|table|card|list|item|badge|icon)(?:-.*)?",
    re.IGNORECASE | re.DOTALL,
)
_NAMED_ITEM = re.compile(
    r"(?:card|list|item|table)-(?!(?:body|header|footer|group|item|responsive|content)$)\w.*"
)


def table_sources(table: RawTable) -> Iterator[Source]:
    """The ways to read one table."""
    rows = [row for row in table.rows if any(cell.text for cell in row.cells)]
    if table.alternates:
        both = [row.cells[at : at + _PAIR] for row in rows for at in range(0, len(row.cells), _PAIR)]
        yield _pairs(table, both)
        return
    header, weight = table.header or None, _GUESS_WEIGHT if table.has_bold_header else 1.0
    # where the first column has labels, "Total" is one of them
    footers = [row for row in _footers(rows) if header is not None or row.is_footer]
    sums = {id(row) for row in footers}
    sums |= {id(row) for row in _sums_between(rows)}
    body = [row for row in rows if id(row) not in sums and not row.is_title and not _is_subtotal(row, rows)]
    if header is None and (_looks_like_header(body) or _is_repeated_header(body)):
        header, weight, body = _texts(body[0]), _GUESS_WEIGHT, body[1:]
    # long tables show their names again, as do those with a part for each group of rows
    body = [row for row in body if _texts(row) != header]
    header, cells = _split_lines(header, [row.cells for row in body])
    if header is None:
        yield from _without_header(table, body, cells)
    else:
        yield from _below_header(table, header, weight, body, cells)
        yield from _grouped(table, header, weight, rows, body, cells)
    if footers:
        yield _pairs(table, [pair for row in footers for pair in _sums(row, header or [])])


def _split_lines(
    header: list[str] | None, cells: list[list[Cell]]
) -> tuple[list[str] | None, list[list[Cell]]]:
    """Cells of two lines as two columns, where most of a column are such; some second lines get a name."""
    width = min((len(row) for row in cells), default=0)
    for at in range(width):
        below = _second_lines("" if header is None else header[at], [row[at] for row in cells])
        if not any(below):
            continue
        name, below = _name_of_all(below)
        cells = [
            [*row[:at], _first_line(row[at]), *row[at + 1 :], Cell(text)]
            for row, text in zip(cells, below, strict=True)
        ]
        header = None if header is None else [*header, name]
    return header, cells


def _first_line(cell: Cell) -> Cell:
    return replace(cell, text=cell.main or cell.text, items=() if cell.below else cell.items)


def _second_lines(label: str, column: list[Cell]) -> list[str]:
    """What stands below the values of a column; nothing where it belongs to them, as in addresses."""
    if _OF_SEVERAL_LINES.search(label):
        return []
    # a street has a number, the city below it none; whom a list is of has none either
    is_told_apart = not any(_DIGIT.search(cell.main) for cell in column if cell.next)
    lines = [cell.below or (cell.next if is_told_apart else "") for cell in column]
    return lines if sum(map(bool, lines)) * 2 >= len(column) else []


def _name_of_all(texts: list[str]) -> tuple[str, list[str]]:
    """The name that texts have, and the values: all are addresses, or each has the same label before it."""
    shown = [text for text in texts if text]
    labels = {text.partition(":")[0] for text in shown}
    if len(labels) == 1 and all(text.partition(":")[2].strip() for text in shown):
        return labels.pop(), [text.partition(":")[2].strip() for text in texts]
    stated = [_LABELLED_VALUE.fullmatch(text) for text in shown]
    if len({found and found["label"] for found in stated}) == 1 and all(stated):
        values = {found.string: found["value"] for found in stated if found}
        return str(stated[0] and stated[0]["label"]), [values.get(text, "") for text in texts]
    return "email" if _are_emails(shown) else "", texts


def _below_header(
    table: RawTable, header: list[str], weight: float, body: list[RawRow], cells: list[list[Cell]]
) -> Iterator[Source]:
    if not header[0] and all(row.header_cells[0] for row in body):
        yield from _with_left_labels(table, cells, body, header)
    yield _with_header(table, header, weight, cells)
    if body and all(len(row) == _PAIR for row in cells):
        yield _pairs(table, cells)
    elif results := _results(table, cells):
        yield results


def _grouped(
    table: RawTable,
    header: list[str],
    weight: float,
    rows: list[RawRow],
    body: list[RawRow],
    cells: list[list[Cell]],
) -> Iterator[Source]:
    """The rows with the titles above groups of them, if every row has one."""
    titles: dict[int, Cell] = {}
    above: Cell | None = None
    for row in rows:
        if row.is_title:
            above = row.cells[0]
        elif above is not None:
            titles[id(row)] = above
    found = [titles.get(id(row)) for row in body]
    several = {cell.text for cell in found if cell is not None}
    width = len(header)
    if None in found or len(several) < _PAIR or any(len(row) != width for row in cells):
        return
    columns = [(Column(label, weight), at) for at, label in enumerate(header) if label]
    columns += [(Column(name, _GUESS_WEIGHT, kind="guess"), width) for name in _GROUP_NAMES]
    yield _table_source(
        table, columns, [[*row, cell] for row, cell in zip(cells, found, strict=True) if cell]
    )


def _results(table: RawTable, cells: list[list[Cell]]) -> Source | None:
    """What each row says of what it names, if one column has numbers: a result beside its unit and range."""
    width = min((len(row) for row in cells), default=0)
    if width < _PAIR or len(cells) > _MAX_RESULTS:
        return None
    numeric = [at for at in range(width) if all(to_number(row[at].text) is not None for row in cells)]
    names = {row[0].text for row in cells}
    if len(numeric) != 1 or numeric == [0] or len(names) < len(cells):
        return None
    columns = tuple(Column(row[0].text, _TYPE_WEIGHT, table.caption, "guess") for row in cells)
    values: Row = tuple((row[numeric[0]],) for row in cells)
    return Source("pairs", table.caption, columns, (values,), is_navigation=table.is_navigation)


def _without_header(table: RawTable, body: list[RawRow], cells: list[list[Cell]]) -> Iterator[Source]:
    """By the first row, which may name the columns after all; by markup; by types; by labels on the left."""
    if _may_be_header(cells):
        names = [cell.text for cell in cells[0]]
        columns = [(Column(name, _GUESS_WEIGHT, kind="guess"), at) for at, name in enumerate(names)]
        yield _table_source(table, columns, cells[1:])
    columns = [*_markup_columns(table), *_typed_columns(cells)]
    has_labels = all(row.header_cells[0] for row in body)
    if len(cells) >= _PAIR and columns and not has_labels:
        yield _table_source(table, columns, cells)
    yield from _with_left_labels(table, cells, body)


def _with_header(table: RawTable, header: list[str], weight: float, cells: list[list[Cell]]) -> Source:
    """Columns by their names; those without one by their markup."""
    labelled = [(Column(label, weight), at) for at, label in enumerate(header) if label]
    unlabelled = [
        (column, at) for column, at in _markup_columns(table) if at >= len(header) or not header[at]
    ]
    # what heads the rows is what the table is about
    first = [] if header[0] else heading_names(table.caption)
    about = [(Column(name, _GUESS_WEIGHT, kind="guess"), 0) for name in first]
    return _table_source(table, [*labelled, *unlabelled, *about, *_counted_columns(cells)], cells)


def _counted_columns(cells: Sequence[list[Cell]]) -> Iterator[tuple[Column, int]]:
    """What all cells of a column say behind their number: "57% complete"."""
    for at in range(min((len(row) for row in cells), default=0)):
        found = [_COUNTED.fullmatch(row[at].text) for row in cells]
        said = {(each["unit"], each["what"].casefold()) for each in found if each}
        if None not in found and len(said) == 1:
            unit, what = said.pop()
            yield Column(f"{'percent ' if unit else ''}{what}", _TYPE_WEIGHT, kind="guess"), at


def _table_source(
    table: RawTable, columns: Sequence[tuple[Column, int]], cells: Sequence[list[Cell]]
) -> Source:
    """Columns with the same name, as below a heading that spans a picture and a name, are one."""
    places: dict[Column, list[int]] = {}
    for column, at in columns:
        places.setdefault(column, []).append(at)
    rows = tuple(
        tuple(tuple(row[at] for at in several if at < len(row)) for several in places.values())
        for row in cells
    )
    return Source("table", table.caption, tuple(places), rows, is_navigation=table.is_navigation)


def _markup_columns(table: RawTable) -> Iterator[tuple[Column, int]]:
    """Names that the markup gives to all cells of a column."""
    for at, names in enumerate(table.markup_names):
        for name in descriptive_names(names):
            yield Column(name, _MARKUP_WEIGHT, kind="mark"), at


def _typed_columns(cells: Sequence[list[Cell]]) -> Iterator[tuple[Column, int]]:
    """The only column of dates, of amounts, of mail addresses: a `date` can be nothing else."""
    width = min((len(row) for row in cells), default=0)
    texts = [[row[at].text for row in cells if row[at].text] for at in range(width)]
    kinds: dict[str, Callable[[Sequence[str]], bool]] = {
        "date": _are_dates,
        "amount": _are_amounts,
        "email": _are_emails,
    }
    for name, is_of_kind in kinds.items():
        fitting = [at for at in range(width) if texts[at] and is_of_kind(texts[at])]
        # with two columns of dates neither is `the` date
        if len(fitting) == 1:
            yield Column(name, _TYPE_WEIGHT, kind="guess"), fitting[0]


def _are_dates(texts: Sequence[str]) -> bool:
    value_format = infer_format(texts)
    return all(to_date(text, day_first=value_format.day_first) is not None for text in texts)


def _are_amounts(texts: Sequence[str]) -> bool:
    """Numbers with decimals or a currency; whole numbers may count or name anything."""
    return all(to_number(text) is not None for text in texts) and all(
        re.search(rf"\d[.,]\d{{2}}(?!\d)|{CURRENCY}", text) for text in texts
    )


def _are_emails(texts: Sequence[str]) -> bool:
    return all(_EMAIL.fullmatch(text) for text in texts)


def _with_left_labels(
    table: RawTable, cells: list[list[Cell]], body: list[RawRow], header: Sequence[str] = ()
) -> Iterator[Source]:
    """Label and value side by side, or one record per column, which `header` may name."""
    if all(len(row) == _PAIR for row in cells):
        yield _pairs(table, cells)
    elif cells and all(row.header_cells[0] for row in body):
        columns = [Column(row[0].text) for row in cells]
        width = min(len(row) for row in cells)
        rows = [[(row[at],) for row in cells] for at in range(1, width)]
        if len(header) == width and all(header[1:]):
            names = ("name", "title", *heading_names(table.caption))
            columns += [Column(name, _GUESS_WEIGHT, kind="guess") for name in names]
            rows = [[*row, *[(Cell(text),)] * len(names)] for row, text in zip(rows, header[1:], strict=True)]
        yield Source(
            "table",
            table.caption,
            tuple(columns),
            tuple(map(tuple, rows)),
            is_navigation=table.is_navigation,
        )


def _pairs(table: RawTable, cells: list[list[Cell]]) -> Source:
    labelled = [
        (Column(row[0].text.rstrip(" :"), group=table.caption), row[1:]) for row in cells if row[0].text
    ]
    values: Row = tuple(tuple(several) for _, several in labelled)
    rates = [
        (Column(name, _GUESS_WEIGHT, table.caption, "guess"), Cell(rate))
        for column, _ in labelled
        for name, rate in rate_in_label(column.label)
    ]
    values += tuple((cell,) for _, cell in rates)
    columns = (*(column for column, _ in labelled), *(column for column, _ in rates))
    return Source("pairs", table.caption, columns, (values,), is_navigation=table.is_navigation)


def _looks_like_header(rows: list[RawRow]) -> bool:
    """True when the first row has no digits and all others have some."""
    if len(rows) < _PAIR:
        return False
    first, *rest = [_texts(row) for row in rows]
    if len(first) <= _PAIR or not all(first) or len(set(first)) < len(first):
        return False
    return not re.search(r"\d", " ".join(first)) and all(re.search(r"\d", " ".join(row)) for row in rest)


def _is_repeated_header(rows: list[RawRow]) -> bool:
    """True when the first row comes again, and has names and no digits."""
    first = _texts(rows[0]) if rows else []
    names = [text for text in first if text]
    is_named = len(names) >= _PAIR and len(set(names)) == len(names) and not re.search(r"\d", " ".join(names))
    return is_named and any(_texts(row) == first for row in rows[1:])


def _texts(row: RawRow) -> list[str]:
    return [cell.text for cell in row.cells]


def _may_be_header(cells: Sequence[list[Cell]]) -> bool:
    """True when the first row could name the columns; such names only count if they match exactly."""
    if len(cells) < _PAIR or len(cells[0]) < _PAIR:
        return False
    names = [cell.text for cell in cells[0]]
    is_short = all(name and len(name) <= _MAX_NAME_LENGTH and not name.endswith(":") for name in names)
    return is_short and len(set(names)) == len(names)


def _footers(rows: list[RawRow]) -> list[RawRow]:
    """Rows that sum up the others: those of `tfoot`, and last ones that begin with "Total" or similar."""
    data = [row for row in rows if not row.is_footer]
    usual = max((len(_filled_cells(row)) for row in data), default=0)
    trailing = list(takewhile(lambda row: _is_sum(row, usual), reversed(data)))
    return [*reversed(trailing), *(row for row in rows if row.is_footer)]


def _is_subtotal(row: RawRow, rows: list[RawRow]) -> bool:
    """True for a row whose first cell is that of several columns, where most others have a cell for each."""
    begins_wide = len(row.cells) > _PAIR and not row.spanned_cells[0] and row.spanned_cells[1]
    others = [other for other in rows if not other.is_title and not other.is_footer]
    return begins_wide and sum(not other.has_wide_cell for other in others) * 2 > len(others)


def _sums_between(rows: list[RawRow]) -> Iterator[RawRow]:
    """Rows without what all others begin with, which say that they are a total: "Total October"."""
    data = [row for row in rows if not row.is_title and row.cells]
    lacking = [row for row in data if not row.cells[0].text]
    if len(lacking) * 2 < len(data):
        yield from (row for row in lacking if _BETWEEN.match(next(c.text for c in row.cells if c.text)))


def _is_sum(row: RawRow, usual: int) -> bool:
    first = next((cell.text for cell in row.cells if cell.text), "").rstrip(" :")
    # a product called `Total care` fills its row like the others
    is_short = row.has_wide_cell or len(_filled_cells(row)) < usual
    return bool(_SUM_ROW.fullmatch(first) or (is_short and _SUM_ROW.match(first)))


def _sums(row: RawRow, header: list[str]) -> Iterator[list[Cell]]:
    """The label and the last value; all of several amounts, of which none is `the` total; each by column."""
    label, *values = _filled_cells(row)
    money = [value for value in values if _are_amounts([value.text])]
    yield [label, *(money if len(money) > 1 else values[-1:] or [label])]
    for name, cell in zip(header, row.cells, strict=False):
        if name and any(cell is value for value in values):
            yield [Cell(f"{label.text} {name}"), cell]


def _filled_cells(row: RawRow) -> list[Cell]:
    """Cells with a text; one that spans several columns counts once."""
    both = zip(row.cells, row.spanned_cells, strict=True)
    return [cell for cell, is_spanned in both if cell.text and not is_spanned]


def descriptive_names(names: Iterable[str]) -> list[str]:
    """The names that may describe the content of an element."""
    return [name for name in names if _NAMED_ITEM.fullmatch(name) or not _STYLING.fullmatch(name)]
