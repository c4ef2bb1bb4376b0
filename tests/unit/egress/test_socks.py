"""An upstream SOCKS5 proxy with credentials: for browsers' traffic and for the service's own."""

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest

from pagehand.egress.http import HttpClient
from pagehand.egress.policy import EgressPolicy
from pagehand.egress.proxy.server import EgressProxy, ProxyAccess
from pagehand.egress.upstream import UpstreamProxy
from pagehand.errors import SiteDown, UserMistake

pytestmark = pytest.mark.anyio


class FakeSocksProxy:
    """A SOCKS5 proxy as RFC 1928 and 1929 have it; remembers where it was asked to connect."""

    def __init__(self, password: bytes = b"pass word") -> None:
        self.password = password
        self.targets: list[tuple[str, int]] = []
        self.port = 0
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._talk, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        await self._server.wait_closed()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            await self._serve(reader, writer)
        writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert await reader.readexactly(3) == b"\x05\x01\x02"
        writer.write(b"\x05\x02")
        user = await reader.readexactly((await reader.readexactly(2))[1])
        password = await reader.readexactly((await reader.readexactly(1))[0])
        is_right = (user, password) == (b"me", self.password)
        writer.write(b"\x01\x00" if is_right else b"\x01\x01")
        if not is_right:
            return
        assert await reader.readexactly(4) == b"\x05\x01\x00\x01"
        host = ".".join(str(part) for part in await reader.readexactly(4))
        port = int.from_bytes(await reader.readexactly(2))
        self.targets.append((host, port))
        origin_reader, origin = await asyncio.open_connection(host, port)
        writer.write(b"\x05\x00\x00\x03\x04some\x00\x50")
        await asyncio.gather(_copy(reader, origin), _copy(origin_reader, writer))


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


@pytest.fixture
async def socks() -> AsyncIterator[FakeSocksProxy]:
    proxy = FakeSocksProxy()
    await proxy.start()
    yield proxy
    await proxy.stop()


@pytest.fixture
async def origin() -> AsyncIterator[int]:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()


async def ask(access: ProxyAccess, port: int) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(access.server.rpartition(":")[2]))
    token = base64.b64encode(access.credential.encode()).decode()
    writer.write(
        f"GET http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        f"Proxy-Authorization: Basic {token}\r\nConnection: close\r\n\r\n".encode()
    )
    answer = await reader.read()
    writer.close()
    return answer


@pytest.mark.parametrize(("password", "status"), [("pass%20word", b"200"), ("wrong", b"502")])
async def test_a_browsers_traffic_goes_through_it(
    socks: FakeSocksProxy, origin: int, password: str, status: bytes
) -> None:
    troubles: list[str] = []
    policy = EgressPolicy("127.0.0.1:*")
    proxy = EgressProxy(policy)
    access = proxy.admit(
        lambda _host, _port, _cause: None,
        lambda _host, _port, cause: troubles.append(cause),
        upstream=UpstreamProxy.parse(f"socks5://me:{password}@127.0.0.1:{socks.port}"),
    )
    answer = await asyncio.wait_for(ask(access, origin), 20)
    await proxy.close()
    assert answer.split(b" ")[1] == status
    assert socks.targets == ([("127.0.0.1", origin)] if status == b"200" else [])
    assert bool(troubles) is (status != b"200")


def test_the_address_is_read_and_hides_its_password() -> None:
    upstream = UpstreamProxy.parse("socks5://me:top%20secret@proxy.test")
    assert (upstream.host, upstream.port, upstream.is_socks, upstream.is_tls) == (
        "proxy.test",
        1080,
        True,
        False,
    )
    assert upstream.credentials == ("me", "top secret")
    assert "secret" not in repr(upstream)


def test_words_that_socks_cannot_carry_are_refused_when_they_are_set() -> None:
    with pytest.raises(UserMistake, match="255 bytes") as mistake:
        UpstreamProxy.parse(f"socks5://me:{'long' * 64}@proxy.test", "proxy")
    assert "longlong" not in mistake.value.message


@pytest.mark.parametrize(("password", "is_right"), [("pass%20word", True), ("wrong", False)])
async def test_the_services_own_calls_go_through_it(
    socks: FakeSocksProxy, origin: int, password: str, is_right: bool
) -> None:
    policy = EgressPolicy("127.0.0.1:*")
    client = HttpClient(policy, UpstreamProxy.parse(f"socks5://me:{password}@127.0.0.1:{socks.port}"))
    url = f"http://127.0.0.1:{origin}/"
    if is_right:
        assert (await client.send("GET", url, timeout_seconds=20)).body == b"hello"
    else:
        with pytest.raises(SiteDown, match="refuses the user name or the password"):
            await client.send("GET", url, timeout_seconds=20)
    await client.close()
    assert socks.targets == ([("127.0.0.1", origin)] if is_right else [])
