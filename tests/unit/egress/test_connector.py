"""Connecting to an origin: every checked address in turn, directly or through an upstream proxy."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address
from typing import Any

import pytest

from pagehand.egress.policy import Address, EgressPolicy
from pagehand.egress.proxy import origin as connector_module
from pagehand.egress.proxy.origin import OriginConnection, OriginConnector, PairedConnection, Unreachable
from pagehand.egress.upstream import UpstreamProxy

pytestmark = pytest.mark.anyio
Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
FIRST, SECOND = ip_address("203.0.113.1"), ip_address("203.0.113.2")


class FixedAddresses(EgressPolicy):
    """Resolves every name to the addresses of the test."""

    def __init__(self, *addresses: Address) -> None:
        super().__init__()
        self._found = list(addresses)

    async def resolve(self, host: str, port: int) -> list[Address]:
        del host, port
        return self._found


class RecordingPeer(PairedConnection):
    """The other end of the relay; keeps what it is sent."""

    def __init__(self) -> None:
        super().__init__()
        self.got = b""

    def write(self, data: bytes) -> None:
        self.got += data


@asynccontextmanager
async def serve_connections(*answers: Answer) -> AsyncGenerator[int]:
    """A server whose connections are answered one after the other."""
    left = iter(answers)
    serving: list[asyncio.Task[Any]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving.extend(filter(None, [asyncio.current_task()]))
        try:
            await next(left)(reader, writer)
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        # the other end may still be open: what waits for it would outlive the loop
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)


def answer_with(text: bytes, *, then_hangs: bool = False) -> Answer:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(text)
        await writer.drain()
        if then_hangs:
            await reader.read()

    return answer


@pytest.fixture(autouse=True)
def short_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connector_module, "_CONNECT_SECONDS", 0.2)


@pytest.fixture
async def origin() -> AsyncGenerator[OriginConnection]:
    """The connection to open; the caller has to close it in any case."""
    origin = OriginConnection()
    yield origin
    origin.abort()
    await asyncio.sleep(0)


async def test_half_an_answer_of_an_upstream_does_not_spoil_the_next_address(
    origin: OriginConnection,
) -> None:
    half = answer_with(b"HTTP/1.1 20", then_hangs=True)
    whole = answer_with(b"HTTP/1.1 200 OK\r\n\r\nhello", then_hangs=True)
    async with serve_connections(half, whole) as port:
        upstream = UpstreamProxy.parse(f"http://127.0.0.1:{port}")
        browser = RecordingPeer()
        await OriginConnector(FixedAddresses(FIRST, SECOND), upstream).connect(origin, "shop.example", 443)
        browser.pair_with(origin)
        origin.start()
        assert browser.got == b"hello"


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (b"HTTP/1.1 403 Forbidden by policy\r\n\r\n", "upstream proxy: 403 Forbidden by policy"),
        (b"", "upstream proxy: closed the connection"),
        (b"x" * 20_000, "upstream proxy: closed the connection"),
    ],
)
async def test_an_upstream_that_opens_no_tunnel_is_quoted(
    origin: OriginConnection, answer: bytes, cause: str
) -> None:
    async with serve_connections(answer_with(answer)) as port:
        connector = OriginConnector(FixedAddresses(FIRST), UpstreamProxy.parse(f"http://127.0.0.1:{port}"))
        with pytest.raises(Unreachable) as trouble:
            await connector.connect(origin, "shop.example", 443)
    assert str(trouble.value) == cause


@pytest.mark.parametrize(
    ("address", "target"), [(FIRST, b"203.0.113.1:443"), (ip_address("2001:db8::1"), b"[2001:db8::1]:443")]
)
async def test_an_upstream_is_given_the_checked_address_and_never_the_name(
    origin: OriginConnection, address: Address, target: bytes
) -> None:
    asked = b""

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        asked = await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        await reader.read()

    async with serve_connections(listen) as port:
        upstream = UpstreamProxy.parse(f"http://ann:word@127.0.0.1:{port}")
        await OriginConnector(FixedAddresses(address), upstream).connect(origin, "shop.example", 443)
    assert asked.startswith(b"CONNECT " + target + b" HTTP/1.1\r\nHost: " + target + b"\r\n")
    assert b"Proxy-Authorization: Basic YW5uOndvcmQ=" in asked
    assert b"shop.example" not in asked


async def test_an_address_that_refuses_is_followed_by_the_next(origin: OriginConnection) -> None:
    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        del writer
        await reader.read()

    async with serve_connections(hold) as port:
        policy = FixedAddresses(ip_address("127.0.0.2"), ip_address("127.0.0.1"))
        await OriginConnector(policy, None).connect(origin, "shop.example", port)
        assert not origin.is_closing


async def test_where_every_address_refuses_the_last_cause_is_named(origin: OriginConnection) -> None:
    async with serve_connections() as port:
        pass
    with pytest.raises(Unreachable, match="connection refused"):
        await OriginConnector(FixedAddresses(ip_address("127.0.0.1")), None).connect(
            origin, "x.example", port
        )


async def test_an_organizations_own_proxy_at_a_closed_address_is_not_dialled(
    origin: OriginConnection,
) -> None:
    async with serve_connections() as port:
        upstream = UpstreamProxy.parse(f"http://127.0.0.1:{port}", "proxy")
        policy = EgressPolicy("203.0.113.0/24")
        with pytest.raises(Unreachable, match=r"upstream proxy: .*is not a public address"):
            await OriginConnector(policy, upstream).connect(origin, "203.0.113.1", 443)
