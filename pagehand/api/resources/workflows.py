"""Workflows: create, read, change."""

from dataclasses import replace
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta, field

from pagehand.api.fields import (
    ById,
    Id,
    Limit,
    Name,
    Named,
    Offset,
    Request,
    TagName,
    TagNames,
    Version,
    View,
)
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.lookups import find_workflow, workflow_not_found
from pagehand.api.resources.tag_filters import TagFilters, tag_ids
from pagehand.api.resources.workflow_editing import change
from pagehand.api.resources.workflow_views import (
    NamedWorkflow,
    NewBlockJson,
    Output,
    Parameter,
    Parameters,
    RetrySafe,
    WorkflowAnswer,
    WorkflowView,
    as_it_was,
    warning_views,
    workflow_view,
)
from pagehand.blocks import Registry
from pagehand.checks import Doubt, check_workflow
from pagehand.checks.schemas import schemas_of
from pagehand.clock import now_ms
from pagehand.errors import InvalidRequest, NotFound
from pagehand.ids import new_id
from pagehand.records import Json, Workflow
from pagehand.workflow import templates, tree
from pagehand.workflow.envelope import Envelope
from pagehand.workflow.parameters import check_declared
from pagehand.workflow.parse import parse_blocks

EXAMPLE_ID = "wf_01k3v8c2m4e6g8j0n2q4s6t8w0"
BLOCKS_EXAMPLE: list[Json] = [
    {"type": "Navigate", "data": {"url": "https://example.com"}},
    {
        "type": "Transform",
        "blockReferenceId": "answer",
        "data": {"input": "{{params.n}}", "code": "input * 2"},
    },
]


class CreateWorkflow(Request):
    """A new workflow."""

    name: Name
    blocks: list[NewBlockJson] = field(default_factory=list[NewBlockJson])
    tags: TagNames = field(default_factory=list[TagName])
    output: Output = None
    parameters: Parameters = field(default_factory=list[Parameter])
    retry_safe: RetrySafe = False


@operation(
    "/workflows/create",
    scope="edit",
    request=CreateWorkflow,
    response=WorkflowAnswer,
    example={"name": "Double it", "blocks": BLOCKS_EXAMPLE, "tags": ["examples"]},
)
async def create(call: Call[CreateWorkflow]) -> Result:
    """Make a workflow; a block needs only `type` and `data`, the rest gets defaults."""
    request = call.request
    return await add(
        call,
        request.name,
        request.blocks,
        request.output,
        request.parameters,
        request.tags,
        request.retry_safe,
    )


async def add(
    call: Call[Any],
    name: str,
    blocks: list[Json],
    output: Any,
    parameters: list[Parameter],
    tags: list[str],
    retry_safe: bool,
) -> WorkflowAnswer:
    """Check a definition and keep it as version 1 of a new workflow."""
    now = now_ms()
    # everything is checked before anything is stored, and nothing of it is run
    parsed, declared = parse_blocks(blocks, call.services.kinds), stored_parameters(parameters)
    warnings = check_workflow(parsed, call.services.kinds, output=output, parameters=declared)
    workflow = Workflow(
        id=new_id("wf"),
        organization_id=call.organization_id,
        name=name,
        version=1,
        blocks=tree.to_json(parsed),
        output=checked_output(output),
        parameters=declared,
        retry_safe=retry_safe,
        created_at=now,
        updated_at=now,
    )
    added = await call.services.stores.workflows.add(workflow, tags)
    return WorkflowAnswer(workflow=whole_view(added, call.services.kinds), warnings=warning_views(warnings))


def checked_output(output: Any) -> Any:
    """An output whose templates are well formed; an empty text stands for none."""
    try:
        templates.check(output)
    except InvalidRequest as problem:
        raise InvalidRequest(f"`output`: {problem.message}") from None
    return None if output == "" else output


def stored_parameters(parameters: list[Parameter]) -> list[Json]:
    """Declared parameters as the workflow keeps them; each name once, and each fits itself."""
    stored = [msgspec.to_builtins(parameter) for parameter in parameters]
    check_declared(stored)
    return stored


class GetWorkflow(Request):
    """Which workflow, and at which version."""

    id: Id
    version: Annotated[Version | None, Meta(description="An earlier version instead of today's.")] = None


