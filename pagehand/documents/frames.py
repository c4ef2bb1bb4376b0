"""The protocol between the service and a document process.

A frame is four bytes with the length of its header, the header as JSON, and as many bytes as the header's
`size` says. The service sends one frame (options and document); any number of `file` frames come back, then
one of kind `value` or `error`.
"""

import asyncio
import socket
from typing import Any, Final, cast

import orjson

Header = dict[str, Any]

_LENGTH_BYTES: Final = 4
_LARGEST_HEADER: Final = 32 * 1024 * 1024
"""Large, because the options may hold values to fill in."""


class FrameError(Exception):
    """The other side sent something that is not a frame, or is too large."""


def pack_frame(header: Header, content: bytes = b"") -> list[bytes]:
    """A frame in pieces, so that large content is not copied."""
    text = orjson.dumps({**header, "size": len(content)})
    head = len(text).to_bytes(_LENGTH_BYTES, "big") + text
    # never an empty piece: asyncio from Python 3.12 on tries to send it until the connection ends
    return [head, content] if content else [head]


async def read_frame(reader: asyncio.StreamReader, largest: int) -> tuple[Header, bytes]:
    """The next frame, in the service."""
    length = int.from_bytes(await reader.readexactly(_LENGTH_BYTES), "big")
    # a process that a hostile document has taken over may send anything
    if length > _LARGEST_HEADER:
        raise FrameError(f"a header of {length} bytes")
    header, size = _parse_header(await reader.readexactly(length))
    if size > largest:
        raise FrameError(f"a content of {size} bytes")
    return header, await reader.readexactly(size)


def receive_frame(connection: socket.socket) -> tuple[Header, bytes]:
    """The next frame, in a document process."""
    with connection.makefile("rb") as stream:
        length = int.from_bytes(stream.read(_LENGTH_BYTES), "big")
        header, size = _parse_header(stream.read(length))
        content = stream.read(size)
    if len(content) != size:
        raise FrameError("the service went away")
    return header, content


def _parse_header(text: bytes) -> tuple[Header, int]:
    try:
        header = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise FrameError("a header that is not JSON") from error
    size = cast("Header", header).get("size") if isinstance(header, dict) else None
    if not isinstance(size, int) or size < 0:
        raise FrameError("a header without a size")
    return cast("Header", header), size
