"""The decision: which candidate is the element of a fingerprint, or none. A wrong one is worse than none."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from msgspec import Struct

from pagehand.browser_session import CandidateScore, HealingFacts
from pagehand.records import Fingerprint
from pagehand.workflow.effect_words import is_risky

_SHOWN_CANDIDATES: Final = 3
_SHOWN_FEATURES: Final = 6
_RARE: Final = 0.6
WEIGHTS: Final = {
    "name": 1.75,
    "nameEqual": 0.5,
    "nameRarity": 2.0,
    # disagreement counts against an element; what both lack is neutral
    "nameApart": -1.25,
    "nameAlone": 3.0,
    "nameLost": -0.75,
    # a counter in a name may change, the number of a series (`Row 3`) may not
    "numberApart": -4.0,
    "opposite": -4.0,
    "address": 1.5,
    "addressEqual": 0.75,
    # renamed, but nothing else leads or led to the same place
    "addressAlone": 5.0,
    "pathEqual": 1.5,
    "addressApart": -1.75,
    "addressLost": -0.75,
    "fragmentEqual": 0.5,
    "id": 0.75,
    "idEqual": 1.0,
    "classes": 1.75,
    "classesEqual": 1.25,
    "attributes": 2.25,
    "attributeRarity": 0.5,
    "field": 1.0,
    "placeholder": 1.0,
    "label": 1.0,
    "hint": 0.75,
    "image": 0.75,
    "iconEqual": 2.0,
    "row": 1.0,
    # rare words around an element are what distinguishes twins; see the design note
    "rowRarity": 4.0,
    "rowApart": -2.5,
    "near": 1.5,
    "nearRarity": 4.0,
    "far": 1.5,
    "farRarity": 4.0,
    "before": 0.5,
    "beforeRarity": 1.25,
    "after": 0.5,
    "afterRarity": 1.0,
    "heading": 0.75,
    "landmark": 0.75,
    "ancestors": 0.5,
    # place and tag are weak alone (2 to 49 % right): tie-breakers only
    "path": 0.25,
    "tag": 0.25,
    "role": 0.25,
    "hosts": 0.25,
    "frame": 0.5,
}
NONE_SHARE: Final = 0.4
"""The score of "none of them", as a share of what the element itself would score unchanged …"""
NONE_RANGE: Final = (4.5, 7.0)
"""… and its bounds: what the best must beat to be believed."""
RIVALS: Final = 15
"""How many elements most like it are remembered beside an element."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """How sure healing must be."""

    # measured on pages of unseen sites, one to five years apart (see the design note on healing)
    probability: float = 0.3
    margin: float = 0.1
    # stricter than the 0 of the design note; `benchmarks/healing.py` measures what it heals and refuses
    gap: float = 1.5
    risky_probability: float = 0.9
    """For commit points and words like delete, pay or send."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What was decided and why; `frame` is the position of the winner's frame, -1 for a refusal."""

    frame: int
    reason: str
    facts: HealingFacts


class RankedCandidate(Struct, rename="camel"):
    """A candidate that is among the best of its frame."""

    score: float
    seen: dict[str, float]
    """How much each feature speaks for it, before weighing."""
    tag: str
    role: str
    name: str
    rival: float | None
    """How much it is like the nearest neighbour the wanted element had; for the first candidate alone."""

    @property
    def kind(self) -> str:
        """What messages call it: its role, or its tag without one."""
        return self.role or self.tag


class FrameRanking(Struct):
    """What `rank` in the page reports of one frame."""

    count: int
    itself: float
    """The score of an element that has not changed at all."""
    scores: list[float]
    best: list[RankedCandidate]


def decide(
    wanted: Fingerprint, rankings: Sequence[FrameRanking], thresholds: Thresholds, *, is_commit: bool
) -> Decision:
    """Judge the rankings of all frames; the best candidate of all wins if it is good enough."""
    # the minus makes the first frame win among equals, as finding does
    ranked = [(ranking.best[0].score, -at, at) for at, ranking in enumerate(rankings) if ranking.best]
    if not ranked:
        reason = "nothing of its kind is on the page"
        return Decision(frame=-1, reason=reason, facts=HealingFacts(candidates=0))
    frame = max(ranked)[2]
    best = rankings[frame].best[0]
    p1, p2 = _probabilities(rankings, frame)
    gap = None if best.rival is None else best.score - best.rival
    facts = HealingFacts(
        p1=round(p1, 4),
        p2=round(p2, 4),
        gap=None if gap is None else round(gap, 3),
        candidates=sum(ranking.count for ranking in rankings),
        top=_top(rankings),
        features=_strongest(best.seen),
    )
    reason = _objection(wanted, best, p1, p1 - p2, gap, thresholds, is_commit=is_commit)
    return Decision(frame=-1 if reason else frame, reason=reason, facts=facts)


