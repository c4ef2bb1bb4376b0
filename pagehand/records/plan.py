"""Plans that blocks keep for later runs."""

from dataclasses import dataclass
from typing import Any


@dataclass(slots=True, kw_only=True)
class CachedPlan:
    """How a block read or did something, so that the next run needs no model; never data."""

    organization_id: str
    workflow_id: str
    block_id: str
    kind: str
    """`element`, `extraction` or `steps`."""
    key: str
    """A digest of the page and the names of the parameters."""
    written: str
    """A digest of the block and all before it as written; an edit of any of them ends the plan."""
    version: int
    """The version of the workflow whose run made it."""
    page: str
    """Origin and path pattern of the page."""
    made_by: str
    """`model` or `structure`."""
    kept_at: int
    plan: Any
