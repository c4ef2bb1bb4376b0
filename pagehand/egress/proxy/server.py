"""The loopback HTTP proxy through which browsers reach what the policy allows, and nothing else.

Each run gets its own credential; without one the answer is 407. Names are resolved here, every address is
checked, and the proxy connects to the checked address, so a name cannot lead elsewhere in between.

How a caller finds out what happened to a request:

    refused by the policy   403, header `X-Pagehand-Refused: host:port`, `on_refused(host, port, reason)`
    out of reach            502, header `X-Pagehand-Unreachable: cause`, `on_unreachable(host, port, cause)`

Causes are `dns`, `connection refused`, `timed out`, `unreachable` and `upstream proxy: …`. For https a
browser shows neither status nor header (`ERR_TUNNEL_CONNECTION_FAILED`): there only the callbacks report it.

A request for `READY_URL` is answered 204 by the proxy itself: a browser that asks for it once, with the
credential, sends it from then on, so none of its requests have to be intercepted.
"""

import asyncio
import secrets
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field

from pagehand.egress.policy import EgressPolicy
from pagehand.egress.proxy.connection import READY_HOST, AdmittedRun, BeforeSend, BrowserConnection, OnFailure
from pagehand.egress.proxy.origin import OriginConnector
from pagehand.egress.upstream import UpstreamProxy
from pagehand.workflow.allowed_domains import AllowedDomains

READY_URL = f"http://{READY_HOST}/"
"""Answered by the proxy itself."""

_SWEEP_SECONDS = 10


@dataclass(frozen=True, slots=True)
class ProxyAccess:
    """What a browser needs to go through the proxy on behalf of one run."""

    server: str
    username: str
    password: str = field(repr=False)

    @property
    def credential(self) -> str:
        """`username:password`, as Basic authentication joins them."""
        return f"{self.username}:{self.password}"


class EgressProxy:
    """The proxy; it starts listening when the first run is admitted."""

    def __init__(self, policy: EgressPolicy, listen: str = "127.0.0.1:0", address: str | None = None) -> None:
        """`address` is how browsers reach it, where that differs from where it listens."""
        host, _, port = listen.rpartition(":")
        self._listen_at = (host.strip("[]"), int(port))
        self._address = address
        self._policy = policy
        self._runs: dict[str, AdmittedRun] = {}
        self._connections: set[BrowserConnection] = set()
        self._socket: socket.socket | None = None
        self._serving: asyncio.Task[None] | None = None

    def admit(
        self,
        on_refused: OnFailure,
        on_unreachable: OnFailure | None = None,
        *,
        upstream: UpstreamProxy | None = None,
    ) -> ProxyAccess:
        """Give a run access, through `upstream` if there is one.

        The callbacks are called on the event loop and must not block.
        """
        connector = OriginConnector(self._policy, upstream)
        # made for one run and never stored: 24 random bytes cannot be guessed from the same machine
        access = ProxyAccess(self._listen(), f"run-{secrets.token_hex(4)}", secrets.token_urlsafe(24))
        self._runs[access.credential] = AdmittedRun(on_refused, on_unreachable or _ignore, connector)
        return access

    def dismiss(self, access: ProxyAccess) -> None:
        """Revoke the credential and close the run's connections."""
        run = self._runs.pop(access.credential, None)
        for connection in list(run.connections) if run else []:
            connection.abort()

    def limit(self, access: ProxyAccess, domains: Sequence[str] | None) -> None:
        """Restrict a run to these domains, also on its open connections; None lifts the restriction."""
        run = self._runs.get(access.credential)
        if run is not None:
            run.allowed_domains = None if domains is None else AllowedDomains(domains)
            for connection in list(run.connections):
                connection.abort_outside(run.allowed_domains)

    def hold(self, access: ProxyAccess, before_send: BeforeSend) -> None:
        """Await what `before_send` returns before bytes of a tunnel or a request that may act leave."""
        if (run := self._runs.get(access.credential)) is not None:
            run.before_send = before_send

    async def close(self) -> None:
        """Stop listening and close every connection."""
        self._runs.clear()
        if self._serving is not None:
            self._serving.cancel()
            await asyncio.wait([self._serving])
        if self._socket is not None:
            self._socket.close()
        self._serving = self._socket = None

    def _listen(self) -> str:
        """The address; opens the port first. Early connections wait in the backlog until they are served."""
        if self._socket is None:
            self._socket = socket.create_server(self._listen_at, backlog=1024)
            self._serving = asyncio.get_running_loop().create_task(self._serve(self._socket))
        return self._address or f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    async def _serve(self, listening: socket.socket) -> None:
        server = await asyncio.get_running_loop().create_server(
            lambda: BrowserConnection(self._runs.get, self._connections), sock=listening, backlog=1024
        )
        try:
            await self._sweep()
        finally:
            server.close()
            for connection in list(self._connections):
                connection.abort()
            await server.wait_closed()

    async def _sweep(self) -> None:
        """Close idle connections."""
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            for connection in list(self._connections):
                connection.close_if_idle()


def _ignore(host: str, port: int, cause: str) -> None:
    """For callers that read the response header instead."""
