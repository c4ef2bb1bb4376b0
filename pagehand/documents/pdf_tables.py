"""Finds the tables of a PDF page: those drawn with lines, and text aligned in columns."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from pagehand.documents.document import Table
from pagehand.documents.pdf_grids import TableGrid, find_grids
from pagehand.documents.pdf_layout import Line, Word, lines_of_words

_MOST_APART: Final = 1.6
"""The largest space between two rows of an aligned table, in line heights."""
_FEWEST_ROWS, _FEWEST_COLUMNS = 2, 2
_LONGEST_AVERAGE_CELL: Final = 45
"""In characters; longer cells are running text in two columns."""
_CAPTION_ABOVE: Final = 36.0
_LONGEST_CAPTION: Final = 80


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
