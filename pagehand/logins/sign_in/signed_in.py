"""Telling from a page whether somebody is signed in."""

import asyncio
import time
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from playwright.async_api import Error as PlaywrightError

from pagehand.browser_session import PageSession
from pagehand.logins.profile import Profile
from pagehand.logins.sign_in.form import Form, read_form
from pagehand.logins.sign_in.pace import Pace
from pagehand.page.page_loss import is_page_lost

_POLL_SECONDS: Final = 0.1
_REFUSED: Final = (401, 403)
_TEXT: Final = "() => document.body?.innerText ?? ''"


@dataclass(slots=True, frozen=True)
class Seen:
    """What a page shows: somebody signed in or not, and what it says if not."""

    is_in: bool
    form: Form | None = None
    complaint: str = ""


async def see_home(
    session: PageSession,
    profile: Profile,
    pace: Pace,
    *,
    status: int | None = None,
    typed_at: Collection[str] = (),
    is_doubtful: bool = False,
) -> Seen:
    """Whether the page is one for somebody who is signed in.

    It takes a sign-out control, the words of `loginDetectionPrompt`, or a page that opens and asks nobody to
    sign in. With `is_doubtful`, when the page before looked like a refusal, the last is not enough.
    """
    since = time.monotonic()
    # where home is the page to sign in at, its form may take a while to come up
    patience = pace.settle if has_own_home(profile) or typed_at else pace.linger
    while True:
        form = await read_form(session.page)
        waited = time.monotonic() - since
        if form is None:
            if waited >= pace.appear:
                return Seen(is_in=False)
        elif is_sign_in_form(form, profile, typed_at):
            if waited >= pace.settle:  # some pages show the form for a moment before they know who we are
                return Seen(is_in=False, form=form, complaint=_complaint(form))
        elif form.can_sign_out or await _shows_own_words(session, profile):
            return Seen(is_in=True, form=form)
        elif waited >= patience:
            return _judge(form, status, is_doubtful=is_doubtful)
        await asyncio.sleep(_POLL_SECONDS)


async def is_signed_in_by_hand(session: PageSession, profile: Profile) -> bool:
    """Whether a person has come to an end: the page offers to sign out, or it is the home page."""
    form = await read_form(session.page)
    if form is None:
        return False
    is_home = has_own_home(profile) and path_of(session.page.url) == path_of(profile.home_url)
    return form.can_sign_out or (is_home and not form.asks and not form.signed_out)


def is_sign_in_form(form: Form, profile: Profile, typed_at: Collection[str] = ()) -> bool:
    """Whether its fields are the login's own form, and not a profile's password or a newsletter's address."""
    if not form.asks:
        return False
    if is_sign_in_page(form, profile, typed_at):
        return bool(form.asks - {"username"}) or not form.can_sign_out
    if "password" in form.asks:
        return form.signs_in
    if "code" in form.asks:
        return form.is_sure_code
    return not form.can_sign_out and path_of(form.frame.url) != path_of(profile.home_url)


def is_sign_in_page(form: Form, profile: Profile, typed_at: Collection[str] = ()) -> bool:
    """Whether the page is one where the login is typed, or a later step of that."""
    path, start = path_of(form.frame.url), path_of(profile.authentication_url)
    # where the sign-in page is the front page, everything lies below it
    is_step = not _is_front_page(start) and path.startswith(f"{start}/") and path != path_of(profile.home_url)
    return path in typed_at or path == start or is_step


def leads_back(form: Form, profile: Profile, typed_at: Collection[str] = ()) -> bool:
    """Whether a link goes to the sign-in page; a front page, to which every page links, does not count."""
    starts = {*typed_at, path_of(profile.authentication_url)}
    return any(path_of(link) in starts and not _is_front_page(link) for link in form.links)


def has_own_home(profile: Profile) -> bool:
    """Whether home is another page than the one to sign in at."""
    return path_of(profile.home_url) != path_of(profile.authentication_url)


def path_of(url: str) -> str:
    """The address without query and fragment, to compare places by."""
    return url.partition("#")[0].partition("?")[0].rstrip("/")


def _is_front_page(url: str) -> bool:
    return urlsplit(url).path in ("", "/")


def _judge(form: Form, status: int | None, *, is_doubtful: bool) -> Seen:
    """A page without a form that does not show who is signed in: good, unless anything speaks against it."""
    speaks_against = (
        status in _REFUSED or form.signed_out or form.refusals or form.offers_sign_in or is_doubtful
    )
    return Seen(is_in=not speaks_against, form=form, complaint=_complaint(form))


def _complaint(form: Form) -> str:
    return next(iter([*form.signed_out, *form.refusals, *form.complaints]), "")


async def _shows_own_words(session: PageSession, profile: Profile) -> bool:
    """Whether the page has the very words of `loginDetectionPrompt`; for a model see `guidance`."""
    wanted = " ".join(profile.login_detection_prompt.split()).casefold()
    if not wanted:
        return False
    try:
        text = await session.page.evaluate(_TEXT)
    except PlaywrightError as error:
        if is_page_lost(error):
            raise
        return False  # it is just loading another page
    return wanted in " ".join(str(text).split()).casefold()
