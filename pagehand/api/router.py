"""Routes a request to its operation by its exact path, with the checks in the order that the API promises."""

import asyncio
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from os import urandom
from typing import Final

from msgspec import Struct
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Match
from starlette.types import Message, Receive, Scope, Send
from structlog.contextvars import bind_contextvars

from pagehand.api.attachment import Attachment, in_turns
from pagehand.api.auth import Access, Caller
from pagehand.api.body import (
    JSON,
    MULTIPART,
    ClientDisconnected,
    media_type,
    parse_json,
    read_body,
    receive_file,
    reserve_values,
)
from pagehand.api.errors import JSON_TYPE, Headers, MethodNotAllowed, error_response
from pagehand.api.operation import (
    Call,
    Content,
    Encoded,
    HttpRequest,
    Operation,
    Result,
    encode,
    encoded_size,
)
from pagehand.api.protocol import SEND_WHOLE, SendWhole
from pagehand.api.request_limits import DOWNLOAD_BYTES, PIECE_BYTES, UNCOUNTED_BYTES, RequestUsage
from pagehand.api.services import ApiServices, RequestLine
from pagehand.errors import Unavailable, UserMistake
from pagehand.loop import OneThread

# it goes into logs and a header of the response: nothing that could end a line or forge a field
_VALID_REQUEST_ID: Final = re.compile(rb"[A-Za-z0-9._:-]{1,128}")
# answers may hold secrets, such as a new key, and texts of callers
CAUTIOUS: Final = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))
"""Headers of every answer that sets no others."""
_JSON_HEAD: Final = (
    b"content-type: application/json\r\ncontent-length: %d\r\nx-request-id: %s\r\n"
    + b"".join(b"%s: %s\r\n" % header for header in CAUTIOUS)
)
_ANONYMOUS: Final = Caller("")
_NO_EXTENSIONS: Final[dict[str, SendWhole]] = {}
_BODIES: Final = OneThread("bodies")
_WRITING_SCOPES: Final = ("run", "edit", "admin")
"""Scopes of operations that may have changed something."""
_STARTING: Final = ("/workflows/execute", "/workflows/executeSync")
"""Operations that change no workflow: they make an execution."""


