"""What an execution leaves: its events, and everything about it in a ZIP file to keep or to pass on."""

import asyncio
import re
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from pagehand.api.attachment import attachment, streamed_list
from pagehand.api.fields import ById, Id, Limit, Listing, Moment, Offset, Request, View
from pagehand.api.operation import Call, Result, encode, operation
from pagehand.api.resources.execution_views import execution_view
from pagehand.api.resources.files import PICTURE
from pagehand.api.resources.lookups import find_execution
from pagehand.api.zip_stream import ZipStream, entry_name, files_of, stored_entry
from pagehand.files import UrlSigner
from pagehand.records import Event, Execution, Json
from pagehand.storage.pages import ALL_ROWS


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


_LINK: Final = re.compile(rb"https?://[^\s\"\\]*/(?:files/download|live)\?t=[\w.~%=-]+")
"""Signed links grant access, so they must not be in a file that is passed on."""


@operation("/executions/evidence", scope="read", media_type="application/zip", is_long=True)
async def evidence(call: Call[ById]) -> Result:
    """A ZIP of one execution: `execution.json`, `events.json`, `workflow.json`, its pictures and its files.

    Secrets are masked in it as everywhere, and signed links are left out.
    """
    execution = await find_execution(call, call.request.id)
    return attachment(_zip(call, execution), f"evidence-{execution.id}.zip", "application/zip")


async def _zip(call: Call[ById], execution: Execution) -> AsyncIterator[bytes]:
    stream = ZipStream()
    view = encode(execution_view(call.signer, execution))
    # in a thread: an execution, its workflow and its events may have many megabytes
    yield await asyncio.to_thread(lambda: stream.add("execution.json", _without_links(view)))
    workflow = encode(await _workflow(call, execution))
    yield await asyncio.to_thread(lambda: stream.add("workflow.json", _without_links(workflow)))
    pictures: dict[str, str] = {}
    with stream.entry("events.json", is_text=True) as entry:
        async for text in _events(call, execution, pictures):
            yield await asyncio.to_thread(entry.write, text)
    for path, key in pictures.items():
        async for part in stored_entry(call.services.files, stream, path, key):
            yield part
    async for number, info in files_of(call.services.stores, execution.organization_id, execution.id):
        name = f"files/{number:03}-{entry_name(info.name)}"
        async for part in stored_entry(call.services.files, stream, name, info.key):
            yield part
    yield stream.close()


async def _workflow(call: Call[ById], execution: Execution) -> Json | None:
    version = await call.services.stores.workflows.version(
        execution.organization_id, execution.workflow_id, execution.workflow_version
    )
    if version is None:
        return None
    return {
        "id": execution.workflow_id,
        "name": version.name,
        "version": version.version,
        "parameters": version.parameters,
        "blocks": version.blocks,
        "output": version.output,
    }


async def _events(call: Call[ById], execution: Execution, pictures: dict[str, str]) -> AsyncIterator[bytes]:
    """The events as a JSON array, a few at a time; the path and key of each picture go to `pictures`."""
    found, _ = await call.services.stores.events.list(execution.organization_id, execution.id, ALL_ROWS, 0)
    yield b"["
    separator = b""
    async for part in found:
        pictures |= {_picture_path(event): event.screenshot_key for event in part if event.screenshot_key}
        yield separator + b",".join(_without_links(encode(_event(call, event))) for event in part)
        separator = b","
    yield b"]"


def _event(call: Call[ById], event: Event) -> Json:
    view = msgspec.to_builtins(event_view(call.signer, call.organization_id, event))
    return {**view, "picture": None if event.screenshot_key is None else _picture_path(event)}


def _picture_path(event: Event) -> str:
    return f"pictures/{event.seq:05}.jpg"


def _without_links(json: bytes) -> bytes:
    return _LINK.sub(b"(link left out)", json)


@operation("/executions/events", scope="read", response=EventList)
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
    return EventView.of(
        event, screenshot_url=None if picture is None else signer.url(PICTURE, organization_id, picture)
    )
