"""What healing and the recovery agent propose to change in a workflow, applied on a person's word."""

from dataclasses import replace
from typing import Any, Final, cast

from pagehand.api.fields import ById
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.blocks import BlockList
from pagehand.api.resources.workflow_editing import change
from pagehand.errors import Conflict, InvalidRequest, NotFound
from pagehand.records import Workflow
from pagehand.workflow import edits, tree

_EXAMPLE_ID: Final = "exec_01k3v8c2m4e6g8j0n2q4s6t8w0"


@operation(
    "/executions/applyProposal",
    needs="edit",
    takes=ById,
    answers=BlockList,
    errors=(404, 409),
    example={"id": _EXAMPLE_ID},
)
async def apply(call: Call[ById]) -> Result:
    """Apply what the execution's `metadata.proposedOperations` says; makes a new version of its workflow."""
    execution = await call.parts.stores.executions.get(call.organization_id, call.request.id)
    if execution is None:
        raise NotFound("There is no execution with this `id` in this organization")
    operations = cast("list[Any]", execution.metadata.get("proposedOperations") or [])
    if not operations:
        raise Conflict("The execution proposes no change to its workflow")

    def edit(now: Workflow) -> Workflow:
        try:
            edited = edits.apply(tree.from_json(now.blocks), operations, call.parts.kinds)
        except InvalidRequest as stale:
            raise Conflict(f"The proposal does not fit the workflow any more: {stale}") from stale
        return replace(now, blocks=tree.to_json(edited))

    changed = await change(call, execution.workflow_id, None, edit)
    return BlockList(blocks=changed.blocks, version=changed.version)


OPERATIONS = (apply,)
