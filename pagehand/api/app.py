"""The ASGI application: the table of operations and the few routes around it."""

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

from pagehand.api.errors import error_body
from pagehand.api.live_view import OPERATIONS as LIVE_VIEW_PAGES
from pagehand.api.live_view import LiveViewSocket
from pagehand.api.openapi import TITLE, VERSION, describe_operations, document_operation
from pagehand.api.parts import Parts
from pagehand.api.resources import OPERATIONS
from pagehand.api.table import OperationTable, json_response, no_such_route, unforeseen
from pagehand.errors import InvalidRequest, PagehandError


def create_app(parts: Parts) -> FastAPI:
    """The service's interface over the parts it is given."""
    table = OperationTable(
        (*OPERATIONS, *LIVE_VIEW_PAGES, document_operation(OPERATIONS, parts.kinds)), parts
    )
    app = _App(
        title=TITLE, version=VERSION, openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False
    )
    app.table = table
    app.live_view = LiveViewSocket(parts)
    app.router.routes.append(table)
    app.openapi = lambda: describe_operations(OPERATIONS, parts.kinds)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _not_valid)
    app.add_exception_handler(PagehandError, unforeseen)
    app.add_exception_handler(Exception, unforeseen)
    refuse_undeclared(app.router.routes)
    return app


class _App(FastAPI):
    """An application whose operations are answered without the framework's layers around them.

    The table sees to every error itself; those layers would only cost time, a tenth of a short request.
    """

    table: OperationTable
    live_view: LiveViewSocket

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand operations to the table, and what is none of them to the framework."""
        if scope["type"] == "websocket":
            await self.live_view(scope, receive, send)
        elif self.table.matches(scope)[0] is Match.FULL:
            await self.table.handle(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


def refuse_undeclared(routes: list[BaseRoute]) -> None:
    """Stop a build in which a route says nothing about who may use it.

    A route outside the table declares itself by an attribute `policy` on its endpoint.
    """
    for route in routes:
        endpoint = getattr(route, "endpoint", None) or getattr(route, "app", None)
        if not isinstance(route, OperationTable) and not hasattr(endpoint, "policy"):
            raise TypeError(f"The route `{getattr(route, 'path', route)}` declares no policy")


async def _http_error(request: Request, trouble: Exception) -> Response:
    # FastAPI registers this handler for HTTPException alone; the signature is Starlette's
    status, sentence = (
        (trouble.status_code, trouble.detail) if isinstance(trouble, HTTPException) else (500, "")
    )
    if status == 404:  # noqa: PLR2004 - the framework's own word for an unknown route
        return await no_such_route(request, trouble)
    return json_response(request, status, [], error_body(sentence or "Refused"))


async def _not_valid(request: Request, _: Exception) -> Response:
    return await unforeseen(request, InvalidRequest())
