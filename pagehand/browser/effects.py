"""What the pages of a session send that may change something outside: by a press, or a form by POST.

Requests and messages that are shown to read are left out, although their method could change something:
GraphQL without a mutation, telemetry and keep-alive messages by their shape, and what the page also sends
without a press.
"""

import re
from collections.abc import Awaitable, Iterator
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

import orjson
from playwright.async_api import BrowserContext, CDPSession, Frame, Page, Request, WebSocket
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.dialogs import Report
from pagehand.browser_session import BeforeSend
from pagehand.records import is_array, is_object
from pagehand.workflow.effect_words import promises_effect

_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_SENT: Final = frozenset({"document", "fetch", "xhr", "ping"})
_SHOWN_LENGTH: Final = 200
# fields of forms that pass a sign-in from an identity provider to a site: not an effect
_SIGN_IN_FIELDS: Final = (b"SAMLResponse=", b"SAMLRequest=", b"id_token=", b"wresult=")
_NEVER_SENT: Final = (
    "ERR_CONNECTION_REFUSED",
    "ERR_NAME_NOT_RESOLVED",
    "ERR_ADDRESS_UNREACHABLE",
    "ERR_INTERNET_DISCONNECTED",
    "ERR_PROXY_CONNECTION_FAILED",
    "ERR_TUNNEL_CONNECTION_FAILED",
)
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


def _send_at_once() -> None:
    """For sessions without an execution."""


class SentRequests:
    """Listens to what a context sends and reports what counts as an effect.

    Playwright shows the requests of pages, frames, workers and service workers, and the messages of
    WebSockets. It does not show what a shared worker sends: while there is one, anything that leaves counts.
    """

    def __init__(self, context: BrowserContext, report: Report) -> None:
        """Starts listening; `report` gets `effect.seen`, and `effect.unsent` for one that never left."""
        self._report = report
        self._control = ""
        """The name of the control that was pressed last."""
        self._is_pressed = False
        self._is_signing_in = False
        self._page: Page | None = None
        """The tab in which it was pressed."""
        self._is_leaving = False
        self._unpressed = UnpressedMessages()
        self._shared_workers: set[str] = set()
        self._is_message_reported = False
        self._has_left = False
        """Whether something has left since the press that may be its effect."""
        self._seen: dict[Request, str] = {}
        self._count = 0
        self.context_id: str | None = None
        """The browser context whose workers count; None for all of the browser."""
        self.record: BeforeSend = _send_at_once
        """Records that something may leave because of the press; what it returns is awaited first."""
        self.sent = 0
        """How many documents and scripted requests the tabs have asked for so far."""
        context.on("request", self._began)
        context.on("requestfailed", self._failed)
        context.on("requestfinished", self._finished)
        context.on("framenavigated", self._frame_navigated)
        context.on("page", self._page_opened)

    def listen(self, control: CDPSession) -> None:
        """Follow which shared workers there are."""
        control.on("Target.targetCreated", self._target_created)
        control.on("Target.targetDestroyed", self._target_destroyed)

    def pressed(self, name: str, *, is_sign_in: bool, page: Page | None = None) -> None:
        """What is sent from now on was caused by the control of this name, or by other input of ours."""
        self._control, self._page = name, page
        self._is_pressed, self._is_signing_in = not is_sign_in, is_sign_in
        self._is_message_reported = self._is_leaving = self._has_left = False

    def navigated(self) -> None:
        """What is sent from now on was not caused by a press."""
        self._control, self._is_pressed, self._is_signing_in, self._is_leaving = "", False, False, False

    def leaving(self, page: Page) -> None:
        """A navigation of ours begins: until the new document is there, the old one may still send."""
        # in another tab, the page that was pressed goes on
        self._is_leaving = self._page in (None, page)

    def before_send(self) -> Awaitable[None] | None:
        """Called before bytes leave that may be an effect; what it returns has to be awaited first."""
        if not self._is_pressed:
            return None
        recording = self.record()
        self._has_left = True
        if self._shared_workers:
            self._report_shared_worker()
        return recording

    def _began(self, request: Request) -> None:
        self.sent += request.resource_type in _SENT
        # a redirect repeats the request that was counted, it does not add one
        if request.method in _READING or request.redirected_from is not None or not self._counts(request):
            return
        self._count += 1
        self._seen[request] = str(self._count)
        shown = f"`{request.method} {short_address(request.url)}`{self._by}"
        self._report("effect.seen", shown, {"request": self._seen[request]})

    @property
    def _by(self) -> str:
        return f" by `{self._control}`" if self._control else ""

    def _counts(self, request: Request) -> bool:
        if request.is_navigation_request():
            return not self._is_signing_in and not _carries_sign_in(request)
        body = request.post_data_buffer or b""
        if not self._is_pressed:
            self._unpressed.learn(request.method, request.url, body)
            return False
        if not _is_own_site(request) or only_queries_graphql(body):
            return False
        # a control that promises an effect is believed more than the look of its request
        return promises_effect(self._control) or not (
            is_telemetry(request) or self._unpressed.has(request.method, request.url, body)
        )

    def _failed(self, request: Request) -> None:
        number = self._seen.pop(request, None)
        reason = request.failure or ""
        # only where it was certainly not sent: a reset connection may have delivered it
        if number is not None and any(sign in reason for sign in _NEVER_SENT):
            self._report("effect.unsent", f"It never left: `{reason}`", {"request": number})

    def _finished(self, request: Request) -> None:
        self._seen.pop(request, None)

    def _frame_navigated(self, frame: Frame) -> None:
        if self._is_leaving and frame.parent_frame is None:
            self.navigated()

    def _page_opened(self, page: Page) -> None:
        page.on("websocket", self._websocket_opened)

    def _websocket_opened(self, socket: WebSocket) -> None:
        socket.on("framesent", lambda message: self._message_sent(socket.url, message))

    def _message_sent(self, url: str, message: str | bytes) -> None:
        content = message.encode(errors="replace") if isinstance(message, str) else message
        if not self._is_pressed:
            self._unpressed.learn("WebSocket", url, content)
        elif not is_keep_alive(url, content) and not self._unpressed.has("WebSocket", url, content):
            self._report_message(f"`WebSocket {short_address(url)}`{self._by}")

    def _report_shared_worker(self) -> None:
        self._report_message("something that a shared worker may have sent")

    def _report_message(self, shown: str) -> None:
        """Report once for each press: an application may send many messages a second."""
        if not self._is_message_reported:
            self._is_message_reported = True
            self._report("effect.seen", shown, {})

    def _target_created(self, event: dict[str, Any]) -> None:
        target = event["targetInfo"]
        is_ours = self.context_id in (None, target.get("browserContextId"))
        if target["type"] == "shared_worker" and is_ours:
            self._shared_workers.add(target["targetId"])
            # a worker that the press has started may have sent something before it was announced
            if self._is_pressed and self._has_left:
                self._report_shared_worker()

    def _target_destroyed(self, event: dict[str, Any]) -> None:
        self._shared_workers.discard(event["targetId"])


