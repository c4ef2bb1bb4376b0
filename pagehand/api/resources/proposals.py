"""What healing, the recovery agent and chat propose to change in a workflow, applied on a person's word."""

from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Literal, cast

from msgspec import Meta

from pagehand.api.fields import Request, View
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.blocks import BlockList
from pagehand.api.resources.lookups import find_execution, find_workflow
from pagehand.api.resources.workflow_editing import change_workflow, check_definition
from pagehand.api.resources.workflow_views import BlockJson
from pagehand.errors import Conflict, InvalidRequest, NotFound
from pagehand.records import Json, ProposalState, Workflow
from pagehand.workflow import edits, tree

_EXAMPLE_ID: Final = "exec_01k3v8c2m4e6g8j0n2q4s6t8w0"


class ProposalOf(Request):
    """Who proposes it: an execution or a conversation."""

    id: Annotated[str | None, Meta(description="The execution whose run proposes it.")] = None
    thread_id: Annotated[
        str | None, Meta(description="The conversation that does, as `/workflows/blocks/chat` answers it.")
    ] = None


class ProposalView(View):
    """A change that an execution or a conversation proposes to a workflow."""

    state: Annotated[
        Literal["open", "applied", "declined", "outdated"],
        Meta(description="`outdated`: the workflow has changed since, and the change cannot be applied."),
    ]
    execution_id: str | None
    thread_id: str | None
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
    scope="read",
    request=ProposalOf,
    response=ProposalAnswer,
    errors=(404,),
    example={"id": _EXAMPLE_ID},
)
async def get(call: Call[ProposalOf]) -> Result:
    """The change that an execution or a conversation proposes, with the blocks before and after."""
    found = await _find(call)
    version = await call.services.stores.workflows.version(
        call.organization_id, found.workflow_id, found.workflow_version
    )
    if not found.operations or version is None:
        return ProposalAnswer(proposal=None)
    workflow = await call.services.stores.workflows.get(call.organization_id, found.workflow_id)
    is_current = workflow is not None and workflow.version == found.workflow_version
    return ProposalAnswer(
        proposal=ProposalView(
            state="outdated" if found.state == "open" and not is_current else found.state,
            execution_id=call.request.id,
            thread_id=call.request.thread_id,
            workflow_id=found.workflow_id,
            version=found.workflow_version,
            applied_version=found.applied_version,
            operations=found.operations,
            before=version.blocks,
            after=_edited(call, version.blocks, found.operations),
        )
    )


@operation(
    "/executions/applyProposal",
    scope="edit",
    request=ProposalOf,
    response=BlockList,
    errors=(404, 409),
    example={"id": _EXAMPLE_ID},
)
async def apply(call: Call[ProposalOf]) -> Result:
    """Apply what an execution's `metadata.proposedOperations` says, or what a conversation proposes.

    It makes a new version of the workflow. Applied a second time it changes nothing and answers the same. A
    workflow that has changed since is left as it is (409).
    """
    found = await _find_some(call)
    # pressed twice, or asked again after the answer was lost: the same answer, no second version
    if found.state == "applied" and found.applied_version is not None:
        return await _as_applied(call, found, found.applied_version)
    now = await find_workflow(call, found.workflow_id)
    # somebody may have made the same change by hand since
    changed = now if _is_done(call, now, found.operations) else await _change(call, found)
    await _settle(call, "applied", changed.version)
    call.services.changes.publish(call.organization_id, "workflow", found.workflow_id)
    return BlockList(blocks=changed.blocks, version=changed.version)


@operation(
    "/executions/declineProposal",
    scope="edit",
    request=ProposalOf,
    response=ProposalStateAnswer,
    errors=(404, 409),
    example={"id": _EXAMPLE_ID},
)
async def decline(call: Call[ProposalOf]) -> Result:
    """Leave the workflow as it is; nobody is reminded of the proposal any more."""
    if (await _find_some(call)).state == "applied":
        raise Conflict("The proposal was applied already; go back with `/workflows/restore`")
    await _settle(call, "declined")
    return ProposalStateAnswer(state="declined")


