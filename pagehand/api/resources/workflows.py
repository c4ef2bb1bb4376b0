"""Workflows: create, read, change."""

from dataclasses import replace
from typing import Annotated, ClassVar

from msgspec import Meta, field

from pagehand.api.attachment import streamed_list
from pagehand.api.fields import (
    ById,
    Id,
    Listing,
    Name,
    Named,
    Page,
    Request,
    SearchText,
    TagNames,
    Version,
)
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.lookups import find_workflow, workflow_not_found
from pagehand.api.resources.tags import TagFilters, tag_ids
from pagehand.api.resources.workflow_editing import (
    change_workflow,
    check_definition,
    create_workflow,
    view_with_schemas,
)
from pagehand.api.resources.workflow_views import (
    CreateWorkflow,
    NamedWorkflow,
    NewBlockJson,
    Output,
    Parameters,
    Pictures,
    RetrySafe,
    WorkflowAnswer,
    WorkflowView,
    check_output,
    check_parameters,
    earlier_view,
    warning_views,
    workflow_view,
)
from pagehand.blocks import Registry
from pagehand.checks import WorkflowWarning
from pagehand.checks.grammar import CHECKING
from pagehand.errors import InvalidRequest, NotFound
from pagehand.records import Json, Workflow
from pagehand.workflow import tree
from pagehand.workflow.parse import parse_blocks

BLOCKS_EXAMPLE: list[Json] = [
    {"type": "Navigate", "data": {"url": "https://example.com"}},
    {
        "type": "Transform",
        "blockReferenceId": "answer",
        "data": {"input": "{{params.n}}", "code": "input * 2"},
    },
]


@operation(
    "/workflows/create",
    scope="edit",
    response=WorkflowAnswer,
    example={"name": "Double it", "blocks": BLOCKS_EXAMPLE, "tags": ["examples"]},
)
async def create(call: Call[CreateWorkflow]) -> Result:
    """Make a workflow; a block needs only `type` and `data`, the rest gets defaults."""
    return await create_workflow(call, call.request)


class GetWorkflow(Request):
    """Which workflow, and at which version."""

    id: Id
    version: Annotated[Version | None, Meta(description="An earlier version instead of today's.")] = None
    with_warnings: Annotated[bool, Meta(description="Also say what is doubtful in it, as a save does.")] = (
        False
    )


@operation("/workflows/get", scope="read", response=WorkflowAnswer)
async def get(call: Call[GetWorkflow]) -> Result:
    """One workflow with its whole tree of blocks."""
    workflow = await find_workflow(call, call.request.id)
    if call.request.version is None:
        view = await view_with_schemas(workflow, call.services.kinds)
        if not call.request.with_warnings:
            return WorkflowAnswer(workflow=view)
        warnings = await CHECKING.run(_doubts, workflow, call.services.kinds)
        return WorkflowAnswer(workflow=view, warnings=warning_views(warnings))
    version = await call.services.stores.workflows.version(
        call.organization_id, workflow.id, call.request.version
    )
    if version is None:
        raise no_such_version()
    return WorkflowAnswer(workflow=earlier_view(workflow, version))


def _doubts(workflow: Workflow, kinds: Registry) -> list[WorkflowWarning]:
    try:
        return check_definition(workflow, kinds)
    # saved under rules that were less strict
    except InvalidRequest as refusal:
        return [WorkflowWarning(None, "", refusal.message)]


def no_such_version() -> NotFound:
    """The refusal of a version that the workflow never had."""
    return NotFound("The workflow has no such `version`")


class ListWorkflows(Page):
    """Which workflows."""

    search: Annotated[SearchText | None, Meta(description="Part of the name.")] = None
    tag_filters: TagFilters = field(default_factory=list[str])


WorkflowList = Listing("WorkflowList", "workflows", WorkflowView, "Newest first.")


@operation("/workflows/list", scope="read", response=WorkflowList, example={"search": "claim", "limit": 20})
async def list_all(call: Call[ListWorkflows]) -> Result:
    """Workflows of the organization."""
    request = call.request
    found, total = await call.services.stores.workflows.list(
        call.organization_id,
        search=request.search,
        tag_ids=await tag_ids(call, request.tag_filters),
        limit=request.limit,
        offset=request.offset,
    )
    return await streamed_list("workflows", (map(workflow_view, part) async for part in found), total=total)


class UpdateWorkflow(Request):
    """What changes; fields left out stay as they are."""

    FIELD_HINTS: ClassVar[dict[str, str]] = {
        "operations": "blocks are changed one by one with `/workflows/blocks/update`",
        **dict.fromkeys(("createdAt", "updatedAt"), "is set by the service; leave it out"),
    }

    id: Id
    name: Name | None = None
    blocks: Annotated[list[NewBlockJson] | None, Meta(description="The whole new tree.")] = None
    tags: TagNames | None = None
    output: Output = None
    parameters: Parameters | None = None
    retry_safe: RetrySafe | None = None
    pictures: Pictures | None = None
    version: Annotated[
        Version | None, Meta(description="Refuse the change if this is no longer the version.")
    ] = None


@operation(
    "/workflows/update",
    scope="edit",
    response=WorkflowAnswer,
    errors=(409,),
    example={"name": "Double it twice"},
)
async def update(call: Call[UpdateWorkflow]) -> Result:
    """Change any of name, blocks, tags, output, parameters and settings together; makes a new version."""
    request = call.request
    changes: Json = {}
    if request.name is not None:
        changes["name"] = request.name
    if request.output is not None:
        changes["output"] = check_output(request.output)
    if request.parameters is not None:
        changes["parameters"] = check_parameters(request.parameters)
    if request.retry_safe is not None:
        changes["retry_safe"] = request.retry_safe
    if request.pictures is not None:
        changes["pictures"] = request.pictures
    warnings: list[WorkflowWarning] = []

    def edit(now: Workflow) -> Workflow:
        edited = replace(now, **changes)
        if request.blocks is not None:
            edited.blocks = tree.to_json(parse_blocks(request.blocks, call.services.kinds))
        warnings[:] = check_definition(edited, call.services.kinds, tree.from_json(now.blocks))
        return edited

    changed = await change_workflow(call, request.id, request.version, edit, request.tags)
    return WorkflowAnswer(
        workflow=await view_with_schemas(changed, call.services.kinds), warnings=warning_views(warnings)
    )


@operation("/workflows/delete", scope="edit", response=NamedWorkflow)
async def delete(call: Call[ById]) -> Result:
    """Delete a workflow; its executions stay readable."""
    workflow = await find_workflow(call, call.request.id)
    if not await call.services.stores.workflows.delete(call.organization_id, workflow.id):
        raise workflow_not_found()
    return NamedWorkflow(Named(id=workflow.id, name=workflow.name))
