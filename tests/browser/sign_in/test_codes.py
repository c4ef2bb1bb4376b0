"""Second factors: codes that are made, handed in or refused, and links that come by mail."""

import time

import pytest

from pagehand.browser import BrowserSession
from pagehand.errors import BlockFailed
from pagehand.logins.credentials import Credentials
from pagehand.logins.second_factor.inbox import Inboxes
from pagehand.logins.second_factor.mail_message import MailMessage, parse_mail
from pagehand.logins.second_factor.totp import code_at
from pagehand.logins.sign_in.sign_in import SignIn
from pagehand.records import Login
from support.bank import QUICK, SEED, TOTP, VAULT, Bank, bank_login, sign_in, signed_in_user
from support.logins import FakeSignInContext

pytestmark = pytest.mark.anyio


@pytest.mark.slow
async def test_a_totp_code_is_entered_where_the_site_asks_for_one(
    session: BrowserSession, bank: Bank, run: FakeSignInContext
) -> None:
    bank.second_factor = True
    await sign_in(session, bank_login(bank, "/user", TOTP), run)
    assert await signed_in_user(session) == "Hello ada"
    assert [path for path, _ in bank.sent] == ["/user", "/password", "/code"]
    assert bank.sent[-1][1]["code"] not in str(run.events)


@pytest.mark.slow
async def test_a_refused_code_is_followed_by_a_fresh_one_and_no_third(
    session: BrowserSession, bank: Bank, run: FakeSignInContext
) -> None:
    bank.second_factor = True
    bank.refuse_codes = 9
    quick_codes = f"otpauth://totp/x?secret={SEED}&period=2"
    factor = {"twoFactorAuthConfiguration": {"method": "TOTP", "totpSecretKey": quick_codes}}
    with pytest.raises(BlockFailed, match=r"did not accept the code.*That code has expired"):
        await sign_in(session, bank_login(bank, "/user", factor), run)
    codes = [fields["code"] for path, fields in bank.sent if path == "/code"]
    assert len(codes) == 2
    assert codes[0] != codes[1]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["SMS", "None", "Email"])
async def test_a_code_that_is_handed_in_is_typed_and_a_refused_one_asks_for_another(
    session: BrowserSession, bank: Bank, method: str
) -> None:
    bank.second_factor, bank.refuse_codes = True, 1
    login = bank_login(bank, "/user", {"twoFactorAuthConfiguration": {"method": method}})
    run = FakeSignInContext("1111", code_at(SEED, time.time()).code)
    await sign_in(session, login, run)
    assert [fields["code"] for path, fields in bank.sent if path == "/code"] == run.secrets
    assert run.waits[0][1] == ""
    assert "code" in run.waits[1][1]
    assert await signed_in_user(session) == "Hello ada"


@pytest.mark.slow
async def test_a_box_for_each_digit(session: BrowserSession, bank: Bank, run: FakeSignInContext) -> None:
    box = "<input maxlength=1 inputmode=numeric oninput='advance(this)'>"
    bank.pages["/boxes"] = f"""<h1>Enter your code</h1><form method=post action=/code>{box * 6}
      <input type=hidden name=code></form>
      <script>function advance(box) {{
        const boxes = [...document.querySelectorAll('[maxlength]')];
        boxes[boxes.indexOf(box) + 1]?.focus();
        const code = boxes.map((one) => one.value).join('');
        if (code.length == 6) {{ document.forms[0].code.value = code; document.forms[0].submit(); }}
      }}</script>"""
    bank.pages["/code-please"] = (
        "<form method=post action=/boxes><input name=user autocomplete=username><input type=password name=pw>"
        "<button>Continue</button></form>"
    )
    await sign_in(session, bank_login(bank, "/code-please", TOTP), run)
    assert [path for path, _ in bank.sent] == ["/boxes", "/code"]
    assert session.page.url == bank.url + "/home"


class OneMessage:
    """Mail that holds one letter."""

    pause_seconds = 0.05

    def __init__(self, text: str) -> None:
        self._message = parse_mail(f"From: a@bank.test\n\n{text}".encode(), time.time() + 60)

    async def messages(self, since: float) -> list[MailMessage]:
        return [self._message] if since <= self._message.received_at else []

    async def close(self) -> None:
        return

    async def source(self, login: Login, credentials: Credentials) -> tuple["OneMessage", str]:
        del login, credentials
        return self, "`ada@site.test`"


async def test_a_link_that_came_by_mail_is_opened(
    session: BrowserSession, bank: Bank, run: FakeSignInContext
) -> None:
    bank.pages["/ask"] = (
        "<form method=post action=/sent><input name=email type=email><button>Next</button></form>"
    )
    bank.pages["/sent"] = "<h1>Check your inbox</h1><p>We have sent you a sign-in link.</p>"
    bank.pages["/magic"] = "<p id=who>Hello ada</p><a href=/out>Sign out</a>"
    login = bank_login(
        bank,
        "/ask",
        {"password": "", "twoFactorAuthConfiguration": {"method": "Email"}, "username": "ada@site.test"},
        homeUrl=bank.url + "/magic",
    )
    inboxes = Inboxes(OneMessage(f"Sign in: {bank.url}/magic"), 5)
    await SignIn(VAULT, QUICK, inboxes=inboxes).sign_in(
        session, login, force=False, timeout_seconds=60, run=run
    )
    assert await signed_in_user(session) == "Hello ada"
    assert "login.link" in run.types
