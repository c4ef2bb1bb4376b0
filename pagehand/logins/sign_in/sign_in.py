"""Signs in with a login: opens the sign-in page, answers its forms, ends at the home page."""

import asyncio
from itertools import count
from typing import Final

from playwright.async_api import Error as PlaywrightError

from pagehand.browser import BrowserSession
from pagehand.errors import BlockFailed, PagehandError, SiteDown
from pagehand.logins import failures
from pagehand.logins.credentials import Credentials, facts_of, unseal
from pagehand.logins.failures import LoginHealthTracker
from pagehand.logins.profile import Profile, login_site, profile_of
from pagehand.logins.saved_sessions import SavedSessions, SessionToSave, new_session, restored_session
from pagehand.logins.second_factor.codes import SecondFactor
from pagehand.logins.second_factor.inbox import Inboxes
from pagehand.logins.sign_in.detection import (
    SignedInCheck,
    SignInTimeouts,
    check_signed_in,
    has_own_home,
    is_confirmed,
    is_signed_in_by_hand,
    press_instructed_controls,
    require_confirmed,
)
from pagehand.logins.sign_in.form_sign_in import FormSignIn
from pagehand.logins.sign_in_context import SignInContext
from pagehand.logins.sign_in_form import read_form
from pagehand.records import Login, LoginFacts
from pagehand.secrets.redactor import Redactor
from pagehand.secrets.vault import Vault

_SERVER_ERROR: Final = 500
_MISSING: Final = (404, 410)
_NAVIGATION_SECONDS: Final = 60.0
_MOST_RESTARTS: Final = 3
"""How often a sign-in that the site ended over a code is restarted."""


class SignIn:
    """Signs runs in with their logins."""

    def __init__(
        self,
        vault: Vault,
        timeouts: SignInTimeouts | None = None,
        *,
        sessions: SavedSessions | None = None,
        health: LoginHealthTracker | None = None,
        inboxes: Inboxes | None = None,
    ) -> None:
        self._vault = vault
        self._timeouts = timeouts or SignInTimeouts()
        self._sessions = sessions
        self._health = health
        self._inboxes = inboxes

    def facts(self, login: Login) -> LoginFacts:
        """What a run may know about a login."""
        return facts_of(self._vault, login)

    async def sign_in(
        self,
        session: BrowserSession,
        login: Login,
        *,
        force: bool,
        timeout_seconds: float,
        run: SignInContext,
    ) -> SessionToSave | None:
        """Sign in and end at the home page; a saved session is used unless `force`.

        Pass the result to `save_session` once the execution has stored that it is signed in.
        """
        if self._health is not None:
            await self._health.check(login)
        # only after the check: a login that is held back is not even decrypted
        credentials = unseal(self._vault, login)
        try:
            signed_in = await self._sign_in_within(session, login, credentials, force, timeout_seconds, run)
        except PagehandError as error:
            if self._health is not None:
                await self._health.record_failure(login, error, Redactor(credentials.all()))
            raise
        finally:
            # a page that is not replaced after the sign-in would keep them for every script to read
            await session.secrets.clear()
        if self._health is not None:
            await self._health.record_success(login)
        return signed_in

    async def signed_out_words(self, session: BrowserSession) -> str:
        """What the page says if it says that nobody is signed in, as after a session has expired."""
        try:
            form = await read_form(session.page)
        except PlaywrightError:
            return ""  # the page is gone
        return next(iter(form.signed_out), "") if form is not None and not form.can_sign_out else ""

    async def save_session(self, session: BrowserSession, to_save: SessionToSave | None) -> None:
        """Save the session for the next run."""
        if to_save is not None and self._sessions is not None:
            await self._sessions.save(session.page, to_save)

    async def _sign_in_within(
        self,
        session: BrowserSession,
        login: Login,
        credentials: Credentials,
        force: bool,
        timeout_seconds: float,
        run: SignInContext,
    ) -> SessionToSave | None:
        limit = asyncio.timeout(timeout_seconds)
        try:
            async with limit:
                with run.limiting(limit):
                    return await self._sign_in(session, login, credentials, force, run)
        except TimeoutError:
            if not limit.expired():
                raise
            raise failures.timed_out(login.name, timeout_seconds) from None

    async def _sign_in(
        self, session: BrowserSession, login: Login, credentials: Credentials, force: bool, run: SignInContext
    ) -> SessionToSave | None:
        profile = profile_of(login)
        await session.leave_scripted_pages(login_site(profile).includes)
        if not force and (kept := await self._with_saved_session(session, login, profile, run)):
            return kept
        # with its cookie the site would show no form
        if force:
            await _delete_session(session, profile)
        run.emit("login.opened", f"Opening {profile.authentication_url}", {"url": profile.authentication_url})
        await _open(session, login, profile.authentication_url)
        if profile.is_manual_authentication:
            await self._by_hand(session, login, profile, run)
        else:
            await self._by_form(session, login, profile, credentials, run)
        await require_confirmed(login, profile, run)
        return new_session(login) if profile.persist_session else None

    async def _with_saved_session(
        self, session: BrowserSession, login: Login, profile: Profile, run: SignInContext
    ) -> SessionToSave | None:
        """Open the home page with the session of an earlier run; None where that is not signed in."""
        if not profile.persist_session or self._sessions is None:
            return None
        loaded = await self._sessions.load(login)
        if loaded is None:
            return None
        signed_in, state = loaded
        async with restored_session(session.page.context, state):
            status = await _open(session, login, profile.home_url)
            check = await check_signed_in(session, profile, self._timeouts, status=status)
            if check.is_signed_in and await is_confirmed(profile, run):
                run.emit("login.kept", "Signed in by a saved session", {"url": profile.home_url})
                return signed_in
        run.emit("login.expired", "The saved session has ended; signing in again", {})
        await _delete_session(session, profile)
        return None

    async def _by_form(
        self,
        session: BrowserSession,
        login: Login,
        profile: Profile,
        credentials: Credentials,
        run: SignInContext,
    ) -> None:
        """Fill in the site's forms; start again for another code where the site ends the sign-in over one."""
        inbox = await self._inboxes.open(login, credentials) if self._inboxes is not None else None
        factor = SecondFactor(login, profile, credentials, run, inbox)
        refused = ""
        for restarts in count():
            await press_instructed_controls(session, profile, run, self._timeouts)
            forms = FormSignIn(
                session, login, profile, credentials, factor, run, self._timeouts, refused=refused
            )
            try:
                await forms.run()
                await self._go_home(session, login, profile, forms)
            except failures.CredentialsRefused as refusal:
                if not refusal.is_code or not factor.may_try_again or restarts == _MOST_RESTARTS:
                    raise
                # shown to the person who submits the next code
                refused = refusal.message
                run.emit(
                    "login.restarted", "The site ended the sign-in; signing in again for another code", {}
                )
                await _delete_session(session, profile)
                await _open(session, login, profile.authentication_url)
            else:
                _emit_signed_in(session, login, run, has_typed=forms.has_answered)
                return

    async def _by_hand(
        self, session: BrowserSession, login: Login, profile: Profile, run: SignInContext
    ) -> None:
        if await is_signed_in_by_hand(session, profile):
            await self._go_home(session, login, profile)
            return
        async with run.waiting_for_user(f"Sign in with `{login.name}` by hand, in the live view") as done:
            # no event announces that a person has finished
            while not done.is_set() and not await is_signed_in_by_hand(session, profile):  # noqa: ASYNC110 - see above
                await asyncio.sleep(self._timeouts.settle_seconds)
        await self._go_home(session, login, profile)
        run.emit("login.accepted", "Signed in by hand", {"url": session.page.url.partition("?")[0]})

    async def _go_home(
        self, session: BrowserSession, login: Login, profile: Profile, forms: FormSignIn | None = None
    ) -> None:
        """Open the home page unless it is open already, and make sure that it shows someone signed in."""
        status = None
        if has_own_home(profile) and session.page.url.partition("#")[0] != profile.home_url.partition("#")[0]:
            status = await _open(session, login, profile.home_url)
        check = await check_signed_in(
            session,
            profile,
            self._timeouts,
            status=status,
            typed_at=forms.typed_at if forms else (),
            is_doubtful=bool(forms and forms.doubt),
        )
        if not check.is_signed_in:
            raise _not_signed_in(login, session, check, forms)


