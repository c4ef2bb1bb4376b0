"""Relays the live view's WebSocket to the process that runs the execution.

The worker checks the signed link again: without one it refuses the connection as this process does.
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
    """Relay the socket to the worker at `address` until one side ends; False when it cannot be reached."""
    target = urlsplit(address)
    try:
        async with asyncio.timeout(_CONNECT_SECONDS):
            reader, writer = await asyncio.open_connection(target.hostname, target.port)
    except (OSError, TimeoutError):
        return False
    try:
        worker = _WorkerConnection(socket, reader, writer)
        return await worker.relay(target.netloc, path)
    finally:
        writer.close()


class _WorkerConnection:
    """A WebSocket to the worker."""

    def __init__(self, socket: WebSocket, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._socket = socket
        self._reader = reader
        self._writer = writer
        self._connection = WSConnection(ConnectionType.CLIENT)
        self._accepted = asyncio.Event()
        self._text: list[str] = []
        self._bytes = bytearray()

    async def relay(self, netloc: str, path: str) -> bool:
        """Pass messages both ways until one side ends; False when the worker refused."""
        request = Request(
            host=netloc,
            target=path,
            subprotocols=list(self._socket.scope.get("subprotocols", [])),
            # the worker accepts its own page only; the viewer's origin was checked here
            extra_headers=[(b"origin", f"http://{netloc}".encode())],
        )
        await self._send(request)
        tasks = {
            asyncio.create_task(self._forward_to_viewer()),
            asyncio.create_task(self._forward_to_worker()),
        }
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        return self._accepted.is_set()

    async def _send(self, event: Event) -> None:
        self._writer.write(self._connection.send(event))
        await self._writer.drain()

    async def _forward_to_worker(self) -> None:
        """Forward the viewer's messages to the worker."""
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

    async def _forward_to_viewer(self) -> None:
        """Forward the worker's messages to the viewer."""
        try:
            while data := await self._reader.read(_CHUNK_BYTES):
                self._connection.receive_data(data)
                for event in self._connection.events():
                    if not await self._forward(event):
                        return
        except (OSError, WebSocketDisconnect, RemoteProtocolError):
            return  # the worker ended in the middle of a frame, or another program has its port now

    async def _forward(self, event: Event) -> bool:
        """Forward one event; False once the worker has ended the connection."""
        if isinstance(event, AcceptConnection):
            self._accepted.set()
        elif isinstance(event, TextMessage):
            # a message may arrive in several frames; the browser gets it as one
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
