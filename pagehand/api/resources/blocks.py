"""The blocks of a workflow: edit them, or describe new ones in words."""

from dataclasses import replace
from typing import Annotated, Any, ClassVar, Final, Literal

from msgspec import UNSET, Meta, UnsetType, field, to_builtins

from pagehand.api.fields import MessageText, OpenRequest, Version, View, check_known, convert
from pagehand.api.operation import EXAMPLE_WORKFLOW_ID, Call, Result, operation
from pagehand.api.resources.conversation import blocks_for, open_thread, seen_pages
from pagehand.api.resources.lookups import find_workflow
from pagehand.api.resources.workflow_editing import change_workflow, check_definition
from pagehand.api.resources.workflow_views import BlockJson, NewBlockJson, WarningView, warning_views
from pagehand.checks import WorkflowWarning
from pagehand.errors import InvalidRequest
from pagehand.instructions.outline import describe_blocks
from pagehand.records import Json, ProposedOperation, Workflow, is_object
from pagehand.workflow import edits, tree
from pagehand.workflow.block_keys import FIELDS

_IN_TARGET: Final = "belongs inside `target`"
_IN_BLOCK: Final = "belongs inside `block`"
_AFTER: Final = "say which block it follows: `previousBlockId`, with `type` `after`"
_IN_UPDATE: Final = "belongs to `/workflows/update`"


class Target(View):
    """Where a block goes."""

    FIELD_HINTS: ClassVar[dict[str, str]] = dict.fromkeys(
        ("position", "index", "before", "after", "blockId", "positionInSequence", "nextBlockId"), _AFTER
    )

    type: Literal["after", "start", "end"]
    previous_block_id: Annotated[str | None, Meta(description="With `after`: the block it follows.")] = None
    parent_block_id: Annotated[str | None, Meta(description="With `start` and `end`: the container.")] = None
    parent_sequence_id: Literal["sequence", "trueSequence", "falseSequence"] | None = None


class BlockOperation(View):
    """One step of an edit."""

    FIELD_HINTS: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("previousBlockId", "parentBlockId", "parentSequenceId"), _IN_TARGET),
        **dict.fromkeys(("position", "index", "after", "before"), f"say it in `target`: {_AFTER}"),
        **dict.fromkeys(sorted(FIELDS - {"id", "type"}), _IN_BLOCK),
        **dict.fromkeys(("id", "blockReferenceId"), "did you mean `blockId`?"),
        **dict.fromkeys(("op", "operation", "action"), "did you mean `type`?"),
    }

    type: Literal["create", "update", "delete", "move", "replaceAll"]
    block_id: Annotated[
        str | None, Meta(description="The block meant; else block.id or block.blockReferenceId.")
    ] = None
    block: Annotated[
        Json | None, Meta(description="create: a whole block; update: the fields that change.")
    ] = None
    target: Target | None = None
    blocks: Annotated[list[NewBlockJson] | None, Meta(description="With replaceAll: the new tree.")] = None


class UpdateBlocks(OpenRequest):
    """Which workflow, and what to do to its blocks."""

    FIELD_HINTS: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("name", "tags", "output", "parameters", "retrySafe", "pictures"), _IN_UPDATE),
        "blocks": "did you mean `operations` with one of the type `replaceAll`?",
        "id": "did you mean `workflowId`?",
        "workflowName": "did you mean `workflowId`? Names are not looked up here",
    }

    workflow_id: str
    operations: list[Annotated[Any, Meta(extra_json_schema={"x-ref": "BlockOperation"})]]
    version: Annotated[
        Version | None, Meta(description="Refuse the edit if this is no longer the version.")
    ] = None


class BlockList(View):
    """The whole tree as it now is."""

    blocks: list[BlockJson]
    version: Annotated[int, Meta(description="The workflow's version with these blocks.")]
    warnings: list[WarningView] = field(default_factory=list[WarningView])


@operation(
    "/workflows/blocks/update",
    scope="edit",
    response=BlockList,
    errors=(404, 409),
    example={
        "workflowId": EXAMPLE_WORKFLOW_ID,
        "operations": [
            {
                "type": "create",
                "block": {"type": "Wait", "data": {"durationMs": 500}},
                "target": {"type": "start"},
            }
        ],
    },
)
async def update(call: Call[UpdateBlocks]) -> Result:
    """Apply block operations in order, all or none; makes a new version."""
    request = call.request
    # all of them before the first is applied: the edit applies completely or not at all
    check_operations(request.operations)

    warnings: list[WorkflowWarning] = []

    def edit(now: Workflow) -> Workflow:
        before = tree.from_json(now.blocks)
        edited = edits.apply(before, request.operations, call.services.kinds)
        changed = replace(now, blocks=tree.to_json(edited))
        warnings[:] = check_definition(changed, call.services.kinds, before)
        return changed

    changed = await change_workflow(call, request.workflow_id, request.version, edit, field="workflowId")
    return BlockList(blocks=changed.blocks, version=changed.version, warnings=warning_views(warnings))


