"""The API as the tools use it: over HTTP, or in the process of the service with the agent's own headers."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, MutableMapping
from typing import Any, Final

import httpx2

from pagehand.client import ApiError, AsyncPagehand, Unreachable
from pagehand.client.plans import Json

Watch = Callable[[], AsyncIterator[Any]]
"""Yields whenever a workflow of the caller's organization may have changed."""
_PAGE: Final = 100
_RECONNECT_SECONDS: Final = 2.0
_OWN_HEADERS: Final = (b"content-type", b"content-length", b"idempotency-key")
"""What a request of a tool brings along; everything else is as the agent sent it."""
_NOT_PASSED_ON: Final = (*_OWN_HEADERS, b"transfer-encoding", b"accept", b"accept-encoding")


class Connection(AsyncPagehand):
    """The service, with the key of one agent."""

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        transport: httpx2.AsyncBaseTransport | None = None,
        watch: Watch | None = None,
        is_stopping: Callable[[], bool] = bool,
    ) -> None:
        super().__init__(url, key, transport=transport)
        self.changes: Watch = watch or self._watch
        self.is_stopping = is_stopping
        """Whether the service stops: what is interrupted then was not cancelled by the agent."""

    async def scopes(self) -> frozenset[str]:
        """What the key allows."""
        return frozenset((await self.call("/console/session/get"))["session"]["scopes"])

    async def all_of(self, noun: str, path: str, most: int, **fields: Any) -> list[Json]:
        """Everything that a list operation has, but not more than `most`."""
        found: list[Json] = []
        while True:
            answer = await self.call(path, {**fields, "limit": _PAGE, "offset": len(found)})
            found += answer[noun]
            if len(found) >= min(answer["total"], most) or not answer[noun]:
                return found[:most]

    async def content(self, link: str) -> bytes:
        """The bytes behind a link of the service."""
        answer = await self._http.get(link)
        if answer.is_error:
            raise ApiError(answer.status_code, f"The file cannot be read ({answer.status_code}).")
        return answer.content

    async def _watch(self) -> AsyncIterator[None]:
        """By the stream of changes that the console reads, too."""
        was_connected = False
        while True:
            try:
                async with self._http.stream("GET", "/console/events") as answer:
                    if answer.is_client_error:
                        return  # the key was revoked
                    if was_connected:
                        yield  # something may have changed meanwhile
                    was_connected = True
                    async for line in answer.aiter_lines():
                        if '"noun":"workflow"' in line or '"noun":"*"' in line:
                            yield
            except httpx2.TransportError:
                pass
            await asyncio.sleep(_RECONNECT_SECONDS)


def in_process(app: Any, scope: Mapping[str, Any]) -> httpx2.AsyncBaseTransport:
    """Sends requests to the ASGI `app` as if the client of the request `scope` had sent them."""

    async def serve(own: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        headers = [
            *_without(scope["headers"], _NOT_PASSED_ON),
            *(header for header in own["headers"] if header[0] in _OWN_HEADERS),
        ]
        # the same server and client: what is allowed without a key depends on them
        same = {name: scope.get(name) for name in ("server", "client", "scheme")}
        await app({**own, **same, "headers": headers}, receive, send)

    return httpx2.ASGITransport(serve)


def _without(
    headers: Iterable[tuple[bytes, bytes]], names: tuple[bytes, ...]
) -> Iterable[tuple[bytes, bytes]]:
    return (header for header in headers if header[0] not in names and not header[0].startswith(b"mcp-"))


def sentence_of(error: ApiError | Unreachable) -> str:
    """What an agent is told of a refusal."""
    if isinstance(error, ApiError):
        return str(error)
    return f"{error} Is `pagehand serve` running?"
