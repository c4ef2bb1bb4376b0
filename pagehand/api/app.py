"""The ASGI application: the operations, the console's pages and the live view's WebSocket."""

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import Message, Receive, Scope, Send

from pagehand.api.agents import Agents, agent_operation
from pagehand.api.console.pages import console_routes, live_view_page, missing_page
from pagehand.api.console.session import OPERATIONS as CONSOLE_SESSION
from pagehand.api.errors import Headers, error_body, error_response
from pagehand.api.guide import guide_routes
from pagehand.api.live_view.socket import LiveViewSocket
from pagehand.api.openapi import document_operations
from pagehand.api.request_limits import RequestLimits, RequestUsage
from pagehand.api.resources import operations
from pagehand.api.router import CAUTIOUS, OperationRouter, request_id_of, send_body
from pagehand.api.services import ApiServices
from pagehand.errors import NotFound, PagehandError, Unavailable
from pagehand.workflow.refusals import nearest


def create_app(services: ApiServices) -> Starlette:
    """The application over these services."""
    agents = Agents(services)
    router = OperationRouter(
        (
            *operations(),
            *CONSOLE_SESSION,
            live_view_page,
            *document_operations(operations(), services.kinds),
            agent_operation(agents),
        ),
        services,
    )
    agents.api = router.handle
    app = _App(
        routes=[router, *console_routes(), *guide_routes()],
        exception_handlers={
            HTTPException: _http_error,
            PagehandError: _unexpected_error,
            Exception: _unexpected_error,
        },
    )
    # an unknown path is a 404 in our error format, not one of Starlette's redirects
    app.router.redirect_slashes = False
    app.operations = router
    app.limits = services.limits
    app.live_view = LiveViewSocket(services)
    refuse_undeclared(app.router.routes)
    return app


class _App(Starlette):
    """Starlette without its middleware for operations.

    The router handles every error by itself; the middleware would take a tenth of a short request's time.
    """

    operations: OperationRouter
    live_view: LiveViewSocket
    limits: RequestLimits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve operations by the router, WebSockets by the live view, and the rest by Starlette."""
        if scope["type"] == "websocket":
            await self.live_view(scope, receive, send)
        elif self.operations.matches(scope)[0] is Match.FULL:
            await self.operations.handle(scope, receive, send)
        else:
            await self._serve_page(scope, receive, send)

    async def _serve_page(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a page or asset of the console, which is for everybody, within the share of strangers."""
        usage = RequestUsage(self.limits, "")

        async def send_in_pieces(message: Message) -> None:
            if message["type"] == "http.response.body":
                await send_body(send, message.get("body", b""), more=message.get("more_body", False))
            else:
                await send(message)

        try:
            usage.begin_long()
            await super().__call__(scope, receive, send_in_pieces)
        except Unavailable as refusal:
            refused = await _unexpected_error(Request(scope), refusal)
            await refused(scope, receive, send)
        finally:
            usage.end()


def refuse_undeclared(routes: list[BaseRoute]) -> None:
    """Raise TypeError for a route that does not declare who may use it.

    Operations declare a scope; the endpoint of any other route needs an attribute `policy`.
    """
    for route in routes:
        endpoint = getattr(route, "endpoint", None) or getattr(route, "app", None)
        if not isinstance(route, OperationRouter) and not hasattr(endpoint, "policy"):
            raise TypeError(f"The route `{getattr(route, 'path', route)}` declares no policy")


async def _http_error(request: Request, error: Exception) -> Response:
    # registered for HTTPException alone; the signature is Starlette's
    status, sentence = (error.status_code, error.detail) if isinstance(error, HTTPException) else (500, "")
    if status == NotFound.status:
        return await missing_page(request) or _unknown_path(request)
    return _json_response(request, status, [], error_body(sentence or "Refused"))


def _unknown_path(request: Request) -> Response:
    path = request.url.path
    app: _App = request.app
    meant = nearest(path.rstrip("/"), app.operations.operations)
    hint = f"did you mean `{meant}`?" if meant else "`/openapi.json` lists every operation"
    error = NotFound(f"There is no `{path[:200]}` here; {hint}")
    return _json_response(request, *error_response(error, "", path))


async def _unexpected_error(request: Request, error: Exception) -> Response:
    request_id = request_id_of(dict(request.scope["headers"]))
    return _json_response(request, *error_response(error, request_id, request.url.path))


def _json_response(request: Request, status: int, headers: Headers, body: bytes) -> Response:
    """A response of a route that is not an operation, with its request id."""
    response = Response(body, status, media_type="application/json")
    request_id = request_id_of(dict(request.scope["headers"]))
    response.raw_headers.extend([*headers, *CAUTIOUS, (b"x-request-id", request_id.encode())])
    return response
