"""Connections that nobody has shown a key on: each stage has a size and a time."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import cast

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.wsproto_impl import WSProtocol

from pagehand.api.protocol import SEND_WHOLE, ConnectionLimits, limited_protocol
from pagehand.cli.serve import LimitedWebSocket

pytestmark = pytest.mark.anyio

QUICK = ConnectionLimits(
    connections=5,
    head_bytes=8192,
    head_seconds=0.4,
    body_seconds=0.4,
    write_seconds=0.6,
    linger_seconds=0.2,
    check_seconds=0.05,
)
LARGE = 15_000_000
LEFT: list[str] = []
Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def slow_app(scope: Scope, receive: Receive, send: Send) -> None:
    """Reads the body; `/wait` takes longer than any deadline, `/large` answers with many bytes.

    `/headers` answers with the names of the request's headers. `/later` reads the body late, `/refuse` never.
    `/leave` waits until the client is gone, and notes it in `LEFT`.
    """
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        await asyncio.sleep(30 if scope["path"] == "/idle" else 1.5)
        await send({"type": "websocket.send", "text": "still here"})
        return
    body = b""
    if scope["path"] == "/later":
        await asyncio.sleep(1.5)
    while scope["path"] != "/refuse":
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body += message["body"]
        if not message["more_body"]:
            break
    if scope["path"] == "/wait":
        await asyncio.sleep(1.5)
    if scope["path"] == "/leave":
        LEFT.append((await receive())["type"])
    if scope["path"] == "/whole" and scope["extensions"][SEND_WHOLE](200, b"content-length: 5\r\n", b"whole"):
        return
    content = b"x" * LARGE if scope["path"] == "/large" else str(len(body)).encode()
    if scope["path"] == "/headers":
        content = b" ".join(name for name, _ in scope["headers"])
    headers = [(b"content-length", str(len(content)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": content})


@contextlib.asynccontextmanager
async def serve(limits: ConnectionLimits = QUICK) -> AsyncGenerator[tuple[int, uvicorn.Server]]:
    config = uvicorn.Config(
        slow_app,
        port=0,
        http=limited_protocol(limits),
        ws=LimitedWebSocket,
        lifespan="off",
        log_config=None,
        timeout_keep_alive=1,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn offers no event for it
        await asyncio.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1], server
    server.should_exit = True
    await task


async def send(port: int, *pieces: bytes, pause: float = 0) -> Connection:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for piece in pieces:
        writer.write(piece)
        with contextlib.suppress(ConnectionError):
            await writer.drain()
        await asyncio.sleep(pause)
    return reader, writer


async def send_and_read(port: int, *pieces: bytes) -> bytes:
    """What comes while pieces are sent that nobody reads any more.

    It has to be read meanwhile: a server that closes while bytes are on their way resets the connection, and
    then nothing that arrived before can be read.
    """
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answer = asyncio.create_task(read_rest((reader, writer)))
    for piece in pieces:
        writer.write(piece)
        with contextlib.suppress(ConnectionError):
            await writer.drain()
        await asyncio.sleep(0.01)
    return await answer


async def read_rest(connection: Connection) -> bytes:
    """All that still comes; the connection has to end by itself."""
    reader, writer = connection
    received = b""
    async with asyncio.timeout(20):
        with contextlib.suppress(ConnectionError):
            while piece := await reader.read(65536):
                received += piece
    writer.close()
    return received


def error_of(answer: bytes, status: int) -> str:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ".encode()), answer[:200]
    [(name, sentence)] = json.loads(body).items()
    assert name == "error"
    return sentence


async def test_whole_response_is_one_write(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[bytes] = []
    made = HttpToolsProtocol.connection_made

    def connection_made(self: HttpToolsProtocol, transport: asyncio.Transport) -> None:
        made(self, transport)
        monkeypatch.setattr(self, "transport", _Noting(transport, written))

    monkeypatch.setattr(HttpToolsProtocol, "connection_made", connection_made)
    async with serve() as (port, _):
        reader, writer = await send(port, b"POST /whole HTTP/1.1\r\nhost: a\r\n\r\n" * 2)
        await reader.readuntil(b"whole")
        await reader.readuntil(b"whole")
        writer.close()
    assert written == [b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nwhole"] * 2


class _Noting:
    """A transport that keeps what is written to it."""

    def __init__(self, transport: asyncio.Transport, written: list[bytes]) -> None:
        self._transport = transport
        self._written = written

    def write(self, data: bytes) -> None:
        self._written.append(data)
        self._transport.write(data)

    def __getattr__(self, name: str) -> object:
        return getattr(self._transport, name)


async def test_whole_response_ends_the_connection_where_the_client_wants_that() -> None:
    async with serve() as (port, _):
        request = b"POST /whole HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"
        answer = await read_rest(await send(port, request))
    assert answer.endswith(b"connection: close\r\n\r\nwhole")


async def test_head_request_has_no_whole_response() -> None:
    async with serve() as (port, _):
        request = b"HEAD /whole HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"
        answer = await read_rest(await send(port, request))
    assert answer.startswith(b"HTTP/1.1 200 OK")
    assert answer.endswith(b"\r\n\r\n")


async def test_what_is_not_http_is_refused_as_json() -> None:
    async with serve() as (port, _):
        error_of(await read_rest(await send(port, b"GET\x01 nonsense\r\n\r\n")), 400)


@pytest.mark.parametrize(
    "begin",
    [
        b"GET / HTTP/1.1\r\nhost: a\r\nx-long: ",
        b"GET /",
    ],
    ids=["one header", "the address"],
)
async def test_an_endless_head_is_refused(begin: bytes) -> None:
    async with serve() as (port, _):
        answer = await send_and_read(port, begin, *[b"x" * 1000] * 60)
        assert "8,192 bytes" in error_of(answer, 431)


async def test_very_many_small_headers_are_refused() -> None:
    async with serve() as (port, _):
        head = b"GET / HTTP/1.1\r\n" + b"a:b\r\n" * 1000
        assert "more than 100 headers" in error_of(await send_and_read(port, head), 431)


async def test_many_headers_of_a_head_that_is_not_complete_are_refused() -> None:
    async with serve() as (port, _):
        # an empty line is allowed ahead of a request
        pieces = (b"\r\n", b"GET / HTTP/1.1\r\n", b"a:b\r\n" * 60, b"a:b\r\n" * 60)
        assert "more than 100 headers" in error_of(
            await read_rest(await send(port, *pieces, pause=0.05)), 431
        )


async def test_a_large_head_in_one_piece_is_refused() -> None:
    async with serve() as (port, _):
        head = b"GET / HTTP/1.1\r\nhost: a\r\nx-long: " + b"x" * 9000 + b"\r\n\r\n"
        assert "8,192 bytes" in error_of(await read_rest(await send(port, head)), 431)


async def test_a_large_head_that_arrives_with_the_request_before_it_is_refused() -> None:
    async with serve() as (port, _):
        first = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n"
        second = b"GET / HTTP/1.1\r\nhost: a\r\nx-long: " + b"x" * 9000 + b"\r\n\r\n"
        assert "8,192 bytes" in error_of(await read_rest(await send(port, first + second)), 431)


async def test_a_trailer_is_not_a_header_of_its_request() -> None:
    async with serve() as (port, _):
        body = b"3\r\nabc\r\n0\r\nx-api-key: late\r\n\r\n"
        head = b"POST /headers HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
        answer = await send_and_read(port, head, body)
        assert answer.endswith(b"\r\n\r\nhost transfer-encoding connection")


CHUNKED = b"POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n"


@pytest.mark.parametrize("around", [b"3;", b"3\r\nabc\r\n0\r\nx-trailer: "], ids=["chunk head", "trailer"])
async def test_an_endless_chunk_head_or_trailer_is_refused(around: bytes) -> None:
    async with serve() as (port, _):
        answer = await send_and_read(port, CHUNKED + around, *[b"x" * 1000] * 60)
        assert "8,192 bytes" in error_of(answer, 400)


async def test_a_body_of_tiny_chunks_is_taken() -> None:
    async with serve() as (port, _):
        pieces = [b"1\r\nx\r\n" * 1000] * 20
        reader, writer = await send(port, CHUNKED, *pieces, b"0\r\n\r\n")
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200")
        assert await reader.readexactly(5) == b"20000"
        writer.close()


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"", None),
        (b"GET / HT", 408),
        (b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nhalf", 408),
        (CHUNKED + b"3\r\nab", 408),
    ],
    ids=["idle", "half a head", "half a body", "half a chunk"],
)
async def test_a_client_that_stops_is_let_go(sent: bytes, status: int | None) -> None:
    async with serve() as (port, _):
        answer = await read_rest(await send(port, sent))
        if status is None:
            assert answer == b""
        else:
            assert "in time" in error_of(answer, status)


async def test_a_client_that_drips_its_head_is_let_go() -> None:
    async with serve() as (port, _):
        connection = await send(port, b"GET /")
        dripping = asyncio.create_task(drip(connection[1]))
        assert "in time" in error_of(await read_rest(connection), 408)
        dripping.cancel()


async def drip(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"x")
        await asyncio.sleep(0.05)


async def test_a_body_nobody_wants_does_not_hold_the_connection() -> None:
    async with serve() as (port, _):
        head = b"POST /refuse HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000\r\n\r\n"
        connection = await send(port, head)
        dripping = asyncio.create_task(drip(connection[1]))
        answer = await read_rest(connection)
        assert answer.startswith(b"HTTP/1.1 200")
        assert answer.count(b"HTTP/1.1") == 1
        dripping.cancel()


async def test_a_body_that_stops_is_cut_off_however_much_was_sent() -> None:
    """A body that keeps coming buys time at its rate, and none ahead."""
    limits = replace(QUICK, body_rate=1000)
    async with serve(limits) as (port, _):
        head = b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000\r\n\r\n"
        began = asyncio.get_running_loop().time()
        answer = await send_and_read(port, head, b"x" * 500_000)
        assert "in time" in error_of(answer, 408)
        # by the bytes alone it would have been 500 seconds
        assert asyncio.get_running_loop().time() - began < 15


async def test_a_body_that_nobody_reads_is_not_the_clients_fault() -> None:
    async with serve() as (port, _):
        head = b"POST /later HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 3000000\r\n\r\n"
        assert (await send_and_read(port, head, b"x" * 3_000_000)).endswith(b"\r\n\r\n3000000")


async def test_a_refused_body_is_not_kept() -> None:
    async with serve(ConnectionLimits()) as (port, server):
        head = b"POST /refuse HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000\r\n\r\n"
        reader, writer = await send(port, head + b"x" * 200_000)
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
        [connection] = server.server_state.connections
        assert bytes(cast("HttpToolsProtocol", connection).cycle.body) == b""
        writer.close()


@pytest.mark.parametrize(
    "more",
    [
        b"GET / HTTP/1.1\r\nhost: a\r\n\r\n" * 50,
        b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9000\r\n\r\n" + b"x" * 9000,
    ],
    ids=["requests", "a body"],
)
async def test_what_is_sent_ahead_is_limited(more: bytes) -> None:
    async with serve() as (port, _):
        assert await read_rest(await send(port, b"GET /wait HTTP/1.1\r\nhost: a\r\n\r\n" + more)) == b""


async def test_a_second_request_that_stops_half_way_is_let_go() -> None:
    async with serve() as (port, _):
        answer = await read_rest(
            await send(port, b"GET / HTTP/1.1\r\nhost: a\r\n\r\n", b"GET / H", pause=0.1)
        )
        assert answer.startswith(b"HTTP/1.1 200")
        assert b"HTTP/1.1 408" in answer


async def test_a_client_that_does_not_read_is_let_go() -> None:
    async with serve() as (port, server):
        # a reader that nobody reads from takes two times its limit and no more
        _, writer = await send(port, b"GET /large HTTP/1.1\r\nhost: a\r\n\r\n")
        async with asyncio.timeout(20):
            while server.server_state.connections:  # noqa: ASYNC110 - nothing to wait on from here
                await asyncio.sleep(0.05)
        writer.close()


@pytest.mark.slow
async def test_a_client_that_reads_slowly_gets_everything() -> None:
    async with serve() as (port, _):
        reader, writer = await send(port, b"GET /large HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
        received = 0
        while piece := await reader.read(400_000):
            received += len(piece)
            await asyncio.sleep(0.02)
        assert received > LARGE
        writer.close()


@pytest.mark.slow
async def test_waiting_for_an_answer_has_no_deadline() -> None:
    async with serve() as (port, _):
        wait = b"GET /wait HTTP/1.1\r\nhost: a\r\n\r\n"
        reader, writer = await send(port, wait, b"GET / HTT", pause=0.1)  # the next one has begun as well
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
        writer.close()


UPGRADE = (
    b"GET /idle HTTP/1.1\r\nhost: a\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
    b"sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


@pytest.mark.slow
async def test_pings_whose_answers_are_not_read_take_no_memory() -> None:
    async with serve() as (port, server):
        reader, writer = await send(port, UPGRADE)
        await reader.readuntil(b"\r\n\r\n")
        reader.feed_eof()  # nothing is read from now on
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        cast("asyncio.ReadTransport", writer.transport).pause_reading()
        ping = b"\x89\xfd\0\0\0\0" + b"x" * 125
        most = 0
        for _ in range(150):
            writer.write(ping * 500)
            await asyncio.sleep(0.002)
            [connection] = server.server_state.connections
            most = max(most, cast("WSProtocol", connection).transport.get_write_buffer_size())
        assert 0 < most < 500_000  # of 10 MB
        writer.transport.abort()


async def test_more_messages_than_anybody_types_end_a_websocket() -> None:
    async with serve() as (port, server):
        reader, writer = await send(port, UPGRADE)
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"\x81\x80\0\0\0\0" * 40_000)
        async with asyncio.timeout(20):
            while server.server_state.connections:  # noqa: ASYNC110 - nothing to wait on from here
                await asyncio.sleep(0.02)
        writer.close()


@pytest.mark.slow
async def test_a_websocket_lives_on() -> None:
    async with serve() as (port, _):
        reader, writer = await send(port, UPGRADE.replace(b"/idle", b"/"))
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")
        assert (await reader.readexactly(12))[2:] == b"still here"
        writer.close()


async def test_at_the_limit_a_connection_that_only_waits_has_to_go() -> None:
    patient = ConnectionLimits(connections=5, head_seconds=60)
    async with serve(patient) as (port, _):
        idle = [await send(port, b"GET / H", pause=0.02) for _ in range(5)]
        reader, writer = await send(port, b"GET / HTTP/1.1\r\nhost: a\r\n\r\n")
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
        assert await read_rest(idle[0]) == b""
        for connection in [*idle[1:], (reader, writer)]:
            connection[1].close()


async def test_at_the_limit_one_that_does_not_read_has_to_go() -> None:
    limits = ConnectionLimits(connections=1, check_seconds=0.05, unread_seconds=0.2)
    async with serve(limits) as (port, _):
        _, unread = await send(port, b"GET /large HTTP/1.1\r\nhost: a\r\n\r\n", pause=0.5)
        reader, writer = await send(port, b"GET / HTTP/1.1\r\nhost: a\r\n\r\n")
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
        writer.close()
        unread.close()


@pytest.mark.slow
async def test_at_the_limit_those_being_answered_stay() -> None:
    patient = ConnectionLimits(connections=2)
    async with serve(patient) as (port, _):
        waiting = [await send(port, b"GET /wait HTTP/1.1\r\nhost: a\r\n\r\n", pause=0.1) for _ in range(2)]
        assert "too many connections" in error_of(
            await read_rest(await send(port, b"GET / HTTP/1.1\r\n")), 503
        )
        for reader, writer in waiting:
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
            writer.close()


async def test_a_request_that_another_followed_learns_that_its_client_is_gone() -> None:
    LEFT.clear()
    async with serve() as (port, _):
        request = b"POST /leave HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n"
        _, writer = await send(port, request + request)
        await asyncio.sleep(0.2)  # the server has begun with the first
        assert LEFT == []
        writer.close()
        async with asyncio.timeout(10):
            while not LEFT:  # noqa: ASYNC110 - see above
                await asyncio.sleep(0.01)
    assert LEFT == ["http.disconnect"]