@operation(
    "/workflows/get",
    scope="read",
    request=GetWorkflow,
    response=WorkflowAnswer,
    errors=(404,),
    example={"id": EXAMPLE_ID},
)
async def get(call: Call[GetWorkflow]) -> Result:
    """One workflow with its whole tree of blocks."""
    workflow = await find_workflow(call, call.request.id)
    if call.request.version is None:
        return WorkflowAnswer(workflow=whole_view(workflow, call.services.kinds))
    version = await call.services.stores.workflows.version(
        call.organization_id, workflow.id, call.request.version
    )
    if version is None:
        raise no_such_version()
    return WorkflowAnswer(workflow=as_it_was(workflow, version))


def no_such_version() -> NotFound:
    """The refusal of a version that the workflow never had."""
    return NotFound("The workflow has no such `version`")


class ListWorkflows(Request):
    """Which workflows."""

    search: Annotated[str | None, Meta(description="Part of the name.")] = None
    tag_filters: TagFilters = field(default_factory=list[str])
    limit: Limit = 100
    offset: Offset = 0


class WorkflowList(View):
    """Newest first."""

    workflows: list[WorkflowView]
    total: int


@operation(
    "/workflows/list",
    scope="read",
    request=ListWorkflows,
    response=WorkflowList,
    example={"search": "claim", "limit": 20},
)
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
    return WorkflowList(workflows=[workflow_view(workflow) for workflow in found], total=total)


class UpdateWorkflow(Request):
    """What changes; fields left out stay as they are."""

    FIELD_HINTS: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("blocks", "operations"), "blocks are changed with `/workflows/blocks/update`"),
        **dict.fromkeys(("createdAt", "updatedAt"), "is set by the service; leave it out"),
    }

    id: Id
    name: Name | None = None
    tags: TagNames | None = None
    output: Output = None
    parameters: Parameters | None = None
    retry_safe: RetrySafe | None = None
    version: Annotated[
        Version | None, Meta(description="Refuse the change if this is no longer the version.")
    ] = None


@operation(
    "/workflows/update",
    scope="edit",
    request=UpdateWorkflow,
    response=WorkflowAnswer,
    errors=(404, 409),
    example={"id": EXAMPLE_ID, "name": "Double it twice"},
)
async def update(call: Call[UpdateWorkflow]) -> Result:
    """Change name, tags, output, parameters or `retrySafe`; makes a new version."""
    request = call.request
    changes: Json = {}
    if request.name is not None:
        changes["name"] = request.name
    if request.output is not None:
        changes["output"] = checked_output(request.output)
    if request.parameters is not None:
        changes["parameters"] = stored_parameters(request.parameters)
    if request.retry_safe is not None:
        changes["retry_safe"] = request.retry_safe
    warnings: list[Doubt] = []

    def edit(now: Workflow) -> Workflow:
        edited = replace(now, **changes)
        warnings[:] = checked(edited, call.services.kinds)
        return edited

    changed = await change(call, request.id, request.version, edit, request.tags)
    return WorkflowAnswer(workflow=whole_view(changed, call.services.kinds), warnings=warning_views(warnings))


def whole_view(workflow: Workflow, kinds: Registry) -> WorkflowView:
    """A workflow with what it takes and puts out."""
    shown = workflow_view(workflow)
    shown.input_schema, shown.output_schema = schemas_of(workflow, kinds)
    return shown


def checked(workflow: Workflow, kinds: Registry, before: list[Envelope] | None = None) -> list[Doubt]:
    """Refuse a workflow that can never work; what is doubtful in it."""
    return check_workflow(
        tree.from_json(workflow.blocks),
        kinds,
        output=workflow.output,
        parameters=workflow.parameters,
        before=before or (),
    )


@operation(
    "/workflows/delete",
    scope="edit",
    request=ById,
    response=NamedWorkflow,
    errors=(404,),
    example={"id": EXAMPLE_ID},
)
async def delete(call: Call[ById]) -> Result:
    """Delete a workflow; its executions stay readable."""
    workflow = await find_workflow(call, call.request.id)
    if not await call.services.stores.workflows.delete(call.organization_id, workflow.id):
        raise workflow_not_found()
    return NamedWorkflow(workflow=Named(id=workflow.id, name=workflow.name))


OPERATIONS = (create, get, list_all, update, delete)
