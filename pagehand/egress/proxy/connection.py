"""The browser's end of a proxied connection: reads what is asked for, and joins it to the origin's end.

One connection of a browser is joined to at most one connection to an origin. Browsers keep connections per
origin, so this reuses the origin's connection too, and no two runs ever share one. Responses are passed on
unread; of requests only heads are read, and bodies counted.
"""

import asyncio
import html
from collections.abc import Callable
from dataclasses import dataclass, field

from pagehand.egress.policy import SETTING, EgressRefused, HostUnknown
from pagehand.egress.proxy.origin import Dialler, OriginSide, Side, Unreachable
from pagehand.egress.proxy.request import LONGEST_HEAD, BadRequest, ProxyRequest, parse_request
from pagehand.egress.temporary_reach import OUTSIDE, Reach

READY_HOST = "proxy.pagehand.invalid"
"""Belongs to no one; requests for it are answered here."""

_HEAD_SECONDS = 300
_TUNNEL_SECONDS = 900
_MOST_CONNECTIONS = 512
_REASONS = {
    204: "No Content",
    400: "Bad Request",
    403: "Forbidden",
    407: "Proxy Authentication Required",
    431: "Request Header Fields Too Large",
    502: "Bad Gateway",
    503: "Service Unavailable",
}


OnFailure = Callable[[str, int, str], None]
"""Called with the host, the port and the reason."""


