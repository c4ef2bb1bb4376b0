"""HTTP of the service: uvicorn's protocol with limits and deadlines, and errors in the API's shape.

Nobody has shown a key yet when a request line, headers or a body begin to arrive, so every stage before the
answer has a size and a time, and so does taking the answer in. Waiting for an answer has none: a run may take
hours. A WebSocket leaves this protocol with its upgrade; uvicorn's pings end one that no longer listens.
"""

import asyncio
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, Literal, cast

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from pagehand.api.errors import error_body

Stage = Literal["head", "body", "answer"]
"""What is awaited: the rest of a request's head, the rest of its body, or our answer."""


@dataclass(slots=True, frozen=True, kw_only=True)
class ConnectionLimits:
    """How much and how long one connection may take, and how many there may be."""

    connections: int = 1000
    head_bytes: int = 64 * 1024
    """Request line and headers together; also what may surround the chunks of a body."""
    head_seconds: float = 20
    body_seconds: float = 30
    """To begin with; every `body_rate` bytes add a second."""
    body_rate: int = 8 * 1024
    write_seconds: float = 60
    """How long a client may leave an answer untouched."""
    linger_seconds: float = 2
    """How long what a refused client still sends is thrown away."""
    check_seconds: float = 2


DEFAULT_LIMITS: Final = ConnectionLimits()
_OVERHEAD_PER_BYTE: Final = 8
"""A body in chunks of one byte has five bytes around each."""
_TAKEN_BYTES: Final = 64 * 1024
"""What a client has to take of a large answer to count as reading it."""


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
        self._wire_bytes = 0
        self._body_bytes = 0
        self._unsent = 0
        self._taken_at = 0.0
        self._refused_at: float | None = None
        self._check: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the clock; at the limit of connections one that only waits has to go."""
        super().connection_made(transport)
        self._since = self.loop.time()
        self._check = self.loop.call_later(self.limits.check_seconds, self._check_deadlines)
        # otherwise whoever opens connections and sends nothing would keep everybody else out
        if len(self.connections) > self.limits.connections and not self._make_room():
            self.refuse(503, "The service has too many connections; try again shortly")

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self._stop_checking()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Pass bytes to the parser, counting those that are neither a finished head nor content of a body."""
        if self._is_over:
            return
        if self._stage == "head" and self._is_idle:
            self._is_idle = False
            self._since = self.loop.time()
        self._wire_bytes += len(data)
        super().data_received(data)
        if self._is_over:
            return
        allowed = self.limits.head_bytes + _OVERHEAD_PER_BYTE * self._body_bytes
        if self._wire_bytes - self._body_bytes > allowed:
            self._refuse_size()

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._stage = "head"
        self._is_idle = False

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header; what comes after the body (a trailer) is not a header of the request."""
        # uvicorn would add a trailer to the headers that the app reads
        if self._stage == "head":
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The head is there: from now on its body is awaited."""
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        if size > self.limits.head_bytes and not self._is_over:
            self._refuse_size()
        self._enter("body")
        if not self._is_over:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A piece of the body."""
        self._body_bytes += len(body)
        if not self._is_over:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is there as a whole: what remains is ours to do."""
        self._enter("answer")
        if self._is_over:
            return
        super().on_message_complete()
        if not self._is_answering:
            self._await_next()

    def on_response_complete(self) -> None:
        """The answer is written: the next request may begin, once this one has arrived as a whole."""
        super().on_response_complete()
        self._since = self.loop.time()
        if self._stage == "answer" and not self.pipeline:
            self._await_next()

    def resume_writing(self) -> None:
        """The client has taken most of what was waiting for it."""
        self._taken_at = self.loop.time()
        super().resume_writing()

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection over."""
        self._stop_checking()
        super().handle_websocket_upgrade()

    def send_400_response(self, msg: str) -> None:
        """Refuse a request that cannot be parsed; also called by uvicorn."""
        self.refuse(400, msg)

    def refuse(self, status: int, sentence: str) -> None:
        """End the connection, with an answer where none has begun."""
        cycle = self._cycle
        if cycle is not None and cycle.response_started and not cycle.response_complete:
            self.transport.abort()
            return
        if cycle is not None:
            cycle.disconnected = True  # whoever reads the body learns it now
            cycle.message_event.set()
        body = error_body(sentence)
        head = (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n"
            "content-type: application/json\r\n"
            f"content-length: {len(body)}\r\n"
            "connection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        # closing at once would reset the connection under a client that is still sending, and lose the answer
        self.transport.write_eof()
        self._refused_at = self.loop.time()

    @property
    def _cycle(self) -> RequestResponseCycle | None:
        """The latest request; uvicorn's attribute is None before the first, whatever its type says."""
        return self.cycle

    @property
    def _is_over(self) -> bool:
        """Whether nothing that arrives matters any more."""
        return self._refused_at is not None or self.transport.is_closing()

    def _enter(self, stage: Stage) -> None:
        self._stage = stage
        self._since = self.loop.time()
        # each stage is measured by itself: the head does not use up what the body may take
        self._wire_bytes = self._body_bytes = 0

    def _await_next(self) -> None:
        self._enter("head")
        self._is_idle = True

    def _refuse_size(self) -> None:
        limit = f"{self.limits.head_bytes:,} bytes"
        if self._stage == "head":
            self.refuse(431, f"The address and headers of the request are over the limit of {limit}")
        else:
            self.refuse(400, f"What surrounds the chunks of the request body is over the limit of {limit}")

    def _make_room(self) -> bool:
        """End the connection that has waited longest for its client to ask for something."""
        connections = cast("set[object]", self.connections)
        others = [
            connection
            for connection in connections
            if isinstance(connection, LimitedProtocol) and connection is not self
        ]
        waiting = [other for other in others if other.awaits_request]
        if waiting:
            # abort, not close: a client that does not read would keep a closing connection open
            min(waiting, key=lambda one: one.awaited_since).transport.abort()
        return bool(waiting)

    @property
    def awaits_request(self) -> bool:
        """Whether the client has yet to send something before it can be answered, or has its answer."""
        return (
            not self._is_over
            and self._stage != "answer"
            and not (self._stage == "head" and self._is_answering)
        )

    @property
    def awaited_since(self) -> float:
        """When what is awaited began to be, on the loop's clock."""
        return self._since

    @property
    def _is_answering(self) -> bool:
        return self._cycle is not None and not self._cycle.response_complete

    def _check_deadlines(self) -> None:
        self._check = self.loop.call_later(self.limits.check_seconds, self._check_deadlines)
        now = self.loop.time()
        if self._is_stuck(now) or (
            self._refused_at is not None and now - self._refused_at > self.limits.linger_seconds
        ):
            self.transport.abort()
        elif not self._is_over:
            seconds = self._seconds()
            if seconds is not None and now - self._since > seconds:
                self._refuse_time()

    def _seconds(self) -> float | None:
        """How long the present stage may take; None where it is not the client that is awaited."""
        if self._stage == "answer" or self.pipeline or self.timeout_keep_alive_task is not None:
            return None  # between two requests it is uvicorn's own timer that ends the connection
        if self._stage == "head":
            return None if self._is_answering else self.limits.head_seconds
        if not self._is_answering:
            return self.limits.body_seconds  # the rest of the body is only taken off the wire
        return self.limits.body_seconds + self._body_bytes / self.limits.body_rate

    def _is_stuck(self, now: float) -> bool:
        """Whether the client has taken next to nothing of what was sent to it for too long."""
        unsent = self.transport.get_write_buffer_size()
        if unsent == 0 or self._unsent == 0 or unsent <= self._unsent - _TAKEN_BYTES:
            self._taken_at, self._unsent = now, unsent
        return unsent > 0 and now - self._taken_at > self.limits.write_seconds

    def _refuse_time(self) -> None:
        if (self._stage == "head" and self._is_idle) or (self._stage == "body" and not self._is_answering):
            self.transport.close()  # nothing was asked, or it has its answer
        else:
            self.refuse(408, "The request did not arrive in time")

    def _stop_checking(self) -> None:
        if self._check is not None:
            self._check.cancel()
            self._check = None


def limited_protocol(limits: ConnectionLimits) -> type[LimitedProtocol]:
    """The protocol with these limits; uvicorn makes one of it per connection."""
    return type("LimitedProtocol", (LimitedProtocol,), {"limits": limits})
