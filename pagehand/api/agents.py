"""`/mcp`: the service as an MCP server. Agents use it with the keys, scopes and limits of the API."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pagehand.api.auth import Access, Caller
from pagehand.api.fields import EmptyRequest
from pagehand.api.operation import Call, Operation, Result, encode, operation
from pagehand.api.services import ApiServices
from pagehand.errors import PagehandError, Unavailable
from pagehand.loop import import_in_thread

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from pagehand.mcp.server import Connect

_WATCH_SECONDS: Final = 60.0
_UNUSED_SECONDS: Final = 3600.0
"""After so long without a request, the sessions of a key are forgotten."""
_MAX_SESSIONS: Final = 100
"""Of one key: clients of the older protocol have a session each."""
_SESSION_SECONDS: Final = 1800.0


class Agents:
    """The sessions of agents, apart for every key: none can use, or count for, those of another."""

    def __init__(self, services: ApiServices) -> None:
        self._services = services
        self._sessions: dict[tuple[str, str], _Sessions] = {}
        self.api: ASGIApp | None = None
        """What serves the operations; set once it is made."""

    async def sessions_of(self, caller: Caller) -> "_Sessions":
        """The sessions of the caller's key, which are kept while they are used."""
        # the library takes most of a second to load, and few services are used by agents
        await import_in_thread("pagehand.mcp.server")
        if self._services.changes.is_closed:
            raise Unavailable("The service is stopping; try again shortly")
        owner = (caller.organization_id, caller.holder)
        sessions = self._sessions.get(owner)
        if sessions is None:
            sessions = self._sessions[owner] = _Sessions(
                self._services, caller, self._serve, lambda: self._sessions.pop(owner, None)
            )
        await sessions.started.wait()
        return sessions

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self.api is not None  # noqa: S101 - set before the first request
        await self.api(scope, receive, send)


class _Sessions:
    def __init__(
        self, services: ApiServices, caller: Caller, api: ASGIApp, forget: Callable[[], object]
    ) -> None:
        self._forget = forget
        self._services = services
        self._organization_id = caller.organization_id
        self._access = Access(services.authenticator, caller.holder, "read")
        self._is_over = False
        self._api = api
        self._requests = 0
        self._used_at = 0.0
        self.manager = self._new_manager()
        self.started = asyncio.Event()
        self._task = asyncio.create_task(self._keep(), name="sessions of an agent")

    def _new_manager(self) -> "StreamableHTTPSessionManager":
        from mcp.server.streamable_http_manager import (  # noqa: PLC0415 - imported in a thread before
            StreamableHTTPSessionManager,
        )

        from pagehand.mcp.server import build_server  # noqa: PLC0415 - as above

        return StreamableHTTPSessionManager(
            build_server(self._connect()),
            session_idle_timeout=_SESSION_SECONDS,
            max_sessions=_MAX_SESSIONS,
            max_request_body_size=self._services.settings.max_body_bytes,
        )

    def _connect(self) -> "Connect":
        from pagehand.mcp.connection import Connection, in_process  # noqa: PLC0415 - as above

        def connect(ctx: Any) -> Connection:
            return Connection(
                transport=in_process(self._api, ctx.request.scope),
                watch=self._workflow_changes,
                is_stopping=lambda: self._services.changes.is_closed or self._is_over,
            )

        return connect

    async def _keep(self) -> None:
        """Keep the sessions until nobody uses them, the caller's access ends or the service stops."""
        async with self.manager.run():
            self.started.set()
            # what a session is doing goes on without the request that began it: it ends here
            with suppress(PagehandError):
                await self._access.run(self._until_unused())
            self._is_over = True
            self._forget()  # before they end: the next request gets new ones

    async def _until_unused(self) -> None:
        loop = asyncio.get_running_loop()
        self._used_at = loop.time()
        async with aclosing(self._changes()) as changes:
            async for _ in changes:
                if not self._requests and loop.time() - self._used_at > _UNUSED_SECONDS:
                    break

    async def _workflow_changes(self) -> AsyncIterator[None]:
        async with aclosing(self._changes()) as changes:
            async for has_changed in changes:
                if has_changed:
                    yield

    async def _changes(self) -> AsyncGenerator[bool]:
        """Whether workflows have changed; also after a while without a change."""
        watch = self._services.changes.watch(self._organization_id, _WATCH_SECONDS)
        async with aclosing(watch):
            async for changes in watch:
                yield any(change.noun in ("workflow", "*") for change in changes)

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        self._requests += 1
        try:
            await self.manager.handle_request(scope, receive, send)
        finally:
            self._requests -= 1
            self._used_at = asyncio.get_running_loop().time()


class _AgentResponse(Response):
    """What the MCP library answers; ended when the caller's access ends."""

    def __init__(self, call: Call[EmptyRequest], sessions: _Sessions) -> None:
        super().__init__()
        self._access = call.access
        self._body: bytes | None = encode(call.http_request.body)
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, whose body was read already."""

        async def receive_again() -> Message:
            body, self._body = self._body, None
            if body is None:
                return await receive()
            return {"type": "http.request", "body": body, "more_body": False}

        await self._access.run(self._sessions.serve(scope, receive_again, send))


def agent_operation(agents: Agents) -> Operation:
    """`/mcp`, streamable HTTP."""

    # `read` is enough to connect: each tool asks for the scopes of the operations that it uses
    @operation("/mcp", scope="read", in_openapi=False, is_long=True, also=("GET", "DELETE"), decode=_nothing)
    async def mcp(call: Call[EmptyRequest]) -> Result:
        """The Model Context Protocol."""
        # as its sessions are checked: a request that is let in for a moment longer would get no answer
        await call.access.check()
        return _AgentResponse(call, await agents.sessions_of(call.caller))

    return mcp


def _nothing(_: Any) -> EmptyRequest:
    return EmptyRequest()