class OperationRouter(BaseRoute):
    """The Starlette route of all operations."""

    def __init__(self, operations: Iterable[Operation], services: ApiServices) -> None:
        self.operations: dict[str, Operation] = {}
        for operation in operations:
            if operation.path in self.operations:
                raise ValueError(f"`{operation.path}` is declared twice")
            self.operations[operation.path] = operation
        self._services = services

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Exact paths only: no patterns, no redirects."""
        is_operation = scope["type"] == "http" and scope["path"] in self.operations
        return (Match.FULL if is_operation else Match.NONE), {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; every error becomes `{"error": …}`."""
        # the last of repeated headers counts, and the same one for every reader
        headers: dict[bytes, bytes] = dict(scope["headers"])
        if len(headers) != len(scope["headers"]):
            _join_cookies(headers, scope["headers"])
        request_id = request_id_of(headers)
        line = RequestLine(request_id, scope["method"], scope["path"])
        exchange = _Exchange(scope, receive, headers, _ResponseSender(send, line, _send_whole(scope)))
        bind_contextvars(request=request_id)  # each request has its own task, so no other log line carries it
        try:
            # before authentication: keys cannot be looked up while the database is away
            self._services.readiness.check()
            await self._respond(self.operations[scope["path"]], exchange)
        except ClientDisconnected:
            return
        except asyncio.CancelledError:
            # uvicorn does this when the service stops and the answer is not ready in time
            if not exchange.sender.has_started:
                stopping = Unavailable("The service is stopping; try again shortly")
                status, more, body = error_response(stopping, request_id, scope["path"])
                await exchange.sender.send_json(status, body, more)
        except Exception as error:  # the outermost handler: Starlette's would answer in another format
            # the status is sent: uvicorn closes the connection, and the client sees an incomplete response
            if exchange.sender.has_started:
                if isinstance(error, UserMistake):  # the caller's access has ended
                    return
                raise
            status, more, body = error_response(error, request_id, scope["path"])
            await exchange.sender.send_json(status, body, more)
        finally:
            self._services.request_log.add(line)

    async def _respond(self, operation: Operation, exchange: "_Exchange") -> None:
        _check_method(operation, exchange.scope["method"])
        caller = await self._authenticate(operation, exchange)
        exchange.sender.line.organization_id = caller.organization_id or None
        access = Access(self._services.authenticator, caller.holder, operation.scope)
        usage = self._services.limits.of(caller)
        try:
            if caller is not _ANONYMOUS:
                usage.begin()
            if operation.is_long:
                usage.begin_long()
            # only now: nothing of an unauthenticated body is read
            answer = await self._answer(operation, caller, access, exchange, usage)
            if isinstance(answer, StreamingResponse) and caller.holder:
                answer.body_iterator = access.guard(answer.body_iterator)
            if isinstance(answer, Response):
                await self._send_response(answer, exchange, usage)
            else:
                body = encode(answer) if isinstance(answer, Struct) else answer
                if (size := encoded_size(body)) > PIECE_BYTES:
                    usage.take_memory(size)
                await exchange.sender.send_json(operation.status, body)
        finally:
            usage.end()

    async def _answer(
        self, operation: Operation, caller: Caller, access: Access, exchange: "_Exchange", usage: RequestUsage
    ) -> Content:
        result = await self._handle(operation, caller, access, exchange, usage)
        # the request is no longer in memory: waiting may take hours
        usage.release_memory()
        answer = await result() if isinstance(result, partial) else result
        if operation.scope in _WRITING_SCOPES:
            # after the work: a watcher reads the changed thing at once
            self._services.changes.publish(caller.organization_id, _noun(operation.path))
        if access.is_due:  # the work may have taken long
            await access.check()
        return answer

    async def _handle(
        self, operation: Operation, caller: Caller, access: Access, exchange: "_Exchange", usage: RequestUsage
    ) -> Result:
        http_request = await self._read(operation, exchange, usage)
        try:
            if access.is_due:  # the body may have arrived slowly
                await access.check()
            request = operation.decode(http_request)
            call = Call(self._services, caller, request, http_request, usage, operation.scope)
            if not operation.is_long:
                return await operation.handler(call)
            async with usage.turn(operation.path):
                return await operation.handler(call)
        finally:
            # a file that was stored has been moved by now; what is left must not fill the disk
            if http_request.file is not None:
                http_request.file.discard()

    async def _authenticate(self, operation: Operation, exchange: "_Exchange") -> Caller:
        if operation.scope == "public":
            return _ANONYMOUS
        server = exchange.scope.get("server")
        port = server[1] if server else None
        return await self._services.authenticator.authenticate(exchange.headers, port, operation.scope)

    async def _read(self, operation: Operation, exchange: "_Exchange", usage: RequestUsage) -> HttpRequest:
        scope, receive, headers = exchange.scope, exchange.receive, exchange.headers
        path, request_id = scope["path"], exchange.sender.line.request_id
        if scope["method"] != "POST":
            peer = (scope.get("client") or ("",))[0]
            return HttpRequest(path, headers, {}, scope["query_string"], request_id, peer)
        settings = self._services.settings
        if MULTIPART in operation.accepts and media_type(headers) == MULTIPART:
            # written to the disk as it arrives, so it has another limit than bodies in memory
            file = await receive_file(receive, headers, settings.max_upload_bytes, usage)
            return HttpRequest(path, headers, {}, b"", request_id, file=file)
        limit = operation.body_limit(settings.max_body_bytes)
        raw = await read_body(receive, headers, limit, operation.accepts, usage)
        if raw and media_type(headers) != JSON:
            body = {}
        elif len(raw) > UNCOUNTED_BYTES:
            await reserve_values(raw, usage)
            body = await _BODIES.without_blocking(parse_json, raw)
        else:
            body = parse_json(raw)
        return HttpRequest(path, headers, body, b"", request_id)

    async def _send_response(self, response: Response, exchange: "_Exchange", usage: RequestUsage) -> None:
        """Send a Starlette response; the pieces of downloads are made in turn."""
        if isinstance(response, Attachment):
            usage.begin_stream(DOWNLOAD_BYTES)
            response.body_iterator = in_turns(response.body_iterator, usage.turn("make a piece"))
        await response(exchange.scope, exchange.receive, exchange.sender.send)


