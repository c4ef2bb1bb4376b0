"""What `next to`, `below` and their like mean: measured on the page."""

from collections.abc import Sequence
from typing import Final

from pagehand.page.phrases.match import Match
from pagehand.page.phrases.phrase import Context, ContextKind
from pagehand.page.phrases.snapshot import Candidate, Name, Snapshot, View
from pagehand.page.phrases.tokens import Tokens, holds, meant

Box = tuple[float, ...]

_FAR: Final = 400
_LEAD: Final = 1.5
_SLACK: Final = 8
_LINE: Final = 4.0
"""How much further away a thing on the same line may be."""
_MOST_MORE: Final = 2
"""Words that a text may have beyond those looked for."""


class Unclear(Exception):
    """Two things are equally near, or the words stand in several places."""


def keep_nearest(matches: Sequence[Match], context: Context, snapshot: Snapshot) -> list[Match]:
    """The match that stands in that relation to the words; none when nothing does."""
    wanted = meant(context.words)
    if context.kind == "below":
        below = [match for match in matches if match.place > 0]
        # a heading is above its own section and nothing else
        if below or _is_heading(snapshot, wanted):
            return below
    if context.kind == "near":
        # distances lie in tables: the button of the next row may be nearer than the own one
        matches = _of_its_row(matches, wanted)
        if len(matches) == 1 and _says(matches[0], wanted):
            return list(matches)
    measured: list[tuple[float, Match]] = []
    for view in snapshot.views:
        here = [match for match in matches if match.candidate.frame == view.frame]
        if here:
            measured += _measured(here, context.kind, view, wanted)
    return _nearest(measured)


def _of_its_row(matches: Sequence[Match], wanted: Tokens) -> Sequence[Match]:
    """What stands in a row is next to what that row says, and to nothing in another."""
    in_row = [match for match in matches if _says(match, wanted)]
    is_alone = [match for match in matches if match.candidate.row is None or match.candidate.row.count <= 1]
    return in_row or is_alone


def _says(match: Match, wanted: Tokens) -> bool:
    return match.candidate.row is not None and wanted in match.candidate.row.parts


def _measured(
    matches: Sequence[Match], kind: ContextKind, view: View, wanted: Tokens
) -> list[tuple[float, Match]]:
    found: list[tuple[float, Match]] = []
    for anchor in _anchors(view, wanted):
        for match in matches:
            box = match.candidate.box
            distance = _distance(anchor, box, kind)
            is_apart = kind in ("below", "above") and _is_parted(view, anchor, box)
            if distance is not None and box != anchor and not is_apart:
                found.append((distance, match))
    return found


def _is_heading(snapshot: Snapshot, wanted: Tokens) -> bool:
    return any(
        wanted in candidate.sections
        or (candidate.role == "heading" and any(name.meant == wanted for name in candidate.names))
        for candidate in snapshot.candidates
    )


def _nearest(measured: list[tuple[float, Match]]) -> list[Match]:
    measured.sort(key=lambda pair: pair[0])
    if not measured or measured[0][0] > _FAR:
        return []
    best, chosen = measured[0]
    # half as far again is too close to call; eight pixels more, for things that touch
    close = [candidate for distance, candidate in measured if distance < best * _LEAD + _SLACK]
    rivals = [candidate for candidate in close if candidate.candidate is not chosen.candidate]
    return [chosen, *rivals[:1]]


def _is_parted(view: View, anchor: Box, box: Box) -> bool:
    """True when a heading stands between the two: then they are in different sections."""
    top, bottom = min(anchor[3], box[3]), max(anchor[1], box[1])
    return any(
        candidate.role == "heading"
        and candidate.box not in (anchor, box)
        and top <= candidate.box[1]
        and candidate.box[3] <= bottom
        for candidate in view.candidates
        if min(candidate.box[2], box[2]) > max(candidate.box[0], box[0])
    )


def _anchors(view: View, wanted: Tokens) -> list[Box]:
    """Where the words stand: as a whole text, else within a short one; nested boxes once."""
    texts = [(piece.text, piece.box) for piece in view.texts]
    names = [
        (name.meant, candidate.box)
        for candidate in view.candidates
        for name in candidate.names
        if _is_shown(candidate, name)
    ]
    whole = [box for text, box in texts if text == wanted] or [box for name, box in names if name == wanted]
    short = len(wanted) + _MOST_MORE
    found = set(whole or [box for text, box in texts if len(text) <= short and holds(text, wanted)])
    inner = [box for box in found if not any(other != box and _contains(box, other) for other in found)]
    # two anchors would each have a nearest element, and nothing says which was meant
    if len(inner) > 1:
        raise Unclear(f"`{' '.join(wanted)}` stands in {len(inner)} places")
    return inner


def _is_shown(candidate: Candidate, name: Name) -> bool:
    """A cell or a field goes by the name of its column, which stands elsewhere."""
    return not name.is_weak and name.source != "column" and candidate.role not in ("row", "cell")


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
            # on the same line is next to, even at the far end; above and below only if nothing else is
            return aside / _LINE if same_line else aside + apart * 3.0
