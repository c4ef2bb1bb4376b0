"""Live sessions: a browser that stays open while a workflow is built, to try its blocks one by one."""

import asyncio
from contextlib import suppress
from functools import partial
from typing import Annotated, ClassVar, Final, Literal

from msgspec import Meta, field

from pagehand.api.fields import ById, Id, Request, View
from pagehand.api.operation import EXAMPLE_WORKFLOW_ID, Call, Result, encode, operation
from pagehand.api.resources.execution_views import (
    ExecutionAnswer,
    FailureView,
    execution_answer,
    failure_view,
)
from pagehand.api.resources.lookups import find_execution, find_workflow
from pagehand.api.resources.runs import respond_when_done
from pagehand.api.resources.workflow_views import NewBlockJson
from pagehand.checks import check_workflow
from pagehand.checks.grammar import CHECKING
from pagehand.engine.live.control import BlocksReport, BlocksToRun
from pagehand.engine.port import DEFAULT_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS, ExecutionRequest
from pagehand.errors import Conflict, Forbidden, InvalidRequest, NotFound, TooMany
from pagehand.records import Json
from pagehand.workflow import tree
from pagehand.workflow.parse import parse_blocks
from pagehand.workflow.tree import Envelope

# less than the 30 s after which many clients time out
_OPEN_SECONDS: Final = 20.0


class OpenLiveSession(Request):
    """Which workflow it is for, and what its blocks run with."""

    FIELD_HINTS: ClassVar[dict[str, str]] = {
        "blocks": "hand them to `/liveSessions/run`",
        "id": "did you mean `workflowId`?",
        "isTest": "a live session always counts as a test",
    }

    workflow_id: str
    params: Annotated[
        Json, Meta(description="The caller's own data, as templates see it under `params`.")
    ] = field(default_factory=Json)
    login_id: Annotated[str | None, Meta(description="The login to sign in with before anything else.")] = (
        None
    )
    execution_id: Annotated[
        str | None,
        Meta(
            description="An execution of the workflow whose params, login and proxy it takes over "
            "where none are given here."
        ),
    ] = None
    use_proxy: bool = False
    timeout: Annotated[
        float, Meta(gt=0, le=MAX_TIMEOUT_SECONDS, description="Seconds it may last in all, waiting included.")
    ] = DEFAULT_TIMEOUT_SECONDS


@operation(
    "/liveSessions/open",
    scope="run",
    response=ExecutionAnswer,
    errors=(404,),
    example={"workflowId": EXAMPLE_WORKFLOW_ID},
)
async def open_session(call: Call[OpenLiveSession]) -> Result:
    """Open a browser for building a workflow; answers with the execution it is, once the browser is open.

    Where every slot is taken it answers after 20 s with the execution as it waits.

    The execution is a test with `metadata.liveSession`. It takes a slot while it runs blocks, and ends as
    Completed when it is closed or nobody has used it for 15 minutes; after one where too many are idle. Its
    `liveViewUrl` shows the browser.
    """
    request = call.request
    execution_request = ExecutionRequest(
        workflow_id=request.workflow_id,
        params=request.params,
        login_id=request.login_id,
        name="Live session",
        timeout_seconds=request.timeout,
        use_proxy=request.use_proxy,
        is_test=True,
        is_live_session=True,
        like_execution_id=request.execution_id,
    )
    accepted = await call.services.engine.accept(call.organization_id, execution_request)
    # it may still be queued, or have failed: the response shows that
    with suppress(TimeoutError, Conflict, TooMany):
        async with asyncio.timeout(_OPEN_SECONDS):
            session = await call.services.engine.live_session(call.organization_id, accepted.id)
            await session.opened()
    # read again: its browser may be open by now
    execution = await call.services.stores.executions.get(call.organization_id, accepted.id)
    return execution_answer(call, execution or accepted)


class RunInLiveSession(Request):
    """What to run: everything, everything up to a block or from one on, or one block on the current page."""

    FIELD_HINTS: ClassVar[dict[str, str]] = {
        "params": "they are given once, to `/liveSessions/open`",
        "startBlockId": "did you mean `firstBlockId`?",
    }

    id: Id
    blocks: Annotated[
        list[NewBlockJson] | None,
        Meta(description="Blocks as they are being edited; the workflow's own when left out. Needs `edit`."),
    ] = None
    block_id: Annotated[str | None, Meta(description="Run this block alone: its id or blockReferenceId.")] = (
        None
    )
    last_block_id: Annotated[
        str | None, Meta(description="Run from the first block to this one: its id or blockReferenceId.")
    ] = None
    first_block_id: Annotated[
        str | None,
        Meta(description="Start with this block, on the page as it is: its id or blockReferenceId."),
    ] = None
    continue_execution_id: Annotated[
        str | None,
        Meta(
            description="A finished execution of the workflow whose outputs, address and cookies are taken "
            "over before `firstBlockId`."
        ),
    ] = None


