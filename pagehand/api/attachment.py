"""Responses that are files to download: streamed, and never shown or executed by a browser."""

from collections.abc import AsyncIterable, Iterator
from typing import Final
from urllib.parse import quote

from starlette.responses import StreamingResponse

_PIECE_BYTES: Final = 256 * 1024


def pieces(content: bytes) -> Iterator[bytes]:
    """Content in pieces, so that no buffer below holds all of it for a slow client."""
    if len(content) <= _PIECE_BYTES:
        yield content
        return
    for start in range(0, len(content), _PIECE_BYTES):
        yield content[start : start + _PIECE_BYTES]


def attachment(
    content: AsyncIterable[bytes], name: str, media_type: str, size: int | None = None
) -> StreamingResponse:
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
    return StreamingResponse(content, media_type=media_type, headers=headers)
