"""The browser's end of a proxied connection: reads its requests and relays them to the origin.

A connection is paired with at most one connection to an origin. Browsers keep connections per
origin, so this reuses the origin's connection too, and no two runs share one. Every request on a
connection is read and checked: heads are parsed and bodies followed to their end. Responses are passed on
unread, except that an upgrade becomes a tunnel only once the origin has agreed to it with 101.
"""

import asyncio
import html
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from pagehand.egress.policy import EgressRefused, HostUnknown, how_to_allow
from pagehand.egress.proxy.origin import OriginConnection, OriginConnector, PairedConnection, Unreachable
from pagehand.egress.proxy.request import (
    LONGEST_HEAD,
    BadRequest,
    ChunkedBody,
    CountedBody,
    ProxyRequest,
    parse_request,
)
from pagehand.workflow.allowed_domains import NOT_ALLOWED, AllowedDomains

READY_HOST = "proxy.pagehand.invalid"
"""A name that never resolves (RFC 2606); the proxy itself answers requests for it."""

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
_READING = frozenset({b"GET", b"HEAD", b"OPTIONS", b"CONNECT"})
OnFailure = Callable[[str, int, str], None]
"""Called with the host, the port and the reason."""
BeforeSend = Callable[[], Awaitable[None] | None]
"""Called before something leaves that may have an effect; what it returns is awaited first."""