@dataclass(slots=True)  # not frozen: that takes a microsecond more at every request
class _Exchange:
    """One request as it arrived, and what sends its response."""

    scope: Scope
    receive: Receive
    headers: dict[bytes, bytes]
    sender: "_ResponseSender"


def _check_method(operation: Operation, method: str) -> None:
    # checked first: it needs nothing of the caller and reveals nothing of the data
    if method == operation.method or method in operation.also:
        return
    if not (operation.method == "GET" and method == "HEAD"):
        allowed = "GET, HEAD" if operation.method == "GET" else "POST"
        raise MethodNotAllowed(", ".join((allowed, *operation.also)))


def _join_cookies(headers: dict[bytes, bytes], given: Iterable[tuple[bytes, bytes]]) -> None:
    """Put the cookies of all `Cookie` headers together: two of one name must not pass for one."""
    cookies = [value for name, value in given if name == b"cookie"]
    if cookies:
        headers[b"cookie"] = b"; ".join(cookies)


def _noun(path: str) -> str:
    """`workflow` for `/workflows/blocks/update`: under which changes of it are published."""
    if path in _STARTING:
        return "execution"
    noun = path.split("/")[1]
    return noun.removesuffix("es") if noun == "batches" else noun.removesuffix("s")


class _ResponseSender:
    """Sends the response to one request, with its request id, and notes its status for the log."""

    def __init__(self, send: Send, line: RequestLine, send_whole: SendWhole) -> None:
        self._send = send
        self._send_whole = send_whole
        self.line = line
        self.has_started = False

    async def send(self, message: Message) -> None:
        """Pass on a message of a Starlette response."""
        if message["type"] == "http.response.start":
            self.has_started, self.line.status = True, message["status"]
            headers: Headers = list(message.get("headers", []))
            given = {name for name, _ in headers}
            headers += [header for header in CAUTIOUS if header[0] not in given]
            message["headers"] = [*headers, self._id_header()]
            await self._send(message)
        else:
            await send_body(self._send, message.get("body", b""), more=message.get("more_body", False))

    async def send_json(self, status: int, body: Encoded, more: Headers | None = None) -> None:
        """Send a whole JSON response."""
        self.has_started, self.line.status = True, status
        if not more and isinstance(body, bytes) and len(body) <= PIECE_BYTES:
            head = _JSON_HEAD % (len(body), self.line.request_id.encode())
            if self._send_whole(status, head, body):
                return
        headers = [
            JSON_TYPE,
            (b"content-length", str(encoded_size(body)).encode()),
            self._id_header(),
            *CAUTIOUS,
            *(more or ()),
        ]
        await self._send({"type": "http.response.start", "status": status, "headers": headers})
        if isinstance(body, list):
            for part in body:
                await send_body(self._send, part, more=part is not body[-1])
        elif len(body) > PIECE_BYTES:
            await send_body(self._send, body, more=False)
        else:
            await self._send({"type": "http.response.body", "body": body})

    def _id_header(self) -> tuple[bytes, bytes]:
        return b"x-request-id", self.line.request_id.encode()


def _send_whole(scope: Scope) -> SendWhole:
    """What sends a small response in one write; servers other than ours do not offer it."""
    return scope.get("extensions", _NO_EXTENSIONS).get(SEND_WHOLE, _cannot_send_whole)


def _cannot_send_whole(_status: int, _headers: bytes, _body: bytes) -> bool:
    return False


async def send_body(send: Send, body: bytes | memoryview, *, more: bool) -> None:
    """Send a part of a response, in pieces: the transport would keep a copy of what is not read yet."""
    first = 0
    while len(body) - first > PIECE_BYTES:
        piece = body[first : first + PIECE_BYTES]
        await send({"type": "http.response.body", "body": piece, "more_body": True})
        first += PIECE_BYTES
    await send({"type": "http.response.body", "body": body[first:] if first else body, "more_body": more})


def request_id_of(headers: dict[bytes, bytes]) -> str:
    """The caller's `X-Request-Id` where it is valid, else a new one."""
    given = headers.get(b"x-request-id", b"")
    # not an id that sorts by time: that would take a twentieth of a short request
    return given.decode() if _VALID_REQUEST_ID.fullmatch(given) else f"req_{urandom(13).hex()}"
