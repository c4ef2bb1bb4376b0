"""Responses that may take long: white space ahead of the body makes proxies keep the connection."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Final, TypeVar

from starlette.responses import StreamingResponse

from pagehand.api.errors import error_response
from pagehand.api.operation import Call, Content, Encoded, encoded_size
from pagehand.api.request_limits import RequestUsage
from pagehand.errors import PagehandError, Unavailable

T = TypeVar("T")
# common proxies give up after 55 to 60 s without a byte
_WHITE_SPACE_SECONDS: Final = 10.0


async def respond_when_done(
    call: Call[None], future: "asyncio.Future[T]", encode: Callable[[T], Encoded]
) -> Content:
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
    call: Call[None], future: "asyncio.Future[T]", encode: Callable[[T], Encoded]
) -> AsyncIterator[bytes | memoryview]:
    usage = RequestUsage(call.services.limits, call.organization_id)
    try:
        while not future.done():
            yield b" "
            await asyncio.wait({future}, timeout=_WHITE_SPACE_SECONDS)
        answer = _encoded(call, future, encode, usage)
        for part in answer if isinstance(answer, list) else [answer]:
            yield part
    finally:
        future.cancel()
        usage.end()


def _encoded(
    call: Call[None], future: "asyncio.Future[T]", encode: Callable[[T], Encoded], usage: RequestUsage
) -> Encoded:
    """The answer; the status 200 is sent already, so the body describes an error, too."""
    error = future.exception()
    if error is None:
        answer = encode(future.result())
        try:
            usage.take_memory(encoded_size(answer))
        except Unavailable as no_room:
            error = no_room
        else:
            return answer
    return error_response(error, call.http_request.request_id, call.http_request.path)[2]
