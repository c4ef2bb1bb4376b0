"""All operations by path: one look-up, then the checks in the order the API promises."""

import re
from collections.abc import Iterable
from time import perf_counter
from typing import Final

import structlog
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import Message, Receive, Scope, Send
from structlog.contextvars import bind_contextvars

from pagehand.api.auth import Caller
from pagehand.api.body import ClientGone, media_type, parse_json, read_body
from pagehand.api.errors import JSON_TYPE, Headers, MethodNotAllowed, describe
from pagehand.api.multipart import MULTIPART, receive_file
from pagehand.api.operation import Call, Incoming, Operation, encode
from pagehand.api.parts import Parts
from pagehand.errors import NotFound
from pagehand.ids import new_id

_log = structlog.get_logger(__name__)
# it goes into logs and a header of the answer: nothing that could end a line or forge a field
_SANE_REQUEST_ID: Final = re.compile(rb"[A-Za-z0-9._:-]{1,128}")
_NOBODY: Final = Caller("")
_CHANGING: Final = ("run", "edit", "admin")
"""Scopes of operations that may have changed something."""


class OperationTable(BaseRoute):
    """A route that is every operation at once."""

    def __init__(self, operations: Iterable[Operation], parts: Parts) -> None:
        self.operations: dict[str, Operation] = {}
        for operation in operations:
            if operation.path in self.operations:
                raise ValueError(f"`{operation.path}` is declared twice")
            self.operations[operation.path] = operation
        self._parts = parts

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Exact paths only: no patterns, no redirects."""
        is_ours = scope["type"] == "http" and scope["path"] in self.operations
        return (Match.FULL if is_ours else Match.NONE), {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; whatever goes wrong becomes `{"error": …}`."""
        # of a header that was sent twice the last one counts, for every reader the same
        headers: dict[bytes, bytes] = dict(scope["headers"])
        request_id = request_id_of(headers)
        outgoing = _Outgoing(send, request_id)
        bind_contextvars(request=request_id)  # a request has a task of its own: nobody else's lines carry it
        try:
            # before the key: while the database is away nobody can be looked up
            self._parts.readiness.check()
            await self._answer(self.operations[scope["path"]], scope, receive, headers, outgoing)
        except ClientGone:
            return
        except Exception as trouble:  # the outermost loop: nothing may leave in the framework's shape
            # the status is out: uvicorn closes the connection, so that half an answer is not taken for all
            if outgoing.has_begun:
                raise
            status, more, body = describe(trouble, request_id, scope["path"])
            await outgoing.whole(status, body, more)
        finally:
            outgoing.log(scope["method"], scope["path"])

    async def _answer(
        self,
        one: Operation,
        scope: Scope,
        receive: Receive,
        headers: dict[bytes, bytes],
        outgoing: "_Outgoing",
    ) -> None:
        # asked first: it needs nothing of the caller and reveals nothing of the data
        if scope["method"] != one.method and not (one.method == "GET" and scope["method"] == "HEAD"):
            raise MethodNotAllowed("GET, HEAD" if one.method == "GET" else "POST")
        caller = _NOBODY
        if one.needs != "public":
            server = scope.get("server")
            caller = await self._parts.admission.admit(headers, server[1] if server else None, one.needs)
            outgoing.organization_id = caller.organization_id
        incoming = await self._read(one, scope, receive, headers, outgoing.request_id)
        try:
            result = await one.run(Call(self._parts, caller, one.decode(incoming), incoming))
        finally:
            # whoever kept the file has moved it away by now; what was refused must not fill the disk
            if incoming.file is not None:
                incoming.file.discard()
        if one.needs in _CHANGING:
            # after the work: whoever is notified reads the thing again at once
            self._parts.changes.publish(caller.organization_id, _noun(one.path))
        if isinstance(result, Response):
            await result(scope, receive, outgoing.send)
        else:
            await outgoing.whole(one.status, encode(result) if isinstance(result, Struct) else result)

    async def _read(
        self, one: Operation, scope: Scope, receive: Receive, headers: dict[bytes, bytes], request_id: str
    ) -> Incoming:
        if one.method == "GET":
            peer = (scope.get("client") or ("",))[0]
            return Incoming(scope["path"], headers, {}, scope["query_string"], request_id, peer)
        settings = self._parts.settings
        if MULTIPART in one.accepts and media_type(headers) == MULTIPART:
            # written to the disk as it arrives, so it has a limit of its own
            file = await receive_file(receive, headers, settings.max_upload_bytes)
            return Incoming(scope["path"], headers, {}, b"", request_id, file=file)
        raw = await read_body(receive, headers, settings.max_body_bytes, one.accepts)
        is_json = not raw or media_type(headers) == b"application/json"
        return Incoming(scope["path"], headers, parse_json(raw) if is_json else {}, raw, request_id)


def _noun(path: str) -> str:
    """`workflow` for `/workflows/blocks/update`: what those who watch call the thing."""
    noun = path.split("/")[1]
    return noun.removesuffix("es") if noun == "batches" else noun.removesuffix("s")


class _Outgoing:
    """The way out of one request: every answer carries its request id."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self.request_id = request_id
        self.has_begun = False
        self.organization_id: str | None = None
        self._status: int | None = None
        self._began = perf_counter()

    async def send(self, message: Message) -> None:
        """Pass on a message of a streaming response."""
        if message["type"] == "http.response.start":
            self.has_begun, self._status = True, message["status"]
            message["headers"] = [*message.get("headers", []), (b"x-request-id", self.request_id.encode())]
        await self._send(message)

    async def whole(self, status: int, body: bytes, more: Headers | None = None) -> None:
        """Send a JSON answer at once."""
        self.has_begun, self._status = True, status
        headers = [
            JSON_TYPE,
            (b"content-length", str(len(body)).encode()),
            (b"x-request-id", self.request_id.encode()),
            *(more or ()),
        ]
        await self._send({"type": "http.response.start", "status": status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})

    def log(self, method: str, path: str) -> None:
        """Write the request's line; without its query and body, which may hold secrets."""
        _log.info(
            "request",
            method=method,
            path=path,
            status=self._status,  # None when the client went away before
            organization=self.organization_id,
            seconds=round(perf_counter() - self._began, 4),
        )


def request_id_of(headers: dict[bytes, bytes]) -> str:
    """The caller's own `X-Request-Id` where it is sane, else a fresh one."""
    given = headers.get(b"x-request-id", b"")
    return given.decode() if _SANE_REQUEST_ID.fullmatch(given) else new_id("req")


async def no_such_route(request: Request, _: Exception) -> Response:
    """The answer to a path nobody serves."""
    trouble = NotFound(f"There is no `{request.url.path[:200]}` here; `/openapi.json` lists every operation")
    status, headers, body = describe(trouble, "", request.url.path)
    return json_response(request, status, headers, body)


async def unforeseen(request: Request, trouble: Exception) -> Response:
    """The answer when a route outside the table breaks."""
    request_id = request_id_of(dict(request.scope["headers"]))
    return json_response(request, *describe(trouble, request_id, request.url.path))


def json_response(request: Request, status: int, headers: Headers, body: bytes) -> Response:
    """An answer of a route outside the table, with its request id."""
    response = Response(body, status, media_type="application/json")
    request_id = request_id_of(dict(request.scope["headers"]))
    response.raw_headers.extend([*headers, (b"x-request-id", request_id.encode())])
    return response
