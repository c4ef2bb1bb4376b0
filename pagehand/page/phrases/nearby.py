"""What `next to`, `below` and similar words mean: measured on the page."""

from collections.abc import Sequence
from typing import Final

from pagehand.page.phrases.interpretation import Context, ContextKind
from pagehand.page.phrases.match import Match, row_score
from pagehand.page.phrases.snapshot import Candidate, FrameSnapshot, Name, Snapshot, VisibleText
from pagehand.page.phrases.tokens import Tokens, canonicalize, contains_tokens

Box = tuple[float, ...]

_MAX_DISTANCE: Final = 400
_TIE_FACTOR: Final = 1.5
_TIE_PIXELS: Final = 8
_SAME_LINE_FACTOR: Final = 4.0
"""How much further away an element on the same line may be."""
_NOT_ACROSS: Final = ("below", "above", "near")
"""What is below or near words in a card is in that card; fields may be right of labels in another column."""
_MAX_EXTRA_WORDS: Final = 2
"""Words that a text may have beyond those of the phrase."""


_MAX_PLACES: Final = 100
"""Of a text; each is compared with all others."""


class Ambiguity(Exception):
    """Two elements are equally near, or the words are in several places."""


def keep_nearest(matches: Sequence[Match], context: Context, snapshot: Snapshot) -> list[Match]:
    """The match in that relation to the words, with a rival if there is one; empty when there is none."""
    words, given = canonicalize(context.words), matches
    if context.kind == "below":
        below = [match for match in matches if match.context_score > 0]
        # a heading is above its own section and nothing else
        if below or _is_heading(snapshot, words):
            return below
    if context.kind == "near":
        # distances mislead in tables: the button of the next row may be nearer than that of the same row
        matches = _in_same_row(matches, words)
        # a term is as near to what stands above it as to its own description
        headed = [match for match in given if match.candidate.sections[:1] == (words,)]
        if len(headed) == 1:
            return headed
        if len(matches) == 1 and _has_row_part(matches[0], words):
            return list(matches)
        # the name of a file, and its size behind it
        beside = [match for match in matches if _begins_nearby(match.candidate, words)]
        if len(beside) == 1 and len(words) > 1:
            return beside
    measured: list[tuple[float, Match]] = []
    for frame in snapshot.frames:
        here = [match for match in matches if match.candidate.frame == frame.frame]
        if here:
            measured += _measure(here, context.kind, frame, words)
    return _nearest(measured) or (_in_named_row(given, words) if context.kind == "near" else [])


def _in_named_row(matches: Sequence[Match], words: Tokens) -> list[Match]:
    """What is in the rows that a part of a text names, as `Delgado` does that of `Delgado, Ivan`."""
    return [
        match
        for match in matches
        if match.candidate.row is not None and row_score(match.candidate.row, words)
    ]


def _begins_nearby(candidate: Candidate, words: Tokens) -> bool:
    return any(text[: len(words)] == words for text in candidate.nearby_texts)


def _in_same_row(matches: Sequence[Match], words: Tokens) -> Sequence[Match]:
    """What is in a row is next to the texts of that row, and to nothing in another."""
    in_row = [match for match in matches if _has_row_part(match, words)]
    outside_rows = [
        match for match in matches if match.candidate.row is None or match.candidate.row.count <= 1
    ]
    return in_row or outside_rows


def _has_row_part(match: Match, words: Tokens) -> bool:
    return match.candidate.row is not None and words in match.candidate.row.parts


def _measure(
    matches: Sequence[Match], kind: ContextKind, frame: FrameSnapshot, words: Tokens
) -> list[tuple[float, Match]]:
    found: list[tuple[float, Match]] = []
    for anchor in _anchors(frame, words):
        for match in matches:
            candidate = match.candidate
            distance = _distance(anchor.box, candidate.box, kind)
            # what is above the title of a card, and in no other, is above the card
            is_outside = kind == "above" and anchor.is_heading and candidate.items < anchor.items
            is_separated = kind in _NOT_ACROSS and not anchor.items <= candidate.items and not is_outside
            is_separated |= kind in ("below", "above") and _is_divided(frame, anchor, candidate.box)
            # and nothing measures which of several is meant
            if is_outside and distance is not None and distance <= _MAX_DISTANCE:
                distance = 0.0
            if distance is not None and candidate.box != anchor.box and not is_separated:
                found.append((distance, match))
    return found


