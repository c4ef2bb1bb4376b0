"""uvicorn's HTTP protocol with limits and timeouts, and errors in the API's format.

A request arrives before it can be authenticated, so each stage of receiving it is limited in size and time,
and so is the client's reading of the response. Waiting for a response is not: a run may take hours;
`request_limits` limits how many wait. A WebSocket leaves this protocol with its upgrade; uvicorn's pings end
those that no longer listen.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from heapq import nsmallest
from http import HTTPStatus
from typing import Any, Final, Literal, cast
from weakref import ReferenceType, ref

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from pagehand.api.errors import error_body

SEND_WHOLE: Final = "pagehand.send_whole"
"""The extension of a request's scope with which an application sends head and body in one write."""
SendWhole = Callable[[int, bytes, bytes], bool]
"""Takes the status, complete header lines and the body; False when they have to be sent by messages."""
Stage = Literal["head", "body", "response"]
"""What is awaited: the rest of a request's head, the rest of its body, or our response."""


@dataclass(slots=True, frozen=True, kw_only=True)
class ConnectionLimits:
    """How much and how long one connection may take, and how many there may be."""

    connections: int = 2500
    head_bytes: int = 32 * 1024
    """Request line and headers together; also the overhead around the chunks of a body."""
    headers: int = 100
    """A header of a few bytes takes a hundred in memory."""
    head_seconds: float = 20
    body_seconds: float = 10
    """How far a client that sends `body_rate` bytes a second may fall behind."""
    body_rate: int = 32 * 1024
    write_seconds: float = 30
    """How long a client may read nothing of a response."""
    unread_seconds: float = 5
    """After how long a client that reads nothing has to make room for a new one."""
    linger_seconds: float = 2
    """How long a refused client may still send, which is discarded."""
    check_seconds: float = 2


DEFAULT_LIMITS: Final = ConnectionLimits()
_OVERHEAD_PER_BYTE: Final = 8
"""Chunks of one byte have an overhead of five bytes each."""
_READ_BYTES: Final = 64 * 1024
"""How much of a large response a client has to read to count as active."""
_SMALL_BODY_BYTES: Final = 4 * 1024
"""Needs no time of its own: nearly all bodies are smaller, and asking for the time has its price."""
_RETRY_AFTER: Final = "retry-after: 2\r\n"
_MAX_PIPELINED: Final = 8
"""Requests that wait for the response to the one before; common clients send none."""
_MAX_PIPELINED_BYTES: Final = 4 * 1024
"""The body of such a request that is kept."""
_ROOM: Final = 50
"""At the limit of connections, one of so many is closed at once: searching takes time."""


