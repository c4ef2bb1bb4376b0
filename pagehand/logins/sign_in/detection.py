"""Detects from a page whether someone is signed in, also by the prompts of a login.

The model sees pages without their secrets. It only judges and points: it types nothing and opens nothing.
"""

import asyncio
import time
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from playwright.async_api import Error as PlaywrightError

from pagehand.browser import BrowserSession, RiskyElement
from pagehand.logins import failures
from pagehand.logins.profile import Profile
from pagehand.logins.sign_in_context import SignInContext
from pagehand.logins.sign_in_form import SignInForm, read_form
from pagehand.page.dom import is_page_lost
from pagehand.records import Login
from pagehand.workflow.effect_words import is_risky

_POLL_SECONDS: Final = 0.1
_REFUSED: Final = (401, 403)
_TEXT: Final = "() => document.body?.innerText ?? ''"
_MOST_PRESSES: Final = 5
_PRESS_MS: Final = 5_000
_SIGNED_IN: Final = "Somebody is signed in here, and the page does not ask anybody to sign in."


@dataclass(slots=True, frozen=True)
class SignedInCheck:
    """Whether a page shows someone signed in, and what it says if not."""

    is_signed_in: bool
    form: SignInForm | None = None
    complaint: str = ""


@dataclass(slots=True, frozen=True)
class SignInTimeouts:
    """Waiting times of a sign-in."""

    form_seconds: float = 15
    """For the form to appear."""
    answer_seconds: float = 30
    """For the site to answer a submitted form."""
    repeat_seconds: float = 2
    """How long a freshly loaded page may ask for the same thing before that counts as a refusal."""
    settle_seconds: float = 0.5
    """How long a freshly loaded page has to stay without a form to count as signed in."""
    linger_seconds: float = 3
    """The same where no new page was loaded, or where a code is always required."""


async def check_signed_in(
    session: BrowserSession,
    profile: Profile,
    timeouts: SignInTimeouts,
    *,
    status: int | None = None,
    typed_at: Collection[str] = (),
    is_doubtful: bool = False,
) -> SignedInCheck:
    """Whether the page is one for someone who is signed in.

    Evidence is a sign-out control, the words of `loginDetectionPrompt`, or a page that opens without asking
    to sign in. With `is_doubtful`, when the page before looked like a refusal, the last is not enough.
    """
    since = time.monotonic()
    # where home is also the sign-in page, its form may take a while to appear
    wait_seconds = timeouts.settle_seconds if has_own_home(profile) or typed_at else timeouts.linger_seconds
    while True:
        form = await read_form(session.page)
        waited = time.monotonic() - since
        if form is None:
            if waited >= timeouts.form_seconds:
                return SignedInCheck(is_signed_in=False)
        elif is_sign_in_form(form, profile, typed_at):
            if (
                waited >= timeouts.settle_seconds
            ):  # some pages show the form briefly before they recognize the session
                return SignedInCheck(is_signed_in=False, form=form, complaint=_complaint(form))
        elif form.can_sign_out or await _shows_prompt_words(session, profile):
            return SignedInCheck(is_signed_in=True, form=form)
        elif waited >= wait_seconds:
            return _judge_by_absence(form, status, is_doubtful=is_doubtful)
        await asyncio.sleep(_POLL_SECONDS)


async def is_signed_in_by_hand(session: BrowserSession, profile: Profile) -> bool:
    """Whether a person has finished signing in: the page offers to sign out, or it is the home page."""
    form = await read_form(session.page)
    if form is None:
        return False
    is_home = has_own_home(profile) and path_of(session.page.url) == path_of(profile.home_url)
    return form.can_sign_out or (is_home and not form.asks and not form.signed_out)


def is_sign_in_form(form: SignInForm, profile: Profile, typed_at: Collection[str] = ()) -> bool:
    """Whether its fields are the login's form, not a profile's password or a newsletter's address."""
    if not form.asks:
        return False
    if is_sign_in_page(form, profile, typed_at):
        return bool(form.asks - {"username"}) or not form.can_sign_out
    if "password" in form.asks:
        return form.signs_in
    if "code" in form.asks:
        return form.is_sure_code
    return not form.can_sign_out and path_of(form.frame.url) != path_of(profile.home_url)


def is_sign_in_page(form: SignInForm, profile: Profile, typed_at: Collection[str] = ()) -> bool:
    """Whether the page is one where the login is typed, or a later step of that."""
    path, start = path_of(form.frame.url), path_of(profile.authentication_url)
    # where the sign-in page is the front page, every path is below it
    is_step = not _is_front_page(start) and path.startswith(f"{start}/") and path != path_of(profile.home_url)
    return path in typed_at or path == start or is_step


