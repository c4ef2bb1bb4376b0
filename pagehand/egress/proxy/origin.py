"""The origin's end of a proxied connection, and how it is dialled: resolve, check, dial what was checked."""

import asyncio
import re
import ssl
from collections.abc import Callable
from ipaddress import IPv6Address
from typing import cast

from pagehand.egress.policy import Address, EgressPolicy
from pagehand.egress.upstream import ProxyRefused, SocksRefused, Upstream

_DIAL_SECONDS = 10
_BUFFER_BYTES = 1024 * 1024
_LONGEST_UPSTREAM_ANSWER = 16 * 1024
_STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([0-9]{3})[ \r]")
_SWITCHING, _INTERIM, _FINAL = 101, 100, 200


class Unreachable(Exception):
    """The origin could not be reached; the message is the cause."""


class Side(asyncio.Protocol):
    """One end of a joined pair: what arrives here leaves there, no faster than there takes it."""

    def __init__(self) -> None:
        self.other: Side | None = None
        self.last_moved = 0.0
        self._transport: asyncio.Transport | None = None

    @property
    def is_closing(self) -> bool:
        """True when nothing more can be written."""
        return self._transport is None or self._transport.is_closing()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast("asyncio.Transport", transport)  # a TCP connection's is one, on every loop
        self._transport.set_write_buffer_limits(high=_BUFFER_BYTES)
        self.last_moved = asyncio.get_running_loop().time()

    def data_received(self, data: bytes) -> None:
        """Pass it to the other end."""
        self.last_moved = asyncio.get_running_loop().time()
        if self.other is not None:
            self.other.write(data)

    def eof_received(self) -> bool:
        """Tell the other end; this one stays open for what it still has to say."""
        if self.other is None:
            return False
        self.other.write_eof()
        return True

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature; why does not matter
        """Close the other end when all has been written there."""
        self._transport = None
        if self.other is not None:
            self.other.close()

    def pause_writing(self) -> None:
        """This end is full: the other must wait."""
        if self.other is not None:
            self.other.pause_reading()

    def resume_writing(self) -> None:
        """This end takes more again."""
        if self.other is not None:
            self.other.resume_reading()

    def join(self, other: "Side") -> None:
        """Make a pair."""
        self.other, other.other = other, self

    def leave_other(self) -> None:
        """Undo the pair and close the other end."""
        if self.other is not None:
            self.other.other = None
            self.other.close()
            self.other = None

    def write(self, data: bytes) -> None:
        """Send, unless it is closed already."""
        if self._transport is not None:
            self._transport.write(data)

    def write_eof(self) -> None:
        """Say that nothing more comes; TLS cannot, and needs not."""
        if (
            self._transport is not None
            and self._transport.can_write_eof()
            and not self._transport.is_closing()
        ):
            self._transport.write_eof()

    def pause_reading(self) -> None:
        """Stop taking data in."""
        if self._transport is not None:
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Take data in again."""
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


class OriginSide(Side):
    """A connection the proxy made; before it is joined it can talk to an upstream proxy."""

    def __init__(self) -> None:
        super().__init__()
        self._greeting = bytearray()
        self._greeted: asyncio.Future[None] | None = None
        self._wanted: int | None = None
        self._upgrade_answered: Callable[[bool], None] | None = None
        self._answer_head = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Hold back what the origin sends until the pair is made."""
        super().connection_made(transport)
        # a host with several addresses is dialled again: half an answer of the first dial is not for this one
        self._greeting.clear()
        self._greeted = self._wanted = None
        self.pause_reading()

    def start(self) -> None:
        """Let it through, what came along with the upstream's answer first."""
        if self._greeting:
            self._pass_on(bytes(self._greeting))
        self.resume_reading()

    def data_received(self, data: bytes) -> None:
        """Pass it on; before the pair is made it is the upstream's answer."""
        if self._greeted is None:
            self._pass_on(data)
            return
        self._greeting += data
        is_whole = (
            b"\r\n\r\n" in self._greeting if self._wanted is None else len(self._greeting) >= self._wanted
        )
        if not self._greeted.done() and (is_whole or len(self._greeting) > _LONGEST_UPSTREAM_ANSWER):
            self.pause_reading()  # what comes next is for the browser
            self._greeted.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wake whoever waits for the upstream's answer."""
        if self._greeted is not None and not self._greeted.done():
            self._greeted.set_result(None)
        super().connection_lost(exc)

    def eof_received(self) -> bool:
        """An origin that is done is done: the browser's end closes when all is delivered."""
        return False

    def watch_for_upgrade(self, answered: Callable[[bool], None]) -> None:
        """Call back with whether the first final response switches protocols (101)."""
        self._upgrade_answered = answered

    def _pass_on(self, data: bytes) -> None:
        if self._upgrade_answered is None:
            super().data_received(data)
            return
        self._answer_head += data
        status, length = _final_status(self._answer_head)
        if status is None and len(self._answer_head) <= _LONGEST_UPSTREAM_ANSWER:
            # heads before the final one (100, 103) are for the browser at once
            super().data_received(bytes(self._answer_head[:length]))
            del self._answer_head[:length]
            return
        answered, self._upgrade_answered = self._upgrade_answered, None
        super().data_received(bytes(self._answer_head))
        self._answer_head.clear()
        answered(status == _SWITCHING)

    async def greet(self, upstream: Upstream, target: str) -> None:
        """Have the upstream proxy open a tunnel to `target`."""
        self._greeted = asyncio.get_running_loop().create_future()
        self.write(upstream.connect_request(target))
        self.resume_reading()
        await self._greeted
        self._greeted = None
        head, _, self._greeting = self._greeting.partition(b"\r\n\r\n")
        status = head.partition(b"\r\n")[0].partition(b" ")[2].decode("latin-1")
        if not status.startswith("200"):
            raise Unreachable(f"upstream proxy: {status[:100] or 'closed the connection'}")

    async def greet_socks(self, upstream: Upstream, address: Address, port: int) -> None:
        """Have a SOCKS proxy connect to the checked address."""
        steps = upstream.socks_steps(address, port)
        try:
            sent, self._wanted = next(steps)
            while True:
                self._greeted = asyncio.get_running_loop().create_future()
                self.write(sent)
                if len(self._greeting) < self._wanted:
                    self.resume_reading()
                    await self._greeted
                if len(self._greeting) < self._wanted:
                    raise Unreachable("upstream proxy: closed the connection")
                answer = bytes(self._greeting[: self._wanted])
                del self._greeting[: self._wanted]
                sent, self._wanted = steps.send(answer)
        except StopIteration:
            self._greeted = self._wanted = None
        except SocksRefused as refused:
            raise Unreachable(f"upstream proxy: {refused}") from refused


