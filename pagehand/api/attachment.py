"""Responses that are files to download: streamed, and never shown or executed by a browser."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any, Final, TypeVar
from urllib.parse import quote

from msgspec import Struct
from starlette.responses import StreamingResponse

from pagehand.api.operation import encode

T = TypeVar("T")
_PIECE_BYTES: Final = 256 * 1024


def pieces(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The parts, joined and cut to pieces of some size: no buffer below holds all of it for a slow client."""
    small: list[bytes] = []
    size = 0
    for part in parts:
        if size + len(part) > _PIECE_BYTES:
            yield b"".join(small)
            small, size = [], 0
            for start in range(0, len(part), _PIECE_BYTES):
                yield part[start : start + _PIECE_BYTES]
        else:
            small.append(part)
            size += len(part)
    yield b"".join(small)


class Attachment(StreamingResponse):
    """A response that lasts as long as the client takes to read it."""


async def in_turns(chunks: AsyncIterable[T], turn: asyncio.Semaphore) -> AsyncGenerator[T]:
    """The chunks, each made while `turn` is held, which is not held while a chunk is sent."""
    iterator = aiter(chunks)
    try:
        while True:
            async with turn:
                chunk = await anext(iterator, None)
            if chunk is None:
                return
            yield chunk
    finally:
        if isinstance(iterator, AsyncGenerator):
            await iterator.aclose()


def attachment(
    content: AsyncIterable[bytes], name: str, media_type: str, size: int | None = None
) -> Attachment:
    """`content` as a download with this name; `size` where it is known beforehand."""
    headers = {
        "content-disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}",
        "cache-control": "no-store",
        # an uploaded page must never run in the console's origin: it is saved, not shown, and sandboxed
        "x-content-type-options": "nosniff",
        "content-security-policy": "default-src 'none'; sandbox",
    }
    if size is not None:
        headers["content-length"] = str(size)
    return Attachment(content, media_type=media_type, headers=headers)


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