@dataclass(slots=True, frozen=True)
class _Proposal:
    """What somebody proposes, whoever it is."""

    workflow_id: str
    workflow_version: int
    operations: list[Json]
    state: ProposalState
    applied_version: int | None


async def _find(call: Call[ProposalOf]) -> _Proposal:
    execution_id, thread_id = call.request.id, call.request.thread_id
    if (execution_id is None) == (thread_id is None):
        raise InvalidRequest(
            "Give one of `id` (the execution that proposes it) and `threadId` (the conversation)"
        )
    if execution_id is not None:
        return await _of_execution(call, execution_id)
    return await _of_thread(call, thread_id or "")


async def _find_some(call: Call[ProposalOf]) -> _Proposal:
    found = await _find(call)
    if not found.operations:
        who = "execution" if call.request.id is not None else "conversation"
        raise Conflict(f"The {who} proposes no change to its workflow")
    return found


async def _of_execution(call: Call[ProposalOf], execution_id: str) -> _Proposal:
    execution = await find_execution(call, execution_id)
    return _Proposal(
        execution.workflow_id,
        execution.workflow_version,
        cast("list[Json]", execution.metadata.get("proposedOperations") or []),
        execution.proposal or "open",
        execution.proposal_version,
    )


async def _of_thread(call: Call[ProposalOf], thread_id: str) -> _Proposal:
    thread = await call.services.stores.threads.get(call.organization_id, thread_id)
    if thread is None:
        raise NotFound("There is no thread with this `threadId` in this organization")
    return _Proposal(
        thread.workflow_id or "",
        thread.workflow_version or 0,
        thread.proposed_operations or [],
        thread.proposal or "open",
        thread.proposal_version,
    )


async def _settle(call: Call[ProposalOf], state: ProposalState, version: int | None = None) -> None:
    store, organization_id = call.services.stores.proposals, call.organization_id
    if call.request.id is not None:
        await store.settle(organization_id, call.request.id, state, version)
    else:
        await store.settle_thread(organization_id, call.request.thread_id or "", state, version)


async def _as_applied(call: Call[ProposalOf], found: _Proposal, version: int) -> BlockList:
    kept = await call.services.stores.workflows.version(call.organization_id, found.workflow_id, version)
    if kept is None:
        raise NotFound("The workflow of this proposal is no longer there")
    return BlockList(blocks=kept.blocks, version=version)


async def _change(call: Call[ProposalOf], found: _Proposal) -> Workflow:
    def edit(now: Workflow) -> Workflow:
        changed = replace(now, blocks=_edited(call, now.blocks, found.operations))
        check_definition(changed, call.services.kinds, tree.from_json(now.blocks))
        return changed

    try:
        return await change_workflow(call, found.workflow_id, found.workflow_version, edit)
    except Conflict as refusal:
        now = await find_workflow(call, found.workflow_id)
        if _is_done(call, now, found.operations):
            return now  # two people pressed the button at the same time
        if now.version == found.workflow_version:
            raise refusal from None  # not the version: the operations themselves do not fit
        raise Conflict(
            f"The proposal was made for version {found.workflow_version} of the workflow, which is at "
            f"version {now.version} by now. Ask or run again for one that fits, or make the change by hand"
        ) from None


def _is_done(call: Call[ProposalOf], workflow: Workflow, operations: list[Json]) -> bool:
    """Whether the workflow is already as the operations would make it."""
    try:
        return _edited(call, workflow.blocks, operations) == workflow.blocks
    except Conflict:
        return False


def _edited(call: Call[ProposalOf], blocks: list[Json], operations: list[Any]) -> list[Json]:
    try:
        return tree.to_json(edits.apply(tree.from_json(blocks), operations, call.services.kinds))
    except InvalidRequest as stale:
        raise Conflict(f"The proposal does not fit the workflow any more: {stale}") from stale


OPERATIONS = (get, apply, decline)
