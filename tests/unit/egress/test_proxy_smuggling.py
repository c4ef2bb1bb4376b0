"""Attacks on the egress proxy with requests that servers read differently: none gets past the checks."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from pagehand.egress.policy import Address, EgressPolicy
from pagehand.egress.proxy.request import BadRequest, ChunkedBody
from pagehand.egress.proxy.server import EgressProxy
from support.egress_proxy import HOST, Client, Origin, Reports, client, ignore, serving

pytestmark = pytest.mark.anyio

CHUNKED = b"Transfer-Encoding: chunked\r\n"
SECOND = "GET http://localhost:{port}/second"


class RecordingOrigin(Origin):
    """Keeps the bytes it gets; answers what ends like a request with one response after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.received = b""
        self._arrived = asyncio.Event()
        self.answers = [b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        while part := await reader.read(65536):
            self.received += part
            self._arrived.set()
            if self.received.endswith(b"\r\n\r\n"):
                writer.write(self.answers.pop(0) if len(self.answers) > 1 else self.answers[0])
        writer.close()

    async def until(self, ending: bytes) -> None:
        """Wait until what was received ends like this."""
        while not self.received.endswith(ending):
            await self._arrived.wait()
            self._arrived.clear()


@pytest.fixture
async def recording() -> AsyncIterator[RecordingOrigin]:
    origin = RecordingOrigin()
    async with serving(origin):
        yield origin


@pytest.fixture
def reports() -> Reports:
    return Reports()


@pytest.fixture
async def browser(proxy: EgressProxy, recording: RecordingOrigin, reports: Reports) -> AsyncIterator[Client]:
    """A browser whose run may reach the origin under its address, and not under its name."""
    access = proxy.admit(reports.add)
    proxy.limit(access, [f"127.0.0.1:{recording.port}"])
    async with client(access) as connected:
        yield connected


async def send(browser: Client, port: int, headers: bytes, body: bytes = b"", method: str = "POST") -> None:
    line = f"{method} http://127.0.0.1:{port}/first HTTP/1.1\r\n{browser.credential}"
    browser.writer.write(line.encode() + headers + b"\r\n" + body)
    await browser.writer.drain()


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (CHUNKED, b"3\r\nabc\r\n0\r\n\r\n"),
        (b"Content-Length: 7\r\n", b"abc\r\n\r\n"),
        (b"Connection: Upgrade\r\nUpgrade: h2c\r\n", b""),
    ],
    ids=["chunked", "counted", "upgrade that the origin does not agree to"],
)
@pytest.mark.parametrize("is_early", [False, True])
async def test_a_second_request_is_checked_whatever_the_first_was(
    browser: Client, recording: RecordingOrigin, reports: Reports, headers: bytes, body: bytes, is_early: bool
) -> None:
    second = f"{SECOND.format(port=recording.port)} HTTP/1.1\r\n{browser.credential}\r\n".encode()
    await send(browser, recording.port, headers, body + (second if is_early else b""))
    if not is_early:
        assert (await browser.answer())[0] == 200
        browser.writer.write(second)
    assert b"HTTP/1.1 403 Forbidden\r\n" in await browser.reader.read()
    assert b"second" not in recording.received
    assert [(host, port) for host, port, _ in reports] == [("localhost", recording.port)]


@pytest.mark.parametrize(
    "headers",
    [
        b"Content-Length: 5\r\n" + CHUNKED,
        b"Content-Length: 5\r\nContent-Length: 6\r\n",
        CHUNKED + CHUNKED,
        b"Transfer-Encoding: identity\r\n",
        b"Transfer-Encoding: gzip, chunked\r\n",
        b"Transfer-Encoding: xchunked\r\n",
        b"Transfer-Encoding: \x0bchunked\r\n",
        b"Transfer-Encoding : chunked\r\n",
        b"Transfer-Encoding\x00: chunked\r\n",
        b"X: y\r\n Transfer-Encoding: chunked\r\n",
        b"X: y\r\n\tTransfer-Encoding: chunked\r\n",
        b"X: y\nTransfer-Encoding: chunked\r\n",
        b"X: y\rTransfer-Encoding: chunked\r\n",
        b"X: y\x00\r\n",
        b"Content-Length: +5\r\n",
        b"Content-Length: 0x5\r\n",
        b"Content-Length: 5 5\r\n",
        b"Content-Length: 5,5\r\n",
        b"Content-Length:\r\n",
        b"X: y\n",
        b"Upgrade: websocket\r\nContent-Length: 5\r\n",
        b"Upgrade: websocket\r\n" + CHUNKED,
    ],
)
async def test_a_head_that_servers_read_in_different_ways_is_refused(
    browser: Client, recording: RecordingOrigin, headers: bytes
) -> None:
    await send(browser, recording.port, headers, b"0\r\n\r\n")
    assert (await browser.answer())[0] == 400
    assert recording.connections == 0


@pytest.mark.parametrize(
    "text",
    [
        "GET http://127.0.0.1:{port}/ HTTP/1.1\n{credential}\n\n",
        "GET http://127.0.0.1:{port}/ HTTP/1.1\r\n{credential}\n",
        "GET http://127.0.0.1:{port}/\x0b HTTP/1.1\r\n{credential}\r\n",
        "GET http://127.0.0.1:{port}/ HTTP/1.1 \r\n{credential}\r\n",
        "POST http://127.0.0.1:{port}/ HTTP/1.0\r\n{credential}Transfer-Encoding: chunked\r\n\r\n",
        "CONNECT 127.0.0.1:{port} HTTP/1.1\r\n{credential}Content-Length: 5\r\n\r\n",
        "CONNECT 127.0.0.1:{port}/x HTTP/1.1\r\n{credential}\r\n",
    ],
)
async def test_an_odd_request_line_or_end_of_line_is_refused(
    browser: Client, recording: RecordingOrigin, text: str
) -> None:
    browser.writer.write(text.format(port=recording.port, credential=browser.credential).encode())
    assert (await browser.answer())[0] == 400
    assert recording.connections == 0


