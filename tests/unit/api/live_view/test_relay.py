"""The relay of a live view to the worker that runs the execution: both ways, whole messages, and refusals."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest
from starlette.types import Message
from starlette.websockets import WebSocket
from wsproto import WSConnection
from wsproto.connection import ConnectionType
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Event,
    Ping,
    Pong,
    RejectConnection,
    Request,
    TextMessage,
)

from pagehand.api.live_view.socket import relay

pytestmark = pytest.mark.anyio

Serve = Callable[["FakeWorker"], Coroutine[Any, Any, None]]


class FakeWorker:
    """The worker's end of the relay."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self.writer = writer
        self._connection = WSConnection(ConnectionType.SERVER)
        self._events: list[Event] = []

    async def next(self) -> Event:
        """What the relay sends next."""
        while not self._events:
            data = await self._reader.read(65536)
            self._connection.receive_data(data or None)
            self._events += self._connection.events()
        return self._events.pop(0)

    def send(self, event: Event) -> None:
        self.writer.write(self._connection.send(event))


class FakeViewer:
    """The viewer's end of a WebSocket."""

    def __init__(self) -> None:
        self.incoming: asyncio.Queue[Message] = asyncio.Queue()
        self.outgoing: asyncio.Queue[Message] = asyncio.Queue()
        self.incoming.put_nowait({"type": "websocket.connect"})
        scope = {"type": "websocket", "subprotocols": ["pagehand.live", "t.token"], "headers": []}
        self.socket = WebSocket(scope, self.incoming.get, self.outgoing.put)


@asynccontextmanager
async def worker(serve: Serve) -> AsyncGenerator[str]:
    async def on_connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await serve(FakeWorker(reader, writer))
        finally:
            writer.close()

    server = await asyncio.start_server(on_connect, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        await server.wait_closed()


async def relay_to(viewer: FakeViewer, address: str) -> bool:
    await viewer.socket.accept("pagehand.live")
    await viewer.outgoing.get()
    async with asyncio.timeout(20):
        return await relay(viewer.socket, address, "/live/socket")


async def test_messages_go_both_ways_and_arrive_whole(anyio_backend: str) -> None:
    assert anyio_backend == "asyncio"
    asked: list[Event] = []

    async def serve(end: FakeWorker) -> None:
        request = await end.next()
        assert isinstance(request, Request)
        asked.append(request)
        end.send(AcceptConnection(subprotocol="pagehand.live"))
        # a picture in two frames, with a ping between them, and a text in two
        end.send(BytesMessage(b"JP", message_finished=False))
        end.send(Ping(b"still there?"))
        end.send(BytesMessage(b"EG"))
        end.send(TextMessage('{"type":', message_finished=False))
        end.send(TextMessage('"state"}'))
        asked.extend([await end.next() for _ in range(3)])
        end.send(CloseConnection(1000))

    viewer = FakeViewer()
    viewer.incoming.put_nowait({"type": "websocket.receive", "text": '{"type":"take"}'})
    viewer.incoming.put_nowait({"type": "websocket.receive", "bytes": b"piece"})
    async with worker(serve) as address:
        assert await relay_to(viewer, address)
    request, *received = asked
    assert isinstance(request, Request)
    assert request.target == "/live/socket"
    # the signed link travels with the subprotocols: the worker checks it once more
    assert list(request.subprotocols) == ["pagehand.live", "t.token"]
    assert sorted(type(event).__name__ for event in received) == ["BytesMessage", "Pong", "TextMessage"]
    assert [event.payload for event in received if isinstance(event, Pong)] == [b"still there?"]
    outgoing = [viewer.outgoing.get_nowait() for _ in range(viewer.outgoing.qsize())]
    assert [message.get("bytes") or message.get("text") for message in outgoing] == [
        b"JPEG",
        '{"type":"state"}',
    ]


async def test_worker_that_refuses_the_link_holds_no_conversation() -> None:
    async def serve(end: FakeWorker) -> None:
        await end.next()
        end.send(RejectConnection(status_code=403))
        await end.writer.drain()

    async with worker(serve) as address:
        assert not await relay_to(FakeViewer(), address)


async def test_person_who_leaves_ends_the_conversation() -> None:
    left = asyncio.Event()

    async def serve(end: FakeWorker) -> None:
        await end.next()
        end.send(AcceptConnection())
        await end.writer.drain()
        assert isinstance(await end.next(), CloseConnection)
        left.set()

    viewer = FakeViewer()
    viewer.incoming.put_nowait({"type": "websocket.disconnect", "code": 1001})
    async with worker(serve) as address:
        assert await relay_to(viewer, address)
        async with asyncio.timeout(20):
            await left.wait()


@pytest.mark.parametrize("nonsense", [b"", b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 101 Yes\r\n\r\n\xff\xff\xff"])
async def test_something_else_at_the_workers_port_is_as_if_nobody_were_there(
    nonsense: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async def serve(end: FakeWorker) -> None:
        await end.next()
        end.writer.write(nonsense)
        await end.writer.drain()

    async with worker(serve) as address:
        assert not await relay_to(FakeViewer(), address)
    await asyncio.sleep(0)
    assert "never retrieved" not in caplog.text


async def test_worker_that_is_gone_cannot_be_reached() -> None:
    async def serve(end: FakeWorker) -> None:
        raise AssertionError(end)

    async with worker(serve) as address:
        pass
    assert not await relay_to(FakeViewer(), address)
