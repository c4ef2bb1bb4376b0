"""Who is signed in already, by an earlier run or by hand, and what a login shows."""

import asyncio

import pytest

from pagehand.browser import BrowserPool, BrowserSession, SessionOptions
from pagehand.logins.saved_sessions import SavedSessions
from pagehand.logins.sign_in.sign_in import SignIn
from pagehand.records import SavedSession
from support.bank import (
    PASSWORD,
    PLAIN_FIELDS,
    QUICK,
    SEED,
    TOTP,
    VAULT,
    Bank,
    bank_login,
    no_file,
    sign_in,
    signed_in_user,
)
from support.logins import FakeSignInContext
from support.waiting import until

pytestmark = pytest.mark.anyio


@pytest.mark.slow
async def test_who_is_signed_in_already_stays_so_unless_forced(
    session: BrowserSession, bank: Bank, run: FakeSignInContext
) -> None:
    await sign_in(session, bank_login(bank, "/user"), run)
    bank.pages["/user-or-home"] = "<script>location.replace('/home')</script>"
    await sign_in(session, bank_login(bank, "/user-or-home"), run)
    assert (len(bank.sent), run.types[-1]) == (2, "login.kept")
    await sign_in(session, bank_login(bank, "/user-or-home"), run, force=True)
    assert (len(bank.sent), run.types[-1]) == (4, "login.accepted")


async def test_a_login_to_be_used_by_hand_waits_until_a_person_has_signed_in(
    session: BrowserSession, bank: Bank, run: FakeSignInContext
) -> None:
    signing_in = asyncio.create_task(
        sign_in(session, bank_login(bank, "/one", isManualAuthentication=True), run)
    )
    await until(lambda: run.waits)
    await session.page.fill("[name=email]", "ada")
    await session.page.fill("[name=password]", PASSWORD)
    await session.page.click("[type=submit]")
    await asyncio.wait_for(signing_in, 20)
    assert await signed_in_user(session) == "Hello ada"


async def test_facts_show_names_and_keep_secrets_apart(bank: Bank) -> None:
    extras = {"additionalCredentials": [{"key": "pin", "value": "4711"}], **TOTP}
    login = bank_login(bank, "/user", extras, autoRetryOnServiceDown=True, autoRetryDelayMinutes=0.5)
    facts = SignIn(VAULT).facts(login)
    assert (facts.shown["username"], facts.shown["pin"], facts.shown["password"]) == ("ada", "***", "***")
    assert facts.secret_values["pin"] == "4711"
    assert facts.secrets == [PASSWORD, SEED, "4711"]
    assert (facts.is_exclusive, facts.retries, facts.retry_delay_ms) == (True, 3, 30_000)
    assert "4711" not in repr(facts)


class OneSession:
    """Keeps one session in memory."""

    kept: SavedSession | None = None

    async def session(self, organization_id: str, login_id: str) -> SavedSession | None:
        del organization_id, login_id
        return self.kept

    async def put_session(self, saved: SavedSession) -> None:
        self.kept = saved

    async def refresh_session(self, saved: SavedSession) -> bool:
        self.kept = saved
        return True


_REMEMBERS = """<a href=/out>Sign out</a><p id=who>Hello</p><script>
  const open = indexedDB.open('site', 1);
  open.onupgradeneeded = () => open.result.createObjectStore('kept');
  open.onsuccess = () => {
    const kept = open.result.transaction('kept', 'readwrite').objectStore('kept');
    const before = kept.get('token');
    before.onsuccess = () => {
      document.title = 'was ' + [localStorage.token, sessionStorage.token, before.result];
      localStorage.token = 'local'; sessionStorage.token = 'tab'; kept.put('indexed', 'token');
    };
  };
</script>"""


@pytest.mark.slow
async def test_everything_a_site_keeps_in_a_browser_is_there_in_the_next(
    pool: BrowserPool, session: BrowserSession, bank: Bank, run: FakeSignInContext
) -> None:
    bank.pages["/first"] = f"<form method=post action=/in>{PLAIN_FIELDS}</form>"
    bank.pages["/in"] = _REMEMBERS
    login = bank_login(bank, "/first", homeUrl=bank.url + "/in", persistSession=True)
    store = OneSession()
    signing = SignIn(VAULT, QUICK, sessions=SavedSessions(store, VAULT))
    signed_in = await signing.sign_in(session, login, force=False, timeout_seconds=60, run=run)
    await session.page.wait_for_function("sessionStorage.token === 'tab' && document.title")
    await signing.save_session(session, signed_in)
    assert store.kept is not None
    assert b"indexed" not in store.kept.sealed
    other = await pool.take(SessionOptions(save_file=no_file))
    try:
        later = FakeSignInContext()
        await signing.sign_in(other, login, force=False, timeout_seconds=60, run=later)
        assert later.types == ["login.kept"]
        await other.page.wait_for_function("document.title")
        assert await other.page.title() == "was local,tab,indexed"
    finally:
        await other.end()
