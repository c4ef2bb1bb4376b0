"""Signing in on real pages: open the sign-in page, answer it, go on at the home page."""

import asyncio
from itertools import count
from typing import Final

from playwright.async_api import Error as PlaywrightError

from pagehand.browser_session import PageSession
from pagehand.errors import BlockFailed, PagehandError, SiteDown
from pagehand.logins.credentials import Credentials, unseal
from pagehand.logins.for_runs import facts_of
from pagehand.logins.health import Health
from pagehand.logins.profile import Profile, profile_of
from pagehand.logins.saved_sessions import SavedSessions, SignedIn, new_session, restored
from pagehand.logins.second_factor.codes import SecondFactor
from pagehand.logins.second_factor.inbox import MailRoom
from pagehand.logins.sign_in import failures
from pagehand.logins.sign_in.form import read_form
from pagehand.logins.sign_in.guidance import confirm, is_confirmed, lead_to_form
from pagehand.logins.sign_in.pace import Pace
from pagehand.logins.sign_in.run import SignInContext
from pagehand.logins.sign_in.signed_in import Seen, has_own_home, is_signed_in_by_hand, see_home
from pagehand.logins.sign_in.steps import Steps
from pagehand.records import Login, LoginFacts
from pagehand.secrets.redactor import Redactor
from pagehand.secrets.vault import Vault

