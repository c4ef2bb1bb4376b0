"""Reading data out of a page without a model: a snapshot in, data in the shape of a JSON Schema out."""

from pagehand.extraction.applying import apply
from pagehand.extraction.page import read_snapshot
from pagehand.extraction.plan import Plan, plan_to_store, stored_plan
from pagehand.extraction.planning import make_plan
from pagehand.extraction.snapshot import SCRIPT, Snapshot

__all__ = [
    "SCRIPT",
    "Plan",
    "Snapshot",
    "apply",
    "make_plan",
    "plan_to_store",
    "read_snapshot",
    "stored_plan",
]
