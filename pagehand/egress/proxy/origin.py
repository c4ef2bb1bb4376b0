"""The origin's end of a proxied connection, with the handshake of an upstream proxy in front of it."""

import asyncio
import re
import ssl
from collections.abc import Callable
from ipaddress import IPv6Address
from typing import cast

from pagehand.egress.policy import Address, EgressPolicy
from pagehand.egress.proxy.request import HEADER
from pagehand.egress.upstream import ProxyRefused, SocksRefused, UpstreamProxy

_BUFFER_BYTES = 1024 * 1024


class PairedConnection(asyncio.Protocol):
    """One of two connections joined into a relay: what it receives, its peer sends."""

    def __init__(self) -> None:
        self.peer: PairedConnection | None = None
        self.last_active_at = 0.0
        self._transport: asyncio.Transport | None = None

    @property
    def is_closing(self) -> bool:
        """True when nothing more can be written."""
        return self._transport is None or self._transport.is_closing()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast("asyncio.Transport", transport)  # every event loop gives TCP connections one
        self._transport.set_write_buffer_limits(high=_BUFFER_BYTES)
        self.last_active_at = asyncio.get_running_loop().time()

    def data_received(self, data: bytes) -> None:
        """Send it through the peer."""
        self.last_active_at = asyncio.get_running_loop().time()
        if self.peer is not None:
            self.peer.write(data)

    def eof_received(self) -> bool:
        """Pass the end on to the peer; this connection stays open for the other direction."""
        if self.peer is None:
            return False
        self.peer.write_eof()
        return True

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        """Close the peer once everything has been written to it."""
        self._transport = None
        if self.peer is not None:
            self.peer.close()

    def pause_writing(self) -> None:
        """The write buffer is full: stop reading from the peer."""
        if self.peer is not None:
            self.peer.pause_reading()

    def resume_writing(self) -> None:
        """The write buffer has room again: read from the peer."""
        if self.peer is not None:
            self.peer.resume_reading()

    def pair_with(self, peer: "PairedConnection") -> None:
        """Relay between this connection and `peer`."""
        self.peer, peer.peer = peer, self

    def close_peer(self) -> None:
        """End the relay and close the peer's connection."""
        if self.peer is not None:
            self.peer.peer = None
            self.peer.close()
            self.peer = None

    def write(self, data: bytes) -> None:
        """Send, unless the connection is closed already."""
        if self._transport is not None:
            self._transport.write(data)

    def write_eof(self) -> None:
        """Close the sending direction; TLS connections cannot, and need not."""
        if (
            self._transport is not None
            and self._transport.can_write_eof()
            and not self._transport.is_closing()
        ):
            self._transport.write_eof()

    def pause_reading(self) -> None:
        """Stop receiving."""
        if self._transport is not None:
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Receive again."""
        if self._transport is not None:
            self._transport.resume_reading()

    def close(self) -> None:
        """Close once everything has been sent."""
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Close at once."""
        if self._transport is not None:
            self._transport.abort()


_LONGEST_HEAD = 16 * 1024
_STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([0-9]{3})(?: [\t\x20-\x7e\x80-\xff]*)?")
_SWITCHING, _INTERIM, _FINAL = 101, 100, 200
_CONNECT_SECONDS = 10


class Unreachable(Exception):
    """The origin could not be reached; the message is the cause."""