def check_operations(operations: list[Any]) -> None:
    """Raise InvalidRequest for a field of the wrong type, also where its operation ignores the field."""
    for index, item in enumerate(operations):
        if not is_object(item):
            raise InvalidRequest(f"operations[{index}]: expected an object")
        try:
            convert(item, BlockOperation)
            check_known(item.get("target") or {}, Target, "target.")
        except InvalidRequest as problem:
            raise InvalidRequest(f"operations[{index}]: {problem}") from None


class ChatAboutBlocks(OpenRequest):
    """What is wanted, in words."""

    FIELD_HINTS: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("prompt", "text", "instruction", "instructions"), "did you mean `message`?"),
        "threadId": "each call begins a conversation; continue one with `/agents/session/messages/send`",
        "executionId": "did you mean `instructorExecutionId`?",
        "id": "did you mean `workflowId`?",
        "workflowName": "did you mean `workflowId`? Names are not looked up here",
    }

    workflow_id: str
    message: MessageText
    instructor_execution_id: Annotated[
        str | None, Meta(description="The execution whose pages the message is about.")
    ] = None
    target: Annotated[
        Target | None,
        Meta(description="Where `/executions/applyProposal` puts them; behind all others when left out."),
    ] = None


class ChatAnswer(View):
    """Blocks that do what was asked; nothing is changed."""

    blocks: list[BlockJson]
    thread_id: str


class OpenClause(View):
    """A part of a message that was not understood."""

    text: Annotated[str, Meta(description="As it stands in the message.")]
    position: Annotated[int, Meta(description="Where it begins in the message, in characters from 0.")]
    reason: Annotated[str, Meta(description="What about it is not clear, and what would help.")]
    suggestions: Annotated[
        list[str], Meta(description="Ways to say it, or something near it, that are understood.")
    ]


class ChatRefusal(View):
    """Why there are no blocks; of a message, also what was understood of it. Nothing is changed."""

    error: str
    understood: Annotated[
        list[BlockJson] | UnsetType, Meta(description="The blocks of the clauses that were understood.")
    ] = UNSET
    not_understood: Annotated[
        list[OpenClause] | UnsetType, Meta(description="The other clauses, in order.")
    ] = UNSET


@operation(
    "/workflows/blocks/chat",
    scope="edit",
    response=ChatAnswer,
    refusal=ChatRefusal,
    errors=(404,),
    example={"workflowId": EXAMPLE_WORKFLOW_ID, "message": "Click the Submit button"},
)
async def chat(call: Call[ChatAboutBlocks]) -> Result:
    """Generate blocks from a message; feed them to workflows/blocks/update to keep them.

    `/executions/applyProposal` with the `threadId` keeps them too, at `target`.
    """
    request = call.request
    if not request.message.strip():
        raise InvalidRequest("`message`: expected some text")
    workflow = await find_workflow(call, request.workflow_id, "workflowId")
    pages = None
    if request.instructor_execution_id:
        pages = await seen_pages(call.services, call.organization_id, request.instructor_execution_id)
    new_blocks = await blocks_for(call.services, call.organization_id, request.message, workflow, pages)
    blocks = tree.to_json(new_blocks)
    proposal = (workflow.version, _proposed_operations(call, workflow, blocks))
    thread = await open_thread(
        call.services.stores.threads, call.organization_id, request.message, workflow.id, proposal
    )
    new_messages = (
        ("user", request.message),
        ("assistant", describe_blocks(new_blocks, call.services.kinds)),
    )
    await call.services.stores.threads.add_messages(call.organization_id, thread.id, new_messages)
    return ChatAnswer(blocks=blocks, thread_id=thread.id)


def _proposed_operations(
    call: Call[ChatAboutBlocks], workflow: Workflow, blocks: list[Json]
) -> list[ProposedOperation]:
    """The operations that add the blocks at the request's target."""
    target = call.request.target
    if target is None:
        return [ProposedOperation(type="create", block=block, target={"type": "end"}) for block in blocks]
    # in reverse, because each is put before the last one, except at the end
    order = blocks if target.type == "end" else blocks[::-1]
    place = to_builtins(target)
    operations = [ProposedOperation(type="create", block=block, target=place) for block in order]
    try:
        edits.apply(tree.from_json(workflow.blocks), to_builtins(operations), call.services.kinds)
    except InvalidRequest as problem:
        raise InvalidRequest(str(problem).partition(": ")[2]) from problem
    return operations
