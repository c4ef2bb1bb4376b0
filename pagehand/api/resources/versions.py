"""Versions of workflows: list them, and restore one."""

from dataclasses import replace

from pagehand.api.attachment import streamed_list
from pagehand.api.fields import Id, Listing, Page, Request, Version
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.lookups import find_workflow
from pagehand.api.resources.workflow_editing import change_workflow
from pagehand.api.resources.workflow_views import (
    VersionView,
    WorkflowAnswer,
    version_view,
    workflow_view,
)
from pagehand.api.resources.workflows import no_such_version
from pagehand.records import Json


class ListVersions(Page, kw_only=True):
    """Whose versions."""

    id: Id


VersionList = Listing("VersionList", "versions", VersionView, "Newest first.")


@operation("/workflows/versions", scope="read", response=VersionList)
async def versions(call: Call[ListVersions]) -> Result:
    """The versions of a workflow."""
    request = call.request
    await find_workflow(call, request.id)
    found, total = await call.services.stores.workflows.versions(
        call.organization_id, request.id, request.limit, request.offset
    )
    return await streamed_list("versions", (map(version_view, part) async for part in found), total=total)


class RestoreWorkflow(Request):
    """Which version to go back to."""

    id: Id
    version: Version


@operation("/workflows/restore", scope="edit", response=WorkflowAnswer, errors=(409,), example={"version": 1})
async def restore(call: Call[RestoreWorkflow]) -> Result:
    """Make a new version with the content of an earlier one."""
    request = call.request
    await find_workflow(call, request.id)
    old = await call.services.stores.workflows.version(call.organization_id, request.id, request.version)
    if old is None:
        raise no_such_version()
    content: Json = {
        "name": old.name,
        "blocks": old.blocks,
        "output": old.output,
        "parameters": old.parameters,
        "retry_safe": old.retry_safe,
        "pictures": old.pictures,
    }
    # as a new version: the versions in between stay
    changed = await change_workflow(call, request.id, None, lambda now: replace(now, **content))
    return WorkflowAnswer(workflow=workflow_view(changed))
