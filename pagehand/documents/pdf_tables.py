"""Tables of a PDF page: drawn with lines, or only set in columns."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from pagehand.documents.document import Table
from pagehand.documents.pdf_layout import Line, Word, lines_of_words
from pagehand.documents.pdf_rulings import Grid, find_grids

_MOST_APART: Final = 1.6
"""Between two rows of a table without lines, in heights of a line."""
_FEWEST_ROWS, _FEWEST_COLUMNS = 2, 2
_WORDY: Final = 45
"""Characters in a cell on average: more is prose in two columns."""
_CAPTION_ABOVE: Final = 36.0
_LONGEST_CAPTION: Final = 80


def find_tables(page: Any, words: Sequence[Word]) -> tuple[list[Table], list[Word]]:
    """The tables from top to bottom, and the words that are in none of them."""
    found: list[tuple[float, Table]] = []
    rest = list(words)
    # ruled tables first: what they hold must not be taken for columns of aligned text
    for grid in find_grids(page):
        inside = [word for word in rest if grid.holds(word)]
        rows = _filled(grid, inside)
        if len(rows) >= _FEWEST_ROWS and any(sum(map(bool, row)) >= _FEWEST_COLUMNS for row in rows):
            rest = [word for word in rest if not grid.holds(word)]
            found.append((grid.top, Table(rows)))
    lines = lines_of_words(rest)
    for block in _blocks(lines):
        if (table := _aligned(block)) is not None:
            found.append((block[0].top, table))
            taken = {id(word) for line in block for piece in line.pieces for word in piece}
            rest = [word for word in rest if id(word) not in taken]
    for top, table in found:
        table.caption = _caption(lines, top)
    return [table for _, table in sorted(found, key=lambda one: -one[0])], rest


def _filled(grid: Grid, words: Sequence[Word]) -> list[list[str]]:
    cells: dict[tuple[int, int], list[Word]] = {}
    for word in words:
        cells.setdefault(grid.cell(word), []).append(word)
    rows = [
        [_joined(cells.get((row, column), [])) for column in range(grid.columns)] for row in range(grid.rows)
    ]
    return [row for row in rows if any(row)]


def _joined(words: Sequence[Word]) -> str:
    return " ".join(text for line in lines_of_words(words) for text in line.texts)


def _blocks(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Lines in several pieces that follow each other closely."""
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
    """True when a piece of one line reaches over several of the other: no rows of one table."""
    return any(
        sum(piece[0].left < item[-1].right and item[0].left < piece[-1].right for item in other.pieces) > 1
        for piece in line.pieces
    )


def _aligned(block: Sequence[Line]) -> Table | None:
    """The block as a table, if its pieces stand in columns."""
    columns = _columns(block)
    if len(block) < _FEWEST_ROWS or len(columns) < _FEWEST_COLUMNS:
        return None
    rows: list[list[str]] = []
    for line in block:
        cells: list[list[str]] = [[] for _ in columns]
        for piece, text in zip(line.pieces, line.texts, strict=True):
            cells[_place(piece, columns)].append(text)
        rows.append([" ".join(cell) for cell in cells])
    filled = [cell for row in rows for cell in row if cell]
    is_prose = sum(map(len, filled)) / len(filled) > _WORDY
    # addresses side by side, and not a table, leave most of such a grid empty
    is_sparse = len(filled) * 2 < len(rows) * len(columns)
    return None if is_prose or is_sparse else Table(list(rows))


def _columns(block: Sequence[Line]) -> list[tuple[float, float]]:
    """Stretches of the page's width that some piece covers, with nothing between them in any line."""
    spans = sorted((piece[0].left, piece[-1].right) for line in block for piece in line.pieces)
    columns: list[tuple[float, float]] = []
    for left, right in spans:
        if columns and left < columns[-1][1]:
            columns[-1] = (columns[-1][0], max(columns[-1][1], right))
        else:
            columns.append((left, right))
    return columns


def _place(piece: Sequence[Word], columns: Sequence[tuple[float, float]]) -> int:
    return next(at for at, (left, right) in enumerate(columns) if left <= piece[0].left <= right)


def _caption(lines: Sequence[Line], top: float) -> str:
    """The short line right above a table."""
    above = [line for line in lines if -1 <= line.bottom - top <= _CAPTION_ABOVE]
    text = above[-1].texts if above else []
    return text[0] if len(text) == 1 and len(text[0]) <= _LONGEST_CAPTION else ""