def _carries_sign_in(request: Request) -> bool:
    body = request.post_data_buffer or b""
    return any(body.startswith(field) or b"&" + field in body for field in _SIGN_IN_FIELDS)


def _is_own_site(request: Request) -> bool:
    """True for the site of the page or of the frame that asks, and for another one with its credentials."""
    try:
        frame = request.frame
        hosts = {urlsplit(url).hostname for url in (frame.page.url, frame.url)}
    except PlaywrightError:
        return True  # of a service worker, or of a tab that has closed: unknown, so it counts
    asked = urlsplit(request.url).hostname or ""
    if None in hosts or "authorization" in request.headers:
        return True  # of a blank document, or an application whose API has a site of its own
    return any(asked == host or _domain(asked) == _domain(host or "") for host in hosts)


def _domain(host: str) -> str:
    """The part of a host name that one owner has, as far as it can be known without a list of suffixes."""
    labels = host.split(".")
    if labels[-1].isdigit() or ":" in host:
        return host
    # wrong guesses count a neighbour's request as an effect, which only keeps a run from being repeated
    is_short_suffix = len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3  # noqa: PLR2004 - co.uk, com.au
    return ".".join(labels[-3:] if is_short_suffix else labels[-2:])


def short_address(url: str) -> str:
    """The address without its query, and without the part of its path that is too long to show.

    Cut between parts: half a secret would not be recognized.
    """
    address = url.partition("?")[0]
    if len(address) <= _SHOWN_LENGTH:
        return address
    return f"{address[:_SHOWN_LENGTH].rpartition('/')[0]}/…"


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
