"""Proposals of healing, the recovery agent and chat to change a workflow: apply or decline them."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from msgspec import Meta, convert, to_builtins

from pagehand.api.fields import Request, View
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.blocks import BlockList
from pagehand.api.resources.lookups import find_execution, find_workflow
from pagehand.api.resources.workflow_editing import change_workflow, check_definition
from pagehand.api.resources.workflow_views import BlockJson
from pagehand.errors import Conflict, InvalidRequest, NotFound
from pagehand.records import Json, ProposalState, ProposedOperation, Workflow
from pagehand.workflow import edits, tree


class ProposalOf(Request):
    """The execution or the conversation that proposes the change."""

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
    """The state of a proposal."""

    state: str


@operation("/executions/getProposal", scope="read", response=ProposalAnswer)
async def get(call: Call[ProposalOf]) -> Result:
    """The change that an execution or a conversation proposes, with the blocks before and after."""
    proposal = await _find(call)
    version = await call.services.stores.workflows.version(
        call.organization_id, proposal.workflow_id, proposal.workflow_version
    )
    if not proposal.operations or version is None:
        return ProposalAnswer(proposal=None)
    workflow = await call.services.stores.workflows.get(call.organization_id, proposal.workflow_id)
    is_current = workflow is not None and workflow.version == proposal.workflow_version
    return ProposalAnswer(
        proposal=ProposalView(
            state="outdated" if proposal.state == "open" and not is_current else proposal.state,
            execution_id=call.request.id,
            thread_id=call.request.thread_id,
            workflow_id=proposal.workflow_id,
            version=proposal.workflow_version,
            applied_version=proposal.applied_version,
            operations=to_builtins(proposal.operations),
            before=version.blocks,
            after=_edit(call, version.blocks, proposal.operations),
        )
    )


@operation("/executions/applyProposal", scope="edit", response=BlockList, errors=(409,))
async def apply(call: Call[ProposalOf]) -> Result:
    """Apply what an execution's `metadata.proposedOperations` says, or what a conversation proposes.

    It makes a new version of the workflow. Applied a second time it changes nothing and answers the same. A
    workflow that has changed since is left as it is (409).
    """
    proposal = await _find_change(call)
    # applied twice, or repeated after the response was lost: the same response, no second version
    if proposal.state == "applied" and proposal.applied_version is not None:
        return await _applied_blocks(call, proposal, proposal.applied_version)
    current = await find_workflow(call, proposal.workflow_id)
    # somebody may have made the same change by hand since
    is_applied = _is_applied(call, current, proposal.operations)
    changed = current if is_applied else await _apply(call, proposal)
    await _settle(call, "applied", changed.version)
    call.services.changes.publish(call.organization_id, "workflow", proposal.workflow_id)
    return BlockList(blocks=changed.blocks, version=changed.version)


@operation("/executions/declineProposal", scope="edit", response=ProposalStateAnswer, errors=(409,))
async def decline(call: Call[ProposalOf]) -> Result:
    """Leave the workflow unchanged; the proposal no longer asks for attention."""
    if (await _find_change(call)).state == "applied":
        raise Conflict("The proposal was applied already; go back with `/workflows/restore`")
    await _settle(call, "declined")
    return ProposalStateAnswer(state="declined")


@dataclass(slots=True, frozen=True)
class _Proposal:
    """A proposal of an execution or of a conversation."""

    workflow_id: str
    workflow_version: int
    operations: list[ProposedOperation]
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


async def _find_change(call: Call[ProposalOf]) -> _Proposal:
    """The proposal; raises Conflict when it is empty."""
    proposal = await _find(call)
    if not proposal.operations:
        who = "execution" if call.request.id is not None else "conversation"
        raise Conflict(f"The {who} proposes no change to its workflow")
    return proposal


async def _of_execution(call: Call[ProposalOf], execution_id: str) -> _Proposal:
    execution = await find_execution(call, execution_id)
    return _Proposal(
        execution.workflow_id,
        execution.workflow_version,
        convert(execution.metadata.get("proposedOperations") or [], list[ProposedOperation]),
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
        convert(thread.proposed_operations or [], list[ProposedOperation]),
        thread.proposal or "open",
        thread.proposal_version,
    )


async def _settle(call: Call[ProposalOf], state: ProposalState, version: int | None = None) -> None:
    store, organization_id = call.services.stores.proposals, call.organization_id
    if call.request.id is not None:
        await store.settle(organization_id, call.request.id, state, version)
    else:
        await store.settle_thread(organization_id, call.request.thread_id or "", state, version)


async def _applied_blocks(call: Call[ProposalOf], proposal: _Proposal, version: int) -> BlockList:
    stores, workflow_id = call.services.stores, proposal.workflow_id
    applied = await stores.workflows.version(call.organization_id, workflow_id, version)
    if applied is None:
        raise NotFound("The workflow of this proposal is no longer there")
    return BlockList(blocks=applied.blocks, version=version)


async def _apply(call: Call[ProposalOf], proposal: _Proposal) -> Workflow:
    def edit(current: Workflow) -> Workflow:
        changed = replace(current, blocks=_edit(call, current.blocks, proposal.operations))
        check_definition(changed, call.services.kinds, tree.from_json(current.blocks))
        return changed

    try:
        return await change_workflow(call, proposal.workflow_id, proposal.workflow_version, edit)
    except Conflict as refusal:
        current = await find_workflow(call, proposal.workflow_id)
        if _is_applied(call, current, proposal.operations):
            return current  # two people applied it at the same time
        if current.version == proposal.workflow_version:
            raise refusal from None  # not because of the version: the operations do not fit
        raise Conflict(
            f"The proposal was made for version {proposal.workflow_version} of the workflow, which is at "
            f"version {current.version} by now. Ask or run again for one that fits, or make the change "
            "by hand"
        ) from None


def _is_applied(call: Call[ProposalOf], workflow: Workflow, operations: list[ProposedOperation]) -> bool:
    """Whether the operations would change nothing."""
    try:
        return _edit(call, workflow.blocks, operations) == workflow.blocks
    except Conflict:
        return False


def _edit(call: Call[ProposalOf], blocks: list[Json], operations: list[ProposedOperation]) -> list[Json]:
    """The blocks after the operations; raises Conflict when these do not fit."""
    try:
        edited = edits.apply(tree.from_json(blocks), to_builtins(operations), call.services.kinds)
        return tree.to_json(edited)
    except InvalidRequest as stale:
        raise Conflict(f"The proposal does not fit the workflow any more: {stale}") from stale
