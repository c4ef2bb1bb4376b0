"""Signing in on real pages: open the sign-in page, answer it, go on at the home page."""

import asyncio
from typing import Final

from playwright.async_api import Error as PlaywrightError

from pagehand.errors import BlockFailed, PagehandError, SiteDown
from pagehand.logins import failures
from pagehand.logins.credentials import Credentials, unseal
from pagehand.logins.for_runs import facts_of
from pagehand.logins.form import read_form
from pagehand.logins.guidance import confirm, is_confirmed, lead_to_form
from pagehand.logins.health import Health
from pagehand.logins.inbox import MailRoom
from pagehand.logins.keyboard import Session
from pagehand.logins.look import is_let_in, is_signed_in_by_hand
from pagehand.logins.profile import Profile, profile_of
from pagehand.logins.redactor import Redactor
from pagehand.logins.run import SigningRun
from pagehand.logins.saved_sessions import SavedSessions, SignedIn, new_session, restored
from pagehand.logins.steps import Pace, Steps
from pagehand.logins.two_factor import SecondFactor
from pagehand.logins.vault import Vault
from pagehand.records import Login, LoginFacts

_SERVER_ERROR: Final = 500
_REFUSED: Final = (401, 403)
_MISSING: Final = (404, 410)
_NAVIGATION_SECONDS: Final = 60.0


class SignIn:
    """Reads logins for runs and signs in with them."""

    def __init__(
        self,
        vault: Vault,
        pace: Pace | None = None,
        *,
        sessions: SavedSessions | None = None,
        health: Health | None = None,
        mail: MailRoom | None = None,
    ) -> None:
        self._vault = vault
        self._pace = pace or Pace()
        self._sessions = sessions
        self._health = health
        self._mail = mail

    def facts(self, login: Login) -> LoginFacts:
        """What a run may know of a login."""
        return facts_of(self._vault, login)

    async def sign_in(
        self, session: Session, login: Login, *, force: bool, timeout_seconds: float, run: SigningRun
    ) -> SignedIn | None:
        """Sign in and end at the home page; a run that is signed in already stays so unless `force`.

        What comes back goes to `keep` once the execution has written down that it is signed in.
        """
        if self._health is not None:
            await self._health.check(login)
        credentials = unseal(self._vault, login)
        try:
            signed_in = await self._in_time(session, login, credentials, force, timeout_seconds, run)
        except PagehandError as error:
            if self._health is not None:
                await self._health.failed(login, error, Redactor(credentials.all()))
            raise
        if self._health is not None:
            await self._health.succeeded(login)
        return signed_in

    async def keep(self, session: Session, signed_in: SignedIn | None) -> None:
        """Save what the site knows the browser by, for the next run."""
        if signed_in is not None and self._sessions is not None:
            await self._sessions.save(session.page, signed_in)

    async def _in_time(
        self,
        session: Session,
        login: Login,
        credentials: Credentials,
        force: bool,
        timeout_seconds: float,
        run: SigningRun,
    ) -> SignedIn | None:
        limit = asyncio.timeout(timeout_seconds)
        try:
            async with limit:
                with run.limiting(limit):
                    return await self._sign_in(session, login, credentials, force, run)
        except TimeoutError:
            if not limit.expired():
                raise
            raise failures.out_of_time(login.name, timeout_seconds) from None

    async def _sign_in(
        self, session: Session, login: Login, credentials: Credentials, force: bool, run: SigningRun
    ) -> SignedIn | None:
        profile = profile_of(login)
        if not force and (kept := await self._with_saved_session(session, login, profile, run)):
            return kept
        if force:
            await _forget_session(session, profile)
        run.tell("login.opened", f"Opening {profile.authentication_url}", {"url": profile.authentication_url})
        await _open(session, login, profile.authentication_url)
        if profile.is_manual_authentication:
            await self._by_hand(session, login, profile, run)
        else:
            await lead_to_form(session, profile, run, self._pace)
            await self._by_form(session, login, profile, credentials, run)
        await _go_home(session, login, profile)
        await confirm(login, profile, run)
        return new_session(login) if profile.persist_session else None

    async def _with_saved_session(
        self, session: Session, login: Login, profile: Profile, run: SigningRun
    ) -> SignedIn | None:
        """Go to the home page as the browser of an earlier run; None where that does not let us in."""
        if not profile.persist_session or self._sessions is None:
            return None
        loaded = await self._sessions.load(login)
        if loaded is None:
            return None
        signed_in, state = loaded
        async with restored(session.page.context, state):
            status = await _open(session, login, profile.home_url)
            is_in = status not in _REFUSED and await is_let_in(session, profile, self._pace)
            if is_in and await is_confirmed(profile, run):
                run.tell("login.kept", "Signed in by a saved session", {"url": profile.home_url})
                return signed_in
        run.tell("login.expired", "The saved session has ended; signing in anew", {})
        await _forget_session(session, profile)
        return None

    async def _by_form(
        self, session: Session, login: Login, profile: Profile, credentials: Credentials, run: SigningRun
    ) -> None:
        inbox = await self._mail.inbox(login, credentials) if self._mail is not None else None
        factor = SecondFactor(login, profile, credentials, run, inbox)
        steps = Steps(session, login, profile, credentials, factor, run, self._pace)
        await steps.walk()
        url = session.page.url.partition("?")[0]
        if steps.has_answered:
            run.tell("login.accepted", f"Signed in as {login.username}", {"url": url})
        else:
            run.tell("login.kept", "Already signed in", {"url": url})

    async def _by_hand(self, session: Session, login: Login, profile: Profile, run: SigningRun) -> None:
        if await is_signed_in_by_hand(session, profile):
            return
        async with run.waiting_for_user(f"Sign in with `{login.name}` by hand, in the live view") as done:
            # pages tell nobody when they change
            while not done.is_set() and not await is_signed_in_by_hand(session, profile):  # noqa: ASYNC110 - as said
                await asyncio.sleep(self._pace.settle)
        run.tell("login.accepted", "Signed in by hand", {"url": session.page.url.partition("?")[0]})


async def _open(session: Session, login: Login, url: str) -> int | None:
    # some sites answer with 401 or 403 and show their form all the same
    status = await session.goto(
        url, wait_until="load", referer=None, allow_error_status=True, timeout_seconds=_NAVIGATION_SECONDS
    )
    if status is not None and status >= _SERVER_ERROR:
        raise SiteDown(f"Signing in with `{login.name}`: `{url}` answered with status {status}.")
    if status in _MISSING:
        raise BlockFailed(f"Signing in with `{login.name}`: there is no page at `{url}` (status {status}).")
    return status


async def _forget_session(session: Session, profile: Profile) -> None:
    """Sign out by forgetting: the site's cookies, and what it keeps in the page that is open."""
    context = session.page.context
    urls = [profile.authentication_url, profile.home_url, *profile.sign_in_urls]
    for cookie in await context.cookies(urls):
        await context.clear_cookies(
            name=cookie.get("name"), domain=cookie.get("domain"), path=cookie.get("path")
        )
    try:
        await session.page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
    except PlaywrightError:
        # about:blank and sandboxed pages have no storage to clear
        return


async def _go_home(session: Session, login: Login, profile: Profile) -> None:
    """Open the home page, unless there is none of its own or we are there, and make sure it lets us in."""
    has_own_home = profile.home_url != profile.authentication_url
    if has_own_home and session.page.url.partition("#")[0] != profile.home_url.partition("#")[0]:
        await _open(session, login, profile.home_url)
    form = await read_form(session.page)
    if form is not None and "password" in form.asks and not form.can_sign_out:
        raise failures.signed_out_again(login.name, form)
