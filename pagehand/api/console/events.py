"""The console's stream: one line for each thing of the organization that changed, as server-sent events."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Final

import orjson
from starlette.responses import StreamingResponse

from pagehand.api.fields import Nothing
from pagehand.api.operation import Call, Result, operation

_QUIET_SECONDS: Final = 15.0
"""A comment this often keeps proxies from taking the stream for dead."""


@operation("/console/events", needs="read", takes=Nothing, method="GET", is_described=False)
async def events(call: Call[Nothing]) -> Result:
    """What changes from now on; a client that was away reads everything anew."""
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(_lines(call), media_type="text/event-stream", headers=headers)


async def _lines(call: Call[Nothing]) -> AsyncGenerator[bytes]:
    yield b"retry: 2000\n\n"
    watch = call.parts.changes.watch(call.organization_id)
    waiting: asyncio.Task[object] | None = None
    try:
        while True:
            waiting = waiting or asyncio.ensure_future(anext(watch))
            done, _ = await asyncio.wait([waiting], timeout=_QUIET_SECONDS)
            if not done:
                yield b": still here\n\n"
                continue
            change = waiting.result()
            waiting = None
            yield b"data: " + orjson.dumps(change) + b"\n\n"
    finally:
        if waiting is not None:
            waiting.cancel()
            await asyncio.wait([waiting])
        await watch.aclose()


OPERATIONS = (events,)
