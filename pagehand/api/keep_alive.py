"""Responses that may take long: white space ahead of the body makes proxies keep the connection."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any, Final, TypeVar

from starlette.responses import StreamingResponse

from pagehand.api.errors import error_response
from pagehand.api.operation import Call, Result
from pagehand.errors import PagehandError

T = TypeVar("T")
# common proxies give up after 55 to 60 s without a byte
_WHITE_SPACE_SECONDS: Final = 10.0


async def respond_when_done(
    call: Call[Any], future: "asyncio.Future[T]", encode: Callable[[T], bytes]
) -> Result:
    """The encoded result of `future`, which is cancelled when the client disconnects or its access ends."""
    try:
        is_done = await call.access.wait(future, call.services.quiet_seconds)
    except (asyncio.CancelledError, PagehandError):
        future.cancel()
        raise
    if is_done:
        return encode(future.result())
    return StreamingResponse(_with_white_space(call, future, encode), media_type="application/json")


async def _with_white_space(
    call: Call[Any], future: "asyncio.Future[T]", encode: Callable[[T], bytes]
) -> AsyncIterator[bytes]:
    try:
        while not future.done():
            yield b" "
            await asyncio.wait({future}, timeout=_WHITE_SPACE_SECONDS)
        error = future.exception()
        if error is None:
            yield encode(future.result())
        else:  # the status 200 is sent already; the body still describes the error
            yield error_response(error, call.http_request.request_id, call.http_request.path)[2]
    finally:
        future.cancel()
