"""Uploads as multipart/form-data: written to the disk as they arrive, never held in memory."""

import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.types import Receive

from pagehand import temporary_files
from pagehand.api.body import check_length, chunks
from pagehand.api.request_limits import RequestUsage
from pagehand.errors import InvalidRequest, Unavailable

MULTIPART: Final = b"multipart/form-data"
# parts other than the file are ignored, but each one costs the parser time
_MAX_PARTS: Final = 100
_MAX_HEADER_BYTES: Final = 16 * 1024


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
