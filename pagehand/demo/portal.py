"""Northwind Claims: a fictional insurance portal on loopback, for demos, documentation and tests."""

import asyncio
import errno
import secrets
import socket
import time
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import cache
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from pagehand.demo.claims import CONTACTS, KINDS, STATUSES, TODAY, Claim, ClaimStore, LineItem
from pagehand.demo.pages import ClaimsListing, broken_page, broken_style, claim_letter, render
from pagehand.logins.second_factor.totp import code_at

Endpoint = Callable[[Request], Awaitable[Response]]

OFFICE_USER = "claims-office"
"""Signs in with a one-time code; `demo` does without."""
OFFICE_PASSWORD = "northwind"  # noqa: S105 - of a fictional portal on loopback
CODE_SEED = "NORTHWINDCLAIMS2"
"""The TOTP seed of the office's authenticator app."""
_ACCOUNTS = {"demo": "demo", OFFICE_USER: OFFICE_PASSWORD}
_COOKIE = "northwind_session"
_CODE_COOKIE = "northwind_code_due"
_CODE_SECONDS = 30
# limits on memory: the portal runs for as long as the service does
_MAX_SESSIONS = 1_000
_MAX_TEXT = 2_000
_MAX_CENTS = 100_000_000


class RunningPortal:
    """A portal that is served until it is stopped."""

    def __init__(
        self, url: str, server: uvicorn.Server, task: "asyncio.Task[None]", markup: "Markup"
    ) -> None:
        self.url = url
        self.markup = markup
        self._server = server
        self._task = task

    async def stop(self) -> None:
        """Stop it and wait until the port is free."""
        self._server.should_exit = True
        await self._task


async def serve_portal(port: int) -> RunningPortal:
    """Serve a new portal on 127.0.0.1 in this event loop; on another port where `port` is in use."""
    listener = _listen(port)
    markup = Markup()
    config = uvicorn.Config(
        create_portal(markup),
        lifespan="off",
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=1,
    )
    server = _Server(config)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    # uvicorn signals readiness by this flag alone
    while not server.started:
        if task.done():
            await task
        await asyncio.sleep(0.01)
    return RunningPortal(f"http://127.0.0.1:{listener.getsockname()[1]}", server, task, markup)


@dataclass(slots=True)
class Markup:
    """Whether the portal shows its original pages, or those after a redesign."""

    is_broken: bool = False


def create_portal(markup: Markup | None = None) -> Starlette:
    """A portal with its own claims and sessions."""
    portal = _Portal(markup or Markup())
    signed_in = portal.signed_in
    return Starlette(
        routes=[
            Route("/", signed_in(portal.home)),
            Route("/portal.css", portal.style),
            Route("/sign-in", portal.sign_in, methods=["GET", "POST"]),
            Route("/sign-in/code", portal.code, methods=["GET", "POST"]),
            Route("/sign-out", portal.sign_out, methods=["POST"]),
            Route("/claims", signed_in(portal.claims)),
            Route("/claims/new", signed_in(portal.new_claim), methods=["GET", "POST"]),
            Route("/claims/{number}", signed_in(portal.claim)),
            Route("/claims/{number}/letter.pdf", signed_in(portal.letter)),
        ],
        exception_handlers={404: portal.missing},
    )


