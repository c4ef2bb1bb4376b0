"""What `next to`, `below` and their like mean: measured on the page."""

from collections.abc import Sequence
from typing import Final

from pagehand.words.match import Match
from pagehand.words.phrase import Context
from pagehand.words.snapshot import Snapshot
from pagehand.words.tokens import Tokens, holds, meant

Box = tuple[int, ...]

_FAR: Final = 400
_LEAD: Final = 1.5
_SLACK: Final = 8


class Unclear(Exception):
    """Two things are equally near, or the words stand in several places."""


def keep_nearest(matches: Sequence[Match], context: Context, snapshot: Snapshot) -> list[Match]:
    """The match that stands in that relation to the words; none when nothing does."""
    if context.kind == "below" and (below := [one for one in matches if one.place > 0]):
        return below
    wanted = meant(context.words)
    in_row = [one for one in matches if one.candidate.row is not None and wanted in one.candidate.row.parts]
    if context.kind == "near" and in_row:
        matches = in_row
        if len(matches) == 1:
            return list(matches)
    measured: list[tuple[float, Match]] = []
    for view in snapshot.views:
        here = [one for one in matches if one.candidate.frame == view.frame]
        if not here:
            continue
        for anchor in _anchors(snapshot, view.frame, wanted):
            for one in here:
                distance = _distance(anchor, one.candidate.box, context.kind)
                if distance is not None and one.candidate.box != anchor:
                    measured.append((distance, one))
    return _nearest(measured)


def _nearest(measured: list[tuple[float, Match]]) -> list[Match]:
    measured.sort(key=lambda pair: pair[0])
    if not measured or measured[0][0] > _FAR:
        return []
    best, chosen = measured[0]
    close = [one for distance, one in measured if distance < best * _LEAD + _SLACK]
    rivals = [one for one in close if one.candidate is not chosen.candidate]
    return [chosen, *rivals[:1]]


def _anchors(snapshot: Snapshot, frame: int, wanted: Tokens) -> list[Box]:
    """Where the words stand: as a whole text, else within one; nested boxes once."""
    view = snapshot.views[frame]
    texts = [(piece.text, piece.box) for piece in view.texts]
    names = [(name.meant, one.box) for one in view.candidates for name in one.names if not name.is_weak]
    whole = [box for text, box in texts if text == wanted] or [box for name, box in names if name == wanted]
    found = set(whole or [box for text, box in texts if holds(text, wanted)])
    inner = [box for box in found if not any(other != box and _contains(box, other) for other in found)]
    if len(inner) > 1:
        raise Unclear(f"`{' '.join(wanted)}` stands in {len(inner)} places")
    return inner


def _contains(outer: Box, inner: Box) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]


def _distance(anchor: Box, box: Box, kind: str) -> float | None:
    """How far apart; None when it does not stand on that side."""
    aside = max(box[0] - anchor[2], anchor[0] - box[2], 0)
    apart = max(box[1] - anchor[3], anchor[1] - box[3], 0)
    same_line = min(box[3], anchor[3]) - max(box[1], anchor[1]) > 0
    same_column = min(box[2], anchor[2]) - max(box[0], anchor[0]) > 0
    match kind:
        case "right":
            return float(aside) if same_line and box[0] >= anchor[0] else None
        case "left":
            return float(aside) if same_line and box[2] <= anchor[2] else None
        case "below":
            return float(apart) if same_column and box[1] >= anchor[1] else None
        case "above":
            return float(apart) if same_column and box[3] <= anchor[3] else None
        case _:
            # on the same line is next to; above and below only if nothing else is
            return float(aside) if same_line else aside + apart * 3.0
