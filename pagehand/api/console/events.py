"""The console's stream: one line for each thing of the organization that changed, as server-sent events."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import lru_cache
from typing import Final

import orjson
from starlette.responses import StreamingResponse

from pagehand.api.fields import EmptyRequest
from pagehand.api.operation import Call, Result, operation
from pagehand.engine.changes import Change

_QUIET_SECONDS: Final = 15.0
"""A comment this often keeps proxies from taking the stream for dead."""
_REMEMBERED: Final = 512


@operation("/console/events", scope="read", request=EmptyRequest, method="GET", in_openapi=False)
async def events(call: Call[EmptyRequest]) -> Result:
    """What changes from now on; a client that was away reads everything anew."""
    # nginx would otherwise hold events back until its buffer is full
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(_lines(call), media_type="text/event-stream", headers=headers)


async def _lines(call: Call[EmptyRequest]) -> AsyncGenerator[bytes]:
    yield b"retry: 2000\n\n"
    watch = call.services.changes.watch(call.organization_id, _QUIET_SECONDS)
    async with aclosing(watch):
        async for changes in watch:
            yield b"".join(map(_line, changes)) or b": still here\n\n"


@lru_cache(_REMEMBERED)
def _line(change: Change) -> bytes:
    """A change as it is sent; every open tab is sent the same."""
    return b"data: " + orjson.dumps(change) + b"\n\n"


OPERATIONS = (events,)
