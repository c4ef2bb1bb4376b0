"""The page of the live view, its script and its style sheet."""

import re
from functools import cache
from importlib.resources import files
from typing import Final
from urllib.parse import parse_qs

from starlette.responses import Response

from pagehand.api.fields import EmptyRequest
from pagehand.api.live_view.links import PATH, open_token
from pagehand.api.operation import Call, Result, public_get

_SHARED_HEADERS: Final = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


@public_get(PATH)
async def page(call: Call[EmptyRequest]) -> Result:
    """The page behind an execution's `liveViewUrl`."""
    token = parse_qs(call.http_request.query.decode("latin-1")).get("t", [""])[0]
    await open_token(call.services, token)
    host = call.http_request.header("host") or ""
    headers = {
        **_SHARED_HEADERS,
        "content-security-policy": _content_security_policy(host),
        "cross-origin-opener-policy": "same-origin",
        "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    }
    return Response(_asset("live_view.html"), media_type="text/html", headers=headers)


@public_get("/live/view.js")
async def script(_: Call[EmptyRequest]) -> Result:
    """The page's script."""
    return Response(_asset("live_view.js"), media_type="text/javascript", headers=_SHARED_HEADERS)


@public_get("/live/view.css")
async def style(_: Call[EmptyRequest]) -> Result:
    """The page's style sheet."""
    return Response(_asset("live_view.css"), media_type="text/css", headers=_SHARED_HEADERS)


def _content_security_policy(host: str) -> str:
    """Allow the page's own script, style and socket, and nothing else."""
    # older versions of Safari do not count a socket as `'self'`
    is_plain = re.fullmatch(r"[A-Za-z0-9.:\[\]-]+", host)
    socket = f" ws://{host} wss://{host}" if is_plain else ""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; "
        f"connect-src 'self'{socket}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    )


@cache
def _asset(name: str) -> bytes:
    return files(__package__ or "").joinpath(name).read_bytes()


OPERATIONS = (page, script, style)