class LimitedProtocol(HttpToolsProtocol):
    """One connection; `uvicorn.Config(http=limited_protocol(…))`."""

    limits: ConnectionLimits = DEFAULT_LIMITS

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._stage: Stage = "head"
        self._since = 0.0
        self._is_idle = True
        self._latest_bytes = 0
        self._first_bytes = 0
        """The size of the data in which the request began; it may also hold the end of the one before."""
        self._wire_bytes = 0
        self._body_bytes = 0
        self._unsent = 0
        self._read_at = 0.0
        self._refused_at: float | None = None
        self._check: asyncio.TimerHandle | None = None
        self._earlier: list[RequestResponseCycle] = []
        """Requests without a complete response that others followed: uvicorn knows only the latest."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timeouts; at the limit of connections, close one that is idle."""
        super().connection_made(transport)
        self._since = self._read_at = self.loop.time()
        self._check = self.loop.call_later(self.limits.check_seconds, self._check_deadlines)
        # otherwise a client that opens connections and sends nothing would keep all others out
        if len(self.connections) <= self.limits.connections or self._make_room():
            return
        if len(self.connections) > 2 * self.limits.connections:
            self.transport.abort()  # refusals that are not read take connections, too
        else:
            self.refuse(503, "The service has too many connections; try again shortly")

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timeouts, and tell every request that its client is gone."""
        self._stop_checking()
        for cycle in self._earlier:
            cycle.disconnected = True
            cycle.message_event.set()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Pass bytes to the parser, and limit those that are neither a complete head nor body content."""
        if self._is_closed:
            return
        if self._stage == "head" and self._is_idle:
            self._is_idle = False
            self._since = self.loop.time()
        self._latest_bytes = len(data)
        self._wire_bytes += self._latest_bytes
        super().data_received(data)
        if self._is_closed:
            return
        allowed = self.limits.head_bytes + _OVERHEAD_PER_BYTE * self._body_bytes
        if self._wire_bytes - self._body_bytes > allowed:
            self._refuse_size()
        elif self._stage == "head":
            self._check_headers()

    def on_message_begin(self) -> None:
        """Enter the stage `head`."""
        super().on_message_begin()
        self._first_bytes = self._latest_bytes
        self._stage = "head"
        self._is_idle = False

    def on_headers_complete(self) -> None:
        """Check the size of the head, and enter the stage `body`."""
        # the head is not larger than what has arrived since it began, and that rarely reaches the limit
        if self._first_bytes + self._wire_bytes > self.limits.head_bytes and not self._is_closed:
            size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
            if size > self.limits.head_bytes:
                self._refuse_size()
        self._check_headers()
        self._enter("body")
        if not self._is_closed:
            before = self._cycle
            super().on_headers_complete()
            if before is not self._cycle:
                self._offer_whole_responses(self.cycle)
                if before is not None and not before.response_complete:
                    self._earlier.append(before)
        # uvicorn would add trailers, which follow the body, to the headers that the app reads
        self.headers = _CompleteHeaders(self.headers)
        if len(self.pipeline) > _MAX_PIPELINED:
            self.transport.abort()

    def on_body(self, body: bytes) -> None:
        """Count and pass on a piece of the body."""
        self._body_bytes += len(body)
        if self._body_bytes > _SMALL_BODY_BYTES:
            # every piece buys time, but not ahead: one that stops is cut off soon, however much it has sent
            self._since = min(self.loop.time(), self._since + len(body) / self.limits.body_rate)
        if self._is_closed:
            return
        super().on_body(body)
        if self.pipeline and len(self.cycle.body) > _MAX_PIPELINED_BYTES:
            self.transport.abort()

    def on_message_complete(self) -> None:
        """Enter the stage `response`."""
        self._enter("response")
        if self._is_closed:
            return
        super().on_message_complete()
        if not self._is_responding:
            self._await_request()

    def on_response_complete(self) -> None:
        """Await the next request, if this one has arrived completely."""
        super().on_response_complete()
        if self._earlier:
            self._earlier = [cycle for cycle in self._earlier if not cycle.response_complete]
        cycle = self._cycle
        if cycle is not None and cycle.body and cycle.response_complete:
            cycle.body = bytearray()  # of a refused request, of which nothing was read
        self._since = self.loop.time()
        if self._stage == "response" and not self.pipeline:
            self._await_request()

    def resume_writing(self) -> None:
        """Note that the client has read most of the response."""
        self._read_at = self.loop.time()
        super().resume_writing()

    def handle_websocket_upgrade(self) -> None:
        """Stop the timeouts: WebSockets have their own."""
        self._stop_checking()
        super().handle_websocket_upgrade()

    def send_400_response(self, msg: str) -> None:
        """Refuse a request that cannot be parsed; called by uvicorn."""
        self.refuse(400, msg)

    def refuse(self, status: int, sentence: str) -> None:
        """End the connection, with an error response unless one has started."""
        cycle = self._cycle
        if cycle is not None and cycle.response_started and not cycle.response_complete:
            self.transport.abort()
            return
        if cycle is not None:
            cycle.disconnected = True  # ends the reading of the body
            cycle.message_event.set()
        body = error_body(sentence)
        head = (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n"
            "content-type: application/json\r\n"
            f"content-length: {len(body)}\r\n"
            f"{_RETRY_AFTER if status == HTTPStatus.SERVICE_UNAVAILABLE else ''}"
            "connection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        # closing at once would reset the connection of a client that still sends, and lose the response
        self.transport.write_eof()
        self._refused_at = self.loop.time()

    @property
    def _cycle(self) -> RequestResponseCycle | None:
        """The latest request; uvicorn's attribute is None before the first, although its type is not."""
        return self.cycle

    @property
    def _is_closed(self) -> bool:
        """Whether everything that still arrives is ignored."""
        return self._refused_at is not None or self.transport.is_closing()

    def _offer_whole_responses(self, cycle: RequestResponseCycle) -> None:
        # uvicorn types extensions as what other servers announce with them
        scope = cast("dict[str, Any]", cycle.scope)
        # the cycle has the scope: a reference back would leave both to the garbage collector
        scope["extensions"] = {SEND_WHOLE: partial(self._send_whole, ref(cycle))}

    def _send_whole(
        self, reference: ReferenceType[RequestResponseCycle], status: int, headers: bytes, body: bytes
    ) -> bool:
        """Send a response at once: messages take two writes, and each wakes the client.

        The caller vouches for the header lines, of which `content-length` is one.
        """
        cycle = reference()
        if cycle is None or cycle.disconnected:
            return True
        if cycle.response_started or self.flow.write_paused or cycle.scope["method"] == "HEAD":
            return False
        cycle.response_started = cycle.response_complete = True
        cycle.message_event.set()
        close = b"" if cycle.keep_alive else b"connection: close\r\n"
        self.transport.write(b"".join((STATUS_LINE[status], headers, close, b"\r\n", body)))
        if not cycle.keep_alive:
            self.transport.close()
        cycle.on_response()
        return True

    def _enter(self, stage: Stage) -> None:
        self._stage = stage
        self._since = self.loop.time()
        # each stage has its own limits
        self._wire_bytes = self._body_bytes = 0

    def _await_request(self) -> None:
        self._enter("head")
        self._is_idle = True

    def _check_headers(self) -> None:
        """Limit the number of headers; not at each of them, which would take longer than to parse it."""
        headers = self.headers or ()  # uvicorn has none before the first request
        if len(headers) > self.limits.headers and not self._is_closed:
            self.refuse(431, f"The request has more than {self.limits.headers} headers")

    def _refuse_size(self) -> None:
        limit = f"{self.limits.head_bytes:,} bytes"
        if self._stage == "head":
            self.refuse(431, f"The address and headers of the request are over the limit of {limit}")
        else:
            self.refuse(400, f"What surrounds the chunks of the request body is over the limit of {limit}")

    def _make_room(self) -> bool:
        """Abort the connections that have waited longest for their clients; False when none waits."""
        connections = cast("set[object]", self.connections)
        waiting = [
            (connection.awaited_since, id(connection), connection)
            for connection in connections - {self}
            if isinstance(connection, LimitedProtocol) and connection.is_dispensable
        ]
        for _, _, connection in nsmallest(max(1, self.limits.connections // _ROOM), waiting):
            # not close(): a client that does not read would keep the connection open
            connection.transport.abort()
        return bool(waiting)

    @property
    def is_dispensable(self) -> bool:
        """Whether the client has to send something first, has its response, or does not read it."""
        if self._is_closed or self._is_unread(self.limits.unread_seconds):
            return True
        return self._stage != "response" and not (self._stage == "head" and self._is_responding)

    @property
    def awaited_since(self) -> float:
        """Since when the client is awaited, on the loop's clock."""
        return self._since

    @property
    def _is_responding(self) -> bool:
        return self._cycle is not None and not self._cycle.response_complete

    def _check_deadlines(self) -> None:
        self._check = self.loop.call_later(self.limits.check_seconds, self._check_deadlines)
        now = self.loop.time()
        self._note_reading(now)
        if self._is_unread(self.limits.write_seconds) or (
            self._refused_at is not None and now - self._refused_at > self.limits.linger_seconds
        ):
            self.transport.abort()
        elif not self._is_closed:
            if self.flow.read_paused:
                self._since = now  # the rest of the body waits for us, not for the client
            seconds = self._stage_seconds()
            if seconds is not None and now - self._since > seconds:
                self._refuse_late()

    def _stage_seconds(self) -> float | None:
        """The timeout of the current stage; None while the client is not awaited."""
        if self._stage == "response" or self.pipeline or self.timeout_keep_alive_task is not None:
            return None  # between two requests uvicorn's own timer ends the connection
        if self._stage == "head":
            return None if self._is_responding else self.limits.head_seconds
        return self.limits.body_seconds

    def _note_reading(self, now: float) -> None:
        unsent = self.transport.get_write_buffer_size()
        if unsent == 0 or self._unsent == 0 or unsent <= self._unsent - _READ_BYTES:
            self._read_at, self._unsent = now, unsent

    def _is_unread(self, seconds: float) -> bool:
        """Whether the client has hardly read anything of the response for so long."""
        return self.loop.time() - self._read_at > seconds and self.transport.get_write_buffer_size() > 0

    def _refuse_late(self) -> None:
        if (self._stage == "head" and self._is_idle) or (self._stage == "body" and not self._is_responding):
            self.transport.close()  # it has sent nothing, or has its response
        else:
            self.refuse(408, "The request did not arrive in time")

    def _stop_checking(self) -> None:
        if self._check is not None:
            self._check.cancel()
            self._check = None


class _CompleteHeaders(list[tuple[bytes, bytes]]):
    """The headers of a request whose head has ended."""

    def append(self, _: tuple[bytes, bytes], /) -> None:
        """Ignore a trailer."""


def limited_protocol(limits: ConnectionLimits) -> type[LimitedProtocol]:
    """The protocol class with these limits; uvicorn makes an instance per connection."""
    return type("LimitedProtocol", (LimitedProtocol,), {"limits": limits})
