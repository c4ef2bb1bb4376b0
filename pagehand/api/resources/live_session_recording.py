"""Recording in a live session: what a person does in the live view becomes blocks."""

from typing import Annotated, Final

from msgspec import Meta

from pagehand.api.fields import Id, Request, View
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.workflow_views import NewBlockJson

_EXAMPLE_ID: Final = "exec_01k3v8c2m4e6g8j0n2q4s6t8w0"
_WAIT_SECONDS: Final = 10.0


class RecordInLiveSession(Request):
    """Whether to record from now on."""

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
    request = call.request
    session = await call.services.engine.live_session(call.organization_id, request.id)
    await session.record(is_on=request.is_on, with_address=request.with_address)
    return RecordAnswer(is_on=request.is_on)


class Recorded(Request):
    """Which session, and which blocks the caller has already."""

    id: Id
    after: Annotated[int, Meta(ge=0, le=2**53, description="The largest `revision` seen so far.")] = 0


class RecordedBlockView(View):
    """A block of the recording; a later one of the same `number` takes its place."""

    number: int
    revision: int
    block: NewBlockJson


class RecordedAnswer(View):
    """In the order they were recorded; empty when none came within 10 s."""

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
    session = await call.services.engine.live_session(call.organization_id, call.request.id)
    blocks = await session.recorded(call.request.after, _WAIT_SECONDS)
    return RecordedAnswer(
        blocks=[
            RecordedBlockView(number=block.number, revision=block.revision, block=block.block)
            for block in blocks
        ]
    )