class OriginConnection(PairedConnection):
    """A connection to an origin; before it is paired it can have an upstream proxy open a tunnel there."""

    def __init__(self) -> None:
        super().__init__()
        self._upstream_answer = bytearray()
        self._answer_arrived: asyncio.Future[None] | None = None
        self._answer_length: int | None = None
        self._upgrade_answered: Callable[[bool], None] | None = None
        self._response_head = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Read nothing before the connection is paired."""
        super().connection_made(transport)
        # one object serves every address of a host in turn: half an answer from the last one must not stay
        self._upstream_answer.clear()
        self._answer_arrived = self._answer_length = None
        self.pause_reading()

    def start(self) -> None:
        """Begin to relay, first what came along with the upstream's answer."""
        if self._upstream_answer:
            self._relay(bytes(self._upstream_answer))
        self.resume_reading()

    def data_received(self, data: bytes) -> None:
        """Relay; while a tunnel is being opened it is the upstream's answer."""
        if self._answer_arrived is None:
            self._relay(data)
            return
        self._upstream_answer += data
        if self._is_answer_complete() and not self._answer_arrived.done():
            self.pause_reading()  # what comes next is for the browser
            self._answer_arrived.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        """End the wait for the upstream's answer."""
        if self._answer_arrived is not None and not self._answer_arrived.done():
            self._answer_arrived.set_result(None)
        super().connection_lost(exc)

    def eof_received(self) -> bool:
        """Close: the browser's connection follows once everything is delivered."""
        return False

    def watch_for_upgrade(self, answered: Callable[[bool], None]) -> None:
        """Call back with whether the first final response switches protocols (101)."""
        self._upgrade_answered = answered

    def _is_answer_complete(self) -> bool:
        received = len(self._upstream_answer)
        if self._answer_length is not None:
            return received >= self._answer_length
        return b"\r\n\r\n" in self._upstream_answer or received > _LONGEST_HEAD

    def _relay(self, data: bytes) -> None:
        if self._upgrade_answered is None:
            super().data_received(data)
            return
        self._response_head += data
        status, interim_bytes = _final_status(self._response_head)
        if status is None and len(self._response_head) <= _LONGEST_HEAD:
            # interim responses (100, 103) go to the browser at once
            super().data_received(bytes(self._response_head[:interim_bytes]))
            del self._response_head[:interim_bytes]
            return
        answered, self._upgrade_answered = self._upgrade_answered, None
        super().data_received(bytes(self._response_head))
        self._response_head.clear()
        answered(status == _SWITCHING)

    async def open_tunnel(self, upstream: UpstreamProxy, target: str) -> None:
        """Have the upstream proxy open a tunnel to `target`."""
        self._answer_arrived = asyncio.get_running_loop().create_future()
        self.write(upstream.connect_request(target))
        self.resume_reading()
        await self._answer_arrived
        self._answer_arrived = None
        head, end, self._upstream_answer = self._upstream_answer.partition(b"\r\n\r\n")
        if _status(head) != _FINAL or not end:
            reason = head.partition(b"\r\n")[0].partition(b" ")[2].decode("latin-1")
            raise Unreachable(f"upstream proxy: {reason[:100] or 'closed the connection'}")

    async def open_socks_tunnel(self, upstream: UpstreamProxy, address: Address, port: int) -> None:
        """Have a SOCKS proxy connect to the checked address."""
        steps = upstream.socks_steps(address, port)
        try:
            sent, self._answer_length = next(steps)
            while True:
                self._answer_arrived = asyncio.get_running_loop().create_future()
                self.write(sent)
                if len(self._upstream_answer) < self._answer_length:
                    self.resume_reading()
                    await self._answer_arrived
                if len(self._upstream_answer) < self._answer_length:
                    raise Unreachable("upstream proxy: closed the connection")
                answer = bytes(self._upstream_answer[: self._answer_length])
                del self._upstream_answer[: self._answer_length]
                sent, self._answer_length = steps.send(answer)
        except StopIteration:
            self._answer_arrived = self._answer_length = None
        except SocksRefused as refused:
            raise Unreachable(f"upstream proxy: {refused}") from refused


def _final_status(received: bytes | bytearray) -> tuple[int | None, int]:
    """The status of the first complete head of a final response, and how many bytes stand before it."""
    start = 0
    while (end := received.find(b"\r\n\r\n", start)) >= 0:
        status = _status(received[start:end])
        if status == _SWITCHING or not _INTERIM <= status < _FINAL:
            return status, start
        start = end + 4
    return None, start


def _status(head: bytes | bytearray) -> int:
    """The status of a response; 0 if its head is malformed."""
    line, *headers = bytes(head).split(b"\r\n")
    match = _STATUS_LINE.fullmatch(line)
    return int(match[1]) if match and all(map(HEADER.fullmatch, headers)) else 0


class OriginConnector:
    """Connects to hosts the policy allows, directly or through an upstream proxy."""

    def __init__(self, policy: EgressPolicy, upstream: UpstreamProxy | None) -> None:
        self._policy = policy
        self._upstream = upstream

    async def connect(self, origin: OriginConnection, host: str, port: int) -> None:
        """Connect `origin`; raises `EgressRefused`, `HostUnknown` or `Unreachable`."""
        cause = "unreachable"
        for address in await self._policy.resolve(host, port):
            try:
                async with asyncio.timeout(_CONNECT_SECONDS):
                    await self._connect_to(origin, address, port)
            except OSError as error:  # time-outs and TLS errors are OSErrors too
                origin.abort()
                cause = _cause(error)
            else:
                return
        raise Unreachable(cause)

    async def _connect_to(self, origin: OriginConnection, address: Address, port: int) -> None:
        loop = asyncio.get_running_loop()
        if self._upstream is None:
            await loop.create_connection(lambda: origin, str(address), port)
            return
        # The upstream is given the address that was checked: given the name, it would look it up again.
        target = f"[{address}]:{port}" if isinstance(address, IPv6Address) else f"{address}:{port}"
        tls = ssl.create_default_context() if self._upstream.is_tls else None
        try:
            proxy_address = await self._upstream.address_to_dial(self._policy)
        except ProxyRefused as refused:
            raise Unreachable(f"upstream proxy: {refused}") from refused
        await loop.create_connection(
            lambda: origin,
            proxy_address,
            self._upstream.port,
            ssl=tls,
            server_hostname=self._upstream.host if tls else None,
        )
        if self._upstream.is_socks:
            await origin.open_socks_tunnel(self._upstream, address, port)
        else:
            await origin.open_tunnel(self._upstream, target)


def _cause(error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return "timed out"
    return "connection refused" if isinstance(error, ConnectionRefusedError) else "unreachable"
