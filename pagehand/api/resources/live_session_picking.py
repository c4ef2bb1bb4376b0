"""Pointing at the page of a live session: which element is there, and how to read it."""

from typing import Annotated, Final

from msgspec import Meta

from pagehand.api.fields import Id, Request, View
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.workflow_views import NewBlockJson, ShownLocator
from pagehand.browser_session import PickedElement

_EXAMPLE_ID: Final = "exec_01k3v8c2m4e6g8j0n2q4s6t8w0"
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


class PickAnswer(View):
    """null where the page has nothing."""

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
    request = call.request
    session = await call.services.engine.live_session(call.organization_id, request.id)
    picked = await session.pick(request.x, request.y, with_locators=not request.only_element)
    return PickAnswer(element=None if picked is None else _view(picked))


def _view(picked: PickedElement) -> PickedView:
    left, top, width, height = picked.box
    return PickedView(
        tag=picked.tag,
        role=picked.role,
        name=picked.name,
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


class ReadAnswer(View):
    """null where the page has nothing."""

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
    request = call.request
    session = await call.services.engine.live_session(call.organization_id, request.id)
    return ReadAnswer(block=await session.read(request.x, request.y))