class _Portal:
    """The claims, the sessions, and an endpoint per page."""

    def __init__(self, markup: Markup) -> None:
        self._markup = markup
        self._claims = ClaimStore()
        self._sessions: deque[str] = deque(maxlen=_MAX_SESSIONS)
        self._code_due: deque[str] = deque(maxlen=_MAX_SESSIONS)

    def _page(self, page: str, status: int = 200, **values: Any) -> Response:
        html = render(page, **values)
        return HTMLResponse(broken_page(html) if self._markup.is_broken else html, status)

    async def style(self, _request: Request) -> Response:
        sheet = broken_style(_style_sheet()) if self._markup.is_broken else _style_sheet()
        return Response(sheet, media_type="text/css", headers={"Cache-Control": "no-store"})

    async def missing(self, _request: Request, _error: Exception | None) -> Response:
        return self._page("missing", 404)

    def signed_in(self, endpoint: Endpoint) -> Endpoint:
        async def guarded(request: Request) -> Response:
            if request.cookies.get(_COOKIE) not in self._sessions:
                return _redirect("/sign-in")
            return await endpoint(request)

        return guarded

    async def home(self, _request: Request) -> Response:
        return _redirect("/claims")

    async def sign_in(self, request: Request) -> Response:
        if request.method == "GET":
            return self._page("sign_in", wrong=False, user="")
        entered = await _read_form(request)
        user = entered.get("username", "")
        if user not in _ACCOUNTS or entered.get("password") != _ACCOUNTS[user]:
            return self._page("sign_in", 401, wrong=True, user=user)
        if user != OFFICE_USER:
            return self._start_session()
        response = _redirect("/sign-in/code")
        _set_session_cookie(response, _CODE_COOKIE, self._code_due)
        return response

    async def code(self, request: Request) -> Response:
        token = request.cookies.get(_CODE_COOKIE)
        if token not in self._code_due:
            return _redirect("/sign-in")
        # shown on the page, so that visitors can sign in without an authenticator app
        code = _codes()[0]
        if request.method == "GET":
            return self._page("code", wrong=False, code=code)
        if (await _read_form(request)).get("code") not in _codes():
            return self._page("code", 401, wrong=True, code=code)
        self._code_due.remove(token)
        return self._start_session()

    def _start_session(self) -> Response:
        response = _redirect("/claims")
        _set_session_cookie(response, _COOKIE, self._sessions)
        return response

    async def sign_out(self, request: Request) -> Response:
        token = request.cookies.get(_COOKIE)
        if token in self._sessions:
            self._sessions.remove(token)
        response = _redirect("/sign-in")
        response.delete_cookie(_COOKIE)
        return response

    async def claims(self, request: Request) -> Response:
        query = request.query_params
        words, status = query.get("q", "")[:_MAX_TEXT], query.get("status", "")
        found = self._claims.search(words=words, status=status if status in STATUSES else "")
        listing = ClaimsListing(found, words, status, 1)
        page = query.get("page", "1")
        wanted = int(page) if page.isdecimal() and len(page) < len("100000") else 1
        return self._page("claims", listing=replace(listing, page=min(max(wanted, 1), listing.pages)))

    async def claim(self, request: Request) -> Response:
        claim = self._claims.get(request.path_params["number"])
        if claim is None:
            return await self.missing(request, None)
        return self._page("claim", claim=claim, just_submitted="submitted" in request.query_params)

    async def letter(self, request: Request) -> Response:
        claim = self._claims.get(request.path_params["number"])
        if claim is None:
            return await self.missing(request, None)
        disposition = f'attachment; filename="letter-{claim.number}.pdf"'
        return Response(
            claim_letter(claim), media_type="application/pdf", headers={"Content-Disposition": disposition}
        )

    async def new_claim(self, request: Request) -> Response:
        if request.method == "GET":
            return self._page("new_claim", entered={}, errors={})
        entered = await _read_form(request)
        errors = _check_form(entered)
        if errors:
            return self._page("new_claim", 422, entered=entered, errors=errors)
        if entered.pop("confirmed", "") != "yes":
            return self._page("confirm", entered=entered)
        claim = _claim(self._claims.next_number(), entered)
        self._claims.add(claim)
        return _redirect(f"/claims/{claim.number}?submitted=1")


class _Server(uvicorn.Server):
    """Leaves signals to the service."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


def _listen(port: int) -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        if error.errno != errno.EADDRINUSE or port == 0:
            raise
        return socket.create_server(("127.0.0.1", 0))


def _set_session_cookie(response: Response, cookie: str, tokens: "deque[str]") -> None:
    token = secrets.token_urlsafe()
    tokens.append(token)
    response.set_cookie(cookie, token, httponly=True, samesite="lax")


def _redirect(path: str) -> RedirectResponse:
    # 303: the browser follows with GET, also after a POST
    return RedirectResponse(path, 303)


async def _read_form(request: Request) -> dict[str, str]:
    """The form's fields as text; a file becomes its name and size."""
    entered: dict[str, str] = {}
    async with request.form(max_files=1, max_fields=20) as form:
        for name, value in form.items():
            if isinstance(value, UploadFile):
                entered[name] = f"{value.filename} ({value.size or 0} bytes)" if value.filename else ""
            else:
                entered[name] = value.strip()[:_MAX_TEXT]
    return entered


def _check_form(entered: Mapping[str, str]) -> dict[str, str]:
    errors: dict[str, str] = {}
    if not entered.get("holder"):
        errors["holder"] = "Enter the policy holder's name."
    if not entered.get("policy", "").upper().startswith("HP-"):
        errors["policy"] = "A policy number begins with HP-."
    happened = _day(entered.get("happened", ""))
    if happened is None or happened > TODAY:
        errors["happened"] = f"Enter the date of loss, not after {TODAY}."
    if entered.get("kind") not in KINDS:
        errors["kind"] = "Choose the type of claim."
    if _cents(entered.get("amount", "")) is None:
        errors["amount"] = "Enter the amount in dollars, like 480.00."
    if not entered.get("story"):
        errors["story"] = "Tell us what happened."
    return errors


def _claim(number: str, entered: Mapping[str, str]) -> Claim:
    contact = entered.get("contact", "")
    return Claim(
        number=number,
        holder=entered["holder"],
        policy=entered["policy"].upper(),
        kind=entered["kind"],
        status="Received",
        happened=_day(entered["happened"]) or TODAY,
        filed=TODAY,
        adjuster="Not assigned yet",
        contact=contact if contact in CONTACTS else CONTACTS[0],
        description=entered["story"],
        items=(LineItem("Estimate by the policy holder", 1, _cents(entered["amount"]) or 0),),
        attachment=entered.get("evidence", ""),
        is_reported_to_police="police" in entered,
    )


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _cents(text: str) -> int | None:
    try:
        cents = Decimal(text.replace(",", "").removeprefix("$")) * 100
    except InvalidOperation:
        return None
    return int(cents) if cents.is_finite() and 0 < cents <= _MAX_CENTS else None


@cache
def _style_sheet() -> str:
    return Path(__file__).with_name("portal.css").read_text("utf-8")


def _codes() -> list[str]:
    """The current code and the previous one, which sites accept from slow typists."""
    now = time.time()
    return [code_at(CODE_SEED, moment).code for moment in (now, now - _CODE_SECONDS)]
