"""Request bodies: read within the limit, JSON only, nothing in them that a store or a parser chokes on."""

import re
from collections.abc import AsyncIterator
from typing import Final

import orjson
from starlette.types import Receive

from pagehand.errors import InvalidRequest, NotJson, TooLarge
from pagehand.records import Json, is_object

MAX_DEPTH: Final = 64
MAX_VALUES: Final = 250_000
# enough for any body, and int() takes long for a text of thousands of digits
_MAX_DIGITS: Final = 18
# PostgreSQL stores no NUL; behind an even number of backslashes it is text, not an escape
_NUL: Final = re.compile(rb"(?<!\\)(?:\\\\)*+\\u0000")
_NO_SIGNS: Final = bytes(sign for sign in range(256) if sign not in b'[]{},"')
_SQUARE: Final = bytes.maketrans(b"{}", b"[]")


class ClientDisconnected(Exception):
    """The client went away before it had sent its request."""


async def read_body(
    receive: Receive, headers: dict[bytes, bytes], limit: int, accepted: tuple[bytes, ...]
) -> bytes:
    """The whole body; checks its type before its size, and both before it is in memory."""
    length = _content_length(headers)
    # before the type: a call without a body needs no Content-Type
    if length == 0:
        return b""
    if length is not None:
        _check_type(headers, accepted)
        if length > limit:
            raise _too_large(limit)
    # neither a length nor chunks: HTTP/1.1 has no body then
    elif b"transfer-encoding" not in headers:
        return b""
    return await _receive_all(receive, headers, limit, accepted)


async def _receive_all(
    receive: Receive, headers: dict[bytes, bytes], limit: int, accepted: tuple[bytes, ...]
) -> bytes:
    received: list[bytes] = []
    async for chunk in chunks(receive, limit):
        if not received:
            _check_type(headers, accepted)  # a chunked body is known to be one only now
        received.append(chunk)
    return b"".join(received)


async def chunks(receive: Receive, limit: int) -> AsyncIterator[bytes]:
    """A body as it arrives, as long as it is within the limit."""
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnected
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > limit:
            raise _too_large(limit)
        if chunk:
            yield chunk
        if not message.get("more_body", False):
            return


def check_length(headers: dict[bytes, bytes], limit: int) -> None:
    """Refuse a body that says itself that it is over the limit."""
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
    return headers.get(b"content-type", b"").partition(b";")[0].strip().lower()


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"The request body is over the limit of {limit:,} bytes")


def parse_json(raw: bytes) -> Json:
    """The object a body holds; an empty body counts as `{}`."""
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


def _check_shape(raw: bytes) -> None:
    """Refuse, before anything is made of it, what is too deep, holds too many values or a NUL.

    All of it on bytes: a walk over millions of values would keep every other caller waiting.
    """
    if b"\\u0000" in raw and _NUL.search(raw):
        raise InvalidRequest("The request body holds a NUL character (`\\u0000`), which no field may contain")
    # counted in strings too: cheap, and nearly every body is below both limits already
    opened = raw.count(b"[") + raw.count(b"{")
    if opened <= MAX_DEPTH and raw.count(b",") <= MAX_VALUES:
        return
    signs = _outside_strings(raw)
    if signs.count(b"[") + signs.count(b",") > MAX_VALUES:
        raise InvalidRequest(f"The request body holds more than {MAX_VALUES:,} values; send it in parts")
    brackets = signs.replace(b",", b"")
    for _ in range(MAX_DEPTH):
        if not brackets:
            return
        brackets = brackets.replace(b"[]", b"")
    # what is left is deeper, or it is not JSON and the parser says where
    if b"[]" in brackets:
        raise InvalidRequest(f"The request body is nested more than {MAX_DEPTH} levels deep")


def _outside_strings(raw: bytes) -> bytes:
    """The commas and brackets between the strings, every bracket as a square one."""
    if b"\\" in raw:
        raw = raw.replace(b"\\\\", b"").replace(b'\\"', b"")  # now every quote begins or ends a string
    signs = raw.translate(_SQUARE, _NO_SIGNS).replace(b'""', b"")
    return b"".join(signs.split(b'"')[::2])
