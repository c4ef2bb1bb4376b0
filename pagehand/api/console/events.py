"""The console's stream of changes of the organization, as server-sent events."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import lru_cache
from typing import Final

import orjson
from starlette.responses import StreamingResponse

from pagehand.api.fields import EmptyRequest
from pagehand.api.operation import Call, Result, operation
from pagehand.engine.changes import Change

_KEEP_ALIVE_SECONDS: Final = 15.0
"""How often a comment is sent, so that proxies keep the connection."""
_CACHE_SIZE: Final = 512


@operation(
    "/console/events", scope="read", request=EmptyRequest, method="GET", in_openapi=False, is_long=True
)
async def events(call: Call[EmptyRequest]) -> Result:
    """Changes from now on; a client that was disconnected has to read everything again."""
    # otherwise nginx would buffer the events
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(_lines(call), media_type="text/event-stream", headers=headers)


async def _lines(call: Call[EmptyRequest]) -> AsyncGenerator[bytes]:
    yield b"retry: 2000\n\n"
    watch = call.services.changes.watch(call.organization_id, _KEEP_ALIVE_SECONDS)
    async with aclosing(watch):
        async for changes in watch:
            yield b"".join(map(_line, changes)) or b": still here\n\n"


@lru_cache(_CACHE_SIZE)
def _line(change: Change) -> bytes:
    """A change as a server-sent event; cached, because every open tab gets the same."""
    return b"data: " + orjson.dumps(change) + b"\n\n"


OPERATIONS = (events,)
