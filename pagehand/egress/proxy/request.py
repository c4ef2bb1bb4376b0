"""Reads the head of a request made to the egress proxy and writes it the way the origin wants it."""

import base64
import binascii
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from pagehand.egress.proxy.body import HEADER, BadRequest, ChunkedBody, CountedBody

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
