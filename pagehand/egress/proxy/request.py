"""Reads the head of a request made to the egress proxy and writes it the way the origin wants it."""

import base64
import binascii
from dataclasses import dataclass
from urllib.parse import urlsplit

LONGEST_HEAD = 64 * 1024
"""Bytes of request line and headers; a browser's are a few kilobytes even with many cookies."""

_FOR_THE_PROXY = frozenset({b"proxy-authorization", b"proxy-connection", b"host"})
_DEFAULT_PORT = 80
_MOST_DIGITS = 18


class BadRequest(Exception):
    """The request is not one a proxy can serve."""


@dataclass(frozen=True, slots=True)
class ProxyRequest:
    """One request as far as the proxy cares."""

    method: bytes
    host: str
    port: int
    credential: str | None
    head: bytes
    """What the origin is sent; empty for CONNECT."""
    body_bytes: int
    is_open_ended: bool
    """True when what follows the head cannot be counted: chunks, or a protocol upgrade."""

    @property
    def is_connect(self) -> bool:
        """True when a tunnel is asked for."""
        return self.method == b"CONNECT"


def parse_request(head: bytes) -> ProxyRequest:
    """Read a head (without its empty line); `BadRequest` says what is wrong with it."""
    request_line, *lines = head.split(b"\r\n")
    words = request_line.split(b" ")
    if len(words) != 3 or not words[2].startswith(b"HTTP/1."):  # noqa: PLR2004 - method, target, version
        raise BadRequest("the request line is not HTTP/1")
    method, target, version = words
    headers = [_header(line) for line in lines]
    credential = _credential(headers)
    if method == b"CONNECT":
        host, port = _authority(target, None)
        return ProxyRequest(method, host, port, credential, b"", 0, is_open_ended=True)
    authority, path = _absolute(target)
    host, port = _authority(authority, _DEFAULT_PORT)
    body_bytes, is_chunked = _framing(headers)
    kept = [name + b": " + value for name, value in headers if name.lower() not in _FOR_THE_PROXY]
    is_open_ended = is_chunked or any(name.lower() == b"upgrade" for name, _ in headers)
    text = b"\r\n".join([method + b" " + path + b" " + version, b"Host: " + authority, *kept, b"", b""])
    return ProxyRequest(method, host, port, credential, text, body_bytes, is_open_ended)


def _header(line: bytes) -> tuple[bytes, bytes]:
    name, colon, value = line.partition(b":")
    if not colon or not name or name != name.strip():
        raise BadRequest("a header line is malformed")
    return name, value.strip()


def _credential(headers: list[tuple[bytes, bytes]]) -> str | None:
    """`username:password` of Basic proxy authentication."""
    for name, value in headers:
        scheme, _, token = value.partition(b" ")
        if name.lower() == b"proxy-authorization" and scheme.lower() == b"basic":
            try:
                return base64.b64decode(token, validate=True).decode("latin-1")
            except binascii.Error:
                return None
    return None


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
        host, port = parts.hostname, parts.port or default_port
    except ValueError:  # also what is not ASCII
        raise BadRequest("the host or port is malformed") from None
    if not host or not port or not host.isprintable() or set(host) & set(" <>\"'\\"):
        raise BadRequest("the host or port is malformed")
    return host, port


def _framing(headers: list[tuple[bytes, bytes]]) -> tuple[int, bool]:
    lengths = {value for name, value in headers if name.lower() == b"content-length"}
    is_chunked = any(name.lower() == b"transfer-encoding" for name, _ in headers)
    # two lengths, or a length beside chunks, are read differently by different servers (request smuggling)
    if len(lengths) > 1 or (lengths and is_chunked) or not all(_is_length(length) for length in lengths):
        raise BadRequest("the length of the body is unclear")
    return int(next(iter(lengths), b"0")), is_chunked


def _is_length(text: bytes) -> bool:
    # Python refuses to convert thousands of digits
    return text.isdigit() and len(text) <= _MOST_DIGITS
