"""Copies of workflows: duplicates, earlier versions, and export and import between installations."""

from dataclasses import replace
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from pagehand.api.attachment import streamed_list
from pagehand.api.fields import Answer, ById, Id, Listing, Name, Page, Request, Version
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.lookups import find_workflow
from pagehand.api.resources.workflow_applying import FilesPlace, keep_digest
from pagehand.api.resources.workflow_editing import change_workflow, create_workflow
from pagehand.api.resources.workflow_views import (
    FORMAT,
    CreateWorkflow,
    Parameter,
    PortableWorkflow,
    VersionView,
    WorkflowAnswer,
    version_view,
    workflow_view,
)
from pagehand.api.resources.workflows import BLOCKS_EXAMPLE, no_such_version
from pagehand.records import Json, Workflow
from pagehand.workflow.parse import LONGEST_NAME

_COPY_SUFFIX: Final = " (copy)"


class DuplicateWorkflow(Request):
    """Which workflow to copy."""

    id: Id
    name: Annotated[Name | None, Meta(description="The copy's name.")] = None


@operation("/workflows/duplicate", scope="edit", response=WorkflowAnswer, example={"name": "A copy"})
async def duplicate(call: Call[DuplicateWorkflow]) -> Result:
    """Make a copy with new ids."""
    workflow = await find_workflow(call, call.request.id)
    portable = to_portable(workflow)
    # cut, because a copy with too long a name could not be imported again
    name = call.request.name or f"{workflow.name[: LONGEST_NAME - len(_COPY_SUFFIX)]}{_COPY_SUFFIX}"
    return await _create(call, name, portable)


ExportAnswer = Answer("ExportAnswer", "workflow", PortableWorkflow, "A workflow to import elsewhere.")


class ExportWorkflow(ById):
    """Which workflow, and for whom."""

    place: FilesPlace = ""


@operation("/workflows/export", scope="read", response=ExportAnswer)
async def export(call: Call[ExportWorkflow]) -> Result:
    """A workflow as portable JSON: no ids, nothing secret.

    With the scope `edit`, `/workflows/apply` may then replace it.
    """
    workflow = await find_workflow(call, call.request.id)
    # whoever may only read must not make an older file replace what was changed since
    if call.caller.may("edit"):
        await keep_digest(call, workflow, call.request.place)
    return ExportAnswer(to_portable(workflow))


def to_portable(workflow: Workflow) -> PortableWorkflow:
    """A workflow without anything that belongs to one installation."""
    return PortableWorkflow(
        format=FORMAT,
        name=workflow.name,
        blocks=without_ids(workflow.blocks),
        output=workflow.output,
        parameters=msgspec.convert(workflow.parameters, list[Parameter]),
        tags=[tag.name for tag in workflow.tags],
        retry_safe=workflow.retry_safe,
        pictures=workflow.pictures,
    )


def without_ids(blocks: list[Json]) -> list[Json]:
    """Blocks as a client would send them, without what the service adds."""
    return [_without_ids(block) for block in blocks]


def _without_ids(block: Json) -> Json:
    # they are added again when the blocks are saved
    kept = {name: value for name, value in block.items() if name not in ("id", "parentRelationship")}
    if kept.get("sequenceData"):
        kept["sequenceData"] = {name: without_ids(inner) for name, inner in kept["sequenceData"].items()}
    return kept


class ImportWorkflow(Request):
    """What `/workflows/export` returned, and another name for it."""

    workflow: PortableWorkflow
    name: Name | None = None


@operation(
    "/workflows/import",
    scope="edit",
    response=WorkflowAnswer,
    example={"workflow": {"format": FORMAT, "name": "Double it", "blocks": BLOCKS_EXAMPLE}},
)
async def import_one(call: Call[ImportWorkflow]) -> Result:
    """Create a workflow from an exported one; everything is checked, nothing is run."""
    portable = call.request.workflow
    name = call.request.name or portable.name
    return await _create(call, name, portable)


async def _create(call: Call[Any], name: str, portable: PortableWorkflow) -> WorkflowAnswer:
    definition = CreateWorkflow(
        name=name,
        blocks=portable.blocks,
        output=portable.output,
        parameters=portable.parameters,
        tags=portable.tags,
        retry_safe=portable.retry_safe,
        pictures=portable.pictures,
    )
    return await create_workflow(call, definition)


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
