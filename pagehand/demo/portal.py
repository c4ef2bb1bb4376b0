"""Northwind Claims: a made-up insurance portal on loopback, for demos, documentation and tests."""

import asyncio
import errno
import secrets
import socket
import time
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import cache
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from pagehand.demo.breaking import broken_page, broken_style
from pagehand.demo.claims import CONTACTS, KINDS, STATUSES, TODAY, Claim, Ledger, LineItem
from pagehand.demo.letter import claim_letter
from pagehand.demo.pages import (
    Listing,
    claim_page,
    claims_page,
    code_page,
    confirm_page,
    missing_page,
    new_claim_page,
    sign_in_page,
)
from pagehand.logins.second_factor.totp import code_at

Endpoint = Callable[[Request], Awaitable[Response]]

OFFICE_USER = "claims-office"
"""Signs in with a one-time code; `demo` does without."""
OFFICE_PASSWORD = "northwind"  # noqa: S105 - of a made-up portal on loopback
CODE_SEED = "NORTHWINDCLAIMS2"
"""The TOTP seed of the office's authenticator app."""
_ACCOUNTS = {"demo": "demo", OFFICE_USER: OFFICE_PASSWORD}
_COOKIE = "northwind_session"
_HALF_COOKIE = "northwind_code_due"
_CODE_SECONDS = 30
# sessions and texts are bounded: the portal runs beside the service for as long as it does
_MAX_SESSIONS = 1_000
_MAX_TEXT = 2_000
_MAX_CENTS = 100_000_000


class RunningPortal:
    """A portal that is being served; stop it when done."""

    def __init__(
        self, url: str, server: uvicorn.Server, task: "asyncio.Task[None]", switch: "Switch"
    ) -> None:
        self.url = url
        self.switch = switch
        self._server = server
        self._task = task

    async def stop(self) -> None:
        """End it and wait until the port is free."""
        self._server.should_exit = True
        await self._task


async def serve_portal(port: int) -> RunningPortal:
    """Serve a fresh portal on 127.0.0.1 in this event loop; another port where `port` is taken, any for 0."""
    listener = _listen(port)
    switch = Switch()
    config = uvicorn.Config(
        create_portal(switch),
        lifespan="off",
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=1,
    )
    server = _GuestServer(config)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    # uvicorn signals readiness by this flag alone
    while not server.started:
        if task.done():
            await task
        await asyncio.sleep(0.01)
    return RunningPortal(f"http://127.0.0.1:{listener.getsockname()[1]}", server, task, switch)


@dataclass(slots=True)
class Switch:
    """Whether the portal shows its pages as they were, or as after a relaunch."""

    is_broken: bool = False


def create_portal(switch: Switch | None = None) -> Starlette:
    """A portal with its own claims and sessions."""
    portal = _Portal(switch or Switch())
    inside = portal.signed_in
    return Starlette(
        routes=[
            Route("/", inside(portal.home)),
            Route("/portal.css", portal.style),
            Route("/sign-in", portal.sign_in, methods=["GET", "POST"]),
            Route("/sign-in/code", portal.code, methods=["GET", "POST"]),
            Route("/sign-out", portal.sign_out, methods=["POST"]),
            Route("/claims", inside(portal.claims)),
            Route("/claims/new", inside(portal.new_claim), methods=["GET", "POST"]),
            Route("/claims/{number}", inside(portal.claim)),
            Route("/claims/{number}/letter.pdf", inside(portal.letter)),
        ],
        exception_handlers={404: portal.missing},
    )


