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

from pagehand.api.errors import error_response
from pagehand.api.live_view.links import access_of, open_token
from pagehand.api.live_view.messages import ViewEnded
from pagehand.api.live_view.relay import relay
from pagehand.api.live_view.viewer_connection import ViewerConnection
from pagehand.api.request_limits import VIEWER_BYTES, RequestUsage
from pagehand.api.services import ApiServices
from pagehand.errors import Forbidden, NotAuthenticated, NotFound, PagehandError, TooMany
from pagehand.files.signing import SignedResource
from pagehand.ids import new_id

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
