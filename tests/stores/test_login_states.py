"""How logins fare, their saved sessions and mail: kept per login, apart between organizations."""

from dataclasses import replace

import pytest

from pagehand.records import Login, ReceivedMail, SavedSession
from pagehand.storage import Stores

pytestmark = pytest.mark.anyio

LOGIN = Login(
    id="login_1",
    organization_id="org_a",
    name="Bank",
    username="ada",
    fields={},
    secrets=b"x",
    created_at=1,
    updated_at=7,
)
SESSION = SavedSession(
    login_id="login_1", organization_id="org_a", generation="ls_1", login_version=7, sealed=b"one", saved_at=9
)
MAIL = ReceivedMail(
    id="mail_1", organization_id="org_a", login_id="login_1", received_at=10_000_000, sealed=b"letter"
)


async def test_a_refusal_holds_the_login_back_until_it_is_released(stores: Stores) -> None:
    states = stores.login_states
    await states.note_success(LOGIN, 5)
    await states.note_failure(LOGIN, 6, "no", hold=True)
    held = await states.health("org_a", "login_1")
    assert held is not None
    assert (held.last_success_at, held.last_failure, held.held_version, held.held_at) == (5, "no", 7, 6)
    await states.release("org_b", "login_1")
    assert await states.health("org_a", "login_1") == held
    await states.release("org_a", "login_1")
    free = await states.health("org_a", "login_1")
    assert free == replace(held, held_version=None, held_at=None, failures=0)


async def test_a_failure_of_another_kind_does_not_end_a_hold_and_a_success_does(stores: Stores) -> None:
    states = stores.login_states
    await states.note_failure(LOGIN, 6, "no", hold=True)
    await states.note_failure(LOGIN, 7, "the site was slow", hold=False)
    held = await states.health("org_a", "login_1")
    assert held is not None
    assert held.held_version == 7
    await states.note_success(LOGIN, 8)
    free = await states.health("org_a", "login_1")
    assert free is not None
    assert free.held_version is None


async def test_a_session_is_refreshed_only_by_the_sign_in_it_came_from(stores: Stores) -> None:
    states = stores.login_states
    await states.put_session(SESSION)
    assert await states.refresh_session(replace(SESSION, sealed=b"two", saved_at=10))
    newer = replace(SESSION, generation="ls_2", sealed=b"three")
    await states.put_session(newer)
    assert not await states.refresh_session(replace(SESSION, sealed=b"late"))
    assert await states.session("org_a", "login_1") == newer
    assert await states.session("org_b", "login_1") is None


async def test_another_organization_cannot_replace_a_session(stores: Stores) -> None:
    await stores.login_states.put_session(SESSION)
    await stores.login_states.put_session(replace(SESSION, organization_id="org_b", sealed=b"theirs"))
    assert await stores.login_states.session("org_a", "login_1") == SESSION


async def test_mail_comes_back_newest_first_and_goes_after_an_hour(stores: Stores) -> None:
    states = stores.login_states
    newer = replace(MAIL, id="mail_2", received_at=MAIL.received_at + 1000)
    await states.add_mail(MAIL)
    await states.add_mail(newer)
    assert await states.mails("org_a", "login_1", MAIL.received_at) == [newer, MAIL]
    assert await states.mails("org_a", "login_1", newer.received_at) == [newer]
    assert await states.mails("org_b", "login_1", 0) == []
    late = replace(MAIL, id="mail_3", received_at=MAIL.received_at + 3_600_500)
    await states.add_mail(late)
    assert await states.mails("org_a", "login_1", 0) == [late, newer]


async def test_what_was_kept_beside_a_login_goes_with_it(stores: Stores) -> None:
    await stores.logins.add(LOGIN)
    await stores.login_states.note_success(LOGIN, 5)
    await stores.login_states.put_session(SESSION)
    await stores.login_states.add_mail(MAIL)
    assert await stores.logins.find_in_any_organization("login_1") == LOGIN
    assert not await stores.logins.delete("org_b", "login_1")
    assert await stores.login_states.session("org_a", "login_1") == SESSION
    assert await stores.logins.delete("org_a", "login_1")
    assert await stores.login_states.health("org_a", "login_1") is None
    assert await stores.login_states.session("org_a", "login_1") is None
    assert await stores.login_states.mails("org_a", "login_1", 0) == []
