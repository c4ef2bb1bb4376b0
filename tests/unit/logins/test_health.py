"""Which failures hold a login back, and what ends that."""

from types import SimpleNamespace
from typing import Any

import pytest

from pagehand.errors import BlockFailed, Diagnosis, PagehandError, SignInRefused, SiteDown, TimedOut
from pagehand.logins import failures
from pagehand.logins.failures import LoginHealthTracker
from pagehand.logins.profile import Profile
from pagehand.records import Login
from pagehand.secrets.redactor import Redactor
from pagehand.storage import Stores
from support.logins import SITE, login_of
from support.scripted_site import ScriptedSite

pytestmark = pytest.mark.anyio
NO_SECRETS = Redactor()


@pytest.fixture
async def login(stores: Stores) -> Login:
    organization = (await stores.organizations.ensure("acme")).id
    login = login_of(Profile(authentication_url=SITE, home_url=SITE), organization=organization)
    await stores.logins.add(login)
    return login


def refused(complaint: str, *, is_code: bool) -> PagehandError:
    return failures.refused("Bank", ScriptedSite().show("password"), complaint, is_code=is_code)


@pytest.mark.parametrize(
    ("error", "holds"),
    [
        (refused("Wrong password", is_code=False), True),
        (refused("ImapAccount locked", is_code=True), True),
        (refused("Wrong code", is_code=True), False),
        (SiteDown("status 502"), False),
        (TimedOut("too long"), False),
        (BlockFailed("no form"), False),
        (SignInRefused("not seen signed in", Diagnosis()), False),
    ],
    ids=["password", "locked", "code", "down", "time", "no form", "not seen"],
)
async def test_only_a_refused_password_or_a_locked_account_holds_a_login_back(
    stores: Stores, login: Login, error: PagehandError, holds: bool
) -> None:
    health = LoginHealthTracker(stores.login_states)
    await health.record_failure(login, error, NO_SECRETS)
    if holds:
        with pytest.raises(SignInRefused, match=r"is held back since .*No run tries it again"):
            await health.check(login)
    else:
        await health.check(login)


async def test_a_changed_login_may_be_tried_again(stores: Stores, login: Login) -> None:
    health = LoginHealthTracker(stores.login_states)
    await health.record_failure(login, refused("Wrong password", is_code=False), NO_SECRETS)
    login.updated_at += 1
    await health.check(login)


async def test_a_success_ends_being_held_back(stores: Stores, login: Login) -> None:
    health = LoginHealthTracker(stores.login_states)
    await health.record_failure(login, refused("Wrong password", is_code=False), NO_SECRETS)
    await health.record_success(login)
    await health.check(login)


async def test_the_reason_is_kept_without_the_secrets(stores: Stores, login: Login) -> None:
    health = LoginHealthTracker(stores.login_states)
    error = refused("We do not know hunter22", is_code=False)
    await health.record_failure(login, error, Redactor(["hunter22"]))
    known: Any = await stores.login_states.health(login.organization_id, login.id) or SimpleNamespace()
    assert "hunter22" not in known.last_failure
    assert "***" in known.last_failure
