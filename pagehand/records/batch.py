"""Batches."""

from dataclasses import dataclass


@dataclass(slots=True, kw_only=True)
class Batch:
    """Executions started together, one per row of params."""

    id: str
    organization_id: str
    name: str
    workflow_id: str
    workflow_name: str
    total: int
    created_at: int
    concurrency: int | None = None
    """How many of its executions may run at once; None for any number."""
    paused_at: int | None = None
    """Since when it is paused; None while it is not."""
    cancelled_at: int | None = None
    announced_at: int | None = None
    """When `batch.finished` was sent to webhooks."""
