"""The guide at `/guide`: the pages of `docs/`, built into the package, with an index for language models."""

import re
from pathlib import Path
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.staticfiles import StaticFiles

from pagehand.api.console.pages import HEADERS, POLICY

SITE: Final = Path(__file__).parent / "site"
_HASHED: Final = re.compile(r"assets/.*\.[0-9a-f]{8}\.min\.(?:js|css)")
_NOT_BUILT: Final = (
    "<!doctype html><title>Pagehand</title><h1>The guide has not been built</h1>"
    "<p>Run <code>make guide</code> in the checkout, or install Pagehand from a wheel. "
    "The pages are in its folder <code>docs</code>.</p>"
)


def guide_routes() -> list[BaseRoute]:
    """The routes of the guide; nothing is read before somebody asks for it."""
    return [
        Route("/guide", _to_first_page, methods=["GET"]),
        Route("/guide/{path:path}", _file, methods=["GET"]),
        Route("/llms.txt", _index, methods=["GET"]),
    ]


async def _to_first_page(_: Request) -> Response:
    """Links between pages are relative, so the address needs its slash."""
    return RedirectResponse("/guide/", 308, HEADERS)


async def _file(request: Request) -> Response:
    """One file of the site."""
    return await _respond(request, request.path_params["path"] or "index.html")


async def _index(request: Request) -> Response:
    """Every page with a sentence, as language models look for it."""
    return await _respond(request, "llms.txt")


_to_first_page.policy = "public: holds no data"  # pyright: ignore[reportFunctionMemberAccess] - read when the app is built
_file.policy = "public: holds no data"  # pyright: ignore[reportFunctionMemberAccess] - as above
_index.policy = "public: holds no data"  # pyright: ignore[reportFunctionMemberAccess] - as above


async def _respond(request: Request, path: str) -> Response:
    # names of files change with their content where they have a hash; pages are asked for again every time
    cache = "public, max-age=31536000, immutable" if _HASHED.fullmatch(path) else "no-cache"
    headers = {**HEADERS, "content-security-policy": POLICY, "cache-control": cache}
    try:
        response = await StaticFiles(directory=SITE, check_dir=False).get_response(path, request.scope)
    except HTTPException as missing:
        if SITE.is_dir():
            raise
        return HTMLResponse(_NOT_BUILT, missing.status_code, headers)
    response.headers.update(headers)
    return response
