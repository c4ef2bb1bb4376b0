"""Live sessions: a browser kept open for building a workflow, in which blocks are tried one by one."""

import asyncio
from contextlib import suppress
from typing import Annotated, Any, ClassVar, Final, Literal

from msgspec import Meta, field

from pagehand.api.fields import ById, Id, Request, View
from pagehand.api.keep_alive import respond_when_done
from pagehand.api.operation import Call, Result, encode, operation
from pagehand.api.resources.execution_views import (
    ExecutionAnswer,
    FailureView,
    execution_answer,
    failure_view,
)
from pagehand.api.resources.workflow_editing import find_workflow
from pagehand.api.resources.workflow_views import NewBlockJson, ShownLocator
from pagehand.checks import check_workflow
from pagehand.engine.live.control import Part, PartReport, SessionControl
from pagehand.engine.port import DEFAULT_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS, Order
from pagehand.errors import Conflict, Forbidden, InvalidRequest, NotFound, TooMany
from pagehand.records import Json
from pagehand.workflow import tree
from pagehand.workflow.envelope import Envelope
from pagehand.workflow.parse import parse_blocks

_EXAMPLE_ID: Final = "exec_01k3v8c2m4e6g8j0n2q4s6t8w0"
_WORKFLOW_ID: Final = "wf_01k3v8c2m4e6g8j0n2q4s6t8w0"

# below the 30 s after which many clients give up
_OPENS_SECONDS: Final = 20.0
_RECORDED_SECONDS: Final = 10.0
Pixels = Annotated[float, Meta(ge=0, le=100_000)]


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
    request=OpenLiveSession,
    response=ExecutionAnswer,
    errors=(404,),
    example={"workflowId": _WORKFLOW_ID},
)
async def open_session(call: Call[OpenLiveSession]) -> Result:
    """Open a browser for building a workflow; answers with the execution it is, once the browser is open.

    Where every slot is taken it answers after 20 s with the execution as it waits.

    The execution is a test with `metadata.liveSession`. It takes a slot like any other, and ends as Completed
    when it is closed or nobody has used it for 15 minutes. Its `liveViewUrl` shows the browser.
    """
    asked = call.request
    order = Order(
        workflow_id=asked.workflow_id,
        params=asked.params,
        login_id=asked.login_id,
        name="Live session",
        timeout_seconds=asked.timeout,
        use_proxy=asked.use_proxy,
        is_test=True,
        is_live_session=True,
        like_execution_id=asked.execution_id,
    )
    accepted = await call.services.engine.accept(call.organization_id, order)
    with suppress(
        TimeoutError, Conflict, TooMany
    ):  # it waits in the queue, or has failed: the answer shows it
        async with asyncio.timeout(_OPENS_SECONDS):
            await (await _session(call, accepted.id)).opened()
    # read again: its browser has opened meanwhile, or it waits
    execution = await call.services.stores.executions.get(call.organization_id, accepted.id)
    return execution_answer(call, execution or accepted)


