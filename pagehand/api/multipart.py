"""The one operation that takes multipart/form-data: find the part with the file."""

from dataclasses import dataclass, field
from typing import Final

from python_multipart.multipart import MultipartParser, parse_options_header

from pagehand.errors import InvalidRequest

_MOST_PARTS: Final = 100


@dataclass(slots=True)
class FilePart:
    """A file as a form sends it."""

    name: str
    mime_type: str | None
    content: bytes


@dataclass(slots=True)
class _Part:
    headers: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    content: bytearray = field(default_factory=bytearray)


class _Parts:
    """Collects parts from the parser's callbacks."""

    def __init__(self) -> None:
        self.parts: list[_Part] = []
        self._name = b""
        self._value = b""

    def begin(self) -> None:
        if len(self.parts) == _MOST_PARTS:
            raise InvalidRequest(f"The form has more than {_MOST_PARTS} parts; send the one called `file`")
        self.parts.append(_Part())

    def header_field(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]

    def header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def header_end(self) -> None:
        self.parts[-1].headers[self._name.lower()] = self._value
        self._name, self._value = b"", b""

    def content(self, data: bytes, start: int, end: int) -> None:
        self.parts[-1].content += data[start:end]


def read_file_part(content_type: str, raw: bytes) -> FilePart | None:
    """The first part called `file` that has a file name."""
    boundary = parse_options_header(content_type)[1].get(b"boundary", b"")
    if not boundary:
        raise InvalidRequest("The header `Content-Type` names no `boundary`")
    found = _Parts()
    # not Starlette's parser, which puts parts into a temporary file: the body is read already, and bounded
    parser = MultipartParser(
        boundary,
        {
            "on_part_begin": found.begin,
            "on_header_field": found.header_field,
            "on_header_value": found.header_value,
            "on_header_end": found.header_end,
            "on_part_data": found.content,
        },
    )
    parser.write(raw)
    parser.finalize()
    return next((file for part in found.parts if (file := _as_file(part))), None)


def _as_file(part: _Part) -> FilePart | None:
    _, options = parse_options_header(part.headers.get(b"content-disposition", b""))
    if options.get(b"name") != b"file" or b"filename" not in options:
        return None
    kind = part.headers.get(b"content-type")
    return FilePart(
        options[b"filename"].decode("utf-8", "replace"),
        None if kind is None else kind.decode("latin-1"),
        bytes(part.content),
    )
