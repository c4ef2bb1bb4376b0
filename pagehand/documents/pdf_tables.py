"""Finds the tables of a PDF page: those drawn with lines, and text aligned in columns."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pagehand.documents.document import Table
from pagehand.documents.pdf_layout import Line, Word, lines_of_words, raw

_MOST_APART: Final = 1.6
"""The largest space between two rows of an aligned table, in line heights."""
_FEWEST_ROWS, _FEWEST_COLUMNS = 2, 2
_LONGEST_AVERAGE_CELL: Final = 45
"""In characters; longer cells are running text in two columns."""
_CAPTION_ABOVE: Final = 36.0
_LONGEST_CAPTION: Final = 80
_TOLERANCE: Final = 2.5
"""Lines that are closer than this, in points, meet."""
_SHORTEST: Final = 5.0
_MOST_SEGMENTS: Final = 20_000
_MOST_LINES: Final = 500
_Line = tuple[float, float, float]
"""The position of a line on one axis, and its start and end on the other."""
_Point = tuple[float, float]


def find_tables(page: Any, words: Sequence[Word]) -> tuple[list[Table], list[Word]]:
    """The tables from top to bottom, and the words outside of them."""
    found: list[tuple[float, Table]] = []
    rest = list(words)
    # grids first: their words must not be taken for aligned columns
    for grid in find_grids(page):
        inside = [word for word in rest if grid.contains(word)]
        rows = _fill(grid, inside)
        if len(rows) >= _FEWEST_ROWS and any(sum(map(bool, row)) >= _FEWEST_COLUMNS for row in rows):
            rest = [word for word in rest if not grid.contains(word)]
            found.append((grid.top, Table(rows)))
    lines = lines_of_words(rest)
    for block in _blocks(lines):
        if (table := _aligned_table(block)) is not None:
            found.append((block[0].top, table))
            taken = {id(word) for line in block for piece in line.pieces for word in piece}
            rest = [word for word in rest if id(word) not in taken]
    for top, table in found:
        table.caption = _caption(lines, top)
    return [table for _, table in sorted(found, key=lambda item: -item[0])], rest


@dataclass(slots=True)
class TableGrid:
    """Crossing lines with cells between them."""

    xs: list[float]
    ys: list[float]
    """From the top down; negated, so that they increase."""
    vertical: list[_Line] = field(default_factory=list[_Line])

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.ys) - 1

    @property
    def columns(self) -> int:
        """The number of columns."""
        return len(self.xs) - 1

    @property
    def top(self) -> float:
        """The upper edge."""
        return -self.ys[0]

    def contains(self, word: Word) -> bool:
        """Whether the middle of the word is inside."""
        middle = (word.left + word.right) / 2
        return self.xs[0] < middle < self.xs[-1] and self.ys[0] < -word.middle < self.ys[-1]

    def cell(self, word: Word) -> tuple[int, int]:
        """Row and column of a word; of a cell that spans several columns the first."""
        row = min(bisect_right(self.ys, -word.middle) - 1, self.rows - 1)
        column = min(bisect_right(self.xs, (word.left + word.right) / 2) - 1, self.columns - 1)
        height = -(self.ys[row] + self.ys[row + 1]) / 2
        while column > 0 and not self._is_drawn(self.xs[column], height):
            column -= 1
        return row, column

    def _is_drawn(self, x: float, y: float) -> bool:
        return any(abs(x - at) <= _TOLERANCE and low <= y <= high for at, low, high in self.vertical)


def find_grids(page: Any) -> list[TableGrid]:
    """Grids of at least two by two cells."""
    horizontal: list[_Line] = []
    vertical: list[_Line] = []
    for (x1, y1), (x2, y2) in _segments(page):
        if abs(y1 - y2) <= 1 and abs(x1 - x2) >= _SHORTEST:
            horizontal.append(((y1 + y2) / 2, min(x1, x2), max(x1, x2)))
        elif abs(x1 - x2) <= 1 and abs(y1 - y2) >= _SHORTEST:
            vertical.append(((x1 + x2) / 2, min(y1, y2), max(y1, y2)))
    across, down = _merge(horizontal)[:_MOST_LINES], _merge(vertical)[:_MOST_LINES]
    return [grid for group in _group_crossing(across, down) if (grid := _grid(*group)) is not None]


def _segments(page: Any) -> Iterator[tuple[_Point, _Point]]:
    """Straight segments of the page's paths, in page coordinates."""
    remaining = _MOST_SEGMENTS
    for drawn in page.get_objects(filter=[raw.FPDF_PAGEOBJ_PATH], max_depth=1):
        count = min(raw.FPDFPath_CountSegments(drawn), remaining)
        remaining -= count
        if count <= 0:
            return
        matrix = drawn.get_matrix()
        start = before = None
        for at in range(count):
            piece = raw.FPDFPath_GetPathSegment(drawn, at)
            point = matrix.on_point(*_point(piece))
            kind = raw.FPDFPathSegment_GetType(piece)
            if kind == raw.FPDF_SEGMENT_MOVETO:
                start = point
            elif before is not None and kind == raw.FPDF_SEGMENT_LINETO:
                yield before, point
            if start is not None and raw.FPDFPathSegment_GetClose(piece):
                yield point, start
            before = point


def _point(piece: Any) -> _Point:
    x, y = raw.c_float(), raw.c_float()
    raw.FPDFPathSegment_GetPoint(piece, x, y)
    return x.value, y.value


