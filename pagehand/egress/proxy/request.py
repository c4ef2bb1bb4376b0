"""Reads a request made to the egress proxy and writes it the way the origin wants it.

A server that sees the end of a body elsewhere than the proxy does would take part of it for another request,
one that was not checked (request smuggling). So framing is read strictly, and chunks are written again from
what was read: extensions and trailers do not get through.
"""

import base64
import binascii
import re
from dataclasses import dataclass
from enum import Enum, auto
from urllib.parse import urlsplit

HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*+([\t\x20-\x7e\x80-\xff]*)")
"""A header line. A carriage return or line feed alone ends a line for some servers: what follows would be a
header that was not checked. Folded lines begin with a blank, so they are not a name either."""


_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})(?:;[\t\x20-\x7e\x80-\xff]*)?")


_LONGEST_LINE = 8 * 1024


_MOST_TRAILERS = 100
_NEVER_TRAILERS = frozenset({b"content-length", b"transfer-encoding", b"host"})
"""What must be known before the body (RFC 9110, section 6.5.1)."""


class BadRequest(Exception):
    """The request is not one a proxy can serve; the message says why."""


class CountedBody:
    """A body of as many bytes as `Content-Length` says."""

    def __init__(self, length: int) -> None:
        self._left = length

    @property
    def is_complete(self) -> bool:
        """Whether all of it has been taken."""
        return not self._left

    def take(self, unread: bytearray) -> bytes:
        """Remove what belongs to the body from `unread`; what to send the origin."""
        part = bytes(unread[: self._left])
        del unread[: self._left]
        self._left -= len(part)
        return part


class _Expected(Enum):
    SIZE = auto()
    DATA = auto()
    END_OF_DATA = auto()
    TRAILER = auto()
    NOTHING = auto()


class ChunkedBody:
    """A body in chunks (RFC 9112, section 7.1)."""

    def __init__(self) -> None:
        self._expected = _Expected.SIZE
        self._left = 0
        self._trailers = 0

    @property
    def is_complete(self) -> bool:
        """Whether the last chunk and its trailers have been taken."""
        return self._expected is _Expected.NOTHING

    def take(self, unread: bytearray) -> bytes:
        """Remove what belongs to the body from `unread`; what to send on. `BadRequest` if malformed."""
        sent = bytearray()
        while unread and not self.is_complete:
            if self._expected is _Expected.DATA:
                sent += self._take_data(unread)
                continue
            line = _take_line(unread)
            if line is None:
                break
            sent += self._read_line(line)
        return bytes(sent)

    def _take_data(self, unread: bytearray) -> bytes:
        part = bytes(unread[: self._left])
        del unread[: self._left]
        self._left -= len(part)
        if not self._left:
            self._expected = _Expected.END_OF_DATA
        return part

    def _read_line(self, line: bytes) -> bytes:
        if self._expected is _Expected.SIZE:
            return self._read_size(line)
        if self._expected is _Expected.END_OF_DATA:
            if line:
                raise BadRequest("a chunk is longer than its size")
            self._expected = _Expected.SIZE
            return b"\r\n"
        if not line:
            self._expected = _Expected.NOTHING
            return b"0\r\n\r\n"
        self._trailers += 1
        if self._trailers > _MOST_TRAILERS or _header(line)[0].lower() in _NEVER_TRAILERS:
            raise BadRequest("there are too many trailers, or one says where the request ends or goes to")
        return b""

    def _read_size(self, line: bytes) -> bytes:
        match = _CHUNK_SIZE.fullmatch(line)
        if match is None:
            raise BadRequest("the size of a chunk is malformed")
        self._left = int(match[1], 16)
        self._expected = _Expected.DATA if self._left else _Expected.TRAILER
        return b"%x\r\n" % self._left if self._left else b""


def _take_line(unread: bytearray) -> bytes | None:
    """The next line without its end; None when it has not arrived whole."""
    end = unread.find(b"\n")
    if end < 0 and len(unread) <= _LONGEST_LINE:
        return None
    # a lone line feed ends a line for some servers and not for others
    if not 0 < end <= _LONGEST_LINE or not unread.startswith(b"\r", end - 1):
        raise BadRequest("a line of a chunk does not end properly")
    line = bytes(unread[: end - 1])
    del unread[: end + 1]
    if b"\r" in line:
        raise BadRequest("a line of a chunk does not end properly")
    return line


LONGEST_HEAD = 64 * 1024
"""Bytes of request line and headers; a browser's are a few kilobytes even with many cookies."""

