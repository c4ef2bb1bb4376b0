"""Signing in on real pages without a model: open the sign-in page, answer it, go on at the home page."""

import asyncio
from typing import Final

from playwright.async_api import Error as PlaywrightError

from pagehand.errors import BlockFailed, SiteDown
from pagehand.logins import failures
from pagehand.logins.credentials import unseal
from pagehand.logins.for_runs import facts_of
from pagehand.logins.form import read_form
from pagehand.logins.keyboard import Session
from pagehand.logins.profile import Profile, profile_of
from pagehand.logins.steps import Pace, Steps, Tell
from pagehand.logins.vault import Vault
from pagehand.records import Login, LoginFacts

_SERVER_ERROR: Final = 500
_MISSING: Final = (404, 410)
_NAVIGATION_SECONDS: Final = 60.0


class SignIn:
    """Reads logins for runs and signs in with them."""

    def __init__(self, vault: Vault, pace: Pace | None = None) -> None:
        self._vault = vault
        self._pace = pace or Pace()

    def facts(self, login: Login) -> LoginFacts:
        """What a run may know of a login."""
        return facts_of(self._vault, login)

    async def sign_in(
        self, session: Session, login: Login, *, force: bool, timeout_seconds: float, tell: Tell
    ) -> None:
        """Sign in and end at the home page; a run that is signed in already stays so unless `force`."""
        limit = asyncio.timeout(timeout_seconds)
        try:
            async with limit:
                await self._sign_in(session, login, force=force, tell=tell)
        except TimeoutError:
            if not limit.expired():
                raise
            raise failures.out_of_time(login.name, timeout_seconds) from None

    async def _sign_in(self, session: Session, login: Login, *, force: bool, tell: Tell) -> None:
        profile = profile_of(login)
        if profile.is_manual_authentication:
            raise failures.by_hand(login.name)
        if force:
            await _forget_session(session, profile)
        tell("login.opened", f"Opening {profile.authentication_url}", {"url": profile.authentication_url})
        await _open(session, login, profile.authentication_url)
        steps = Steps(session, login, profile, unseal(self._vault, login), tell, self._pace)
        await steps.walk()
        if steps.has_answered:
            tell(
                "login.accepted",
                f"Signed in as {login.username}",
                {"url": session.page.url.partition("?")[0]},
            )
        else:
            tell("login.kept", "Already signed in", {"url": session.page.url.partition("?")[0]})
        await _go_home(session, login, profile)


async def _open(session: Session, login: Login, url: str) -> None:
    # some sites answer with 401 or 403 and show their form all the same
    status = await session.goto(
        url, wait_until="load", referer=None, allow_error_status=True, timeout_seconds=_NAVIGATION_SECONDS
    )
    if status is not None and status >= _SERVER_ERROR:
        raise SiteDown(f"Signing in with `{login.name}`: `{url}` answered with status {status}.")
    if status in _MISSING:
        raise BlockFailed(f"Signing in with `{login.name}`: there is no page at `{url}` (status {status}).")


async def _forget_session(session: Session, profile: Profile) -> None:
    """Sign out by forgetting: the site's cookies, and what it keeps in the page that is open."""
    context = session.page.context
    for cookie in await context.cookies([profile.authentication_url, profile.home_url]):
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
