"""Operations of the API: path, required scope, request and response types, and the handler."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Generic, Literal, TypeVar, get_args

import msgspec
import orjson
from msgspec import Struct
from starlette.responses import Response

from pagehand.api.auth import Access, Caller
from pagehand.api.body import ReceivedFile
from pagehand.api.fields import Answer, EmptyRequest, Listing, convert
from pagehand.api.request_limits import RequestUsage
from pagehand.api.scopes import Scope
from pagehand.api.services import ApiServices
from pagehand.files import UrlSigner
from pagehand.records import Json

R = TypeVar("R")
encode = msgspec.json.Encoder().encode
"""Encodes a view as JSON."""

Encoded = bytes | list[bytes | memoryview]
"""JSON; in parts if it is too large to be copied."""


def encoded_size(body: Encoded) -> int:
    """The size in bytes."""
    return sum(map(len, body)) if isinstance(body, list) else len(body)


Content = Struct | Encoded | Response
"""A view to encode, JSON that is already encoded, or a Starlette response."""
Result = Content | partial[Awaitable[Content]]
"""What a handler returns: the answer, or a call that waits for it without keeping the request in memory."""

# where it is not the noun without its `s`
_ID_PREFIXES: Final = {
    "agents": "thread",
    "batches": "batch",
    "browserSessions": "bs",
    "executions": "exec",
    "knowledge": "doc",
    "liveSessions": "exec",
    "workflows": "wf",
}
_EXAMPLE_ID: Final = "01k3v8c2m4e6g8j0n2q4s6t8w0"
EXAMPLE_WORKFLOW_ID: Final = f"wf_{_EXAMPLE_ID}"
# who may change nothing has no reason to send much, and strangers only send a key
_BODY_BYTES: Final[dict[Scope, int]] = {"public": 4 * 1024, "read": 2 * 1024 * 1024}


@dataclass(slots=True)  # not frozen: that takes a microsecond more at every request
class HttpRequest:
    """An authenticated HTTP request, read as a whole."""

    path: str
    headers: Mapping[bytes, bytes]
    body: Json
    query: bytes
    """The query string of a GET."""
    request_id: str
    peer: str = ""
    """The client's address."""
    file: ReceivedFile | None = None
    """The uploaded file of a multipart form."""

    def header(self, name: str) -> str | None:
        """A header's value."""
        value = self.headers.get(name.encode())
        # HTTP headers are bytes; latin-1 maps each of them and never fails
        return None if value is None else value.decode("latin-1")

    def canonical(self) -> bytes:
        """Path and body in a form that is the same for equal requests."""
        # with the path: one idempotency key for two operations is a mistake, not a repeat
        return self.path.encode() + b"\n" + orjson.dumps(self.body, option=orjson.OPT_SORT_KEYS)


@dataclass(slots=True)  # not frozen, like HttpRequest
class Call(Generic[R]):
    """What a handler is given: the decoded request, who sent it, and the services to use."""

    services: ApiServices
    caller: Caller
    request: R
    http_request: HttpRequest
    usage: RequestUsage
    """What the request has taken of the process."""
    scope: Scope = "read"
    """The scope that the operation needs."""

    @property
    def access(self) -> Access:
        """For answers that take long: the caller's access may end meanwhile."""
        return Access(self.services.authenticator, self.caller.holder, self.scope)

    @property
    def signer(self) -> UrlSigner:
        """Signs URLs for the caller, which end with its access."""
        return self.services.signer.for_holder(self.caller.holder)

    @property
    def organization_id(self) -> str:
        """The caller's organization."""
        return self.caller.organization_id

    def without_body(self) -> "Call[None]":
        """The same call without its request, for an answer that takes hours: a body may have megabytes."""
        without = replace(self.http_request, body={})
        return Call(self.services, self.caller, None, without, self.usage, self.scope)


Handler = Callable[[Call[R]], Awaitable[Result]]


