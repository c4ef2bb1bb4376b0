"""Assigning columns to fields: each field gets its best column, and no column serves two fields."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pagehand.page.extraction.column_matching import ColumnCandidate
from pagehand.page.extraction.snapshot import Cell
from pagehand.page.extraction.target_field import TargetField

_Cells = tuple[bool, frozenset[Cell]]


@dataclass(slots=True)
class Assignment:
    """The column of each field, by the field's name."""

    chosen: dict[str, tuple[TargetField, ColumnCandidate]] = field(
        default_factory=dict[str, tuple[TargetField, ColumnCandidate]]
    )
    doubts: dict[str, str] = field(default_factory=dict[str, str])
    """Why fields have no column although something matches."""

    @property
    def score(self) -> float:
        """Of all columns together."""
        return sum(candidate.score for _, candidate in self.chosen.values())


def assign_columns(
    fields: Sequence[TargetField], candidates: Mapping[str, Sequence[ColumnCandidate]], tie: float
) -> Assignment:
    """The best column for each field, the surest first; no column where two would be a guess."""
    assignment = Assignment()
    taken: set[_Cells] = set()
    left = {item.name: item for item in fields}
    while left:
        free = {name: [c for c in candidates[name] if _cells_of(left[name], c) not in taken] for name in left}
        tops = {name: max(some, key=lambda c: c.rank) for name, some in free.items() if some}
        if not tops:
            break
        name = max(tops, key=lambda item: tops[item].rank)
        best, target = tops[name], left.pop(name)
        rival = next((c for c in free[name] if best.ties_with(c, target, tie)), None)
        if rival is not None:
            assignment.doubts[name] = f"`{name}`: `{best.label}` and `{rival.label}` fit equally well"
            continue
        others = (other for other, top in tops.items() if other != name and best.is_loose and top.is_loose)
        twin = next(
            (one for one in others if _cells_of(left[one], tops[one]) == _cells_of(target, best)), None
        )
        if twin is not None:
            del left[twin]
            assignment.doubts[name] = f"`{best.label}` may stand for `{name}` and for `{twin}`"
            continue
        assignment.chosen[name] = (target, best)
        # an empty column explains nothing, so another field may use it as well
        if any(best.cells):
            taken.add(_cells_of(target, best))
    return assignment


def _cells_of(target: TargetField, candidate: ColumnCandidate) -> _Cells:
    """What a field uses up: the cells, separately for their texts and their addresses."""
    cells = candidate.source.cached(
        ("identity", candidate.column), lambda: frozenset(cell for row in candidate.cells for cell in row)
    )
    return target.kind in ("link", "image"), cells