class RunInLiveSession(Request):
    """What to run: everything, everything up to a block, or one block on the page as it is."""

    FIELD_HINTS: ClassVar[dict[str, str]] = {
        "params": "they are given once, to `/liveSessions/open`",
        "startBlockId": "did you mean `blockId` (that block alone) or `lastBlockId` (up to it)?",
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


class PartView(View):
    """How it went; the browser stays as the blocks left it."""

    status: Literal["Completed", "Failed"]
    failure: FailureView | None
    error_analysis: Annotated[str, Meta(description="Why it failed and what to do; empty when it went well.")]
    outputs: Annotated[
        Json, Meta(description="What the blocks have put out in this session, by blockReferenceId.")
    ]


@operation(
    "/liveSessions/run",
    scope="run",
    request=RunInLiveSession,
    response=PartView,
    errors=(404, 409),
    example={"id": _EXAMPLE_ID, "blockId": "Mouse_1"},
)
async def run(call: Call[RunInLiveSession]) -> Result:
    """Run blocks in a live session and answer when they are done.

    A block that fails does not end the session. White space may come ahead of a late body, as in executeSync.
    """
    given = _given(call)  # what can be known to be wrong is refused before anything is looked up
    session = await _session(call, call.request.id)
    part = await _part(call, given)
    # a task of its own: white space is sent while it runs
    waiting = asyncio.ensure_future(session.run(part))
    return await respond_when_done(call, waiting, _encoded)


class PickInLiveSession(Request):
    """A point of the window, in the page's own pixels."""

    id: Id
    x: Pixels
    y: Pixels
    only_element: Annotated[bool, Meta(description="Leave the locators out, as while the pointer moves.")] = (
        False
    )


class Box(View):
    """A rectangle of the window, in the page's own pixels."""

    x: float
    y: float
    width: float
    height: float


class RankedLocatorView(View):
    """A way to say which element is meant."""

    locator: ShownLocator
    matches: Annotated[int, Meta(description="How many elements it leads to on the page as it is.")]
    reason: Annotated[str, Meta(description="What it goes by.")]


class PickedView(View):
    """The element somebody points at."""

    tag: str
    role: str
    name: str
    box: Box
    locators: Annotated[
        list[RankedLocatorView], Meta(description="Those that mean it alone first, the most lasting first.")
    ]


class PickAnswer(View):
    """None where the page has nothing."""

    element: PickedView | None


@operation(
    "/liveSessions/pick",
    scope="run",
    request=PickInLiveSession,
    response=PickAnswer,
    errors=(404, 409),
    example={"id": _EXAMPLE_ID, "x": 640, "y": 400},
)
async def pick(call: Call[PickInLiveSession]) -> Result:
    """The element at a point of the live page, with locators for it ranked by what lasts."""
    asked = call.request
    session = await _session(call, asked.id)
    found = await session.pick(asked.x, asked.y, with_locators=not asked.only_element)
    if found is None:
        return PickAnswer(element=None)
    left, top, width, height = found.box
    return PickAnswer(
        element=PickedView(
            tag=found.tag,
            role=found.role,
            name=found.name,
            box=Box(x=left, y=top, width=width, height=height),
            locators=[
                RankedLocatorView(
                    locator=ShownLocator(**locator.locator.model_dump(exclude_none=True)),
                    matches=locator.matches,
                    reason=locator.reason,
                )
                for locator in found.locators
            ],
        )
    )


class ReadAnswer(View):
    """None where the page has nothing."""

    block: NewBlockJson | None


class PointInLiveSession(Request):
    """A point of the window, in the page's own pixels."""

    id: Id
    x: Pixels
    y: Pixels


@operation(
    "/liveSessions/read",
    scope="run",
    request=PointInLiveSession,
    response=ReadAnswer,
    errors=(404, 409),
    example={"id": _EXAMPLE_ID, "x": 640, "y": 400},
)
async def read(call: Call[PointInLiveSession]) -> Result:
    """A block that reads the table or the text at a point of the live page."""
    asked = call.request
    return ReadAnswer(block=await (await _session(call, asked.id)).read(asked.x, asked.y))


class RecordInLiveSession(Request):
    """Begin or end to record."""

    id: Id
    is_on: bool
    with_address: Annotated[
        bool, Meta(description="Begin with a block that opens the page as it is now.")
    ] = False


class RecordAnswer(View):
    """Whether it records now."""

    is_on: bool


@operation(
    "/liveSessions/record",
    scope="run",
    request=RecordInLiveSession,
    response=RecordAnswer,
    errors=(404, 409),
    example={"id": _EXAMPLE_ID, "isOn": True},
)
async def record(call: Call[RecordInLiveSession]) -> Result:
    """Make blocks of what the person does in the live view, until it is switched off.

    What is typed into password fields becomes `{{login.password}}`; its value is never read.
    """
    asked = call.request
    session = await _session(call, asked.id)
    await session.record(is_on=asked.is_on, with_address=asked.with_address)
    return RecordAnswer(is_on=asked.is_on)


class Recorded(Request):
    """What is known already."""

    id: Id
    after: Annotated[int, Meta(ge=0, le=2**53, description="The largest `revision` seen so far.")] = 0


class RecordedBlockView(View):
    """A block of the recording; a later one of the same `number` takes its place."""

    number: int
    revision: int
    block: NewBlockJson


class RecordedAnswer(View):
    """In the order they were made; empty when nothing came for a while."""

    blocks: list[RecordedBlockView]


@operation(
    "/liveSessions/recorded",
    scope="run",
    request=Recorded,
    response=RecordedAnswer,
    errors=(404, 409),
    example={"id": _EXAMPLE_ID, "after": 0},
)
async def recorded(call: Call[Recorded]) -> Result:
    """The blocks that were recorded after a revision; waits up to 10 s for the next one."""
    session = await _session(call, call.request.id)
    found = await session.recorded(call.request.after, _RECORDED_SECONDS)
    return RecordedAnswer(
        blocks=[
            RecordedBlockView(number=recorded.number, revision=recorded.revision, block=recorded.block)
            for recorded in found
        ]
    )


class StopAnswer(View):
    """Whether anything ran."""

    stopped: bool


@operation(
    "/liveSessions/stop",
    scope="run",
    request=ById,
    response=StopAnswer,
    errors=(404, 409),
    example={"id": _EXAMPLE_ID},
)
async def stop(call: Call[ById]) -> Result:
    """Interrupt the blocks that run in a live session; its browser stays open."""
    return StopAnswer(stopped=await (await _session(call, call.request.id)).stop())


@operation(
    "/liveSessions/close",
    scope="run",
    request=ById,
    response=ExecutionAnswer,
    errors=(404, 409),
    example={"id": _EXAMPLE_ID},
)
async def close(call: Call[ById]) -> Result:
    """End a live session; its execution is Completed."""
    session = await _session(call, call.request.id)
    execution = await call.services.stores.executions.get(call.organization_id, call.request.id)
    if execution is None:
        raise NotFound("There is no execution with this `id` in this organization")
    await session.close()
    finished = await call.services.engine.wait(execution)
    return execution_answer(call, finished)


async def _session(call: Call[Any], execution_id: str) -> SessionControl:
    return await call.services.engine.live_session(call.organization_id, execution_id)


def _given(call: Call[RunInLiveSession]) -> list[Envelope] | None:
    """The blocks as they are being edited; None when the workflow's own are meant."""
    asked = call.request
    if asked.block_id is not None and asked.last_block_id is not None:
        raise InvalidRequest("Give one of `blockId` (that block alone) and `lastBlockId` (up to it)")
    if asked.blocks is None:
        return None
    # blocks of the caller run like an edited workflow: a key that may only run must not bring its own
    if not call.caller.may("edit"):
        raise Forbidden("This API key may run the workflow as it is kept; `blocks` need the scope `edit`")
    return parse_blocks(asked.blocks, call.services.kinds)


async def _part(call: Call[RunInLiveSession], given: list[Envelope] | None) -> Part:
    execution = await call.services.stores.executions.get(call.organization_id, call.request.id)
    workflow_id = execution.workflow_id if execution is not None else ""
    workflow = await find_workflow(call.services.stores.workflows, call.organization_id, workflow_id)
    if given is None:
        blocks = tree.from_json(workflow.blocks)
    else:
        blocks = given
        check_workflow(blocks, call.services.kinds, parameters=workflow.parameters)
    return Part(
        blocks=blocks,
        only_id=_id_of(blocks, call.request.block_id, "blockId"),
        last_id=_id_of(blocks, call.request.last_block_id, "lastBlockId"),
    )


def _id_of(blocks: list[Envelope], name: str | None, where: str) -> str | None:
    if name is None:
        return None
    block = tree.find(blocks, name) or tree.find_by_reference(blocks, name)
    if block is None:
        raise NotFound(f"`{where}`: there is no block `{name[:80]}` among the blocks to run")
    return block.id


def _encoded(report: PartReport) -> bytes:
    return encode(
        PartView(
            status="Failed" if report.failure else "Completed",
            failure=failure_view(report.failure),
            error_analysis=report.analysis,
            outputs=report.outputs,
        )
    )


OPERATIONS = (open_session, run, pick, read, record, recorded, stop, close)
