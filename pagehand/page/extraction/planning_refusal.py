"""Why a page cannot be read by a schema, and what the page has instead."""

from collections.abc import Sequence
from typing import Final

from pagehand.errors import Diagnosis, NotPresent
from pagehand.page.extraction.plan import Plan
from pagehand.page.extraction.snapshot import Snapshot
from pagehand.page.extraction.target_field import TargetField

ADVICE: Final = (
    "Name the values in `fields`, narrow the block's locator to where they stand, or set PAGEHAND_MODEL."
)
_MAX_LABELS: Final = 30
_MAX_SOURCES: Final = 10


def not_found(
    snapshot: Snapshot, fields: Sequence[TargetField], missing: Sequence[str], doubts: Sequence[str]
) -> NotPresent:
    """`missing` are the required fields that were not found; without any, all fields are named."""
    names = missing or [field.name for field in fields if field.name]
    listed = ", ".join(f"`{name}`" for name in names) or "a list of values"
    reasons = "; ".join(doubts)
    sentence = f"Could not find {listed} on the page without a model"
    return NotPresent(
        f"{sentence} ({reasons})" if reasons else sentence,
        Diagnosis(
            expected=", ".join(f"`{field.name or 'values'}`" for field in fields),
            found=_describe(snapshot),
            cause=reasons
            or "nothing on the page is called that, or what is does not hold values of that type",
            advice=ADVICE,
        ),
    )


def same_fit(plan: Plan, other: Plan) -> NotPresent:
    """Two sources have the same columns and different data."""
    names = " and ".join(f"`{_source_name(item)}`" for item in (plan, other))
    return NotPresent(
        f"Two places on the page fit the schema equally well: {names}",
        Diagnosis(
            found=f"{names} have the same columns and different data",
            cause="nothing says which of the two is meant",
            advice="Say it in `prompt` in the words of its heading, or give a locator.",
        ),
    )


def _describe(snapshot: Snapshot) -> str:
    """The labels of the page, source by source."""
    described: list[str] = []
    for source in snapshot.sources:
        if source.kind in ("table", "pairs", "cards", "linkedData") and not source.is_navigation:
            labels = ", ".join(column.label for column in source.columns[:_MAX_LABELS])
            described.append(f"{source.kind}{f' `{source.caption}`' if source.caption else ''}: {labels}")
    return "; ".join(described[:_MAX_SOURCES]) or "no tables, lists, labels or structured data"


def _source_name(plan: Plan) -> str:
    return (plan.origin.caption or plan.origin.kind) if plan.origin else plan.shape