@pytest.mark.parametrize(
    "body",
    [
        b"+3\r\nabc\r\n",
        b"0x3\r\nabc\r\n",
        b"-1\r\nabc\r\n",
        b"3 \r\nabc\r\n",
        b"\r\nabc\r\n",
        b"3\nabc\r\n",
        b"3;a\nb\r\nabc\r\n",
        b"3;a\rb\r\nabc\r\n",
        b"3\r\nabcd\r\n",
        b"3\r\nabc\n",
        b"1" * 16 + b"\r\n",
        b"3;" + b"x" * 9000 + b"\r\n",
        b"0\r\nX: y\n\r\n",
        b"0\r\n" + b"X: y\r\n" * 101,
        b"0\r\nContent-Length: 9\r\n\r\n",
        b"0\r\ntransfer-encoding: chunked\r\n\r\n",
        b"0\r\nHost: other.test\r\n\r\n",
    ],
)
async def test_a_malformed_chunk_ends_the_connection(
    browser: Client, recording: RecordingOrigin, body: bytes
) -> None:
    smuggled = f"GET http://127.0.0.1:{recording.port}/smuggled HTTP/1.1\r\n{browser.credential}\r\n"
    await send(browser, recording.port, CHUNKED, body + smuggled.encode())
    assert b"HTTP/1.1 400 Bad Request\r\n" in await browser.reader.read()
    assert b"smuggled" not in recording.received


async def test_extensions_and_trailers_of_chunks_do_not_reach_the_origin(
    browser: Client, recording: RecordingOrigin
) -> None:
    body = b'03;name="a;b"\r\nabc\r\n0A; x\r\n0123456789\r\n0;end\r\nX-Sum: 9\r\n\r\n'
    await send(browser, recording.port, CHUNKED, body)
    assert (await browser.answer())[0] == 200
    assert recording.received.endswith(b"\r\n\r\n3\r\nabc\r\na\r\n0123456789\r\n0\r\n\r\n")


async def test_a_kept_connection_carries_requests_after_a_chunked_one(
    browser: Client, recording: RecordingOrigin
) -> None:
    for _ in range(3):
        await send(browser, recording.port, CHUNKED, b"3\r\nabc\r\n0\r\n\r\n")
        assert (await browser.answer())[0] == 200
    assert recording.received.count(b"POST /first HTTP/1.1") == 3
    assert recording.connections == 1


async def test_an_upgrade_waits_for_the_origins_101_past_interim_responses(
    browser: Client, recording: RecordingOrigin
) -> None:
    recording.answers = [
        b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 101 Switching Protocols\r\n\r\nwelcome"
    ]
    await send(browser, recording.port, b"Upgrade: chat\r\n", b"early ", method="GET")
    await browser.reader.readuntil(b"101 Switching Protocols\r\n\r\nwelcome")
    browser.writer.write(b"GET http://localhost/ is chat now")
    await recording.until(b"is chat now")
    assert recording.received.endswith(b"\r\n\r\nearly GET http://localhost/ is chat now")


async def test_data_behind_an_upgrade_is_not_sent_before_the_origin_agrees(
    browser: Client, recording: RecordingOrigin
) -> None:
    recording.answers = [b""]
    await send(browser, recording.port, b"Upgrade: chat\r\n", b"early", method="GET")
    await recording.until(b"\r\n\r\n")
    await asyncio.sleep(0.1)
    assert b"early" not in recording.received


async def test_a_run_limited_while_its_origin_is_dialled_does_not_get_there(
    recording: RecordingOrigin, reports: Reports
) -> None:
    class LimitingPolicy(EgressPolicy):
        """Limits the run as soon as the first check is past."""

        async def resolve(self, host: str, port: int) -> list[Address]:
            proxy.limit(access, ["shop.example"])
            return await super().resolve(host, port)

    proxy = EgressProxy(LimitingPolicy("127.0.0.1:*"))
    access = proxy.admit(reports.add)
    async with client(access) as browser:
        assert (await browser.ask(f"GET http://127.0.0.1:{recording.port}/"))[0] == 403
    await proxy.close()
    assert recording.received == b""
    assert len(reports) == 1


async def test_without_a_credential_a_chunked_body_is_not_taken_for_requests(
    proxy: EgressProxy, recording: RecordingOrigin
) -> None:
    async with client(proxy.admit(ignore)) as browser:
        own, browser.credential = browser.credential, HOST
        smuggled = f"GET http://127.0.0.1:{recording.port}/smuggled HTTP/1.1\r\n{own}\r\n".encode()
        await send(browser, recording.port, CHUNKED, smuggled)
        assert (await browser.answer())[0] == 407
        assert await browser.reader.read() == b""
    assert recording.connections == 0


def test_chunks_are_read_however_they_arrive() -> None:
    body, unread, sent = ChunkedBody(), bytearray(), b""
    for byte in b"3;x\r\nabc\r\n0\r\nT: u\r\n\r\nGET":
        unread.append(byte)
        sent += body.take(unread)
    assert (sent, bytes(unread), body.is_complete) == (b"3\r\nabc\r\n0\r\n\r\n", b"GET", True)


def test_a_line_without_end_is_not_kept_without_limit() -> None:
    with pytest.raises(BadRequest, match="does not end"):
        ChunkedBody().take(bytearray(b"1" * 9000))
