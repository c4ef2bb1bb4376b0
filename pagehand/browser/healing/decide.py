"""The decision: which candidate is the remembered element, or none. A wrong one is worse than none."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from msgspec import Struct

from pagehand.browser.healing.weights import NOBODY_RANGE, NOBODY_SHARE, WEIGHTS
from pagehand.records import Fingerprint, Json
from pagehand.workflow.effect_words import is_risky

_SHOWN: Final = 3
_DECIDING: Final = 6
_RARE: Final = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """How sure one must be."""

    # measured on pages of unseen sites, one to five years apart (see the design note on healing)
    probability: float = 0.3
    margin: float = 0.1
    # stricter than the 0 of the design note; `benchmarks/healing.py` measures what it heals and refuses
    gap: float = 1.5
    risky_probability: float = 0.9
    """For commit points and words like delete, pay or send."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What was decided and why; `frame` is the position of the winner's frame, -1 for a refusal."""

    frame: int
    reason: str
    facts: Json


class Ranked(Struct, rename="camel"):
    """A candidate that is among the best of its frame."""

    score: float
    seen: dict[str, float]
    """How much each feature speaks for it, before weighing."""
    tag: str
    role: str
    name: str
    rival: float | None
    """How much it is like the nearest of the remembered one's neighbours; for the first candidate alone."""

    @property
    def kind(self) -> str:
        """What it is called to people."""
        return self.role or self.tag


class Ranking(Struct):
    """What `rank` in the page reports of one frame."""

    count: int
    itself: float
    """The score of an element that is the remembered one in everything."""
    scores: list[float]
    best: list[Ranked]


def decide(
    wanted: Fingerprint, reports: Sequence[Ranking], thresholds: Thresholds, *, is_commit: bool
) -> Verdict:
    """Judge what each frame's ranking reports; the best of all wins if it is good enough."""
    # the minus makes the first frame win among equals, as finding does
    ranked = [(report.best[0].score, -at, at) for at, report in enumerate(reports) if report.best]
    if not ranked:
        return Verdict(frame=-1, reason="nothing of its kind is on the page", facts={"candidates": 0})
    frame = max(ranked)[2]
    best = reports[frame].best[0]
    p1, p2 = _probabilities(reports, frame)
    gap = None if best.rival is None else best.score - best.rival
    facts: Json = {
        "p1": round(p1, 4),
        "p2": round(p2, 4),
        "gap": None if gap is None else round(gap, 3),
        "candidates": sum(report.count for report in reports),
        "top": _top(reports),
        "features": _deciding(best.seen),
    }
    reason = _objection(wanted, best, p1, p1 - p2, gap, thresholds, is_commit=is_commit)
    return Verdict(frame=-1 if reason else frame, reason=reason, facts=facts)


def _objection(
    wanted: Fingerprint,
    best: Ranked,
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
        # twins, such as the same link in header and footer: only what surrounds them could tell
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
        (
            bool(best.seen.get("rowApart")) and not _is_its_own(best.seen),
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
    whole = ("idEqual", "addressEqual", "pathEqual", "field", "label", "placeholder", "hint")
    is_marked = any(seen.get(name, 0.0) >= 1 for name in whole)
    return is_marked or seen.get("attributeRarity", 0.0) >= _RARE


def _is_its_own(seen: dict[str, float]) -> bool:
    """True when it is known without its row: nothing else has its name, its address or its id."""
    return seen.get("nameAlone", 0.0) > 0 or any(
        seen.get(name, 0.0) >= 1 for name in ("addressEqual", "idEqual")
    )


def _probabilities(reports: Sequence[Ranking], frame: int) -> tuple[float, float]:
    """Of the best and of its best competitor, "none of them" being one of the choices."""
    mine = reports[frame].scores
    others = [
        *mine[1:],
        *(score for at, report in enumerate(reports) if at != frame for score in report.scores),
    ]
    # an element of which little is known scores low even unchanged: the bar moves with it
    nobody = min(max(NOBODY_SHARE * reports[frame].itself, NOBODY_RANGE[0]), NOBODY_RANGE[1])
    # taken out of the exponents: `exp` overflows beyond 700
    top = max(mine[0], nobody)
    total = sum(math.exp(score - top) for score in (mine[0], nobody, *others))
    second = max(others, default=-math.inf)
    return math.exp(mine[0] - top) / total, math.exp(second - top) / total


def _top(reports: Sequence[Ranking]) -> list[Json]:
    every = sorted((candidate for report in reports for candidate in report.best), key=lambda one: -one.score)
    return [{"role": item.kind, "name": item.name, "score": round(item.score, 2)} for item in every[:_SHOWN]]


def _deciding(seen: dict[str, float]) -> dict[str, float]:
    weighed = {name: value * WEIGHTS.get(name, 0.0) for name, value in seen.items()}
    strongest = sorted(weighed, key=lambda name: -abs(weighed[name]))[:_DECIDING]
    return {name: round(weighed[name], 2) for name in strongest if weighed[name]}