def _emit_signed_in(session: BrowserSession, login: Login, run: SignInContext, *, has_typed: bool) -> None:
    url = session.page.url.partition("?")[0]
    if has_typed:
        run.emit("login.accepted", f"Signed in as {login.username}", {"url": url})
    else:
        run.emit("login.kept", "Already signed in", {"url": url})


def _not_signed_in(
    login: Login, session: BrowserSession, check: SignedInCheck, forms: FormSignIn | None
) -> BlockFailed:
    """The error when nobody is signed in: the code's fault if the page after it looked like a refusal."""
    if check.form is None:
        return failures.nothing_appeared(login.name, None, session.page.url, 0, has_begun=True)
    if forms is not None and forms.doubt and forms.has_typed_code:
        return failures.refused(login.name, check.form, forms.doubt, is_code=True)
    first = (forms.first_refusal or forms.doubt) if forms is not None else ""
    # what the site said first is the reason; `session expired` on the next page only follows from it
    return failures.not_signed_in(login.name, check.form, first or check.complaint)


async def _open(session: BrowserSession, login: Login, url: str) -> int | None:
    # some sites answer 401 or 403 and still show their form
    status = await session.goto(
        url, wait_until="load", referer=None, allow_error_status=True, timeout_seconds=_NAVIGATION_SECONDS
    )
    if status is not None and status >= _SERVER_ERROR:
        raise SiteDown(f"Signing in with `{login.name}`: `{url}` answered with status {status}.")
    if status in _MISSING:
        raise BlockFailed(f"Signing in with `{login.name}`: there is no page at `{url}` (status {status}).")
    return status


async def _delete_session(session: BrowserSession, profile: Profile) -> None:
    """Delete the site's cookies, and the storage of the open page."""
    context = session.page.context
    for cookie in await context.cookies(list(profile.addresses().values())):
        await context.clear_cookies(
            name=cookie.get("name"), domain=cookie.get("domain"), path=cookie.get("path")
        )
    try:
        await session.page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
    except PlaywrightError:
        # about:blank and sandboxed pages have no storage to clear
        return