def _merge(lines: Iterable[_Line]) -> list[_Line]:
    """Join lines that continue each other."""
    merged: list[_Line] = []
    for at, low, high in _snap(lines):
        if merged and merged[-1][0] == at and low <= merged[-1][2] + _TOLERANCE:
            merged[-1] = (at, merged[-1][1], max(merged[-1][2], high))
        else:
            merged.append((at, low, high))
    return merged


def _snap(lines: Iterable[_Line]) -> list[_Line]:
    """Move lines at nearly the same position to the same position; sorted."""
    moved: list[_Line] = []
    anchor: float | None = None
    for at, low, high in sorted(lines):
        if anchor is None or at - anchor > _TOLERANCE:
            anchor = at
        moved.append((anchor, low, high))
    return sorted(moved)


def _group_crossing(across: list[_Line], down: list[_Line]) -> list[tuple[list[_Line], list[_Line]]]:
    """Groups of lines that meet, directly or through others."""
    groups: list[tuple[list[_Line], list[_Line]]] = []
    for line in across:
        touched = {at for at, item in enumerate(down) if _meet(line, item)}
        joined = [group for group in groups if any(down[at] in group[1] for at in touched)]
        groups = [group for group in groups if group not in joined]
        horizontal = [line, *(item for group in joined for item in group[0])]
        vertical = dict.fromkeys([down[at] for at in sorted(touched)])
        vertical |= dict.fromkeys(item for group in joined for item in group[1])
        groups.append((horizontal, list(vertical)))
    return groups


def _meet(horizontal: _Line, vertical: _Line) -> bool:
    y, left, right = horizontal
    x, low, high = vertical
    return left - _TOLERANCE <= x <= right + _TOLERANCE and low - _TOLERANCE <= y <= high + _TOLERANCE


def _grid(across: list[_Line], down: list[_Line]) -> TableGrid | None:
    xs = sorted({x for x, _, _ in down})
    ys = sorted({-y for y, _, _ in across})
    if len(xs) < 3 or len(ys) < 3:  # noqa: PLR2004 - three lines enclose two cells
        return None
    return TableGrid(xs, ys, down)


def _fill(grid: TableGrid, words: Sequence[Word]) -> list[list[str]]:
    cells: dict[tuple[int, int], list[Word]] = {}
    for word in words:
        cells.setdefault(grid.cell(word), []).append(word)
    rows = [
        [_join(cells.get((row, column), [])) for column in range(grid.columns)] for row in range(grid.rows)
    ]
    return [row for row in rows if any(row)]


def _join(words: Sequence[Word]) -> str:
    return " ".join(text for line in lines_of_words(words) for text in line.texts)


def _blocks(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Groups of lines with several pieces that follow each other closely."""
    block: list[Line] = []
    for line in lines:
        ends = bool(block) and (
            block[-1].bottom - line.top > _MOST_APART * (line.top - line.bottom)
            or len(line.pieces) < _FEWEST_COLUMNS
            or _spans(line, block[-1])
            or _spans(block[-1], line)
        )
        if ends:
            yield block
            block = []
        if len(line.pieces) >= _FEWEST_COLUMNS:
            block.append(line)
    if block:
        yield block


def _spans(line: Line, other: Line) -> bool:
    """Whether a piece of one line covers several of the other: then they are not rows of one table."""
    return any(
        sum(piece[0].left < item[-1].right and item[0].left < piece[-1].right for item in other.pieces) > 1
        for piece in line.pieces
    )


def _aligned_table(block: Sequence[Line]) -> Table | None:
    """The block as a table, if its pieces are aligned in columns."""
    columns = _columns(block)
    if len(block) < _FEWEST_ROWS or len(columns) < _FEWEST_COLUMNS:
        return None
    rows: list[list[str]] = []
    for line in block:
        cells: list[list[str]] = [[] for _ in columns]
        for piece, text in zip(line.pieces, line.texts, strict=True):
            cells[_column_of(piece, columns)].append(text)
        rows.append([" ".join(cell) for cell in cells])
    filled = [cell for row in rows for cell in row if cell]
    is_prose = sum(map(len, filled)) / len(filled) > _LONGEST_AVERAGE_CELL
    # addresses side by side are not a table: most of its cells would be empty
    is_sparse = len(filled) * 2 < len(rows) * len(columns)
    return None if is_prose or is_sparse else Table(list(rows))


def _columns(block: Sequence[Line]) -> list[tuple[float, float]]:
    """Horizontal ranges that are covered by pieces, with free space between them in all lines."""
    spans = sorted((piece[0].left, piece[-1].right) for line in block for piece in line.pieces)
    columns: list[tuple[float, float]] = []
    for left, right in spans:
        if columns and left < columns[-1][1]:
            columns[-1] = (columns[-1][0], max(columns[-1][1], right))
        else:
            columns.append((left, right))
    return columns


def _column_of(piece: Sequence[Word], columns: Sequence[tuple[float, float]]) -> int:
    return next(at for at, (left, right) in enumerate(columns) if left <= piece[0].left <= right)


def _caption(lines: Sequence[Line], top: float) -> str:
    """The short line right above a table."""
    above = [line for line in lines if -1 <= line.bottom - top <= _CAPTION_ABOVE]
    text = above[-1].texts if above else []
    return text[0] if len(text) == 1 and len(text[0]) <= _LONGEST_CAPTION else ""
