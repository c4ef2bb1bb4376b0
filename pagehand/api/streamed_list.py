"""Lists whose items may be large: read and sent part by part, so that they need not fit into memory."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any

from msgspec import Struct
from starlette.responses import StreamingResponse

from pagehand.api.attachment import pieces
from pagehand.api.operation import encode


async def streamed_list(name: str, parts: AsyncIterable[Iterable[Struct]], **rest: Any) -> StreamingResponse:
    """The answer `{name: [items of all parts], **rest}`."""
    remaining = aiter(parts)
    # before the status is sent, because it may fail; not `()`, which Python 3.11 cannot return as a default
    first = list(await anext(remaining, list[Struct]()))
    return StreamingResponse(_json(name, first, remaining, rest), media_type="application/json")


async def _json(
    name: str, first: Iterable[Struct], remaining: AsyncIterator[Iterable[Struct]], rest: dict[str, Any]
) -> AsyncIterator[bytes]:
    for piece in pieces(_joined(first, f'{{"{name}":['.encode(), b"")):
        yield piece
    del first
    async for part in remaining:
        # neither SQLite's look-up nor a client that reads fast gives way to other tasks
        await asyncio.sleep(0)
        for piece in pieces(_joined(part, b"", b",")):
            yield piece
    yield b"]," + encode(rest)[1:]


def _joined(items: Iterable[Struct], start: bytes, separator: bytes) -> Iterator[bytes]:
    yield start
    for item in items:
        yield separator
        yield encode(item)
        separator = b","