def _probabilities(rankings: Sequence[FrameRanking], frame: int) -> tuple[float, float]:
    """Of the best and of its best competitor, "none of them" being one of the choices."""
    mine = rankings[frame].scores
    others = [
        *mine[1:],
        *(score for at, ranking in enumerate(rankings) if at != frame for score in ranking.scores),
    ]
    # an element of which little is known scores low even unchanged: the bar moves with it
    none = min(max(NONE_SHARE * rankings[frame].itself, NONE_RANGE[0]), NONE_RANGE[1])
    # taken out of the exponents: `exp` overflows beyond 700
    top = max(mine[0], none)
    total = sum(math.exp(score - top) for score in (mine[0], none, *others))
    second = max(others, default=-math.inf)
    return math.exp(mine[0] - top) / total, math.exp(second - top) / total


def _top(rankings: Sequence[FrameRanking]) -> list[CandidateScore]:
    candidates = (candidate for ranking in rankings for candidate in ranking.best)
    best = sorted(candidates, key=lambda candidate: -candidate.score)[:_SHOWN_CANDIDATES]
    return [CandidateScore(item.kind, item.name, round(item.score, 2)) for item in best]


def _strongest(seen: dict[str, float]) -> dict[str, float]:
    weighed = {name: value * WEIGHTS.get(name, 0.0) for name, value in seen.items()}
    strongest = sorted(weighed, key=lambda name: -abs(weighed[name]))[:_SHOWN_FEATURES]
    return {name: round(weighed[name], 2) for name in strongest if weighed[name]}


def _objection(
    wanted: Fingerprint,
    best: RankedCandidate,
    p1: float,
    margin: float,
    gap: float | None,
    thresholds: Thresholds,
    *,
    is_commit: bool,
) -> str:
    """Why the best is not to be trusted; empty when it is."""
    named = f"{best.kind} `{best.name}`"
    is_renamed = bool(best.seen.get("nameApart") or best.seen.get("nameLost"))
    was_risky, would_be_risky = is_risky(wanted.name), is_risky(best.name)
    needs_care = is_commit or was_risky or would_be_risky
    objections = (
        # the order decides which reason is shown: the most general one first
        (p1 < thresholds.probability, f"nothing is enough like it; the nearest is {named}"),
        # twins, such as the same link in header and footer: only their surroundings differ
        (margin < thresholds.margin, "two or more are equally like it, and nothing tells them apart"),
        (
            gap is not None and gap < thresholds.gap,
            f"{named} is hardly more like it than like a neighbour it had",
        ),
        (
            is_renamed and not _has_own_marks(best.seen),
            f"{named} stands where it stood, but has nothing of its own in common with it",
        ),
        (
            bool(best.seen.get("numberApart")),
            f"{named} belongs to the same numbered series, and has another number",
        ),
        (bool(best.seen.get("opposite")), f"{named} says the opposite, as `first` and `last` do"),
        (
            bool(best.seen.get("rowApart")) and not _is_unique(best.seen),
            f"{named} stands in another row",
        ),
        (
            would_be_risky and not was_risky,
            f"{named} would do something hard to undo, which the remembered one did not",
        ),
        (
            needs_care and p1 < thresholds.risky_probability,
            f"{named} is only probably the one, and what it does is hard to undo",
        ),
    )
    return next((reason for holds, reason in objections if holds), "")


def _has_own_marks(seen: dict[str, float]) -> bool:
    """True when something other than its name, its looks and its place says that it is the same."""
    marks = ("idEqual", "addressEqual", "pathEqual", "field", "label", "placeholder", "hint")
    is_marked = any(seen.get(name, 0.0) >= 1 for name in marks)
    return is_marked or seen.get("attributeRarity", 0.0) >= _RARE


def _is_unique(seen: dict[str, float]) -> bool:
    """True when it is known without its row: nothing else has its name, its address or its id."""
    return seen.get("nameAlone", 0.0) > 0 or any(
        seen.get(name, 0.0) >= 1 for name in ("addressEqual", "idEqual")
    )