class ClientSide(Side):
    """A connection a browser made to the proxy."""

    def __init__(self, find_run: Callable[[str], "AdmittedRun | None"], everyone: "set[ClientSide]") -> None:
        super().__init__()
        self._find_run = find_run
        self._everyone = everyone
        self._run: AdmittedRun | None = None
        self._unread = bytearray()
        self._body_left = 0
        self._is_tunnel = False
        self._serving: asyncio.Task[None] | None = None
        self._target: tuple[str, int] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Join the others, so that closing the proxy finds it."""
        super().connection_made(transport)
        self._everyone.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Take the origin's connection along."""
        self._everyone.discard(self)
        if self._run is not None:
            self._run.connections.discard(self)
        if self._serving is not None:
            self._serving.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Pass on what belongs to the request at hand and read the next head in the rest."""
        if self._is_tunnel:
            super().data_received(data)
            return
        self._unread += data
        self._go_on()

    def eof_received(self) -> bool:
        """Let a tunnel go on in the other direction; anything else is over."""
        return self._is_tunnel and super().eof_received()

    def close_if_idle(self) -> None:
        """Close when nothing has moved on either end for long."""
        idle_since = max(self.last_moved, self.other.last_moved if self.other else 0)
        patience = _TUNNEL_SECONDS if self._is_tunnel else _HEAD_SECONDS
        if asyncio.get_running_loop().time() - idle_since > patience:
            self.abort()

    def abort_outside(self, reach: Reach | None) -> None:
        """Cut a connection to a host that may not be reached any more."""
        if reach is not None and self._target is not None and not reach.covers(*self._target):
            self.abort()

    def _go_on(self) -> None:
        """Work through what has arrived until more is needed."""
        while self._serving is None and self._unread and not self.is_closing:
            if self._is_tunnel or self._body_left:
                self._pass_body_on()
                continue
            end = self._unread.find(b"\r\n\r\n")
            if end > LONGEST_HEAD or (end < 0 and len(self._unread) > LONGEST_HEAD):
                self._answer(431, "The request's headers are too large.")
            if end < 0 or end > LONGEST_HEAD:
                return
            head = bytes(self._unread[:end])
            del self._unread[: end + 4]
            self._take_request(head)

    def _pass_body_on(self) -> None:
        size = len(self._unread) if self._is_tunnel else min(self._body_left, len(self._unread))
        part = bytes(self._unread[:size])
        del self._unread[:size]
        self._body_left -= 0 if self._is_tunnel else size
        super().data_received(part)

    def _take_request(self, head: bytes) -> None:
        try:
            request = parse_request(head)
        except BadRequest as mistake:
            self._answer(400, f"Not a request for a proxy: {mistake}.")
            return
        run = self._find_run(request.credential) if request.credential else None
        # a connection belongs to one run for good: its origin's connection may carry that run's session
        if run is None or (self._run is not None and run is not self._run):
            self._ask_for_credential(request)
        elif len(run.connections) >= _MOST_CONNECTIONS and self not in run.connections:
            self._answer(503, "This run has too many connections open.")
        else:
            self._run = run
            run.connections.add(self)
            self._serve(request, run)

    def _ask_for_credential(self, request: ProxyRequest) -> None:
        # a body that is not read would be taken for the next request
        can_stay = not request.body_bytes and (request.is_connect or not request.is_open_ended)
        header = 'Proxy-Authenticate: Basic realm="pagehand"'
        self._answer(407, "A run's credential is needed.", header, stays_open=can_stay)

    def _serve(self, request: ProxyRequest, run: "AdmittedRun") -> None:
        if request.host == READY_HOST:
            self._answer(204, "", stays_open=not request.body_bytes)
        elif (
            self.other is not None and self._target == (request.host, request.port) and not request.is_connect
        ):
            self._begin(request)
        else:
            self.pause_reading()
            self._serving = asyncio.get_running_loop().create_task(self._reach(request, run))

    async def _reach(self, request: ProxyRequest, run: "AdmittedRun") -> None:
        """Dial the origin and begin; what goes wrong is answered and reported to the run."""
        host, port = request.host, request.port
        # a browser that asks for another host on the same connection gets a connection of its own there
        self.leave_other()
        origin = OriginSide()
        try:
            _check_reach(run, host, port)
            await run.dialler.dial(origin, host, port)
        except EgressRefused as refusal:
            run.on_refused(host, port, refusal.reason)
            page = f"`{host}:{port}` {refusal.reason}. The operator can open it with `{SETTING}`."
            self._answer(403, page, f"X-Pagehand-Refused: {host}:{port}")
        except (HostUnknown, Unreachable) as trouble:
            cause = "dns" if isinstance(trouble, HostUnknown) else str(trouble)
            run.on_unreachable(host, port, cause)
            self._answer(
                502, f"`{host}:{port}` cannot be reached: {cause}.", f"X-Pagehand-Unreachable: {cause}"
            )
        else:
            self._target = (host, port)
            self._serving = None
            self.join(origin)
            self._begin(request)
            origin.start()
            self.resume_reading()
            self._go_on()
        finally:
            if origin.other is None:
                origin.abort()

    def _begin(self, request: ProxyRequest) -> None:
        self._is_tunnel = request.is_open_ended
        self._body_left = request.body_bytes
        if request.is_connect:
            self.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            super().data_received(request.head)

    def _answer(self, status: int, sentence: str, header: str = "", *, stays_open: bool = False) -> None:
        page = (
            f"<!doctype html><title>{_REASONS[status]}</title><p>{html.escape(sentence)}" if sentence else ""
        )
        body = page.encode()
        lines = [
            f"HTTP/1.1 {status} {_REASONS[status]}",
            *([header] if header else []),
            "Content-Type: text/html; charset=utf-8",
            "Cache-Control: no-store",
            f"Content-Length: {len(body)}",
            f"Connection: {'keep-alive' if stays_open else 'close'}",
        ]
        self.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace") + body)
        if not stays_open:
            self.close()


@dataclass(slots=True)
class AdmittedRun:
    """One run whose browser may use the proxy, and its open connections."""

    on_refused: OnFailure
    on_unreachable: OnFailure
    dialler: Dialler
    reach: Reach | None = None
    connections: set[ClientSide] = field(default_factory=set[ClientSide])


def _check_reach(run: AdmittedRun, host: str, port: int) -> None:
    if run.reach is not None and not run.reach.covers(host, port):
        raise EgressRefused(host, port, OUTSIDE)
