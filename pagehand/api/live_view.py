"""The live view: a page that shows a running browser, and its WebSocket.

A signed link is the only way in. The page is served to whoever holds one; the socket checks the token again,
and that it is our own page that asks.
"""

import re
import secrets
from functools import cache
from importlib.resources import files
from typing import Final
from urllib.parse import parse_qs, urlsplit

import msgspec
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from pagehand.api.errors import describe
from pagehand.api.fields import Nothing
from pagehand.api.live_view_links import LIVE_VIEW, PATH
from pagehand.api.live_view_messages import Ended
from pagehand.api.live_view_relay import relay
from pagehand.api.live_view_socket import Conversation
from pagehand.api.operation import Call, Result, page
from pagehand.api.parts import Parts
from pagehand.errors import Forbidden, NotFound, PagehandError, TooMany
from pagehand.files.signing import Signed
from pagehand.ids import new_id

SOCKET_PATH: Final = "/live/socket"
SUBPROTOCOL: Final = "pagehand.live"
# chosen by the page, so that a person who loads it again is known as the same driver
_KEY: Final = re.compile(r"[A-Za-z0-9_-]{16,64}")
_SHARED_HEADERS: Final = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
_ENDINGS: Final = {"Completed": "It is completed.", "Failed": "It has failed."}


@page(PATH)
async def live_view(call: Call[Nothing]) -> Result:
    """The page behind an execution's `liveViewUrl`."""
    token = parse_qs(call.incoming.raw.decode("latin-1")).get("t", [""])[0]
    await _meant(call.parts, token)
    host = call.incoming.header("host") or ""
    headers = {
        **_SHARED_HEADERS,
        "content-security-policy": _policy(host),
        "cross-origin-opener-policy": "same-origin",
        "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    }
    return Response(_asset("live_view.html"), media_type="text/html", headers=headers)


@page("/live/view.js")
async def script(_: Call[Nothing]) -> Result:
    """What the page does."""
    return Response(_asset("live_view.js"), media_type="text/javascript", headers=_SHARED_HEADERS)


@page("/live/view.css")
async def style(_: Call[Nothing]) -> Result:
    """What the page looks like."""
    return Response(_asset("live_view.css"), media_type="text/css", headers=_SHARED_HEADERS)


OPERATIONS = (live_view, script, style)


class LiveViewSocket:
    """The service's only WebSocket, as an ASGI application; any other path is refused."""

    policy: Final = "signed link"

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let in who may, and hold the conversation."""
        socket = WebSocket(scope, receive, send)
        try:
            signed = await self._admit(socket)
        except PagehandError as refusal:
            status, _, body = describe(refusal, new_id("req"), scope["path"])
            await socket.send_denial_response(Response(body, status, media_type="application/json"))
            return
        await socket.accept(SUBPROTOCOL)
        try:
            await self._serve(socket, signed)
            await socket.close()
        except (WebSocketDisconnect, TimeoutError):
            return  # the watcher has gone, or is too slow to be served

    async def _admit(self, socket: WebSocket) -> Signed:
        if socket.url.path != SOCKET_PATH:
            raise NotFound(f"There is no WebSocket at `{socket.url.path[:200]}`")
        if not self._is_own_page(socket.headers):
            raise Forbidden("The live view can be used from its own page only")
        return await _meant(self._parts, _offered(socket, "t."))

    def _is_own_page(self, headers: Headers) -> bool:
        origin = urlsplit(headers.get("origin", "").lower())
        public = urlsplit(self._parts.settings.public_url or "")
        own = {headers.get("host", "").lower(), public.netloc.lower()} - {""}
        return origin.scheme in ("http", "https") and origin.netloc in own

    async def _serve(self, socket: WebSocket, signed: Signed) -> None:
        live = self._parts.engine.live(signed.organization_id, signed.resource)
        if live is not None and live.screen is not None and not live.has_ended:
            given = _offered(socket, "k.")
            # without a usable one nobody can be mistaken for this viewer
            key = given if _KEY.fullmatch(given) else secrets.token_urlsafe(24)
            may_drive = signed.mode == "control"
            try:
                await Conversation(socket, live, live.screen, key, may_drive=may_drive).hold()
            except TooMany as full:
                ending = Ended(live.execution.status, False, f"{full.message} Try again in a moment.")
                await socket.send_text(msgspec.json.encode(ending).decode())
                return
        # asked only where it does not run here: a worker never relays to itself
        elif live is None and await self._is_relayed(socket, signed.resource):
            return
        await socket.send_text(msgspec.json.encode(await self._ending(signed)).decode())

    async def _is_relayed(self, socket: WebSocket, execution_id: str) -> bool:
        """Whether another process runs the execution and held the conversation."""
        address = await self._parts.engine.address_of(execution_id)
        return address is not None and await relay(socket, address, SOCKET_PATH)

    async def _ending(self, signed: Signed) -> Ended:
        execution = await self._parts.stores.executions.get(signed.organization_id, signed.resource)
        if execution is None:
            return Ended("", True, "This execution is no longer there.")
        status = execution.status
        if status.is_final:
            return Ended(status, True, f"This execution has ended. {_ENDINGS[status]}")
        return Ended(status, False, "No browser serves this execution right now.")


async def _meant(parts: Parts, token: str) -> Signed:
    """What a link's token stands for; refused unless it is for an execution's live view."""
    signed = parts.signer.open(token)
    if signed.kind != LIVE_VIEW:
        raise Forbidden("`t`: this is not a link to a live view.")
    if await parts.stores.executions.get(signed.organization_id, signed.resource) is None:
        raise NotFound("This execution is no longer there")
    return signed


def _offered(socket: WebSocket, prefix: str) -> str:
    """A value the page sends beside the subprotocol: unlike an address, it is in nobody's log."""
    offered: list[str] = socket.scope.get("subprotocols", [])
    return next((item.removeprefix(prefix) for item in offered if item.startswith(prefix)), "")


def _policy(host: str) -> str:
    """Own script, style and socket, and nothing else; older Safari does not count a socket as `'self'`."""
    is_plain = re.fullmatch(r"[A-Za-z0-9.:\[\]-]+", host)
    socket = f" ws://{host} wss://{host}" if is_plain else ""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; "
        f"connect-src 'self'{socket}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    )


@cache
def _asset(name: str) -> bytes:
    return files("pagehand.api").joinpath(name).read_bytes()
