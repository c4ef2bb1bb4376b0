"""What only the console uses: signing in for a cookie that scripts cannot read, and a stream of changes."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import lru_cache
from typing import Annotated, Final

import orjson
from msgspec import Meta
from starlette.responses import Response, StreamingResponse

from pagehand.api.auth import check_same_origin
from pagehand.api.console_cookie import (
    cookie_for,
    expired_cookie,
    is_tls,
    new_session,
    session_id_of,
    session_ids_of,
)
from pagehand.api.fields import Answer, EmptyRequest, Request, View
from pagehand.api.operation import Call, Result, encode, operation
from pagehand.api.scopes import ALL_SCOPES
from pagehand.api.services import ApiServices
from pagehand.engine.changes import Change
from pagehand.errors import Forbidden, NotFound

_KEEP_ALIVE_SECONDS: Final = 15.0
"""How often a comment is sent, so that proxies keep the connection."""
_CACHE_SIZE: Final = 512
# `metrics` is for programs: the console offers nothing that needs it
_SCOPES: Final[tuple[str, ...]] = ("read", "run", "edit", "admin")


class SignIn(Request):
    """The key to sign in with."""

    key: Annotated[str, Meta(max_length=500, description="An API key of the organization.")]


class SessionView(View):
    """The user of the console, and their scopes."""

    organization: str
    scopes: list[str]
    is_keyless: bool


SessionAnswer = Answer("SessionAnswer", "session", SessionView, "The session.")


class EndedView(View):
    """The session has ended."""

    success: bool


@operation("/console/session", scope="public", response=SessionAnswer, errors=(401,), in_openapi=False)
async def sign_in(call: Call[SignIn]) -> Result:
    """Exchange an API key for the console's cookie."""
    services, headers = call.services, call.http_request.headers
    # another site must not sign a person in as somebody else
    check_same_origin(headers)
    # two cookies already: the new one would not make it clearer whose they are
    session_id_of(services.signer, headers, services.settings)
    caller = await services.authenticator.with_key(call.request.key.strip())
    key = caller.key
    if key is None:
        raise Forbidden("Sign in with an API key")
    view = await _view(services, caller.organization_id, key.scopes, is_keyless=False)
    session = new_session(key)
    await services.stores.console_sessions.add(session)
    cookie = cookie_for(services.signer, key, session, is_tls=is_tls(headers, services.settings))
    return Response(encode(view), media_type="application/json", headers={"set-cookie": cookie})


@operation("/console/session/get", scope="read", response=SessionAnswer, in_openapi=False)
async def get(call: Call[EmptyRequest]) -> Result:
    """The session; without a key on loopback everything is allowed."""
    key = call.caller.key
    scopes = [ALL_SCOPES] if key is None else key.scopes
    return await _view(call.services, call.organization_id, scopes, is_keyless=key is None)


@operation("/console/session/end", scope="public", response=EndedView, in_openapi=False)
async def end(call: Call[EmptyRequest]) -> Result:
    """Sign out: the cookie, its copies and everything they opened end."""
    services, sent = call.services, call.http_request.headers
    check_same_origin(sent)
    for session_id in session_ids_of(services.signer, sent, services.settings):
        if session_id is not None:
            await services.stores.console_sessions.end(session_id)
            services.authenticator.forget(session_id)
    headers = {"set-cookie": expired_cookie(is_tls=is_tls(sent, services.settings))}
    return Response(encode(EndedView(success=True)), media_type="application/json", headers=headers)


async def _view(services: ApiServices, organization_id: str, scopes: list[str], *, is_keyless: bool) -> View:
    organization = await services.stores.organizations.get(organization_id)
    if organization is None:
        raise NotFound("The organization of this key does not exist any more")
    granted: list[str] = list(_SCOPES) if ALL_SCOPES in scopes else scopes
    return SessionAnswer(SessionView(organization=organization.name, scopes=granted, is_keyless=is_keyless))


@operation("/console/events", scope="read", method="GET", in_openapi=False, is_long=True)
async def events(call: Call[EmptyRequest]) -> Result:
    """Changes from now on; a client that was disconnected has to read everything again."""
    # otherwise nginx would buffer the events
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(_lines(call), media_type="text/event-stream", headers=headers)


async def _lines(call: Call[EmptyRequest]) -> AsyncGenerator[bytes]:
    yield b"retry: 2000\n\n"
    watch = call.services.changes.watch(call.organization_id, _KEEP_ALIVE_SECONDS)
    async with aclosing(watch):
        async for changes in watch:
            yield b"".join(map(_line, changes)) or b": still here\n\n"


@lru_cache(_CACHE_SIZE)
def _line(change: Change) -> bytes:
    """A change as a server-sent event; cached, because every open tab gets the same."""
    return b"data: " + orjson.dumps(change) + b"\n\n"


OPERATIONS = (sign_in, get, end, events)
