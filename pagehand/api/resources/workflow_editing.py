"""Changing a workflow: read, change, save as the next version, unless somebody else was faster."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from pagehand.api.operation import Call
from pagehand.api.resources.lookups import find_workflow
from pagehand.clock import now_ms
from pagehand.errors import Conflict
from pagehand.records import Workflow

_TRIES: Final = 5


async def change(
    call: Call[Any],
    workflow_id: str,
    version: int | None,
    edit: Callable[[Workflow], Workflow],
    tags: Sequence[str] | None = None,
    field: str = "id",
) -> Workflow:
    """Save what `edit` makes of the workflow; without a `version`, on top of any faster change."""
    # without a `version` the caller means "on top of whatever is there": a faster change is not a conflict
    for _ in range(_TRIES):
        now = await find_workflow(call, workflow_id, field)
        if version is not None and now.version != version:
            raise Conflict(f"`version` {version} is stale: the workflow is at version {now.version} by now")
        edited = edit(now)
        edited.updated_at = now_ms()
        saved = await call.services.stores.workflows.save(
            call.organization_id, edited, expected_version=now.version, tag_names=tags
        )
        if saved is not None:
            return saved
    raise Conflict("The workflow is being changed by others right now; try again")
