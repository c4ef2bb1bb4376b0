"""What goes over the socket between the service and a process that works on a document.

A frame is four bytes with the length of its header, the header as JSON, and as many bytes as the header's
`size` says. The service sends one frame (the order and the document); any number of `file` frames come back,
then one of kind `value` or `error`.
"""

import asyncio
import socket
from typing import Any, Final, cast

import orjson

Header = dict[str, Any]

_LENGTH_BYTES: Final = 4
_LARGEST_HEADER: Final = 32 * 1024 * 1024
"""An order carries the values to fill in."""


class BrokenFrame(Exception):
    """The other side sent something that is not a frame, or more than was agreed."""


def packed(header: Header, content: bytes = b"") -> list[bytes]:
    """A frame in pieces, so that a large content is not copied."""
    text = orjson.dumps({**header, "size": len(content)})
    return [len(text).to_bytes(_LENGTH_BYTES, "big") + text, content]


async def read_frame(reader: asyncio.StreamReader, largest: int) -> tuple[Header, bytes]:
    """The next frame, in the service."""
    length = int.from_bytes(await reader.readexactly(_LENGTH_BYTES), "big")
    # a copy that a hostile document has taken over may announce anything
    if length > _LARGEST_HEADER:
        raise BrokenFrame(f"a header of {length} bytes")
    header, size = _checked(await reader.readexactly(length))
    if size > largest:
        raise BrokenFrame(f"a content of {size} bytes")
    return header, await reader.readexactly(size)


def receive_frame(connection: socket.socket) -> tuple[Header, bytes]:
    """The next frame, in a working process."""
    with connection.makefile("rb") as stream:
        length = int.from_bytes(stream.read(_LENGTH_BYTES), "big")
        header, size = _checked(stream.read(length))
        content = stream.read(size)
    if len(content) != size:
        raise BrokenFrame("the service went away")
    return header, content


def _checked(text: bytes) -> tuple[Header, int]:
    try:
        header = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise BrokenFrame("a header that is not JSON") from error
    size = cast("Header", header).get("size") if isinstance(header, dict) else None
    if not isinstance(size, int) or size < 0:
        raise BrokenFrame("a header without a size")
    return cast("Header", header), size
