"""Sign-ins that fail: the page's message, whose trouble it is, and that nothing is tried twice."""

import pytest

from pagehand.browser import BrowserSession
from pagehand.errors import BlockFailed, NotPresent, SiteDown, TimedOut
from pagehand.logins.sign_in.sign_in import SignIn
from support.bank import PLAIN_FIELDS, QUICK, VAULT, Bank, bank_login, sign_in
from support.logins import FakeSignInContext

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("path", "message"), [("/user", "Wrong user name or password"), ("/one", "Those details are incorrect.")]
)
async def test_a_wrong_password_fails_with_the_message_of_the_page(
    session: BrowserSession, bank: Bank, run: FakeSignInContext, path: str, message: str
) -> None:
    with pytest.raises(BlockFailed, match="did not accept the user name or the password") as failure:
        await sign_in(session, bank_login(bank, path, {"password": "not the one"}), run)
    assert message in failure.value.message
    assert "not the one" not in f"{failure.value.message} {failure.value.diagnosis} {run.events}"


async def test_the_password_is_sent_once_however_wrong(
    session: BrowserSession, bank: Bank, run: FakeSignInContext
) -> None:
    with pytest.raises(BlockFailed):
        await sign_in(session, bank_login(bank, "/user", {"password": "not the one"}), run)
    assert [path for path, _ in bank.sent].count("/password") == 1


@pytest.mark.parametrize(
    "words", ["We do not recognise those details.", "Sorry, we didn't recognize this user name"]
)
async def test_the_first_refusal_is_quoted_and_not_what_follows_from_it(
    session: BrowserSession, bank: Bank, run: FakeSignInContext, words: str
) -> None:
    bank.pages["/sad"] = f"<form method=post action=/answer>{PLAIN_FIELDS}</form>"
    bank.pages["/answer"] = f"<p>{words}</p>"
    bank.pages["/members"] = "<h1>Your session has expired</h1><a href=/sad>Sign in</a>"
    with pytest.raises(BlockFailed) as failure:
        await sign_in(session, bank_login(bank, "/sad", homeUrl=bank.url + "/members"), run)
    assert words in failure.value.message
    assert "expired" not in failure.value.message


@pytest.mark.slow
async def test_a_home_page_that_does_not_know_us_fails(
    session: BrowserSession, bank: Bank, run: FakeSignInContext
) -> None:
    bank.pages["/members"] = f"<h1>Members only</h1><form>{PLAIN_FIELDS}</form>"
    with pytest.raises(BlockFailed, match="asks to sign in again"):
        await sign_in(session, bank_login(bank, "/one", homeUrl=bank.url + "/members"), run)


async def test_a_server_error_is_the_sites_trouble_and_not_the_logins(
    session: BrowserSession, bank: Bank, run: FakeSignInContext
) -> None:
    with pytest.raises(SiteDown, match="status 500"):
        await sign_in(session, bank_login(bank, "/broken"), run)
    bank.pages["/half"] = f"<form method=post action=/broken>{PLAIN_FIELDS}</form>"
    with pytest.raises(SiteDown, match="/broken` answered with status 500"):
        await sign_in(session, bank_login(bank, "/half"), run)


@pytest.mark.slow
async def test_a_page_without_a_form_fails_with_what_it_shows(
    session: BrowserSession, bank: Bank, run: FakeSignInContext
) -> None:
    bank.pages["/closed"] = "<h1>We are closed on Sundays</h1>"
    with pytest.raises(NotPresent, match="did not appear") as failure:
        await sign_in(session, bank_login(bank, "/closed"), run)
    assert "We are closed on Sundays" in failure.value.diagnosis.found


@pytest.mark.slow
async def test_an_alert_box_counts_as_a_message_of_the_page(
    session: BrowserSession, bank: Bank, run: FakeSignInContext
) -> None:
    bank.pages["/alert"] = f"<form onsubmit='alert(`No entry today`); return false'>{PLAIN_FIELDS}</form>"
    with pytest.raises(BlockFailed, match="No entry today"):
        await sign_in(session, bank_login(bank, "/alert"), run)


async def test_what_the_browser_finds_wrong_with_a_field_is_quoted(
    session: BrowserSession, bank: Bank, run: FakeSignInContext
) -> None:
    bank.pages["/strict"] = f"<form><input name=user type=email>{PLAIN_FIELDS}</form>"
    with pytest.raises(BlockFailed, match="include an '@'"):
        await sign_in(session, bank_login(bank, "/strict"), run)


async def test_the_time_given_is_kept(session: BrowserSession, bank: Bank, run: FakeSignInContext) -> None:
    bank.pages["/closed"] = "<h1>We are closed on Sundays</h1>"
    with pytest.raises(TimedOut, match=r"within 0\.5 s"):
        await SignIn(VAULT, QUICK).sign_in(
            session, bank_login(bank, "/closed"), force=False, timeout_seconds=0.5, run=run
        )
