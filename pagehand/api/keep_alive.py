"""Answers that may take long: white space goes ahead of the body, so that proxies keep the connection."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any, Final, TypeVar

from starlette.responses import StreamingResponse

from pagehand.api.errors import error_response
from pagehand.api.operation import Call, Result

T = TypeVar("T")
# common proxies give up after 55 to 60 s without a byte
_WHITE_SPACE_SECONDS: Final = 10.0


async def respond_when_done(
    call: Call[Any], waiting: "asyncio.Future[T]", encoded: Callable[[T], bytes]
) -> Result:
    """The answer once `waiting` has its result; `waiting` is cancelled when the client goes away."""
    try:
        # not wait_for(), which would cancel the waiting when the time is over
        done, _ = await asyncio.wait({waiting}, timeout=call.services.quiet_seconds)
    except asyncio.CancelledError:
        waiting.cancel()
        raise
    if done:
        return encoded(waiting.result())
    return StreamingResponse(_slowly(call, waiting, encoded), media_type="application/json")


async def _slowly(
    call: Call[Any], waiting: "asyncio.Future[T]", encoded: Callable[[T], bytes]
) -> AsyncIterator[bytes]:
    try:
        while not waiting.done():
            yield b" "
            await asyncio.wait({waiting}, timeout=_WHITE_SPACE_SECONDS)
        trouble = waiting.exception()
        if trouble is None:
            yield encoded(waiting.result())
        else:  # the status 200 is out already; the body still says what went wrong
            yield error_response(trouble, call.http_request.request_id, call.http_request.path)[2]
    finally:
        waiting.cancel()
