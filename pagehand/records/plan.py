"""How blocks did their work, for the runs that follow."""

from dataclasses import dataclass
from typing import Any


@dataclass(slots=True, kw_only=True)
class CachedPlan:
    """How a block read or did something last time, so that nobody has to be asked again; never data."""

    organization_id: str
    workflow_id: str
    block_id: str
    kind: str
    """`element`, `extraction` or `steps`."""
    key: str
    """Stands for the page and the names of the parameters."""
    written: str
    """Stands for the block and all before it as written; editing any of them ends the plan."""
    version: int
    """The workflow's version by which it was made."""
    page: str
    """Origin and path pattern of the page."""
    made_by: str
    """`model` or `structure`."""
    kept_at: int
    plan: Any
