"""The live view of an execution that another process runs: its WebSocket is passed on, message by message.

The worker checks the signed link itself; whoever reaches it without one is refused there as here.
"""

import asyncio
from typing import Final
from urllib.parse import urlsplit

from starlette.websockets import WebSocket, WebSocketDisconnect
from wsproto import WSConnection
from wsproto.connection import ConnectionType
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Event,
    Ping,
    RejectConnection,
    Request,
    TextMessage,
)
from wsproto.utilities import LocalProtocolError, RemoteProtocolError

_CONNECT_SECONDS: Final = 5.0
_CHUNK_BYTES: Final = 256 * 1024


async def relay(socket: WebSocket, address: str, path: str) -> bool:
    """Hold the conversation with the worker at `address`; False when it cannot be reached."""
    target = urlsplit(address)
    try:
        async with asyncio.timeout(_CONNECT_SECONDS):
            reader, writer = await asyncio.open_connection(target.hostname, target.port)
    except (OSError, TimeoutError):
        return False
    try:
        worker = _Worker(socket, reader, writer)
        return await worker.hold(target.netloc, path)
    finally:
        writer.close()


class _Worker:
    """The other end: a WebSocket to the worker."""

    def __init__(self, socket: WebSocket, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._socket = socket
        self._reader = reader
        self._writer = writer
        self._connection = WSConnection(ConnectionType.CLIENT)
        self._accepted = asyncio.Event()
        self._text: list[str] = []
        self._bytes = bytearray()

    async def hold(self, netloc: str, path: str) -> bool:
        """Pass messages both ways until one side ends; False when the worker refused."""
        request = Request(
            host=netloc,
            target=path,
            subprotocols=list(self._socket.scope.get("subprotocols", [])),
            # the worker lets in only its own page; the person's origin was checked here
            extra_headers=[(b"origin", f"http://{netloc}".encode())],
        )
        await self._send(request)
        down, up = asyncio.create_task(self._down()), asyncio.create_task(self._up())
        try:
            await asyncio.wait({down, up}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (down, up):
                task.cancel()
            await asyncio.wait({down, up})
        return self._accepted.is_set()

    async def _send(self, event: Event) -> None:
        self._writer.write(self._connection.send(event))
        await self._writer.drain()

    async def _up(self) -> None:
        """What the person does goes to the worker."""
        # wsproto refuses to send before the handshake is over
        await self._accepted.wait()
        try:
            while True:
                message = await self._socket.receive()
                if message["type"] == "websocket.disconnect":
                    return
                if message.get("text") is not None:
                    await self._send(TextMessage(data=message["text"]))
                elif message.get("bytes") is not None:
                    await self._send(BytesMessage(data=message["bytes"]))
        except (OSError, LocalProtocolError, WebSocketDisconnect):
            return

    async def _down(self) -> None:
        """What the worker shows goes to the person."""
        try:
            while data := await self._reader.read(_CHUNK_BYTES):
                self._connection.receive_data(data)
                for event in self._connection.events():
                    if not await self._pass_on(event):
                        return
        except (OSError, WebSocketDisconnect, RemoteProtocolError):
            return  # the worker went away in the middle of a frame, or another program has its port now

    async def _pass_on(self, event: Event) -> bool:
        """False once the worker has ended the conversation."""
        if isinstance(event, AcceptConnection):
            self._accepted.set()
        elif isinstance(event, TextMessage):
            # a message may arrive in several frames; a browser gets it whole
            self._text.append(event.data)
            if event.message_finished:
                await self._socket.send_text("".join(self._text))
                self._text = []
        elif isinstance(event, BytesMessage):
            self._bytes += event.data
            if event.message_finished:
                await self._socket.send_bytes(bytes(self._bytes))
                self._bytes = bytearray()
        elif isinstance(event, Ping):
            await self._send(event.response())
        return not isinstance(event, CloseConnection | RejectConnection)
