"""Telling from a page whether somebody is signed in."""

import asyncio
import time
from typing import Final

from pagehand.logins.form import Form, read_form
from pagehand.logins.keyboard import Session
from pagehand.logins.profile import Profile
from pagehand.logins.steps import Pace, path_of

_POLL_SECONDS: Final = 0.1


async def is_let_in(session: Session, profile: Profile, pace: Pace) -> bool:
    """Whether the home page, just opened, is one for somebody who is signed in."""
    began = time.monotonic()
    has_own_home = path_of(profile.home_url) != path_of(profile.authentication_url)
    patience = pace.settle if has_own_home else pace.linger
    while True:
        form = await read_form(session.page)
        if form is not None:
            if form.can_sign_out:
                return True
            if _asks_to_sign_in(form, profile):
                return False
            if time.monotonic() - began >= patience:
                return True
        elif time.monotonic() - began >= pace.appear:
            return False
        await asyncio.sleep(_POLL_SECONDS)


async def is_signed_in_by_hand(session: Session, profile: Profile) -> bool:
    """Whether a person has come to an end: the page offers to sign out, or it is the home page."""
    form = await read_form(session.page)
    if form is None:
        return False
    has_own_home = path_of(profile.home_url) != path_of(profile.authentication_url)
    is_home = has_own_home and path_of(session.page.url) == path_of(profile.home_url)
    return form.can_sign_out or (is_home and not form.asks)


def _asks_to_sign_in(form: Form, profile: Profile) -> bool:
    """A lone e-mail field on the home page may be a newsletter's; anywhere else it is the first step."""
    is_home = path_of(form.frame.url) == path_of(profile.home_url)
    return bool(form.asks - {"username"}) or (bool(form.asks) and not is_home) or (form.opener is not None)