def leads_back(form: SignInForm, profile: Profile, typed_at: Collection[str] = ()) -> bool:
    """Whether a link goes to the sign-in page; the front page does not count, every page links to it."""
    starts = {*typed_at, path_of(profile.authentication_url)}
    return any(path_of(link) in starts and not _is_front_page(link) for link in form.links)


def has_own_home(profile: Profile) -> bool:
    """Whether home is another page than the sign-in page."""
    return path_of(profile.home_url) != path_of(profile.authentication_url)


def path_of(url: str) -> str:
    """The address without query and fragment, to compare pages by."""
    return url.partition("#")[0].partition("?")[0].rstrip("/")


def _is_front_page(url: str) -> bool:
    return urlsplit(url).path in ("", "/")


def _judge_by_absence(form: SignInForm, status: int | None, *, is_doubtful: bool) -> SignedInCheck:
    """Judge a page without a form or sign-out control: signed in, unless something speaks against it."""
    speaks_against = (
        status in _REFUSED or form.signed_out or form.refusals or form.offers_sign_in or is_doubtful
    )
    return SignedInCheck(is_signed_in=not speaks_against, form=form, complaint=_complaint(form))


def _complaint(form: SignInForm) -> str:
    # a refusal says why; that nobody is signed in follows from it
    return next(iter([*form.refusals, *form.signed_out, *form.complaints]), "")


async def _shows_prompt_words(session: BrowserSession, profile: Profile) -> bool:
    """Whether the page contains the words of `loginDetectionPrompt`; `login_prompts` asks the model."""
    wanted = " ".join(profile.login_detection_prompt.split()).casefold()
    if not wanted:
        return False
    try:
        text = await session.page.evaluate(_TEXT)
    except PlaywrightError as error:
        if is_page_lost(error):
            raise
        return False  # another page is loading
    return wanted in " ".join(str(text).split()).casefold()


async def is_confirmed(profile: Profile, run: SignInContext) -> bool:
    """Whether the page fulfils `loginDetectionPrompt`; True without a prompt or a model."""
    statement = profile.login_detection_prompt or (_SIGNED_IN if profile.use_llm_login_detection else "")
    if not statement:
        return True
    if run.helper is None:
        _emit_unused(run, "loginDetectionPrompt")
        return True
    holds, reason = await run.helper.check_statement(statement)
    message = "The model finds somebody signed in" if holds else "The model finds nobody signed in"
    run.emit("login.judged", f"{message}: {reason}", {"holds": holds, "reason": reason})
    return holds


async def require_confirmed(login: Login, profile: Profile, run: SignInContext) -> None:
    """Fail when the page after the sign-in does not fulfil `loginDetectionPrompt`."""
    if not await is_confirmed(profile, run):
        raise failures.not_confirmed(login.name)


async def press_instructed_controls(
    session: BrowserSession, profile: Profile, run: SignInContext, timeouts: SignInTimeouts
) -> None:
    """Press what `loginInstructionsPrompt` wants pressed before anything is typed."""
    instructions = profile.login_instructions_prompt
    if not instructions:
        return
    if run.helper is None:
        _emit_unused(run, "loginInstructionsPrompt")
        return
    for _ in range(_MOST_PRESSES):
        await _wait_for_form(session, timeouts)
        try:
            control = await run.helper.find_control(instructions)
        except RiskyElement as risky:
            run.emit("login.unguided", f"The model's choice was not pressed: {risky.message}", {})
            return
        if control is None:
            return
        words = " ".join((await control.inner_text(timeout=_PRESS_MS)).split())[:80]
        # a page can talk the model into anything; what it may press is decided here
        if is_risky(words):
            run.emit("login.unguided", f"“{words}” was not pressed: it may do what cannot be undone", {})
            return
        run.emit("login.guided", f"Pressed “{words}”, as the login's instructions say", {"pressed": words})
        async with session.acting():
            await control.click(timeout=_PRESS_MS)


async def _wait_for_form(session: BrowserSession, timeouts: SignInTimeouts) -> None:
    """Give the page a moment to show something to fill in."""
    end = time.monotonic() + timeouts.repeat_seconds
    while time.monotonic() < end:
        form = await read_form(session.page)
        if form is not None and form.asks:
            return
        await asyncio.sleep(_POLL_SECONDS)


def _emit_unused(run: SignInContext, prompt: str) -> None:
    message = f"`{prompt}` was not used: no language model is configured (`PAGEHAND_MODEL`)"
    run.emit("login.unguided", message, {"prompt": prompt})
