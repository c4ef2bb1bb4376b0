"""Request bodies: read within the size limit, and checked for what a parser or a store cannot handle.

Uploads as multipart/form-data are written to the disk as they arrive, never held in memory.
"""

import re
import tempfile
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

import orjson
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.types import Receive

from pagehand import temporary_files
from pagehand.api.request_limits import (
    BYTES_PER_BYTE,
    BYTES_PER_OBJECT,
    BYTES_PER_VALUE,
    UNCOUNTED_BYTES,
    RequestUsage,
)
from pagehand.errors import InvalidRequest, NotJson, TooLarge, Unavailable
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
MULTIPART: Final = b"multipart/form-data"
# parts other than the file are ignored, but each one costs the parser time
_MAX_PARTS: Final = 100
_MAX_HEADER_BYTES: Final = 16 * 1024


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


@dataclass(slots=True)
class ReceivedFile:
    """An uploaded file in a temporary place; to keep it, move it away from `path`."""

    name: str
    mime_type: str | None
    path: Path
    size_bytes: int = 0

    def discard(self) -> None:
        """Remove the file unless it was moved."""
        self.path.unlink(missing_ok=True)


async def receive_file(
    receive: Receive, headers: dict[bytes, bytes], limit: int, usage: RequestUsage
) -> ReceivedFile:
    """The first part called `file` that has a file name; all other parts are ignored."""
    check_length(headers, limit)
    form = _Form()
    try:
        parser = _parser(headers, form)
        async for chunk in chunks(receive, limit):
            usage.take_upload(len(chunk))
            parser.write(chunk)
        parser.finalize()
        return form.finish()
    except FormParserError as problem:
        form.discard()
        raise InvalidRequest(f"The request body is not valid multipart/form-data: {problem}") from None
    except OSError as problem:
        form.discard()
        reason = problem.strerror or "the disk failed"
        raise Unavailable(f"The file could not be stored: {reason}.") from problem
    # a client that disconnects cancels the request: the incomplete file must not stay
    except BaseException:
        form.discard()
        raise


def _parser(headers: dict[bytes, bytes], form: "_Form") -> MultipartParser:
    boundary = parse_options_header(headers.get(b"content-type", b"").decode("latin-1"))[1].get(
        b"boundary", b""
    )
    if not boundary:
        raise InvalidRequest("The header `Content-Type` names no `boundary`")
    # not Starlette's parser, which keeps every part: only the file is needed
    return MultipartParser(
        boundary,
        {
            "on_part_begin": form.begin,
            "on_header_field": form.header_field,
            "on_header_value": form.header_value,
            "on_header_end": form.header_end,
            "on_headers_finished": form.headers_finished,
            "on_part_data": form.content,
            "on_part_end": form.end,
        },
    )


@dataclass(slots=True)
class _Form:
    """The parser's callbacks: writes the file to the disk."""

    file: ReceivedFile | None = None
    _parts: int = 0
    _headers: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    _name: bytes = b""
    _value: bytes = b""
    _target: IO[bytes] | None = None
    """Open while the part that is read is the file."""

    def begin(self) -> None:
        self._parts += 1
        if self._parts > _MAX_PARTS:
            raise InvalidRequest(f"The form has more than {_MAX_PARTS} parts; send the one called `file`")
        self._headers = {}

    def header_field(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]
        self._check_headers()

    def header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]
        self._check_headers()

    def header_end(self) -> None:
        self._headers[self._name.lower()] = self._value
        self._name, self._value = b"", b""

    def headers_finished(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        if self.file is not None or options.get(b"name") != b"file" or b"filename" not in options:
            return
        kind = self._headers.get(b"content-type")
        # not a `with`: it is open across the parser's callbacks
        self._target = tempfile.NamedTemporaryFile(prefix=temporary_files.prefix("upload"), delete=False)  # noqa: SIM115
        self.file = ReceivedFile(
            options[b"filename"].decode("utf-8", "replace"),
            None if kind is None else kind.decode("latin-1"),
            Path(self._target.name),
        )

    def content(self, data: bytes, start: int, end: int) -> None:
        if self._target is not None and self.file is not None:
            # a view: the parser passes slices of one large chunk, and copies would double the memory
            self._target.write(memoryview(data)[start:end])
            self.file.size_bytes += end - start

    def end(self) -> None:
        if self._target is not None:
            self._target.close()
            self._target = None

    def finish(self) -> ReceivedFile:
        """The file; raises InvalidRequest when the form had none or ended within it."""
        # the parser accepts a form that ends within a part, but the file is incomplete then
        if self.file is None or self._target is not None:
            raise InvalidRequest("`file` is required: a part of that name with a file name")
        return self.file

    def discard(self) -> None:
        """Remove the file from the disk."""
        with suppress(OSError):
            self.end()
        if self.file is not None:
            self.file.discard()

    def _check_headers(self) -> None:
        if len(self._name) + len(self._value) > _MAX_HEADER_BYTES or len(self._headers) > _MAX_PARTS:
            raise InvalidRequest("A part of the form has headers that are too long")
