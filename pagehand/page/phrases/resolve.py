"""From a phrase to the one element it means, or to a refusal that says why not."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pagehand.errors import BlockFailed, Diagnosis, NotPresent
from pagehand.page.phrases.match import Fit, Match, match
from pagehand.page.phrases.nearby import Unclear, keep_nearest
from pagehand.page.phrases.phrase import Reading, negated, readings, without_courtesy, words_of
from pagehand.page.phrases.refusal import ambiguous, explain, unclear
from pagehand.page.phrases.results import counted_result
from pagehand.page.phrases.row_locator import row_guard, row_locator
from pagehand.page.phrases.snapshot import Candidate, Place, Snapshot
from pagehand.page.phrases.tokens import Tokens, meant, plain, spelled
from pagehand.workflow.locator import Locator

Kind = Literal["control", "field", "anything", "shown"]
"""What may be meant: something to act on, a form's field, or also headings, pictures, rows and cells.

Cells go by the heading of their column only where something is `shown`, not where something is done.
"""

# a match of this fit is taken only if nothing else fits at least that well
_RIVALS: Final = {
    Fit.EXACT: Fit.EXACT,
    Fit.LITERAL: Fit.LITERAL,
    Fit.SYNONYM: Fit.PART,
    # a placeholder never wins over labels, a label that only holds the words included
    Fit.HINT: Fit.PART,
    Fit.UNSEEN: Fit.SWALLOWED,
    Fit.WITH_SURROUNDINGS: Fit.PART,
    Fit.PART: Fit.SWALLOWED,
    Fit.PART_HINT: Fit.SWALLOWED,
    Fit.PART_UNSEEN: Fit.SWALLOWED,
}
_MOST_COUNTED: Final = 8
"""Nobody counts more things that have nothing in common but their kind."""
_RELATIVE: Final = ("near", "left", "right", "below", "above")


class NotClear(BlockFailed):
    """The words could mean several elements, or say what is not meant."""

    code = "NotClear"


@dataclass(frozen=True, slots=True)
class Resolved:
    """The one element that a phrase means."""

    candidate: Candidate
    locator: Locator
    understood: str
    """How the phrase was read."""
    is_sure: bool
    """False when only a part of its name or a name that nobody sees was met."""
    by_row: Locator | None = None
    """By the words of its row, where the phrase named it so; to be tried on the page before it is used."""
    guard: str | None = None
    """An XPath that holds for it as long as it stands in the row that the phrase named."""


def resolve(
    phrase: str, snapshot: Snapshot, kind: Kind = "control", only: frozenset[Place] | None = None
) -> Resolved:
    """The element meant; NotPresent when a word is not explained, NotClear when it could be several.

    `only` limits what may be meant to these places of the snapshot.
    """
    return resolve_all(phrase, snapshot, kind, only, one=True)[0]


def resolve_all(
    phrase: str, snapshot: Snapshot, kind: Kind, only: frozenset[Place] | None, *, one: bool
) -> list[Resolved]:
    """Every element the words mean equally well, in document order; with `one`, NotClear for several."""
    words = words_of(phrase)
    if not words:
        raise NotClear(
            "There are no words to find an element by.", Diagnosis(advice="Say what it is called.")
        )
    candidates = [
        candidate
        for candidate in snapshot.candidates
        if _is_of(candidate, kind) and (only is None or candidate.place in only)
    ]
    matches, troubles = _all_matches(readings(words), candidates, snapshot)
    for shorter in without_courtesy(words):
        if _is_met(matches):
            break
        # only now, so that `Pay now` never presses `Pay` where a `Pay now` stands beside it
        read = dict.fromkeys(reading for rest in shorter for reading in readings(rest))
        matches, troubles = _all_matches(list(read), candidates, snapshot)
    if not matches and kind != "field" and (result := _result(phrase, snapshot, candidates)) is not None:
        return [result]
    if not matches and (denied := negated(words)):
        raise NotClear(*unclear(phrase, f"`{denied[0]}` says what is not meant", candidates, words))
    if not matches and troubles:
        raise NotClear(*unclear(phrase, troubles[0], candidates, words))
    if not _is_met(matches):
        raise NotPresent(*explain(phrase, words, candidates, _shown_texts(snapshot)))
    best, rivals = _decide(matches)
    # a wrong click is worse than a failure: what could be several is never guessed
    if rivals and one:
        raise NotClear(*ambiguous(phrase, [best, *rivals]))
    meant = sorted((best, *rivals), key=lambda match: match.candidate.place)
    return [_resolved(match, snapshot) for match in meant]


def _result(phrase: str, snapshot: Snapshot, candidates: Sequence[Candidate]) -> Resolved | None:
    """A counted item of a list of links, such as "the second result"."""
    try:
        result = counted_result(phrase, snapshot)
    except Unclear as trouble:
        raise NotClear(*unclear(phrase, str(trouble), candidates, words_of(phrase))) from trouble
    if result is None or result not in candidates:
        return None
    return Resolved(result, snapshot.locator_of(result), phrase, is_sure=True)


def _resolved(chosen: Match, snapshot: Snapshot) -> Resolved:
    return Resolved(
        chosen.candidate,
        snapshot.locator_of(chosen.candidate),
        str(chosen.reading),
        chosen.fit >= Fit.SYNONYM,
        row_locator(chosen.candidate, chosen.reading.contexts),
        row_guard(chosen.candidate, chosen.reading.contexts),
    )


def _all_matches(
    read: list[Reading], candidates: list[Candidate], snapshot: Snapshot
) -> tuple[list[Match], list[str]]:
    """What fits any reading; a kind that was not announced is tried only where the whole name is nowhere."""
    index = _by_token(candidates)
    matches: list[Match] = []
    troubles: list[str] = []
    for guesses_kind in (False, True):
        if _is_met(matches):
            break
        for reading in read:
            if reading.guesses_kind != guesses_kind or (guesses_kind and _is_a_name(reading.whole, snapshot)):
                continue
            try:
                found = _matches(reading, _named(reading, index, candidates), snapshot)
            except Unclear as trouble:
                troubles.append(str(trouble))
                continue
            is_generic = reading.role is not None and bool(reading.name) and reading.role.is_generic
            may_pass = not guesses_kind or is_generic
            matches += [item for item in found if item.is_kind or may_pass]
    return matches, troubles


def _is_met(matches: list[Match]) -> bool:
    return any(item.fit > Fit.SWALLOWED for item in matches)


def _shown_texts(snapshot: Snapshot) -> list[Tokens]:
    return [piece.text for view in snapshot.views for piece in view.texts]


def _by_token(candidates: list[Candidate]) -> dict[str, list[Candidate]]:
    """Candidates by the words of their names, so that a reading is held against few of them."""
    index: dict[str, dict[int, Candidate]] = {}
    for at, candidate in enumerate(candidates):
        for name in candidate.names:
            for token in (*name.plain, *name.spelled, *name.meant):
                index.setdefault(token, {})[at] = candidate
    return {token: list(found.values()) for token, found in index.items()}


def _named(
    reading: Reading, index: dict[str, list[Candidate]], candidates: list[Candidate]
) -> list[Candidate]:
    if not reading.name:
        return candidates
    tokens = {*plain(reading.name), *spelled(reading.name), *meant(reading.name)}
    found = {id(candidate): candidate for token in tokens for candidate in index.get(token, ())}
    return sorted(found.values(), key=lambda one: one.place)


def _is_a_name(whole: Tokens, snapshot: Snapshot) -> bool:
    """True when the page calls something by all of these words."""
    wanted = meant(whole)
    return any(name.meant == wanted for candidate in snapshot.candidates for name in candidate.names) or any(
        piece.text == wanted for view in snapshot.views for piece in view.texts
    )


def _is_of(candidate: Candidate, kind: Kind) -> bool:
    if kind == "field":
        return candidate.is_field
    if candidate.role == "cell" and not candidate.is_control and kind != "shown":
        return False
    return candidate.role != "frame" and (kind in ("anything", "shown") or candidate.is_control)


def _matches(reading: Reading, candidates: Sequence[Candidate], snapshot: Snapshot) -> list[Match]:
    found = [one for candidate in candidates if (one := match(candidate, reading)) is not None]
    found = _innermost(found)
    for context in reading.contexts:
        if context.kind in _RELATIVE and found:
            found = keep_nearest(_best(found), context, snapshot)
    if reading.ordinal is None or not found:
        return found
    counted = _best(found)
    if not reading.name and len(counted) > _MOST_COUNTED:
        raise Unclear(f"there are {len(counted)} of that kind to count; say what it is called")
    return _nth(counted, reading.ordinal)


def _innermost(found: list[Match]) -> list[Match]:
    """A row within a row is the one that is meant."""
    rows = {row.id: row for item in found if (row := item.candidate.row) is not None and item.rows}
    around = {outer for row in rows.values() for outer in row.outer}
    return [item for item in found if not item.rows or not item.rows <= around]


def _best(found: list[Match]) -> list[Match]:
    best = max((item.fit, item.is_kind) for item in found)
    kept = [item for item in found if (item.fit, item.is_kind) == best]
    place = max(item.place for item in kept)
    return [item for item in kept if item.place == place]


def _nth(found: list[Match], ordinal: int) -> list[Match]:
    """Who counts, counts several: the first of one is not what was meant."""
    if len(found) < 2 or not -len(found) <= ordinal < len(found):  # noqa: PLR2004 - several
        return []
    return [found[ordinal]]


def _decide(matches: list[Match]) -> tuple[Match, list[Match]]:
    """The best match, and those of other elements that fit too well to be passed over."""
    best = max(matches, key=lambda one: one.rank)
    others = {
        id(item.candidate): item
        for item in sorted(matches, key=lambda one: one.rank)
        if item.candidate is not best.candidate
    }
    return best, [other for other in others.values() if _rivals(other, best)]


def _rivals(other: Match, best: Match) -> bool:
    # who counts has chosen among those that fit alike
    if best.reading.ordinal is not None and other.reading == best.reading:
        return False
    if other.fit == best.fit:
        return other.rank >= best.rank
    is_other_kind = best.is_kind and not other.is_kind
    return other.fit >= _RIVALS[best.fit] and not is_other_kind
