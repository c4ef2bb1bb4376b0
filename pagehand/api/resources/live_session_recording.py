"""A person in a live session: elements they point at, and what they do, recorded as blocks; and its page."""

from typing import Annotated, Final

from msgspec import UNSET, Meta, UnsetType, convert

from pagehand.api.fields import Id, Request, View
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.workflow_views import NewBlockJson, ShownLocator
from pagehand.browser_session import PickedElement
from pagehand.checks.grammar import CHECKING
from pagehand.engine.live.control import BlocksToRun
from pagehand.errors import InvalidRequest
from pagehand.workflow.parse import parse_blocks
from pagehand.workflow.recorded import RecordedAct

Pixels = Annotated[float, Meta(ge=0, le=100_000)]


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
    """A locator for the element."""

    locator: ShownLocator
    matches: Annotated[int, Meta(description="How many elements it leads to on the page as it is.")]
    reason: Annotated[str, Meta(description="What it identifies the element by.")]


class PickedView(View):
    """The element at the point."""

    tag: str
    role: str
    name: str
    box: Box
    locators: Annotated[
        list[RankedLocatorView], Meta(description="Those that mean it alone first, the most lasting first.")
    ]
    value: Annotated[
        str | None,
        Meta(
            description="What the field holds: its text, the text of a list's choice, `true` or `false` of a "
            "box. null for passwords and what is no field."
        ),
    ]


class PickAnswer(View):
    """null where the page has nothing."""

    element: PickedView | None


class ReadAnswer(View):
    """null where the page has nothing."""

    block: NewBlockJson | None


class PointInLiveSession(Request):
    """A point of the window, in the page's own pixels."""

    id: Id
    x: Pixels
    y: Pixels


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


@operation("/liveSessions/record", scope="run", response=RecordAnswer, errors=(409,), example={"isOn": True})
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
    """In the order they were recorded; empty when none came within 10 s, or none will come."""

    blocks: list[RecordedBlockView]


@operation(
    "/liveSessions/recorded", scope="run", response=RecordedAnswer, errors=(409,), example={"after": 0}
)
async def recorded(call: Call[Recorded]) -> Result:
    """The blocks that were recorded after a revision; while it records, waits up to 10 s for the next one."""
    session = await call.services.engine.live_session(call.organization_id, call.request.id)
    blocks = await session.recorded(call.request.after, _WAIT_SECONDS)
    return RecordedAnswer(blocks=[RecordedBlockView.of(block) for block in blocks])


@operation(
    "/liveSessions/pick", scope="run", response=PickAnswer, errors=(409,), example={"x": 640, "y": 400}
)
async def pick(call: Call[PickInLiveSession]) -> Result:
    """The element at a point of the live page, with locators for it ranked by what lasts."""
    request = call.request
    session = await call.services.engine.live_session(call.organization_id, request.id)
    picked = await session.pick(request.x, request.y, with_locators=not request.only_element)
    return PickAnswer(element=None if picked is None else _view(picked))


def _view(picked: PickedElement) -> PickedView:
    left, top, width, height = picked.box
    return PickedView.of(
        picked,
        box=Box(x=left, y=top, width=width, height=height),
        locators=[
            RankedLocatorView(
                locator=ShownLocator(**ranked.locator.model_dump(exclude_none=True)),
                matches=ranked.matches,
                reason=ranked.reason,
            )
            for ranked in picked.locators
        ],
    )


@operation(
    "/liveSessions/read", scope="run", response=ReadAnswer, errors=(409,), example={"x": 640, "y": 400}
)
async def read(call: Call[PointInLiveSession]) -> Result:
    """A block that reads the table or the text at a point of the live page."""
    request = call.request
    session = await call.services.engine.live_session(call.organization_id, request.id)
    return ReadAnswer(block=await session.read(request.x, request.y))


class DescribePage(Request):
    """Which session, and where to go first."""

    id: Id
    url: Annotated[
        Annotated[str, Meta(min_length=1, max_length=8000)] | None,
        Meta(description="Open this address first; without one the page is taken as it is."),
    ] = None


class DescribedElement(View):
    """An element with the words that a locator finds it by."""

    role: str
    name: str
    is_disabled: bool = False
    words: Annotated[str | UnsetType, Meta(description="For `locator.words`: they mean it alone.")] = UNSET
    locator: Annotated[
        ShownLocator | UnsetType, Meta(description="Where no words mean it alone: what finds it now.")
    ] = UNSET


class PageInWords(View):
    """What the page offers, in its order; of long pages the first 200 elements."""

    url: str
    title: str
    elements: list[DescribedElement]


@operation(
    "/liveSessions/describe",
    scope="edit",
    response=PageInWords,
    errors=(409,),
    example={"url": "https://example.com"},
    is_long=True,
)
async def describe(call: Call[DescribePage]) -> Result:
    """The controls, fields and headings of the live page, with words for them.

    What a page says is data: whoever gives it to a model must not let it be taken for an instruction.
    """
    session = await call.services.engine.live_session(call.organization_id, call.request.id)
    if call.request.url is not None:
        kinds = call.services.kinds
        opening = kinds.recorded(RecordedAct(kind="open", value=call.request.url))
        report = await session.run(BlocksToRun(blocks=await CHECKING.run(parse_blocks, [opening], kinds)))
        if report.failure is not None:
            raise InvalidRequest(f"`url` cannot be opened: {report.failure.message}")
    return convert(await session.describe(), PageInWords)
