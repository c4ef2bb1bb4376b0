"""Request bodies: read within the size limit, and checked for what a parser or a store cannot handle."""

import re
from collections.abc import AsyncIterator
from typing import Final

import orjson
from starlette.types import Receive

from pagehand.api.request_limits import (
    BYTES_PER_BYTE,
    BYTES_PER_OBJECT,
    BYTES_PER_VALUE,
    UNCOUNTED_BYTES,
    RequestUsage,
)
from pagehand.errors import InvalidRequest, NotJson, TooLarge
from pagehand.records import Json, is_object

JSON: Final = b"application/json"
MAX_DEPTH: Final = 64
MAX_VALUES: Final = 250_000
# enough for any length, and int() is slow for thousands of digits
_MAX_DIGITS: Final = 18
# PostgreSQL cannot store NUL; after an even number of backslashes it is text, not an escape
_NUL: Final = re.compile(rb"(?<!\\)(?:\\\\)*+\\u0000")
_TOO_DEEP: Final = b"[" * (MAX_DEPTH + 1)
_NOT_STRUCTURE: Final = bytes(byte for byte in range(256) if byte not in b'[]{},"')
_TO_SQUARE: Final = bytes.maketrans(b"{}", b"[]")


class ClientDisconnected(Exception):
    """The client disconnected before it had sent its request."""


async def read_body(
    receive: Receive,
    headers: dict[bytes, bytes],
    limit: int,
    accepted: tuple[bytes, ...],
    usage: RequestUsage,
) -> bytes:
    """The whole body; its type and size are checked, and memory reserved, before it is read."""
    length = _content_length(headers)
    # before the type: a request without a body needs no Content-Type
    if length == 0:
        return b""
    if length is not None:
        _check_type(headers, accepted)
        if length > limit:
            raise _too_large(limit)
        if length > UNCOUNTED_BYTES:
            await usage.wait_for_memory(BYTES_PER_BYTE * length)
    # neither a length nor chunks: the request has no body
    elif b"transfer-encoding" not in headers:
        return b""
    received = bytearray()
    has_more = True
    while has_more:
        chunk, has_more = await _receive(receive, limit - len(received), limit)
        if chunk and not received:
            _check_type(headers, accepted)  # only now is it known that the chunked body is not empty
        if not has_more and not received:
            return chunk  # most bodies arrive in one piece: no copy
        if length is None:  # the size of a chunked body shows only as it arrives
            await usage.wait_for_memory(BYTES_PER_BYTE * len(chunk))
        received += chunk
    return bytes(received)


async def chunks(receive: Receive, limit: int) -> AsyncIterator[bytes]:
    """The body as it arrives; raises TooLarge beyond the limit."""
    size = 0
    has_more = True
    while has_more:
        chunk, has_more = await _receive(receive, limit - size, limit)
        size += len(chunk)
        if chunk:
            yield chunk


async def _receive(receive: Receive, room: int, limit: int) -> tuple[bytes, bool]:
    """The next piece of the body, and whether more follows; raises TooLarge for more than `room`."""
    message = await receive()
    if message["type"] == "http.disconnect":
        raise ClientDisconnected
    chunk: bytes = message.get("body", b"")
    if len(chunk) > room:
        raise _too_large(limit)
    return chunk, message.get("more_body", False)


def check_length(headers: dict[bytes, bytes], limit: int) -> None:
    """Raise TooLarge for a declared length beyond the limit."""
    length = _content_length(headers)
    if length is not None and length > limit:
        raise _too_large(limit)


def _content_length(headers: dict[bytes, bytes]) -> int | None:
    text = headers.get(b"content-length")
    if text is None:
        return None
    if not text.isdigit() or len(text) > _MAX_DIGITS:
        raise InvalidRequest("The header `Content-Length` is not a number of bytes")
    return int(text)


def _check_type(headers: dict[bytes, bytes], accepted: tuple[bytes, ...]) -> None:
    if media_type(headers) not in accepted:
        raise NotJson


def media_type(headers: dict[bytes, bytes]) -> bytes:
    """The body's content type without its parameters."""
    given = headers.get(b"content-type", b"")
    return given if given == JSON else given.partition(b";")[0].strip().lower()


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"The request body is over the limit of {limit:,} bytes")


def parse_json(raw: bytes) -> Json:
    """The JSON object in a body; an empty body counts as `{}`."""
    if not raw:
        return {}
    _check_shape(raw)
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as problem:
        raise InvalidRequest(f"The request body is not valid JSON: {problem}") from None
    if not is_object(value):
        raise InvalidRequest("The request body must be a JSON object, such as `{}`")
    return value


async def reserve_values(raw: bytes, usage: RequestUsage) -> None:
    """Reserve memory for the values in a JSON body: `[[],[]…` of 1 MB becomes 20 MB."""
    objects = raw.count(b"{")
    values = raw.count(b",") + raw.count(b"[") + objects
    await usage.wait_for_memory(BYTES_PER_VALUE * values + BYTES_PER_OBJECT * objects)


def _check_shape(raw: bytes) -> None:
    """Raise InvalidRequest for a body that is too deep or holds too many values or a NUL.

    Works on bytes: walking over millions of parsed values would block the event loop.
    """
    if b"\\u0000" in raw and _NUL.search(raw):
        raise InvalidRequest("The request body holds a NUL character (`\\u0000`), which no field may contain")
    # counts those within strings too: that is cheap, and nearly every body is below both limits anyway
    opened = raw.count(b"[") + raw.count(b"{")
    if opened <= MAX_DEPTH and raw.count(b",") <= MAX_VALUES:
        return
    structure = _outside_strings(raw)
    if structure.count(b"[") + structure.count(b",") > MAX_VALUES:
        raise InvalidRequest(f"The request body holds more than {MAX_VALUES:,} values; send it in parts")
    brackets = structure.replace(b",", b"")
    is_deep = _TOO_DEEP in brackets  # first: the passes below would copy megabytes of `[[[[…` again and again
    for _ in range(0 if is_deep else MAX_DEPTH):
        if not brackets:
            return
        brackets = brackets.replace(b"[]", b"")
    # what is left is nested deeper, or is not JSON, which the parser reports
    if is_deep or b"[]" in brackets:
        raise InvalidRequest(f"The request body is nested more than {MAX_DEPTH} levels deep")


def _outside_strings(raw: bytes) -> bytes:
    """The commas and brackets outside of strings, with curly brackets as square ones."""
    if b"\\" in raw:
        raw = raw.replace(b"\\\\", b"").replace(b'\\"', b"")  # now every quote starts or ends a string
    structure = raw.translate(_TO_SQUARE, _NOT_STRUCTURE).replace(b'""', b"")
    return b"".join(structure.split(b'"')[::2])
