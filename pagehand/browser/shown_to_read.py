"""Requests and WebSocket messages that are shown to read, although their method could change something.

Those are: GraphQL without a mutation, telemetry and keep-alive messages by their shape, and what the page
also sends without a press.
"""

import re
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

import orjson
from playwright.async_api import Request

from pagehand.records import is_array, is_object

_LONGEST: Final = 65_536
_MOST_KNOWN: Final = 10_000
_DEPTH: Final = 3
_SHAPE_LENGTH: Final = 80
_GRAPHQL_KEYS: Final = frozenset(("query", "variables", "operationName", "extensions"))
_GRAPHQL_READ: Final = re.compile(r"\s*(?:query\b|subscription\b|fragment\b|\{)", re.IGNORECASE)
_MUTATION: Final = re.compile(r"\bmutation\b", re.IGNORECASE)
# whole last parts of a path that say nothing else; `collect` and `events` also name things people do
_TELEMETRY: Final = frozenset(
    ("analytics", "csp-report", "csp-reports", "envelope", "gen_204", "rum", "telemetry", "web-vitals")
)
_CAPTCHA: Final = re.compile(r"hcaptcha\.com/|/recaptcha/|/challenge-platform/|/turnstile/")
_KEEP_ALIVE: Final = frozenset(("heartbeat", "hb", "keepalive", "keep-alive", "ping", "pong"))
# fields that say what is to be done where one address serves many operations
_OPERATION: Final = frozenset(("action", "cmd", "command", "do", "event", "func", "function")) | frozenset(
    ("intent", "method", "op", "operation", "operationname", "procedure", "type", "verb")
)
_DIGITS: Final = re.compile(r"\d+")

_Shape = tuple[str, str, str, frozenset[str]]


class UnpressedMessages:
    """What the pages of a session have sent without a press."""

    def __init__(self) -> None:
        self._known: set[_Shape] = set()

    def learn(self, method: str, url: str, body: bytes) -> None:
        """Remember a request, or a WebSocket message, that no press has caused."""
        if len(self._known) < _MOST_KNOWN:
            self._known.add(_shape(method, url, body))

    def has(self, method: str, url: str, body: bytes) -> bool:
        """Whether the same method, path and operation were seen without a press."""
        return len(body) <= _LONGEST and _shape(method, url, body) in self._known


def only_queries_graphql(body: bytes) -> bool:
    """True for one or more GraphQL documents without a mutation."""
    value = _json(body)
    documents = value if is_array(value) else [value]
    return bool(documents) and all(_is_query(document) for document in documents)


def is_telemetry(request: Request) -> bool:
    """True for measurements, violation reports and captchas, as their type or address shows."""
    parts = urlsplit(request.url)
    last = parts.path.rstrip("/").rpartition("/")[2].casefold()
    is_captcha = _CAPTCHA.search(f"{parts.hostname}{parts.path[:_SHAPE_LENGTH]}") is not None
    return request.resource_type == "cspviolationreport" or last in _TELEMETRY or is_captcha


def is_keep_alive(url: str, message: bytes) -> bool:
    """True for a WebSocket message that only keeps the connection open."""
    if message in (b"2", b"3") and "EIO=" in url:
        return True  # the ping and pong of engine.io
    names = _operations(message) or frozenset((message.decode(errors="replace").strip().casefold(),))
    return names <= _KEEP_ALIVE


def _is_query(document: Any) -> bool:
    if not is_object(document) or not document.keys() <= _GRAPHQL_KEYS:
        return False
    text = document.get("query")
    if not isinstance(text, str) or "}" not in text:
        return False
    return _GRAPHQL_READ.match(text) is not None and _MUTATION.search(text) is None


def _shape(method: str, url: str, body: bytes) -> _Shape:
    parts = urlsplit(url)
    return method, parts.netloc, parts.path, _operations(body) or _text_shape(method, body)


def _text_shape(method: str, body: bytes) -> frozenset[str]:
    """The message of a WebSocket without its numbers: an address alone says nothing about it."""
    if method != "WebSocket":
        return frozenset()
    return frozenset((_DIGITS.sub("0", body[:_SHAPE_LENGTH].decode(errors="replace")),))


def _operations(body: bytes) -> frozenset[str]:
    """The operations that a body names, such as the `method` of JSON-RPC."""
    value = _json(body)
    pairs = _pairs(value, _DEPTH) if value is not None else parse_qsl(_text(body))
    return frozenset(str(item).casefold() for name, item in pairs if name.casefold() in _OPERATION)


def _pairs(value: Any, depth: int) -> Iterator[tuple[str, Any]]:
    if depth and is_array(value):
        for item in value:
            yield from _pairs(item, depth - 1)
    elif depth and is_object(value):
        for name, item in value.items():
            if is_array(item) or is_object(item):
                yield from _pairs(item, depth - 1)
            else:
                yield name, item


def _json(body: bytes) -> Any:
    if len(body) > _LONGEST:
        return None
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None


def _text(body: bytes) -> str:
    return body.decode(errors="replace") if len(body) <= _LONGEST else ""
