"""What an operation is: a path, who may call it, what it takes and answers, and what does it."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

import msgspec
import orjson
from msgspec import Struct
from starlette.responses import Response

from pagehand.api.auth import Caller, Scope
from pagehand.api.fields import Nothing, convert
from pagehand.api.multipart import ReceivedFile
from pagehand.api.parts import Parts
from pagehand.records import Json

R = TypeVar("R")
encode = msgspec.json.Encoder().encode
"""Views as the JSON that leaves the service."""

Result = Struct | bytes | Response
"""A view to encode, an answer already encoded, or a response that streams."""


@dataclass(slots=True, frozen=True)
class Incoming:
    """A request that was let in: its headers and its bytes."""

    path: str
    headers: Mapping[bytes, bytes]
    body: Json
    raw: bytes
    request_id: str
    peer: str = ""
    """The address it came from."""
    file: ReceivedFile | None = None
    """What a form sent, for operations that take files."""

    def header(self, name: str) -> str | None:
        """A header's value."""
        value = self.headers.get(name.encode())
        # HTTP headers are bytes; latin-1 maps each of them and never fails
        return None if value is None else value.decode("latin-1")

    def canonical(self) -> bytes:
        """Path and body in the one form that equal requests share."""
        # with the path: one key for two operations is a mistake, not a repeat
        return self.path.encode() + b"\n" + orjson.dumps(self.body, option=orjson.OPT_SORT_KEYS)


@dataclass(slots=True, frozen=True)
class Call(Generic[R]):
    """One request with everything its operation may use."""

    parts: Parts
    caller: Caller
    request: R
    incoming: Incoming

    @property
    def organization_id(self) -> str:
        """Whose things are meant."""
        return self.caller.organization_id


@dataclass(slots=True, frozen=True, kw_only=True)
class Operation:
    """One entry of the API; nothing is served without one, and none exists without saying what it needs."""

    path: str
    needs: Scope
    run: Callable[[Call[Any]], Awaitable[Result]]
    takes: type[Struct]
    answers: type[Struct] | None
    decode: Callable[[Incoming], Any]
    name: str
    description: str
    method: Literal["GET", "POST"] = "POST"
    status: int = 200
    errors: tuple[int, ...] = ()
    example: Json | None = None
    accepts: tuple[bytes, ...] = (b"application/json",)
    headers: tuple[str, ...] = ()
    is_described: bool = True
    media_type: str = "application/json"
    """What a successful answer is."""


def operation(
    path: str,
    *,
    needs: Scope,
    takes: type[R],
    answers: type[Struct] | None = None,
    decode: Callable[[Incoming], R] | None = None,
    described: type[Struct] | None = None,
    **more: Any,
) -> Callable[[Callable[[Call[R]], Awaitable[Result]]], Operation]:
    """Make an operation of an async function; its docstring becomes the description.

    Where `decode` makes something else of the body than a request, `described` is the request clients see.
    """

    def make(run: Callable[[Call[R]], Awaitable[Result]]) -> Operation:
        model: Any = described or takes
        return Operation(
            path=path,
            needs=needs,
            run=run,
            takes=model,
            answers=answers,
            decode=decode or (lambda incoming: convert(incoming.body, model)),
            name=_name_of(path),
            description=inspect.cleandoc(run.__doc__ or ""),
            **more,
        )

    return make


def page(
    path: str, *, answers: type[Struct] | None = None, is_described: bool = False
) -> Callable[[Callable[[Call[Nothing]], Awaitable[Result]]], Operation]:
    """Make an operation that anyone may GET."""
    return operation(
        path, needs="public", takes=Nothing, answers=answers, method="GET", is_described=is_described
    )


def _name_of(path: str) -> str:
    """`executionsGet` for `/executions/get`: what generated clients call it."""
    first, *rest = path.strip("/").replace(".", "/").split("/")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)
