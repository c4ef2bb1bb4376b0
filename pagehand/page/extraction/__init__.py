"""Extracting data from a page without a model: a snapshot in, data in the shape of a JSON Schema out."""

from pagehand.page.extraction.applying import apply_plan
from pagehand.page.extraction.plan import Plan, plan_to_store, stored_plan
from pagehand.page.extraction.planning import make_plan, records_named
from pagehand.page.extraction.snapshot import SCRIPT, Snapshot
from pagehand.page.extraction.sources import read_snapshot

__all__ = [
    "SCRIPT",
    "Plan",
    "Snapshot",
    "apply_plan",
    "make_plan",
    "plan_to_store",
    "read_snapshot",
    "records_named",
    "stored_plan",
]