def _is_heading(snapshot: Snapshot, words: Tokens) -> bool:
    return any(
        words in candidate.sections
        or (candidate.role == "heading" and any(name.canonical == words for name in candidate.names))
        for candidate in snapshot.candidates
    ) or any(text.is_heading and text.text == words for frame in snapshot.frames for text in frame.texts)


def _nearest(measured: list[tuple[float, Match]]) -> list[Match]:
    measured.sort(key=lambda pair: pair[0])
    if not measured or measured[0][0] > _MAX_DISTANCE:
        return []
    best, chosen = measured[0]
    # half as far again is too close to call; eight pixels more, for elements that touch
    close = [match for distance, match in measured if distance < best * _TIE_FACTOR + _TIE_PIXELS]
    rivals = [match for match in close if match.candidate is not chosen.candidate]
    return [chosen, *rivals[:2]]


def _is_divided(frame: FrameSnapshot, anchor: VisibleText, box: Box) -> bool:
    """True when a heading, or a text that looks like the anchor, is between the two."""
    top, bottom = min(anchor.box[3], box[3]), max(anchor.box[1], box[1])
    dividers = [
        *(text.box for text in frame.texts if text.look == anchor.look and text.look),
        *(
            other.box
            for other in frame.candidates
            if other.role == "heading" or (other.look == anchor.look != "")
        ),
    ]
    return any(
        divider not in (anchor.box, box)
        and top <= divider[1]
        and divider[3] <= bottom
        and min(divider[2], box[2]) > max(divider[0], box[0])
        for divider in dividers
    )


def _anchors(frame: FrameSnapshot, words: Tokens) -> list[VisibleText]:
    """Where the words are: as a whole text, else within a short one; of nested boxes the innermost."""
    names = [
        VisibleText(
            name.canonical, candidate.box, candidate.items, candidate.look, candidate.role == "heading"
        )
        for candidate in frame.candidates
        for name in candidate.names
        if _is_shown(candidate, name)
    ]
    whole = [text for text in frame.texts if text.text == words] or [
        name for name in names if name.text == words
    ]
    max_words = len(words) + _MAX_EXTRA_WORDS
    short = (text for text in frame.texts if len(text.text) <= max_words)
    parts = (text for text in short if contains_tokens(text.text, words))
    found = {text.box: text for text in whole or parts}
    if len(found) > _MAX_PLACES:
        raise Ambiguity(f"`{' '.join(words)}` is in {len(found)} places")
    inner = [
        text
        for box, text in found.items()
        if not any(other != box and _encloses(box, other) for other in found)
    ]
    # two anchors would each have a nearest element, and nothing says which one is meant
    if len(inner) > 1:
        raise Ambiguity(f"`{' '.join(words)}` is in {len(inner)} places")
    return inner


def _is_shown(candidate: Candidate, name: Name) -> bool:
    """False for a cell or a field that goes by the name of its column, which is elsewhere."""
    return not name.is_hidden and name.source != "column" and candidate.role not in ("row", "cell")


def _encloses(outer: Box, inner: Box) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]


def _distance(anchor: Box, box: Box, kind: str) -> float | None:
    """In pixels; None when the box is not on that side."""
    across = max(box[0] - anchor[2], anchor[0] - box[2], 0)
    down = max(box[1] - anchor[3], anchor[1] - box[3], 0)
    same_line = min(box[3], anchor[3]) - max(box[1], anchor[1]) > 0
    same_column = min(box[2], anchor[2]) - max(box[0], anchor[0]) > 0
    match kind:
        case "right":
            return float(across) if same_line and box[0] >= anchor[0] else None
        case "left":
            return float(across) if same_line and box[2] <= anchor[2] else None
        case "below":
            return float(down) if same_column and box[1] >= anchor[1] else None
        case "above":
            return float(down) if same_column and box[3] <= anchor[3] else None
        case _:
            # on the same line is next to, even at the far end; above and below only if nothing else is
            return across / _SAME_LINE_FACTOR if same_line else across + down * 3.0
