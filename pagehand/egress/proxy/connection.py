"""The browser's end of a proxied connection: reads what is asked for, and joins it to the origin's end.

One connection of a browser is joined to at most one connection to an origin. Browsers keep connections per
origin, so this reuses the origin's connection too, and no two runs ever share one. Every request on a
connection is read and checked: heads are parsed and bodies followed to their end. Responses are passed on
unread, except that an upgrade becomes a tunnel only once the origin has agreed to it with 101.
"""

import asyncio
import html
from collections.abc import Callable
from dataclasses import dataclass, field

from pagehand.egress.policy import SETTING, EgressRefused, HostUnknown
from pagehand.egress.proxy.body import BadRequest, ChunkedBody, CountedBody
from pagehand.egress.proxy.origin import Dialler, OriginSide, Side, Unreachable
from pagehand.egress.proxy.request import LONGEST_HEAD, ProxyRequest, parse_request
from pagehand.workflow.allowed_domains import NOT_ALLOWED, AllowedDomains

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
        self._body: CountedBody | ChunkedBody | None = None
        self._is_tunnel = False
        self._awaits_upgrade = False
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

    def abort_outside(self, domains: AllowedDomains | None) -> None:
        """Cut a connection to a host that may not be reached any more."""
        if domains is not None and self._target is not None and not domains.covers(*self._target):
            self.abort()

    def _go_on(self) -> None:
        """Work through what has arrived until more is needed."""
        while self._unread and self._serving is None and not self._awaits_upgrade and not self.is_closing:
            if self._is_tunnel:
                super().data_received(bytes(self._unread))
                self._unread.clear()
            elif self._body is not None:
                self._pass_body_on(self._body)
                if self._body is not None:
                    return
            elif not self._take_head():
                return

    def _pass_body_on(self, body: CountedBody | ChunkedBody) -> None:
        try:
            part = body.take(self._unread)
        except BadRequest as mistake:
            # the origin sees a request that never ends, not one with a body made up by us
            self.leave_other()
            self._answer(400, f"Not a request for a proxy: {mistake}.")
            return
        super().data_received(part)
        if body.is_complete:
            self._body = None

    def _take_head(self) -> bool:
        """Take the next request when its head has arrived whole."""
        # also where lines end in a line feed alone: such a head is refused, not waited for
        ends = [end + 1 for end in (self._unread.find(b"\n\r\n"), self._unread.find(b"\n\n")) if end >= 0]
        end = min(ends, default=len(self._unread))
        if end > LONGEST_HEAD:
            self._answer(431, "The request's headers are too large.")
            return False
        if not ends:
            return False
        head, empty_line = bytes(self._unread[:end]), b"\n" if self._unread[end] == ord("\n") else b"\r\n"
        del self._unread[: end + len(empty_line)]
        self._take_request(head.removesuffix(empty_line) if empty_line == b"\r\n" else head)
        return True

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
        header = 'Proxy-Authenticate: Basic realm="pagehand"'
        self._answer(407, "A run's credential is needed.", header, stays_open=not request.has_body)

    def _serve(self, request: ProxyRequest, run: "AdmittedRun") -> None:
        if request.host == READY_HOST:
            self._answer(204, "", stays_open=not request.has_body)
        elif self._can_reuse_origin(request) and run.allows(request.host, request.port):
            self._begin(request)
        else:
            self.pause_reading()
            self._serving = asyncio.get_running_loop().create_task(self._reach(request, run))

    def _can_reuse_origin(self, request: ProxyRequest) -> bool:
        # on a connection of its own the first response is certainly the one to the upgrade
        is_plain = not request.is_connect and not request.is_upgrade
        return self.other is not None and is_plain and self._target == (request.host, request.port)

    async def _reach(self, request: ProxyRequest, run: "AdmittedRun") -> None:
        """Dial the origin and begin; what goes wrong is answered and reported to the run."""
        host, port = request.host, request.port
        # a browser that asks for another host on the same connection gets a connection of its own there
        self.leave_other()
        origin = OriginSide()
        try:
            run.check(host, port)
            await run.dialler.dial(origin, host, port)
            run.check(host, port)  # it may have been limited to other domains meanwhile
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
            if request.is_upgrade:
                self._awaits_upgrade = True
                origin.watch_for_upgrade(self._upgrade_answered)
            self._begin(request)
            origin.start()
            if not self._awaits_upgrade:
                self.resume_reading()
            self._go_on()
        finally:
            if origin.other is None:
                origin.abort()

    def _begin(self, request: ProxyRequest) -> None:
        self._is_tunnel = request.is_connect
        self._body = request.body()
        if request.is_connect:
            self.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            super().data_received(request.head)

    def _upgrade_answered(self, is_agreed: bool) -> None:
        """Go on as a tunnel, or with the next request if the origin stays with HTTP."""
        self._awaits_upgrade = False
        self._is_tunnel = is_agreed
        self.resume_reading()
        self._go_on()

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
    allowed_domains: AllowedDomains | None = None
    """None: whatever the policy allows."""
    connections: set[ClientSide] = field(default_factory=set[ClientSide])

    def allows(self, host: str, port: int) -> bool:
        """Whether the run may reach this host at present, as far as its own limits go."""
        return self.allowed_domains is None or self.allowed_domains.covers(host, port)

    def check(self, host: str, port: int) -> None:
        """Refuse what `allows` does not."""
        if not self.allows(host, port):
            raise EgressRefused(host, port, NOT_ALLOWED)