class BrowserConnection(PairedConnection):
    """A connection a browser made to the proxy."""

    def __init__(
        self,
        find_run: Callable[[str], "AdmittedRun | None"],
        open_connections: "set[BrowserConnection]",
    ) -> None:
        """`find_run` finds a run by its credential; `open_connections` holds every connection while open."""
        super().__init__()
        self._find_run = find_run
        self._open_connections = open_connections
        self._run: AdmittedRun | None = None
        self._unread = bytearray()
        self._body: CountedBody | ChunkedBody | None = None
        self._is_tunnel = False
        self._awaits_upgrade = False
        self._connecting: asyncio.Task[None] | None = None
        self._target: tuple[str, int] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Register, so that closing the proxy closes this connection."""
        super().connection_made(transport)
        self._open_connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Close the origin's connection too, and stop connecting to one."""
        self._open_connections.discard(self)
        if self._run is not None:
            self._run.connections.discard(self)
        if self._connecting is not None:
            self._connecting.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Relay what belongs to the current request and read the next head in the rest."""
        self._unread += data
        self._process_unread()

    def eof_received(self) -> bool:
        """Keep a tunnel open in the other direction; close anything else."""
        return self._is_tunnel and super().eof_received()

    def close_if_idle(self) -> None:
        """Close when neither end has sent anything for a long time."""
        idle_since = max(self.last_active_at, self.peer.last_active_at if self.peer else 0)
        allowed_seconds = _TUNNEL_SECONDS if self._is_tunnel else _HEAD_SECONDS
        if asyncio.get_running_loop().time() - idle_since > allowed_seconds:
            self.abort()

    def abort_outside(self, domains: AllowedDomains | None) -> None:
        """Close a connection to a host that is not among these domains."""
        if domains is not None and self._target is not None and not domains.covers(*self._target):
            self.abort()

    def _process_unread(self) -> None:
        """Handle what has arrived until more is needed."""
        while self._unread and self._connecting is None and not self._awaits_upgrade and not self.is_closing:
            if self._is_tunnel:
                if self._hold(self._process_unread):
                    return
                super().data_received(bytes(self._unread))
                self._unread.clear()
            elif self._body is not None:
                if not self._relay_body(self._body):
                    return
            elif not self._read_head():
                return

    def _relay_body(self, body: CountedBody | ChunkedBody) -> bool:
        """Relay what has arrived of the body; whether that was all of it."""
        try:
            part = body.take(self._unread)
        except BadRequest as mistake:
            # the origin gets a request without an end, and so does not act on it
            self.close_peer()
            self._answer(400, f"Not a request for a proxy: {mistake}.")
            return False
        super().data_received(part)
        if body.is_complete:
            self._body = None
        return body.is_complete

    def _read_head(self) -> bool:
        """Handle the next request if all of its head has arrived; False if not."""
        # a head with bare line feeds ends here too: it is refused at once instead of waited for
        ends = [end + 1 for end in (self._unread.find(b"\n\r\n"), self._unread.find(b"\n\n")) if end >= 0]
        end = min(ends, default=len(self._unread))
        if end > LONGEST_HEAD:
            self._answer(431, "The request's headers are too large.")
            return False
        if not ends:
            return False
        head, empty_line = bytes(self._unread[:end]), b"\n" if self._unread[end] == ord("\n") else b"\r\n"
        del self._unread[: end + len(empty_line)]
        self._admit_request(head.removesuffix(empty_line) if empty_line == b"\r\n" else head)
        return True

    def _admit_request(self, head: bytes) -> None:
        try:
            request = parse_request(head)
        except BadRequest as mistake:
            self._answer(400, f"Not a request for a proxy: {mistake}.")
            return
        run = self._find_run(request.credential) if request.credential else None
        # a connection serves one run only: its origin's connection may carry that run's session
        if run is None or (self._run is not None and run is not self._run):
            self._ask_for_credential(request)
        elif len(run.connections) >= _MOST_CONNECTIONS and self not in run.connections:
            self._answer(503, "This run has too many connections open.")
        else:
            self._run = run
            run.connections.add(self)
            if request.method in _READING or not self._hold(lambda: self._handle(request, run)):
                self._handle(request, run)

    def _ask_for_credential(self, request: ProxyRequest) -> None:
        # the unread body would be taken for the next request
        header = 'Proxy-Authenticate: Basic realm="pagehand"'
        self._answer(407, "A run's credential is needed.", header, stays_open=not request.has_body)

    def _hold(self, then: Callable[[], None]) -> bool:
        """Whether the run has to record first that something leaves; `then` is called once it has."""
        waiting = self._run.before_send() if self._run is not None else None
        if waiting is None:
            return False
        self.pause_reading()
        self._connecting = asyncio.get_running_loop().create_task(self._continue_after(waiting, then))
        return True

    async def _continue_after(self, waiting: Awaitable[None], then: Callable[[], None]) -> None:
        try:
            await waiting
        except Exception:  # noqa: BLE001 - whatever the reason: what could not be recorded must not leave
            self.abort()
            return
        self._connecting = None
        self.resume_reading()
        then()
        self._process_unread()

    def _handle(self, request: ProxyRequest, run: "AdmittedRun") -> None:
        if request.host == READY_HOST:
            self._answer(204, "", stays_open=not request.has_body)
        elif self._can_reuse_origin(request) and run.allows(request.host, request.port):
            self._start_request(request)
        else:
            self.pause_reading()
            self._connecting = asyncio.get_running_loop().create_task(self._connect_origin(request, run))

    def _can_reuse_origin(self, request: ProxyRequest) -> bool:
        # on a new connection the first response is certainly the one to the upgrade
        is_plain = not request.is_connect and not request.is_upgrade
        return self.peer is not None and is_plain and self._target == (request.host, request.port)

    async def _connect_origin(self, request: ProxyRequest, run: "AdmittedRun") -> None:
        """Connect to the origin and start the request; failures are answered and reported to the run."""
        host, port = request.host, request.port
        # a request for another host on the same connection needs another origin connection
        self.close_peer()
        origin = OriginConnection()
        try:
            run.check(host, port)
            await run.connector.connect(origin, host, port)
            run.check(host, port)  # its domains may have been limited meanwhile
        except EgressRefused as refusal:
            run.on_refused(host, port, refusal.reason)
            page = f"`{host}:{port}` {refusal.reason}. {how_to_allow(host, port)}"
            self._answer(403, page, f"X-Pagehand-Refused: {host}:{port}")
        except (HostUnknown, Unreachable) as error:
            cause = "dns" if isinstance(error, HostUnknown) else str(error)
            run.on_unreachable(host, port, cause)
            self._answer(
                502, f"`{host}:{port}` cannot be reached: {cause}.", f"X-Pagehand-Unreachable: {cause}"
            )
        else:
            self._target = (host, port)
            self._connecting = None
            self.pair_with(origin)
            if request.is_upgrade:
                self._awaits_upgrade = True
                origin.watch_for_upgrade(self._on_upgrade_answer)
            self._start_request(request)
            origin.start()
            if not self._awaits_upgrade:
                self.resume_reading()
            self._process_unread()
        finally:
            if origin.peer is None:
                origin.abort()

    def _start_request(self, request: ProxyRequest) -> None:
        self._is_tunnel = request.is_connect
        self._body = request.body()
        if request.is_connect:
            self.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            super().data_received(request.head)

    def _on_upgrade_answer(self, is_agreed: bool) -> None:
        """Continue as a tunnel, or with the next request if the origin stays with HTTP."""
        self._awaits_upgrade = False
        self._is_tunnel = is_agreed
        self.resume_reading()
        self._process_unread()

    def _answer(self, status: int, message: str, header: str = "", *, stays_open: bool = False) -> None:
        page = f"<!doctype html><title>{_REASONS[status]}</title><p>{html.escape(message)}" if message else ""
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


def send_at_once() -> None:
    """For runs that record nothing."""


@dataclass(slots=True)
class AdmittedRun:
    """One run whose browser may use the proxy, and its open connections."""

    on_refused: OnFailure
    on_unreachable: OnFailure
    connector: OriginConnector
    allowed_domains: AllowedDomains | None = None
    """None: whatever the policy allows."""
    before_send: BeforeSend = send_at_once
    connections: set[BrowserConnection] = field(default_factory=set[BrowserConnection])

    def allows(self, host: str, port: int) -> bool:
        """Whether the run's own limits let it reach this host now; the egress policy decides later."""
        return self.allowed_domains is None or self.allowed_domains.covers(host, port)

    def check(self, host: str, port: int) -> None:
        """Raise `EgressRefused` for what `allows` does not."""
        if not self.allows(host, port):
            raise EgressRefused(host, port, NOT_ALLOWED)