class _Portal:
    """The claims, who is signed in, and an endpoint per page."""

    def __init__(self, switch: Switch) -> None:
        self._switch = switch
        self._ledger = Ledger()
        self._sessions: deque[str] = deque(maxlen=_MAX_SESSIONS)
        self._code_due: deque[str] = deque(maxlen=_MAX_SESSIONS)

    def _page(self, html: str, status: int = 200) -> Response:
        return HTMLResponse(broken_page(html) if self._switch.is_broken else html, status)

    async def style(self, _request: Request) -> Response:
        sheet = broken_style(_style_sheet()) if self._switch.is_broken else _style_sheet()
        return Response(sheet, media_type="text/css", headers={"Cache-Control": "no-store"})

    async def missing(self, _request: Request, _trouble: Exception | None) -> Response:
        return self._page(missing_page(), 404)

    def signed_in(self, endpoint: Endpoint) -> Endpoint:
        async def guarded(request: Request) -> Response:
            if request.cookies.get(_COOKIE) not in self._sessions:
                return _to("/sign-in")
            return await endpoint(request)

        return guarded

    async def home(self, _request: Request) -> Response:
        return _to("/claims")

    async def sign_in(self, request: Request) -> Response:
        if request.method == "GET":
            return self._page(sign_in_page(wrong=False))
        entered = await _entered(request)
        user = entered.get("username", "")
        if user not in _ACCOUNTS or entered.get("password") != _ACCOUNTS[user]:
            return self._page(sign_in_page(wrong=True, user=user), 401)
        if user != OFFICE_USER:
            return self._let_in()
        response = _to("/sign-in/code")
        _remember(response, _HALF_COOKIE, self._code_due)
        return response

    async def code(self, request: Request) -> Response:
        token = request.cookies.get(_HALF_COOKIE)
        if token not in self._code_due:
            return _to("/sign-in")
        # shown on the page itself, so that a person can sign in without an authenticator app
        code = _codes()[0]
        if request.method == "GET":
            return self._page(code_page(wrong=False, code=code))
        if (await _entered(request)).get("code") not in _codes():
            return self._page(code_page(wrong=True, code=code), 401)
        self._code_due.remove(token)
        return self._let_in()

    def _let_in(self) -> Response:
        response = _to("/claims")
        _remember(response, _COOKIE, self._sessions)
        return response

    async def sign_out(self, request: Request) -> Response:
        token = request.cookies.get(_COOKIE)
        if token in self._sessions:
            self._sessions.remove(token)
        response = _to("/sign-in")
        response.delete_cookie(_COOKIE)
        return response

    async def claims(self, request: Request) -> Response:
        query = request.query_params
        words, status = query.get("q", "")[:_MAX_TEXT], query.get("status", "")
        found = self._ledger.find(words=words, status=status if status in STATUSES else "")
        listing = Listing(found, words, status, 1)
        page = query.get("page", "1")
        wanted = int(page) if page.isdecimal() and len(page) < len("100000") else 1
        return self._page(claims_page(Listing(found, words, status, min(max(wanted, 1), listing.pages))))

    async def claim(self, request: Request) -> Response:
        claim = self._ledger.get(request.path_params["number"])
        if claim is None:
            return await self.missing(request, None)
        return self._page(claim_page(claim, just_submitted="submitted" in request.query_params))

    async def letter(self, request: Request) -> Response:
        claim = self._ledger.get(request.path_params["number"])
        if claim is None:
            return await self.missing(request, None)
        disposition = f'attachment; filename="letter-{claim.number}.pdf"'
        return Response(
            claim_letter(claim), media_type="application/pdf", headers={"Content-Disposition": disposition}
        )

    async def new_claim(self, request: Request) -> Response:
        if request.method == "GET":
            return self._page(new_claim_page({}, {}))
        entered = await _entered(request)
        errors = _mistakes(entered)
        if errors:
            return self._page(new_claim_page(entered, errors), 422)
        if entered.pop("confirmed", "") != "yes":
            return self._page(confirm_page(entered))
        claim = _claim(self._ledger.next_number(), entered)
        self._ledger.add(claim)
        return _to(f"/claims/{claim.number}?submitted=1")


class _GuestServer(uvicorn.Server):
    """Leaves Ctrl+C to the program it is a guest of."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


def _listen(port: int) -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as trouble:
        if trouble.errno != errno.EADDRINUSE or port == 0:
            raise
        return socket.create_server(("127.0.0.1", 0))


def _remember(response: Response, cookie: str, tokens: "deque[str]") -> None:
    token = secrets.token_urlsafe()
    tokens.append(token)
    response.set_cookie(cookie, token, httponly=True, samesite="lax")


def _to(path: str) -> RedirectResponse:
    # 303: the browser comes with GET, also after a form.
    return RedirectResponse(path, 303)


async def _entered(request: Request) -> dict[str, str]:
    """The form's fields as text; of a file only its name and size are kept."""
    entered: dict[str, str] = {}
    async with request.form(max_files=1, max_fields=20) as form:
        for name, value in form.items():
            if isinstance(value, UploadFile):
                entered[name] = f"{value.filename} ({value.size or 0} bytes)" if value.filename else ""
            else:
                entered[name] = value.strip()[:_MAX_TEXT]
    return entered


def _mistakes(entered: Mapping[str, str]) -> dict[str, str]:
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
        story=entered["story"],
        items=(LineItem("Estimate by the policy holder", 1, _cents(entered["amount"]) or 0),),
        attachment=entered.get("evidence", ""),
        police_told="police" in entered,
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
    """The code of now and, as sites allow for slow typing, the one before."""
    now = time.time()
    return [code_at(CODE_SEED, moment).code for moment in (now, now - _CODE_SECONDS)]
