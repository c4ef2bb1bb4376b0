"""The console's page at each of its addresses, the live view's, which needs no session, and their files."""

import mimetypes
import re
from functools import cache
from importlib.resources import files
from typing import Final
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Scope

from pagehand import __version__
from pagehand.api.fields import TITLE, EmptyRequest
from pagehand.api.live_view.links import PATH, open_token
from pagehand.api.operation import Call, Result, public_get
from pagehand.errors import NotFound

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
"""As `POLICY`, of all pages that people open: the console, the live view and the guide."""

ADDRESSES: Final = (
    "/",
    "/sign-in",
    "/executions",
    "/executions/{id}",
    "/workflows",
    "/workflows/{id}",
    "/attention",
    "/logins",
    "/batches",
    "/batches/{id}",
    "/schedules",
    "/webhooks",
    "/files",
    "/knowledge",
    "/settings",
)
# the whole name is checked, so that no `..` reaches the file system
_HASHED: Final = re.compile(r"[A-Za-z0-9_.]+-[A-Z0-9]{8}\.(?:js|css|svg|woff2)")
_NOT_BUILT: Final = (
    "<!doctype html><title>Pagehand</title><h1>The console and the live view have not been built</h1>"
    "<p>Run <code>make console</code> in the checkout, or install Pagehand from a wheel. "
    'The API works without them: <a href="/docs">reference</a>.</p>'
)


def console_routes() -> list[BaseRoute]:
    """The routes of the console's page and its assets."""
    pages = [_Page(address, _page, methods=["GET"]) for address in ADDRESSES]
    return [
        *pages,
        Route("/", _about, methods=["GET"]),  # for clients that accept no HTML
        Route("/console/assets/{name}", _asset, methods=["GET"]),
    ]


class _Page(Route):
    """A page for browsers only: clients of the API get a 404 at its address."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match only requests that accept HTML."""
        match, child_scope = super().matches(scope)
        accepts = dict(scope["headers"]).get(b"accept", b"") if match is Match.FULL else b""
        return (Match.FULL, child_scope) if b"text/html" in accepts else (Match.NONE, {})


async def _page(_: Request) -> Response:
    """The application."""
    # revalidated every time: an old page would load scripts that a newer version no longer has
    headers = {**HEADERS, "content-security-policy": POLICY, "cache-control": "no-cache"}
    return Response(bundled_page("index.html"), media_type="text/html", headers=headers)


async def missing_page(request: Request) -> Response | None:
    """The application, which says that nothing is at this address; None for other clients than browsers."""
    is_browser = request.method == "GET" and "text/html" in request.headers.get("accept", "")
    if not is_browser:
        return None
    page = await _page(request)
    page.status_code = NotFound.status
    return page


async def _about(_: Request) -> Response:
    """What this is, and where to go on."""
    links = {"console": "/", "guide": "/guide", "docs": "/docs", "openapi": "/openapi.json"}
    about = {"name": TITLE, "version": __version__, **links}
    return JSONResponse(about, headers=HEADERS)


async def _asset(request: Request) -> Response:
    """One file of the bundle; its name changes with its content, so it may be cached forever."""
    name: str = request.path_params["name"]
    content = _bundled(f"assets/{name}") if _HASHED.fullmatch(name) else None
    if content is None:
        raise NotFound(f"There is no `{request.url.path[:200]}` here")
    headers = {**HEADERS, "cache-control": "public, max-age=31536000, immutable"}
    return Response(content, media_type=mimetypes.guess_type(name)[0], headers=headers)


_page.policy = "public: holds no data"  # pyright: ignore[reportFunctionMemberAccess] - read when the app is built
_about.policy = "public: holds no data"  # pyright: ignore[reportFunctionMemberAccess] - as above
_asset.policy = "public: holds no data"  # pyright: ignore[reportFunctionMemberAccess] - as above


def bundled_page(name: str) -> bytes | str:
    """A page of the bundle; a page that says what to do where the bundle has not been built."""
    return _bundled(name) or _NOT_BUILT


@cache
def _bundled(name: str) -> bytes | None:
    path = files(__package__ or "").joinpath("bundle", name)
    return path.read_bytes() if path.is_file() else None


@public_get(PATH)
async def live_view_page(call: Call[EmptyRequest]) -> Result:
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