class PartView(View):
    """How it went; the browser stays as the blocks left it."""

    status: Literal["Completed", "Failed"]
    failure: FailureView | None
    error_analysis: Annotated[str, Meta(description="Why it failed and what to do; empty when it went well.")]
    outputs: Annotated[
        Json, Meta(description="The outputs of the blocks in this session, by blockReferenceId.")
    ]


@operation(
    "/liveSessions/run",
    scope="run",
    response=PartView,
    errors=(409,),
    example={"blockId": "Mouse_1"},
    is_long=True,
)
async def run(call: Call[RunInLiveSession]) -> Result:
    """Run blocks in a live session and answer when they are done.

    A block that fails does not end the session. White space may come ahead of a late body, as in executeSync.
    """
    edited = await _edited_blocks(call)  # first: an invalid request is refused before anything is looked up
    session = await call.services.engine.live_session(call.organization_id, call.request.id)
    part = await _part(call, edited)
    # a separate task: white space is sent while it runs
    running = asyncio.ensure_future(session.run(part))
    return partial(respond_when_done, call.without_body(), running, _encode_report)


class StopAnswer(View):
    """Whether anything ran."""

    stopped: bool


@operation("/liveSessions/stop", scope="run", response=StopAnswer, errors=(409,))
async def stop(call: Call[ById]) -> Result:
    """Interrupt the blocks that run in a live session; its browser stays open."""
    session = await call.services.engine.live_session(call.organization_id, call.request.id)
    return StopAnswer(stopped=await session.stop())


@operation("/liveSessions/close", scope="run", response=ExecutionAnswer, errors=(409,))
async def close(call: Call[ById]) -> Result:
    """End a live session; its execution is Completed.

    Blocks that run are interrupted, and blocks that wait behind them are refused (409).
    """
    session = await call.services.engine.live_session(call.organization_id, call.request.id)
    execution = await find_execution(call, call.request.id)
    await session.close()
    # blocks that were interrupted and the saving of what was learned come before the end
    finished = await call.services.engine.wait(execution)
    return execution_answer(call, finished)


async def _edited_blocks(call: Call[RunInLiveSession]) -> list[Envelope] | None:
    """The blocks in the request; None when the workflow's own are to run."""
    request = call.request
    given = [request.block_id, request.last_block_id, request.first_block_id]
    if given.count(None) < len(given) - 1:
        raise InvalidRequest(
            "Give one of `blockId` (that block alone), `lastBlockId` (up to it) and `firstBlockId` (from it)"
        )
    if request.continue_execution_id is not None and request.first_block_id is None:
        raise InvalidRequest("`continueExecutionId` needs `firstBlockId`, the block to start at")
    if request.blocks is None:
        return None
    # running other blocks is like editing the workflow, which a key that may only run must not do
    if not call.caller.may("edit"):
        raise Forbidden("This API key may run the workflow as it is kept; `blocks` need the scope `edit`")
    return await CHECKING.run(parse_blocks, request.blocks, call.services.kinds)


async def _part(call: Call[RunInLiveSession], edited: list[Envelope] | None) -> BlocksToRun:
    execution = await find_execution(call, call.request.id)
    workflow = await find_workflow(call, execution.workflow_id)
    if edited is None:
        blocks = tree.from_json(workflow.blocks)
    else:
        blocks = edited
        await CHECKING.run(check_workflow, blocks, call.services.kinds, parameters=workflow.parameters)
    if call.request.continue_execution_id is not None:
        earlier = await find_execution(call, call.request.continue_execution_id)
        if earlier.workflow_id != workflow.id or earlier.end_time is None:
            raise Conflict("`continueExecutionId`: give an execution of this workflow that has ended")
    return BlocksToRun(
        blocks=blocks,
        first_id=_find_id(blocks, call.request.first_block_id, "firstBlockId"),
        continues_id=call.request.continue_execution_id,
        only_id=_find_id(blocks, call.request.block_id, "blockId"),
        last_id=_find_id(blocks, call.request.last_block_id, "lastBlockId"),
    )


def _find_id(blocks: list[Envelope], name: str | None, field: str) -> str | None:
    """The id of a block that is named by its id or its reference."""
    if name is None:
        return None
    block = tree.find_block(blocks, name) or tree.find_by_reference(blocks, name)
    if block is None:
        raise NotFound(f"`{field}`: there is no block `{name[:80]}` among the blocks to run")
    return block.id


def _encode_report(report: BlocksReport) -> bytes:
    return encode(
        PartView(
            status="Failed" if report.failure else "Completed",
            failure=failure_view(report.failure),
            error_analysis=report.analysis,
            outputs=report.outputs,
        )
    )