_FOR_THE_PROXY = frozenset({b"proxy-authorization", b"proxy-connection", b"host"})
_DEFAULT_PORT = 80
_MOST_DIGITS = 18
_REQUEST_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([\x21-\x7e]+) (HTTP/1\.[01])")
Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class ProxyRequest:
    """One request as far as the proxy cares."""

    method: bytes
    host: str
    port: int
    credential: str | None
    head: bytes
    """What the origin is sent; empty for CONNECT."""
    body_bytes: int = 0
    is_chunked: bool = False
    is_upgrade: bool = False
    """True when it asks to go on in another protocol, which the origin has to agree to."""

    @property
    def is_connect(self) -> bool:
        """True when a tunnel is asked for."""
        return self.method == b"CONNECT"

    @property
    def has_body(self) -> bool:
        """True when more than the head belongs to it."""
        return self.is_chunked or self.body_bytes > 0

    def body(self) -> CountedBody | ChunkedBody | None:
        """What finds the end of its body; None when it has none."""
        if self.is_chunked:
            return ChunkedBody()
        return CountedBody(self.body_bytes) if self.body_bytes else None


def parse_request(head: bytes) -> ProxyRequest:
    """Read a head (without its empty line); `BadRequest` says what is wrong with it."""
    request_line, *lines = head.split(b"\r\n")
    match = _REQUEST_LINE.fullmatch(request_line)
    if match is None:
        raise BadRequest("the request line is not HTTP/1")
    method, target, version = match.groups()
    headers = [_header(line) for line in lines]
    names = [name.lower() for name, _ in headers]
    # it is written anew, but a request that names two hosts or none is not a browser's
    if names.count(b"host") > 1 or (b"host" not in names and version == b"HTTP/1.1"):
        raise BadRequest("there must be one `Host` header")
    credential = _credential(headers)
    body_bytes, is_chunked = _framing(headers, version)
    is_upgrade = b"upgrade" in names
    if (method == b"CONNECT" or is_upgrade) and (body_bytes or is_chunked):
        raise BadRequest("a request for a tunnel or an upgrade has no body")
    if method == b"CONNECT":
        host, port = _authority(target, None)
        return ProxyRequest(method, host, port, credential, b"")
    authority, path = _absolute(target)
    host, port = _authority(authority, _DEFAULT_PORT)
    kept = [name + b": " + value for name, value in headers if name.lower() not in _FOR_THE_PROXY]
    text = b"\r\n".join([method + b" " + path + b" " + version, b"Host: " + authority, *kept, b"", b""])
    return ProxyRequest(method, host, port, credential, text, body_bytes, is_chunked, is_upgrade)


def _header(line: bytes) -> tuple[bytes, bytes]:
    match = HEADER.fullmatch(line)
    if match is None:
        raise BadRequest("a header line is malformed")
    return match[1], match[2].rstrip(b" \t")


def _credential(headers: Headers) -> str | None:
    """`username:password` of Basic proxy authentication."""
    for name, value in headers:
        scheme, _, token = value.partition(b" ")
        if name.lower() == b"proxy-authorization" and scheme.lower() == b"basic":
            try:
                return base64.b64decode(token, validate=True).decode("latin-1")
            except binascii.Error:
                return None
    return None


def _framing(headers: Headers, version: bytes) -> tuple[int, bool]:
    """How many bytes the body has, or that it is chunked."""
    lengths = {value for name, value in headers if name.lower() == b"content-length"}
    codings = [value.lower() for name, value in headers if name.lower() == b"transfer-encoding"]
    # two lengths, or a length beside chunks, are read differently by different servers (request smuggling)
    if len(lengths) > 1 or (lengths and codings) or not all(_is_length(length) for length in lengths):
        raise BadRequest("the length of the body is unclear")
    # other codings are unknown to some servers, and HTTP/1.0 has none
    if codings and (codings != [b"chunked"] or version == b"HTTP/1.0"):
        raise BadRequest("the length of the body is unclear")
    return int(next(iter(lengths), b"0")), bool(codings)


def _is_length(text: bytes) -> bool:
    # Python refuses to convert thousands of digits
    return text.isdigit() and len(text) <= _MOST_DIGITS


def _absolute(target: bytes) -> tuple[bytes, bytes]:
    """Authority and path of `http://authority/path`."""
    if target[:7].lower() != b"http://":
        raise BadRequest("only http:// addresses can be asked for, others through CONNECT")
    rest = target[7:].partition(b"#")[0]
    end = min((place for place in (rest.find(b"/"), rest.find(b"?")) if place >= 0), default=len(rest))
    authority, path = rest[:end].rpartition(b"@")[2], rest[end:]
    return authority, path if path.startswith(b"/") else b"/" + path


def _authority(authority: bytes, default_port: int | None) -> tuple[str, int]:
    try:
        parts = urlsplit("//" + authority.decode("ascii"))
        host, port = parts.hostname, default_port if parts.port is None else parts.port
    except ValueError:  # also what is not ASCII
        raise BadRequest("the host or port is malformed") from None
    if not host or not port or not host.isprintable() or set(authority) & set(b" <>\"'\\/?#@"):
        raise BadRequest("the host or port is malformed")
    return host, port