class Dialler:
    """Connects to hosts the policy allows, directly or through an upstream proxy."""

    def __init__(self, policy: EgressPolicy, upstream: Upstream | None) -> None:
        self._policy = policy
        self._upstream = upstream

    async def dial(self, origin: OriginSide, host: str, port: int) -> None:
        """Connect `origin`; EgressRefused, HostUnknown or `Unreachable` when it cannot be."""
        cause = "unreachable"
        for address in await self._policy.resolve(host, port):
            try:
                async with asyncio.timeout(_DIAL_SECONDS):
                    await self._connect(origin, address, port)
            except OSError as error:  # time-outs and TLS errors are OSErrors too
                origin.abort()
                cause = _cause(error)
            else:
                return
        raise Unreachable(cause)

    async def _connect(self, origin: OriginSide, address: Address, port: int) -> None:
        loop = asyncio.get_running_loop()
        if self._upstream is None:
            await loop.create_connection(lambda: origin, str(address), port)
            return
        # The upstream is given the address that was checked: given the name, it would look it up again.
        target = f"[{address}]:{port}" if isinstance(address, IPv6Address) else f"{address}:{port}"
        tls = ssl.create_default_context() if self._upstream.is_tls else None
        try:
            dialled = await self._upstream.dial_address(self._policy)
        except ProxyRefused as refused:
            raise Unreachable(f"upstream proxy: {refused}") from refused
        await loop.create_connection(
            lambda: origin,
            dialled,
            self._upstream.port,
            ssl=tls,
            server_hostname=self._upstream.host if tls else None,
        )
        if self._upstream.is_socks:
            await origin.greet_socks(self._upstream, address, port)
        else:
            await origin.greet(self._upstream, target)


def _final_status(received: bytes | bytearray) -> tuple[int | None, int]:
    """Status of the first final response head that is whole, and how many bytes stand before it."""
    start = 0
    while (end := received.find(b"\r\n\r\n", start)) >= 0:
        match = _STATUS_LINE.match(received, start)
        status = int(match[1]) if match else 0
        if status == _SWITCHING or not _INTERIM <= status < _FINAL:
            return status, start
        start = end + 4
    return None, start


def _cause(error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return "timed out"
    return "connection refused" if isinstance(error, ConnectionRefusedError) else "unreachable"
