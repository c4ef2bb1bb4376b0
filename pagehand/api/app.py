"""The ASGI application: the table of operations and the few routes around it."""

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

from pagehand.api.console.events import OPERATIONS as CONSOLE_EVENTS
from pagehand.api.console.pages import console_routes
from pagehand.api.console.session import OPERATIONS as CONSOLE_SESSION
from pagehand.api.errors import error_body
from pagehand.api.live_view import OPERATIONS as LIVE_VIEW_PAGES
from pagehand.api.live_view import LiveViewSocket
from pagehand.api.openapi import document_operation
from pagehand.api.parts import Parts
from pagehand.api.resources import OPERATIONS
from pagehand.api.table import OperationTable, json_response, no_such_route, unforeseen
from pagehand.errors import PagehandError


def create_app(parts: Parts) -> Starlette:
    """The service's interface over the parts it is given."""
    table = OperationTable(
        (
            *OPERATIONS,
            *CONSOLE_SESSION,
            *CONSOLE_EVENTS,
            *LIVE_VIEW_PAGES,
            document_operation(OPERATIONS, parts.kinds),
        ),
        parts,
    )
    app = _App(
        routes=[table, *console_routes()],
        exception_handlers={
            HTTPException: _http_error,
            PagehandError: unforeseen,
            Exception: unforeseen,
        },
    )
    # an unknown path is a 404 in the shape of our errors, not a redirect of the framework
    app.router.redirect_slashes = False
    app.table = table
    app.live_view = LiveViewSocket(parts)
    refuse_undeclared(app.router.routes)
    return app


class _App(Starlette):
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
    # registered for HTTPException alone; the signature is Starlette's
    status, sentence = (
        (trouble.status_code, trouble.detail) if isinstance(trouble, HTTPException) else (500, "")
    )
    if status == 404:  # noqa: PLR2004 - the framework's own word for an unknown route
        return await no_such_route(request, trouble)
    return json_response(request, status, [], error_body(sentence or "Refused"))
