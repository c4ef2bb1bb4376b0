"""The page of the live view: a page of the console's bundle that needs no session."""

import re
from urllib.parse import parse_qs

from starlette.responses import Response

from pagehand.api.console.pages import HEADERS, bundled_page
from pagehand.api.fields import EmptyRequest
from pagehand.api.live_view.links import PATH, open_token
from pagehand.api.operation import Call, Result, public_get


@public_get(PATH)
async def page(call: Call[EmptyRequest]) -> Result:
    """The page behind an execution's `liveViewUrl`."""
    token = parse_qs(call.http_request.query.decode("latin-1")).get("t", [""])[0]
    await open_token(call.services, token)
    host = call.http_request.header("host") or ""
    headers = {
        **HEADERS,
        "cache-control": "no-store",
        "content-security-policy": _content_security_policy(host),
        "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    }
    return Response(bundled_page("live_view.html"), media_type="text/html", headers=headers)


def _content_security_policy(host: str) -> str:
    """Allow the page's own script, style and socket, and nothing else."""
    # older versions of Safari do not count a socket as `'self'`
    is_plain = re.fullmatch(r"[A-Za-z0-9.:\[\]-]+", host)
    socket = f" ws://{host} wss://{host}" if is_plain else ""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; "
        f"connect-src 'self'{socket}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    )


OPERATIONS = (page,)