_SERVER_ERROR: Final = 500
_MISSING: Final = (404, 410)
_NAVIGATION_SECONDS: Final = 60.0
_MOST_RESTARTS: Final = 3
"""How often a sign-in that the site ended because of a code is begun again."""


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
        self, session: PageSession, login: Login, *, force: bool, timeout_seconds: float, run: SignInContext
    ) -> SignedIn | None:
        """Sign in and end at the home page; a run that is signed in already stays so unless `force`.

        What comes back goes to `keep` once the execution has written down that it is signed in.
        """
        if self._health is not None:
            await self._health.check(login)
        # only after the check: a login that is held back is not even decrypted
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

    async def signed_out_words(self, session: PageSession) -> str:
        """What the page says if it says that nobody is signed in (an expired session); else nothing."""
        try:
            form = await read_form(session.page)
        except PlaywrightError:
            return ""  # the page is gone, and says nothing any more
        return next(iter(form.signed_out), "") if form is not None and not form.can_sign_out else ""

    async def keep(self, session: PageSession, signed_in: SignedIn | None) -> None:
        """Save what the site knows the browser by, for the next run."""
        if signed_in is not None and self._sessions is not None:
            await self._sessions.save(session.page, signed_in)

    async def _in_time(
        self,
        session: PageSession,
        login: Login,
        credentials: Credentials,
        force: bool,
        timeout_seconds: float,
        run: SignInContext,
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
        self, session: PageSession, login: Login, credentials: Credentials, force: bool, run: SignInContext
    ) -> SignedIn | None:
        profile = profile_of(login)
        if not force and (kept := await self._with_saved_session(session, login, profile, run)):
            return kept
        # else the site would recognise its cookie and show no form
        if force:
            await _forget_session(session, profile)
        run.tell("login.opened", f"Opening {profile.authentication_url}", {"url": profile.authentication_url})
        await _open(session, login, profile.authentication_url)
        if profile.is_manual_authentication:
            await self._by_hand(session, login, profile, run)
        else:
            await self._by_form(session, login, profile, credentials, run)
        await confirm(login, profile, run)
        return new_session(login) if profile.persist_session else None

    async def _with_saved_session(
        self, session: PageSession, login: Login, profile: Profile, run: SignInContext
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
            seen = await see_home(session, profile, self._pace, status=status)
            if seen.is_in and await is_confirmed(profile, run):
                run.tell("login.kept", "Signed in by a saved session", {"url": profile.home_url})
                return signed_in
        run.tell("login.expired", "The saved session has ended; signing in anew", {})
        await _forget_session(session, profile)
        return None

    async def _by_form(
        self,
        session: PageSession,
        login: Login,
        profile: Profile,
        credentials: Credentials,
        run: SignInContext,
    ) -> None:
        """Fill in the site's form; where the site ends the sign-in over a code, begin again for another."""
        inbox = await self._mail.inbox(login, credentials) if self._mail is not None else None
        factor = SecondFactor(login, profile, credentials, run, inbox)
        refused = ""
        for restarts in count():
            await lead_to_form(session, profile, run, self._pace)
            steps = Steps(session, login, profile, credentials, factor, run, self._pace, refused=refused)
            try:
                await steps.walk()
                await self._go_home(session, login, profile, steps)
            except failures.Refused as refusal:
                if not refusal.is_code or not factor.may_try_again or restarts == _MOST_RESTARTS:
                    raise
                # whoever hands in the next code learns why the last one was not taken
                refused = refusal.message
                run.tell(
                    "login.restarted", "The site ended the sign-in; signing in again for another code", {}
                )
                await _forget_session(session, profile)
                await _open(session, login, profile.authentication_url)
            else:
                _tell_signed_in(session, login, run, has_typed=steps.has_answered)
                return

    async def _by_hand(
        self, session: PageSession, login: Login, profile: Profile, run: SignInContext
    ) -> None:
        if await is_signed_in_by_hand(session, profile):
            await self._go_home(session, login, profile)
            return
        async with run.waiting_for_user(f"Sign in with `{login.name}` by hand, in the live view") as done:
            # no event announces that a person has finished
            while not done.is_set() and not await is_signed_in_by_hand(session, profile):  # noqa: ASYNC110 - see above
                await asyncio.sleep(self._pace.settle)
        await self._go_home(session, login, profile)
        run.tell("login.accepted", "Signed in by hand", {"url": session.page.url.partition("?")[0]})

    async def _go_home(
        self, session: PageSession, login: Login, profile: Profile, steps: Steps | None = None
    ) -> None:
        """Open the home page, unless we are there or there is none; it must show that we are signed in."""
        status = None
        if has_own_home(profile) and session.page.url.partition("#")[0] != profile.home_url.partition("#")[0]:
            status = await _open(session, login, profile.home_url)
        seen = await see_home(
            session,
            profile,
            self._pace,
            status=status,
            typed_at=steps.typed_at if steps else (),
            is_doubtful=bool(steps and steps.doubt),
        )
        if not seen.is_in:
            raise _not_seen(login, session, seen, steps)


def _tell_signed_in(session: PageSession, login: Login, run: SignInContext, *, has_typed: bool) -> None:
    url = session.page.url.partition("?")[0]
    if has_typed:
        run.tell("login.accepted", f"Signed in as {login.username}", {"url": url})
    else:
        run.tell("login.kept", "Already signed in", {"url": url})


def _not_seen(login: Login, session: PageSession, seen: Seen, steps: Steps | None) -> BlockFailed:
    """Nobody is signed in: because of the code, if the page after it looked like a refusal."""
    if seen.form is None:
        return failures.nothing_came(login.name, None, session.page.url, 0, has_begun=True)
    if steps is not None and steps.doubt and steps.has_typed_code:
        return failures.refused(login.name, seen.form, steps.doubt, is_code=True)
    return failures.not_seen_signed_in(
        login.name, seen.form, seen.complaint or (steps.doubt if steps else "")
    )


async def _open(session: PageSession, login: Login, url: str) -> int | None:
    # some sites answer with 401 or 403 and show their form all the same
    status = await session.goto(
        url, wait_until="load", referer=None, allow_error_status=True, timeout_seconds=_NAVIGATION_SECONDS
    )
    if status is not None and status >= _SERVER_ERROR:
        raise SiteDown(f"Signing in with `{login.name}`: `{url}` answered with status {status}.")
    if status in _MISSING:
        raise BlockFailed(f"Signing in with `{login.name}`: there is no page at `{url}` (status {status}).")
    return status


async def _forget_session(session: PageSession, profile: Profile) -> None:
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
