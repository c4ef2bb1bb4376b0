"""Copies of workflows: duplicates, and export and import between installations."""

from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from pagehand.api.fields import Answer, ById, Id, Name, Request
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.lookups import find_workflow
from pagehand.api.resources.workflow_applying import file_digest
from pagehand.api.resources.workflow_editing import create_workflow
from pagehand.api.resources.workflow_views import (
    FORMAT,
    CreateWorkflow,
    Parameter,
    PortableWorkflow,
    WorkflowAnswer,
)
from pagehand.api.resources.workflows import BLOCKS_EXAMPLE
from pagehand.checks.grammar import CHECKING
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


@operation("/workflows/export", scope="read", response=ExportAnswer)
async def export(call: Call[ById]) -> Result:
    """A workflow as portable JSON: no ids, nothing secret. `/workflows/apply` may then replace it."""
    workflow = await find_workflow(call, call.request.id)
    digest = await CHECKING.run(file_digest, workflow, call.services.kinds)
    if workflow.file_digest != digest:
        await call.services.stores.workflows.set_file_digest(call.organization_id, workflow.id, digest)
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
