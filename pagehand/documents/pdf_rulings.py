"""Lines drawn on a PDF page, and the grids they make."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from pagehand.documents.pdf_layout import Word
from pagehand.documents.pdfium import raw

_NEAR: Final = 2.5
"""Points by which lines that are meant to meet may miss each other."""
_SHORTEST: Final = 5.0
_MOST_SEGMENTS: Final = 20_000
_MOST_LINES: Final = 500

_Span = tuple[float, float, float]
"""Where a line is on one axis, and from where to where on the other."""
_Point = tuple[float, float]


@dataclass(slots=True)
class Grid:
    """Lines that cross; cells are what is between them."""

    xs: list[float]
    ys: list[float]
    """From the top down, negated so that they grow."""
    uprights: list[_Span] = field(default_factory=list[_Span])

    @property
    def rows(self) -> int:
        """How many cells on top of each other."""
        return len(self.ys) - 1

    @property
    def columns(self) -> int:
        """How many cells side by side."""
        return len(self.xs) - 1

    @property
    def top(self) -> float:
        """Its upper edge."""
        return -self.ys[0]

    def holds(self, word: Word) -> bool:
        """True when the middle of the word is inside."""
        middle = (word.left + word.right) / 2
        return self.xs[0] < middle < self.xs[-1] and self.ys[0] < -word.middle < self.ys[-1]

    def cell(self, word: Word) -> tuple[int, int]:
        """Row and column of a word inside; of a cell that spans several columns the first."""
        row = min(bisect_right(self.ys, -word.middle) - 1, self.rows - 1)
        column = min(bisect_right(self.xs, (word.left + word.right) / 2) - 1, self.columns - 1)
        height = -(self.ys[row] + self.ys[row + 1]) / 2
        while column > 0 and not self._is_drawn(self.xs[column], height):
            column -= 1
        return row, column

    def _is_drawn(self, x: float, y: float) -> bool:
        return any(abs(x - at) <= _NEAR and low <= y <= high for at, low, high in self.uprights)


def find_grids(page: Any) -> list[Grid]:
    """Grids of at least two by two cells, whichever way their lines are drawn."""
    level: list[_Span] = []
    upright: list[_Span] = []
    for (x1, y1), (x2, y2) in _segments(page):
        if abs(y1 - y2) <= 1 and abs(x1 - x2) >= _SHORTEST:
            level.append(((y1 + y2) / 2, min(x1, x2), max(x1, x2)))
        elif abs(x1 - x2) <= 1 and abs(y1 - y2) >= _SHORTEST:
            upright.append(((x1 + x2) / 2, min(y1, y2), max(y1, y2)))
    across, down = _merged(level)[:_MOST_LINES], _merged(upright)[:_MOST_LINES]
    return [grid for group in _crossing(across, down) if (grid := _grid(*group)) is not None]


def _segments(page: Any) -> Iterator[tuple[_Point, _Point]]:
    """Straight lines of the page's paths, in the page's own coordinates."""
    left = _MOST_SEGMENTS
    for drawn in page.get_objects(filter=[raw.FPDF_PAGEOBJ_PATH], max_depth=1):
        count = min(raw.FPDFPath_CountSegments(drawn), left)
        left -= count
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


def _merged(spans: Iterable[_Span]) -> list[_Span]:
    """Lines that continue each other as one."""
    whole: list[_Span] = []
    for at, low, high in _snapped(spans):
        if whole and whole[-1][0] == at and low <= whole[-1][2] + _NEAR:
            whole[-1] = (at, whole[-1][1], max(whole[-1][2], high))
        else:
            whole.append((at, low, high))
    return whole


def _snapped(spans: Iterable[_Span]) -> list[_Span]:
    """Lines that are meant to be at the same height, at the very same; sorted."""
    moved: list[_Span] = []
    anchor: float | None = None
    for at, low, high in sorted(spans):
        if anchor is None or at - anchor > _NEAR:
            anchor = at
        moved.append((anchor, low, high))
    return sorted(moved)


def _crossing(across: list[_Span], down: list[_Span]) -> list[tuple[list[_Span], list[_Span]]]:
    """Lines that meet, directly or through others."""
    groups: list[tuple[list[_Span], list[_Span]]] = []
    for line in across:
        touched = {at for at, item in enumerate(down) if _meet(line, item)}
        joined = [group for group in groups if any(down[at] in group[1] for at in touched)]
        groups = [group for group in groups if group not in joined]
        levels = [line, *(item for group in joined for item in group[0])]
        uprights = dict.fromkeys([down[at] for at in sorted(touched)])
        uprights |= dict.fromkeys(item for group in joined for item in group[1])
        groups.append((levels, list(uprights)))
    return groups


def _meet(level: _Span, upright: _Span) -> bool:
    y, left, right = level
    x, low, high = upright
    return left - _NEAR <= x <= right + _NEAR and low - _NEAR <= y <= high + _NEAR


def _grid(across: list[_Span], down: list[_Span]) -> Grid | None:
    xs = sorted({x for x, _, _ in down})
    ys = sorted({-y for y, _, _ in across})
    if len(xs) < 3 or len(ys) < 3:  # noqa: PLR2004 - three lines enclose two cells
        return None
    return Grid(xs, ys, down)
