"""What healing and the recovery agent propose to change in a workflow, applied on a person's word."""

from dataclasses import replace
from typing import Annotated, Any, Final, Literal, cast

from msgspec import Meta

from pagehand.api.fields import ById, View
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.blocks import BlockList
from pagehand.api.resources.workflow_editing import change, find_workflow
from pagehand.api.resources.workflow_views import BlockJson
from pagehand.errors import Conflict, InvalidRequest, NotFound
from pagehand.records import Execution, Json, Workflow
from pagehand.workflow import edits, tree

_EXAMPLE_ID: Final = "exec_01k3v8c2m4e6g8j0n2q4s6t8w0"


class ProposalView(View):
    """A change that an execution proposes to its workflow."""

    state: Annotated[
        Literal["open", "applied", "declined", "outdated"],
        Meta(description="`outdated`: the workflow has changed since, and the change cannot be applied."),
    ]
    execution_id: str
    workflow_id: str
    version: Annotated[int, Meta(description="The workflow's version that the change was made for.")]
    applied_version: Annotated[int | None, Meta(description="The version that applying it made.")]
    operations: Annotated[list[Json], Meta(description="As `/workflows/blocks/update` takes them.")]
    before: Annotated[list[BlockJson], Meta(description="The blocks as that version had them.")]
    after: Annotated[list[BlockJson], Meta(description="The blocks with the change.")]


class ProposalAnswer(View):
    """One proposal; null where the execution proposes nothing."""

    proposal: ProposalView | None


class ProposalStateAnswer(View):
    """What became of a proposal."""

    state: str


@operation(
    "/executions/getProposal",
    needs="read",
    takes=ById,
    answers=ProposalAnswer,
    errors=(404,),
    example={"id": _EXAMPLE_ID},
)
async def get(call: Call[ById]) -> Result:
    """The change that the execution proposes to its workflow, with the blocks before and after."""
    execution = await _execution(call)
    operations = proposed_operations(execution)
    version = await call.parts.stores.workflows.version(
        call.organization_id, execution.workflow_id, execution.workflow_version
    )
    if not operations or version is None:
        return ProposalAnswer(proposal=None)
    workflow = await call.parts.stores.workflows.get(call.organization_id, execution.workflow_id)
    is_current = workflow is not None and workflow.version == execution.workflow_version
    state = execution.proposal or "open"
    return ProposalAnswer(
        proposal=ProposalView(
            state="outdated" if state == "open" and not is_current else state,
            execution_id=execution.id,
            workflow_id=execution.workflow_id,
            version=execution.workflow_version,
            applied_version=execution.proposal_version,
            operations=operations,
            before=version.blocks,
            after=_edited(call, version.blocks, operations),
        )
    )


@operation(
    "/executions/applyProposal",
    needs="edit",
    takes=ById,
    answers=BlockList,
    errors=(404, 409),
    example={"id": _EXAMPLE_ID},
)
async def apply(call: Call[ById]) -> Result:
    """Apply what the execution's `metadata.proposedOperations` says; makes a new version of its workflow.

    Applied a second time it changes nothing and answers the same. A workflow that has changed since the
    execution is left as it is (409).
    """
    execution = await _execution(call)
    operations = proposed_operations(execution)
    if not operations:
        raise Conflict("The execution proposes no change to its workflow")
    if execution.proposal == "applied" and execution.proposal_version is not None:
        return await _as_applied(call, execution, execution.proposal_version)
    now = await find_workflow(call.parts, call.organization_id, execution.workflow_id)
    changed = now if _is_done(call, now, operations) else await _change(call, execution, operations)
    await call.parts.stores.proposals.settle(call.organization_id, execution.id, "applied", changed.version)
    call.parts.changes.publish(call.organization_id, "workflow", execution.workflow_id)
    return BlockList(blocks=changed.blocks, version=changed.version)


@operation(
    "/executions/declineProposal",
    needs="edit",
    takes=ById,
    answers=ProposalStateAnswer,
    errors=(404, 409),
    example={"id": _EXAMPLE_ID},
)
async def decline(call: Call[ById]) -> Result:
    """Leave the workflow as it is; nobody is reminded of the proposal any more."""
    execution = await _execution(call)
    if not proposed_operations(execution):
        raise Conflict("The execution proposes no change to its workflow")
    if execution.proposal == "applied":
        raise Conflict("The proposal was applied already; go back with `/workflows/restore`")
    await call.parts.stores.proposals.settle(call.organization_id, execution.id, "declined")
    return ProposalStateAnswer(state="declined")


def proposed_operations(execution: Execution) -> list[Json]:
    """The operations that an execution proposes."""
    return cast("list[Json]", execution.metadata.get("proposedOperations") or [])


async def _execution(call: Call[ById]) -> Execution:
    execution = await call.parts.stores.executions.get(call.organization_id, call.request.id)
    if execution is None:
        raise NotFound("There is no execution with this `id` in this organization")
    return execution


async def _as_applied(call: Call[ById], execution: Execution, version: int) -> BlockList:
    kept = await call.parts.stores.workflows.version(call.organization_id, execution.workflow_id, version)
    if kept is None:
        raise NotFound("The workflow of this execution is no longer there")
    return BlockList(blocks=kept.blocks, version=version)


async def _change(call: Call[ById], execution: Execution, operations: list[Json]) -> Workflow:
    def edit(now: Workflow) -> Workflow:
        return replace(now, blocks=_edited(call, now.blocks, operations))

    try:
        return await change(call, execution.workflow_id, execution.workflow_version, edit)
    except Conflict:
        now = await find_workflow(call.parts, call.organization_id, execution.workflow_id)
        if _is_done(call, now, operations):
            return now  # two people pressed the button at the same time
        raise Conflict(
            f"The proposal was made for version {execution.workflow_version} of the workflow, which is at "
            f"version {now.version} by now. Run it again for a proposal that fits, or make the change by hand"
        ) from None


def _is_done(call: Call[ById], workflow: Workflow, operations: list[Json]) -> bool:
    """Whether the workflow is already as the operations would make it."""
    try:
        return _edited(call, workflow.blocks, operations) == workflow.blocks
    except Conflict:
        return False


def _edited(call: Call[ById], blocks: list[Json], operations: list[Any]) -> list[Json]:
    try:
        return tree.to_json(edits.apply(tree.from_json(blocks), operations, call.parts.kinds))
    except InvalidRequest as stale:
        raise Conflict(f"The proposal does not fit the workflow any more: {stale}") from stale


OPERATIONS = (get, apply, decline)
