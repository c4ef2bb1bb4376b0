"""Changing a workflow: read, change, save as the next version, unless somebody else was faster."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from pagehand.api.operation import Call
from pagehand.clock import now_ms
from pagehand.errors import Conflict, NotFound
from pagehand.records import Workflow
from pagehand.storage.workflows import WorkflowStore

_TRIES: Final = 5


def workflow_not_found(field: str) -> NotFound:
    """The same sentence whether there is none or it is another organization's."""
    return NotFound(f"There is no workflow with this `{field}` in this organization")


async def find_workflow(
    workflows: WorkflowStore, organization_id: str, workflow_id: str, field: str = "id"
) -> Workflow:
    """The workflow; raises NotFound naming the field."""
    workflow = await workflows.get(organization_id, workflow_id)
    if workflow is None:
        raise workflow_not_found(field)
    return workflow


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
        now = await find_workflow(call.services.stores.workflows, call.organization_id, workflow_id, field)
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
