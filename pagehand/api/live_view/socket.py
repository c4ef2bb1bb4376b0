"""The WebSocket of the live view: serves viewers here, or relays them to the process that has the browser."""

import asyncio
import re
import secrets
from typing import Final
from urllib.parse import urlsplit

import msgspec
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
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

from pagehand.api.errors import error_response
from pagehand.api.live_view.links import access_of, open_token
from pagehand.api.live_view.messages import ViewEnded
from pagehand.api.live_view.viewer_connection import ViewerConnection
from pagehand.api.request_limits import VIEWER_BYTES, RequestUsage
from pagehand.api.services import ApiServices
from pagehand.errors import Forbidden, NotAuthenticated, NotFound, PagehandError, TooMany
from pagehand.files import SignedResource
from pagehand.ids import new_id

_CONNECT_SECONDS: Final = 5.0
_CHUNK_BYTES: Final = 256 * 1024


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


SOCKET_PATH: Final = "/live/socket"
SUBPROTOCOL: Final = "pagehand.live"
# chosen by the page, so that a person who loads it again is known as the same driver
_VIEWER_KEY: Final = re.compile(r"[A-Za-z0-9_-]{16,64}")
_LAST_MESSAGE_SECONDS: Final = 5.0
_ENDINGS: Final = {"Completed": "It is completed.", "Failed": "It has failed."}


class LiveViewSocket:
    """The service's only WebSocket, as an ASGI application; any other path is refused."""

    policy: Final = "signed link"

    def __init__(self, services: ApiServices) -> None:
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the link and serve the viewer until one side ends the connection."""
        socket = WebSocket(scope, receive, send)
        try:
            signed = await self._authenticate(socket)
            usage = RequestUsage(self._services.limits, signed.organization_id)
            usage.begin_stream(VIEWER_BYTES)
        except PagehandError as refusal:
            status, more, body = error_response(refusal, new_id("req"), scope["path"])
            response = Response(body, status, media_type="application/json")
            response.raw_headers.extend(more)
            await socket.send_denial_response(response)
            return
        try:
            # a browser closes the socket unless one of the subprotocols it offered is accepted
            await socket.accept(SUBPROTOCOL)
            await self._serve_while_allowed(socket, signed)
            await socket.close()
        except (WebSocketDisconnect, TimeoutError):
            return  # the viewer has left, or is too slow to be served
        finally:
            usage.end()

    async def _serve_while_allowed(self, socket: WebSocket, signed: SignedResource) -> None:
        """Serve the viewer until it ends, or the access of the caller who was given the link does."""
        try:
            await access_of(self._services, signed).run(self._serve(socket, signed))
        except (NotAuthenticated, Forbidden):
            async with asyncio.timeout(_LAST_MESSAGE_SECONDS):
                await _send(socket, ViewEnded("", True, "Your access has ended: ask for a new link."))

    async def _authenticate(self, socket: WebSocket) -> SignedResource:
        if socket.url.path != SOCKET_PATH:
            raise NotFound(f"There is no WebSocket at `{socket.url.path[:200]}`")
        if not self._is_own_page(socket.headers):
            raise Forbidden("The live view can be used from its own page only")
        return await open_token(self._services, _subprotocol_value(socket, "t."))

    def _is_own_page(self, headers: Headers) -> bool:
        origin = urlsplit(headers.get("origin", "").lower())
        public = urlsplit(self._services.settings.public_url or "")
        own = {headers.get("host", "").lower(), public.netloc.lower()} - {""}
        return origin.scheme in ("http", "https") and origin.netloc in own

    async def _serve(self, socket: WebSocket, signed: SignedResource) -> None:
        live = self._services.engine.live(signed.organization_id, signed.resource)
        if live is not None and live.screen is not None and not live.has_ended:
            may_drive = signed.mode == "control"
            viewer = ViewerConnection(socket, live, live.screen, _viewer_key(socket), may_drive=may_drive)
            try:
                await viewer.serve()
            except TooMany as full:
                message = f"{full.message} Try again in a moment."
                await _send(socket, ViewEnded(live.execution.status, False, message))
                return
        # only where it does not run here: a worker never relays to itself
        elif live is None and await self._is_relayed(socket, signed.resource):
            return
        await _send(socket, await self._ending(signed))

    async def _is_relayed(self, socket: WebSocket, execution_id: str) -> bool:
        """Whether another process runs the execution and has served the viewer."""
        address = await self._services.engine.address_of(execution_id)
        return address is not None and await relay(socket, address, SOCKET_PATH)

    async def _ending(self, signed: SignedResource) -> ViewEnded:
        execution = await self._services.stores.executions.get(signed.organization_id, signed.resource)
        if execution is None:
            return ViewEnded("", True, "This execution is no longer there.")
        status = execution.status
        if status.is_final:
            return ViewEnded(status, True, f"This execution has ended. {_ENDINGS[status]}")
        return ViewEnded(status, False, "No browser serves this execution right now.")


def _viewer_key(socket: WebSocket) -> str:
    given = _subprotocol_value(socket, "k.")
    # without a valid one nobody can be mistaken for this viewer
    return given if _VIEWER_KEY.fullmatch(given) else secrets.token_urlsafe(24)


def _subprotocol_value(socket: WebSocket, prefix: str) -> str:
    """A value that the page sends as a subprotocol, because URLs end up in logs."""
    offered: list[str] = socket.scope.get("subprotocols", [])
    return next((item.removeprefix(prefix) for item in offered if item.startswith(prefix)), "")


async def _send(socket: WebSocket, message: ViewEnded) -> None:
    await socket.send_text(msgspec.json.encode(message).decode())


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
