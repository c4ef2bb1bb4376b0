"""The events of an execution: what happened, block by block."""

from functools import partial
from typing import Annotated, Final

from msgspec import Meta

from pagehand.api.fields import Id, Limit, Listing, Moment, Offset, Request, View
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.files import PICTURE
from pagehand.api.resources.lookups import find_execution
from pagehand.api.streamed_list import streamed_list
from pagehand.clock import to_iso
from pagehand.files.signing import UrlSigner
from pagehand.records import Event, Json

_EXAMPLE_ID: Final = "exec_01k3v8c2m4e6g8j0n2q4s6t8w0"


class ListEvents(Request):
    """Whose events, and which part of them."""

    id: Id
    limit: Limit = 1000
    offset: Offset = 0


class EventView(View):
    """Something that happened during an execution."""

    seq: int
    at: Moment
    block_id: str | None
    block_reference_id: str | None
    type: Annotated[str, Meta(description="noun.verb, such as block.started.")]
    message: str
    data: Json
    screenshot_url: str | None


EventList = Listing("EventList", "events", EventView, "Oldest first.")


@operation(
    "/executions/events",
    scope="read",
    request=ListEvents,
    response=EventList,
    errors=(404,),
    example={"id": _EXAMPLE_ID},
)
async def events(call: Call[ListEvents]) -> Result:
    """What happened, block by block, with screenshots."""
    request, organization_id = call.request, call.organization_id
    found, total = await call.services.stores.events.list(
        organization_id, request.id, request.limit, request.offset
    )
    if not total:
        # an execution without events has an empty list; an unknown one is a 404
        await find_execution(call, request.id)
    view = partial(event_view, call.signer, organization_id)
    return await streamed_list("events", (map(view, part) async for part in found), total=total)


def event_view(signer: UrlSigner, organization_id: str, event: Event) -> EventView:
    """An event with a freshly signed URL of its picture."""
    picture = event.screenshot_key
    return EventView(
        seq=event.seq,
        at=to_iso(event.at),
        block_id=event.block_id,
        block_reference_id=event.block_reference_id,
        type=event.type,
        message=event.message,
        data=event.data,
        screenshot_url=None if picture is None else signer.url(PICTURE, organization_id, picture),
    )