@dataclass(slots=True, frozen=True, kw_only=True)
class Operation:
    """One operation of the API; made with `@operation`."""

    path: str
    method: Literal["GET", "POST"]
    scope: Scope
    request_type: type[Struct]
    response_type: type[Struct] | None
    decode: Callable[[HttpRequest], Any]
    handler: Callable[[Call[Any]], Awaitable[Result]]
    name: str
    description: str
    status: int
    errors: tuple[int, ...]
    refusal_type: type[Struct] | None
    """What it answers with 400, where that has more than the sentence."""
    example: Json
    accepts: tuple[bytes, ...]
    headers: tuple[str, ...]
    in_openapi: bool
    media_type: str
    is_long: bool
    """Whether its answer may take long, because it waits or does not end by itself."""
    also: tuple[str, ...]
    """Further methods that it takes; their bodies are not read."""

    def body_limit(self, most: int) -> int:
        """The largest body in bytes, where `most` is the operator's limit."""
        return min(most, _BODY_BYTES.get(self.scope, most))


def operation(
    path: str,
    *,
    scope: Scope,
    response: type[Struct] | Answer[Any] | Listing[Any] | None = None,
    method: Literal["GET", "POST"] = "POST",
    status: int = 200,
    errors: tuple[int, ...] = (),
    refusal: type[Struct] | None = None,
    example: Json | None = None,
    decode: Callable[[HttpRequest], Any] | None = None,
    request_schema: type[Struct] | None = None,
    accepts: tuple[bytes, ...] = (b"application/json",),
    headers: tuple[str, ...] = (),
    in_openapi: bool = True,
    media_type: str = "application/json",
    is_long: bool = False,
    also: tuple[str, ...] = (),
) -> Callable[[Handler[Any]], Operation]:
    """Make an operation of an async function of a `Call[…]`, which names the type of the request.

    Its docstring becomes the description in OpenAPI. `errors` are the statuses beyond those that every
    operation may answer with, and 404 where the request has an `id`; `refusal` is what its 400 has where that
    is more than the sentence, `headers` the request headers it reads, `accepts` and `media_type` the content
    types of request and response. `example` needs no `id`. Where `decode` makes something else than a struct
    of the body, `request_schema` is the request that OpenAPI shows.
    """

    def make(handler: Handler[Any]) -> Operation:
        request_type: Any = request_schema or _request_type(handler)
        takes_id = "id" in request_type.__struct_fields__
        whole_example = {"id": _example_id(path)} | (example or {}) if takes_id else (example or {})
        if method == "POST" and in_openapi:
            _check_example(path, request_type, whole_example)
        return Operation(
            path=path,
            method=method,
            scope=scope,
            request_type=request_type,
            response_type=response.struct if isinstance(response, Answer | Listing) else response,
            decode=decode or (lambda http_request: convert(http_request.body, request_type)),
            handler=handler,
            name=_name_of(path),
            description=inspect.cleandoc(handler.__doc__ or ""),
            status=status,
            errors=(404, *errors) if takes_id else errors,
            refusal_type=refusal,
            example=whole_example,
            accepts=accepts,
            headers=headers,
            in_openapi=in_openapi,
            media_type=media_type,
            is_long=is_long,
            also=also,
        )

    return make


def public_get(
    path: str, *, response: type[Struct] | None = None, in_openapi: bool = False, is_long: bool = False
) -> Callable[[Handler[EmptyRequest]], Operation]:
    """Make an operation that anyone may GET."""
    return operation(
        path, scope="public", response=response, method="GET", in_openapi=in_openapi, is_long=is_long
    )


def _example_id(path: str) -> str:
    """An id as the things have that the path is about."""
    noun = path.strip("/").split("/")[0]
    return f"{_ID_PREFIXES.get(noun, noun.removesuffix('s'))}_{_EXAMPLE_ID}"


def _request_type(handler: Handler[Any]) -> Any:
    """`GetTag` for a function of a `Call[GetTag]`."""
    call_type = next(iter(handler.__annotations__.values()))
    return get_args(call_type)[0]


def _check_example(path: str, request_type: type[Struct], example: Json) -> None:
    required = {field.encode_name for field in msgspec.structs.fields(request_type) if field.required}
    if missing := required - set(example):
        raise TypeError(
            f"`{path}` needs an `example` of its request with {', '.join(sorted(missing))}: "
            f"OpenAPI shows it, and the tests send it"
        )


def _name_of(path: str) -> str:
    """`executionsGet` for `/executions/get`: the operation's name in generated clients."""
    first, *rest = path.strip("/").replace(".", "/").split("/")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)
