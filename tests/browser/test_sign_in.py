"""Signing in on real pages of a site that behaves as sites do."""

import asyncio
import json
import secrets
import threading
import time
from collections.abc import AsyncGenerator, Callable, Generator
from dataclasses import dataclass, field
from http import HTTPStatus
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

import msgspec
import pytest

from pagehand.browser import BrowserPool, BrowserSession, SessionOptions
from pagehand.errors import BlockFailed, NotPresent, SiteDown, TimedOut
from pagehand.logins.credentials import Credentials, seal
from pagehand.logins.profile import as_fields
from pagehand.logins.saved_sessions import SavedSessions
from pagehand.logins.second_factor.inbox import MailRoom
from pagehand.logins.second_factor.letter import Letter, read_letter
from pagehand.logins.second_factor.totp import code_at
from pagehand.logins.sign_in.attempt import SignIn
from pagehand.logins.sign_in.pace import Pace
from pagehand.logins.written import WrittenLogin, new_draft
from pagehand.records import FileInfo, Login, SavedSession
from pagehand.secrets.master_key import MasterKey
from pagehand.secrets.vault import Vault
from support.shared_browser import SharedBrowser
from support.signing import SignInContext

pytestmark = pytest.mark.anyio

VAULT = Vault(MasterKey(bytes(range(32))))
SEED = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
PASSWORD = 'hor"se & <staple> ü'
PLAIN_FIELDS = "<input name=user><input type=password name=pw><button>Log in</button>"
QUICK = Pace(appear=3, verdict=4, again=0.8, settle=0.3, linger=1)


@dataclass
class Reply:
    """What the bank answers: a page, a redirect or an error."""

    body: str = ""
    status: int = 200
    location: str = ""
    cookie: str = ""


@dataclass
class Visit:
    """One browser's dealings with the bank."""

    user: str = ""
    is_in: bool = False


@dataclass
class Bank:
    """A site with a handful of ways to sign in, all for the user `ada`."""

    url: str = ""
    second_factor: bool = False
    sent: list[tuple[str, dict[str, str]]] = field(default_factory=list[tuple[str, dict[str, str]]])
    pages: dict[str, str] = field(default_factory=dict[str, str])
    visits: dict[str, Visit] = field(default_factory=dict[str, Visit])
    refuse_codes: int = 0

    def answer(self, method: str, path: str, fields: dict[str, str], visit: Visit) -> Reply:
        if method == "POST":
            self.sent.append((path, fields))
        if path in self.pages:
            return Reply(self.pages[path])
        routes: dict[str, Callable[[dict[str, str], Visit], Reply]] = {
            "/home": self._home,
            "/user": self._user,
            "/password": self._password,
            "/one": self._one,
            "/code": self._code,
            "/api": self._api,
            "/broken": self._broken,
        }
        route = routes.get(path)
        return route(fields, visit) if route else Reply("nothing here", 404)

    def _broken(self, _: dict[str, str], __: Visit) -> Reply:
        return Reply("out of order", 500)

    def _home(self, _: dict[str, str], visit: Visit) -> Reply:
        if not visit.is_in:
            return Reply(status=302, location="/user")
        news = "<form><label>Newsletter <input type=email name=mail></label><button>Subscribe</button></form>"
        return Reply(f"<h1>Home</h1><p id=who>Hello {visit.user}</p>{news}")

    def _user(self, fields: dict[str, str], visit: Visit) -> Reply:
        if fields:
            visit.user = fields["username"]
            return Reply(status=303, location="/password")
        return Reply(
            "<h1>Welcome</h1><form method=post><label>User name <input name=username autocomplete=username>"
            "</label><button>Next</button></form>"
        )

    def _password(self, fields: dict[str, str], visit: Visit) -> Reply:
        if not fields:
            return Reply(
                "<h1>Your password</h1><form method=post>"
                "<label>Password <input type=password name=password></label>"
                "<a href=/forgot>Forgot password?</a><button>Sign in</button></form>"
            )
        return self._judge(fields["password"] == PASSWORD, visit)

    def _one(self, fields: dict[str, str], visit: Visit) -> Reply:
        form = (
            "<form method=post><input name=email placeholder='E-mail address'>"
            "<input name=password type=password placeholder=Password>"
            "<button type=button>Show</button><input type=submit value='Log in'></form>"
        )
        if not fields:
            return Reply(form)
        visit.user = fields["email"]
        right = visit.user == "ada" and fields["password"] == PASSWORD
        return self._judge(right, visit) if right else Reply(f"<p>Those details are incorrect.</p>{form}")

    def _judge(self, right: bool, visit: Visit) -> Reply:
        if not right or visit.user != "ada":
            form = "<label>User name <input name=username></label><button>Next</button>"
            return Reply(
                "<div role=alert>Wrong user name or password</div>"
                f"<form method=post action=/user>{form}</form>"
            )
        if self.second_factor:
            return Reply(status=303, location="/code")
        visit.is_in = True
        return Reply(status=303, location="/home")

    def _code(self, fields: dict[str, str], visit: Visit) -> Reply:
        form = (
            "<h1>Check it is you</h1><p>Enter the code from your authenticator app</p>"
            "<form method=post><label>Verification code <input name=code inputmode=numeric></label>"
            "<button>Verify</button></form>"
        )
        if not fields:
            return Reply(form)
        good = {code_at(SEED, time.time() + shift).code for shift in (-30, 0, 30)}
        if self.refuse_codes or fields["code"] not in good:
            self.refuse_codes = max(0, self.refuse_codes - 1)
            return Reply(f"<p class=error>That code has expired</p>{form}")
        visit.is_in = True
        return Reply(status=303, location="/home")

    def _api(self, fields: dict[str, str], visit: Visit) -> Reply:
        visit.user = fields["user"]
        visit.is_in = fields["user"] == "ada" and fields["password"] == PASSWORD
        return Reply(json.dumps({"ok": visit.is_in}), 200 if visit.is_in else 401)


def serve(bank: Bank) -> ThreadingHTTPServer:
    """Start the bank on a free port of loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length", "0"))
            raw = parse_qs(self.rfile.read(length).decode(), keep_blank_values=True)
            cookie = SimpleCookie(self.headers.get("Cookie", "")).get("visit")
            key = cookie.value if cookie else secrets.token_hex(8)
            visit = bank.visits.setdefault(key, Visit())
            fields = {name: values[-1] for name, values in raw.items()}
            reply = bank.answer(self.command, self.path.partition("?")[0], fields, visit)
            body = reply.body.encode()
            self.send_response(HTTPStatus(reply.status))
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Set-Cookie", f"visit={key}; Path=/")
            if reply.location:
                self.send_header("Location", reply.location)
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815 - the name http.server calls

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - http.server's own name
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    bank.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    return server


@pytest.fixture
def bank() -> Generator[Bank]:
    bank = Bank()
    server = serve(bank)
    yield bank
    server.shutdown()
    server.server_close()


@pytest.fixture
def told() -> SignInContext:
    return SignInContext()


async def _no_file(*_: Any) -> FileInfo:
    raise AssertionError("nothing is downloaded while signing in")


@pytest.fixture
async def session(shared: SharedBrowser) -> AsyncGenerator[BrowserSession]:
    session = await shared.take(SessionOptions(save_file=_no_file))
    yield session
    await session.end()


def make_login(bank: Bank, path: str, configuration: dict[str, Any] | None = None, **fields: Any) -> Login:
    full: dict[str, Any] = {"username": "ada", "password": PASSWORD, **(configuration or {})}
    written = {
        "name": "Bank",
        "authenticationUrl": bank.url + path,
        "homeUrl": bank.url + "/home",
        "loginConfiguration": full,
        **fields,
    }
    draft = new_draft(msgspec.convert(written, WrittenLogin))
    return Login(
        id="login_1",
        organization_id="org_1",
        name=draft.name,
        username=draft.username,
        fields=as_fields(draft.profile),
        secrets=seal(VAULT, "org_1", "login_1", draft.credentials),
        created_at=0,
        updated_at=0,
    )


TOTP = {"twoFactorAuthConfiguration": {"method": "TOTP", "totpSecretKey": SEED}}


async def sign_in(session: BrowserSession, login: Login, told: SignInContext, *, force: bool = False) -> None:
    await SignIn(VAULT, QUICK).sign_in(session, login, force=force, timeout_seconds=60, run=told)


async def who(session: BrowserSession) -> str:
    return await session.page.inner_text("#who")


async def test_user_name_and_password_on_pages_of_their_own(
    session: BrowserSession, bank: Bank, told: SignInContext
) -> None:
    await sign_in(session, make_login(bank, "/user"), told)
    assert await who(session) == "Hello ada"
    assert bank.sent == [("/user", {"username": "ada"}), ("/password", {"password": PASSWORD})]
    assert told.types == ["login.opened", "login.submitted", "login.submitted", "login.accepted"]


async def test_both_on_one_page_without_labels(
    session: BrowserSession, bank: Bank, told: SignInContext
) -> None:
    await sign_in(session, make_login(bank, "/one"), told)
    assert await who(session) == "Hello ada"
    assert bank.sent == [("/one", {"email": "ada", "password": PASSWORD})]


@pytest.mark.parametrize(
    ("path", "said"), [("/user", "Wrong user name or password"), ("/one", "Those details are incorrect.")]
)
async def test_a_wrong_password_fails_with_what_the_page_said(
    session: BrowserSession, bank: Bank, told: SignInContext, path: str, said: str
) -> None:
    with pytest.raises(BlockFailed, match="did not accept the user name or the password") as failure:
        await sign_in(session, make_login(bank, path, {"password": "not the one"}), told)
    assert said in failure.value.message
    assert "not the one" not in f"{failure.value.message} {failure.value.diagnosis} {told.events}"


async def test_the_password_is_sent_once_however_wrong(
    session: BrowserSession, bank: Bank, told: SignInContext
) -> None:
    with pytest.raises(BlockFailed):
        await sign_in(session, make_login(bank, "/user", {"password": "not the one"}), told)
    assert [path for path, _ in bank.sent].count("/password") == 1


async def test_a_totp_code_is_entered_where_the_site_asks_for_one(
    session: BrowserSession, bank: Bank, told: SignInContext
) -> None:
    bank.second_factor = True
    await sign_in(session, make_login(bank, "/user", TOTP), told)
    assert await who(session) == "Hello ada"
    assert [path for path, _ in bank.sent] == ["/user", "/password", "/code"]
    assert bank.sent[-1][1]["code"] not in str(told.events)


async def test_a_refused_code_is_followed_by_a_fresh_one_and_no_third(
    session: BrowserSession, bank: Bank, told: SignInContext
) -> None:
    bank.second_factor = True
    bank.refuse_codes = 9
    quick_codes = f"otpauth://totp/x?secret={SEED}&period=2"
    factor = {"twoFactorAuthConfiguration": {"method": "TOTP", "totpSecretKey": quick_codes}}
    with pytest.raises(BlockFailed, match=r"did not accept the code.*That code has expired"):
        await sign_in(session, make_login(bank, "/user", factor), told)
    codes = [fields["code"] for path, fields in bank.sent if path == "/code"]
    assert len(codes) == 2
    assert codes[0] != codes[1]


@pytest.mark.parametrize("method", ["SMS", "None", "Email"])
async def test_a_code_that_is_handed_in_is_typed_and_a_refused_one_asks_for_another(
    session: BrowserSession, bank: Bank, method: str
) -> None:
    bank.second_factor, bank.refuse_codes = True, 1
    login = make_login(bank, "/user", {"twoFactorAuthConfiguration": {"method": method}})
    run = SignInContext("1111", code_at(SEED, time.time()).code)
    await sign_in(session, login, run)
    assert [fields["code"] for path, fields in bank.sent if path == "/code"] == run.secrets
    assert run.refusals[0] == ""
    assert "code" in run.refusals[1]
    assert await who(session) == "Hello ada"


async def test_unusual_names_behind_a_cookie_banner(
    session: BrowserSession, bank: Bank, told: SignInContext
) -> None:
    bank.pages["/odd"] = """
      <form role=search><input name=q placeholder="Find a branch"><button>Search</button></form>
      <h1>Log in to Fjord</h1>
      <form method=post action=/odd-in>
        <div>Kundennr.</div><input name=f1x>
        <div>Geheimwort</div><input name=f2x type=password autocomplete=off>
        <div style="margin-top:500px"><button type=submit>Los!</button></div>
      </form>
      <div id=bar style="position:fixed;inset:auto 0 0 0;height:70vh;background:#ddd">
        We use cookies. <button onclick="fetch('/accepted')">Accept all</button>
        <button onclick="document.getElementById('bar').remove()">Reject all</button>
      </div>"""
    bank.pages["/odd-in"] = "<h1>Hej</h1><p id=who>Hello Fjord</p><a href=/out>Sign out</a>"
    await sign_in(session, make_login(bank, "/odd", homeUrl=bank.url + "/odd-in"), told)
    assert bank.sent == [("/odd-in", {"f1x": "ada", "f2x": PASSWORD})]
    assert await who(session) == "Hello Fjord"


async def test_a_form_that_a_script_builds_and_judges(
    session: BrowserSession, bank: Bank, told: SignInContext
) -> None:
    bank.pages["/app"] = """<div id=root></div><script>
      const root = document.getElementById('root').attachShadow({mode: 'open'});
      setTimeout(() => {
        root.innerHTML = `<label for=l>Account</label><input id=l><label for=p>Password</label>
          <input id=p type=password><button disabled>Sign in</button><div id=msg></div>`;
        const [user, password] = root.querySelectorAll('input'), button = root.querySelector('button');
        root.addEventListener('input', () => { button.disabled = !user.value || !password.value; });
        button.addEventListener('click', async () => {
          button.disabled = true;
          const body = new URLSearchParams({user: user.value, password: password.value});
          const answer = await fetch('/api', {method: 'POST', body});
          if ((await answer.json()).ok) location.hash = '#/in', root.innerHTML = '<h1>Inbox</h1>';
          else root.getElementById('msg').innerHTML = '<p role=alert>Unknown account</p>';
        });
      }, 400);
    </script>"""
    await sign_in(session, make_login(bank, "/app"), told)
    assert await who(session) == "Hello ada"
    other = make_login(bank, "/app", {"username": "eve"})
    with pytest.raises(BlockFailed, match="Unknown account"):
        await sign_in(session, other, told, force=True)


async def test_a_box_for_each_digit(session: BrowserSession, bank: Bank, told: SignInContext) -> None:
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
    await sign_in(session, make_login(bank, "/code-please", TOTP), told)
    assert [path for path, _ in bank.sent] == ["/boxes", "/code"]
    assert session.page.url == bank.url + "/home"


async def test_a_home_page_that_does_not_know_us_fails(
    session: BrowserSession, bank: Bank, told: SignInContext
) -> None:
    bank.pages["/members"] = f"<h1>Members only</h1><form>{PLAIN_FIELDS}</form>"
    with pytest.raises(BlockFailed, match="asks to sign in again"):
        await sign_in(session, make_login(bank, "/one", homeUrl=bank.url + "/members"), told)


async def test_a_form_in_a_frame(session: BrowserSession, bank: Bank, told: SignInContext) -> None:
    bank.pages["/framed"] = "<h1>Fjord Bank</h1><iframe src=/one width=600 height=300></iframe>"
    await sign_in(session, make_login(bank, "/framed"), told)
    assert await who(session) == "Hello ada"


async def test_a_strange_frame_in_its_own_page_gets_nothing(
    session: BrowserSession, bank: Bank, told: SignInContext
) -> None:
    stranger = Bank()
    server = serve(stranger)
    bank.pages["/framed"] = f"<iframe src={stranger.url}/one width=600 height=300></iframe>"
    with pytest.raises(BlockFailed, match="is not part of"):
        await sign_in(session, make_login(bank, "/framed"), told)
    server.shutdown()
    server.server_close()
    assert await session.page.frames[1].input_value("[name=password]") == ""


async def test_a_landing_page_is_asked_for_its_form(
    session: BrowserSession, bank: Bank, told: SignInContext
) -> None:
    bank.pages["/landing"] = "<h1>Fjord Bank</h1><a href=/user>Log in</a>"
    await sign_in(session, make_login(bank, "/landing"), told)
    assert await who(session) == "Hello ada"


async def test_nothing_is_typed_on_another_site(
    session: BrowserSession, bank: Bank, told: SignInContext
) -> None:
    stranger = Bank()
    server = serve(stranger)
    bank.pages["/away"] = f"<script>location.href = '{stranger.url}/one'</script>"
    with pytest.raises(BlockFailed, match="is not part of") as failure:
        await sign_in(session, make_login(bank, "/away"), told)
    server.shutdown()
    server.server_close()
    assert stranger.url in failure.value.message
    assert await session.page.input_value("[name=password]") == ""
    assert not stranger.sent


async def test_who_is_signed_in_already_stays_so_unless_forced(
    session: BrowserSession, bank: Bank, told: SignInContext
) -> None:
    await sign_in(session, make_login(bank, "/user"), told)
    bank.pages["/user-or-home"] = "<script>location.replace('/home')</script>"
    await sign_in(session, make_login(bank, "/user-or-home"), told)
    assert (len(bank.sent), told.types[-1]) == (2, "login.kept")
    await sign_in(session, make_login(bank, "/user-or-home"), told, force=True)
    assert (len(bank.sent), told.types[-1]) == (4, "login.accepted")


async def test_a_server_error_is_the_sites_trouble_and_not_the_logins(
    session: BrowserSession, bank: Bank, told: SignInContext
) -> None:
    with pytest.raises(SiteDown, match="status 500"):
        await sign_in(session, make_login(bank, "/broken"), told)
    bank.pages["/half"] = f"<form method=post action=/broken>{PLAIN_FIELDS}</form>"
    with pytest.raises(SiteDown, match="/broken` answered with status 500"):
        await sign_in(session, make_login(bank, "/half"), told)


async def test_a_page_without_a_form_fails_with_what_it_shows(
    session: BrowserSession, bank: Bank, told: SignInContext
) -> None:
    bank.pages["/closed"] = "<h1>We are closed on Sundays</h1>"
    with pytest.raises(NotPresent, match="did not come up") as failure:
        await sign_in(session, make_login(bank, "/closed"), told)
    assert "We are closed on Sundays" in failure.value.diagnosis.found


async def test_an_alert_box_counts_as_what_the_page_said(
    session: BrowserSession, bank: Bank, told: SignInContext
) -> None:
    bank.pages["/alert"] = f"<form onsubmit='alert(`No entry today`); return false'>{PLAIN_FIELDS}</form>"
    with pytest.raises(BlockFailed, match="No entry today"):
        await sign_in(session, make_login(bank, "/alert"), told)


async def test_what_the_browser_finds_wrong_with_a_field_is_said(
    session: BrowserSession, bank: Bank, told: SignInContext
) -> None:
    bank.pages["/strict"] = f"<form><input name=user type=email>{PLAIN_FIELDS}</form>"
    with pytest.raises(BlockFailed, match="include an '@'"):
        await sign_in(session, make_login(bank, "/strict"), told)


async def test_a_login_to_be_used_by_hand_waits_until_a_person_has_signed_in(
    session: BrowserSession, bank: Bank, told: SignInContext
) -> None:
    signing_in = asyncio.create_task(
        sign_in(session, make_login(bank, "/one", isManualAuthentication=True), told)
    )
    async with asyncio.timeout(20):
        while not told.waited_for_user:  # noqa: ASYNC110 - no event tells of it
            await asyncio.sleep(0.05)
    await session.page.fill("[name=email]", "ada")
    await session.page.fill("[name=password]", PASSWORD)
    await session.page.click("[type=submit]")
    await asyncio.wait_for(signing_in, 20)
    assert await who(session) == "Hello ada"


async def test_the_time_given_is_kept(session: BrowserSession, bank: Bank, told: SignInContext) -> None:
    bank.pages["/closed"] = "<h1>We are closed on Sundays</h1>"
    with pytest.raises(TimedOut, match=r"within 0\.5 s"):
        await SignIn(VAULT, QUICK).sign_in(
            session, make_login(bank, "/closed"), force=False, timeout_seconds=0.5, run=told
        )


async def test_the_password_field_is_masked_before_it_is_filled(
    session: BrowserSession, bank: Bank, told: SignInContext
) -> None:
    bank.pages["/stuck"] = f"<form onsubmit='return false'>{PLAIN_FIELDS}</form>"
    with pytest.raises(BlockFailed, match="asks for the same again"):
        await sign_in(session, make_login(bank, "/stuck"), told)
    assert await session.page.input_value("[name=pw]") == PASSWORD
    assert await session.page.get_attribute("[name=pw]", "data-pagehand-masked") is not None


async def test_facts_show_names_and_keep_secrets_apart(bank: Bank) -> None:
    extras = {"additionalCredentials": [{"key": "pin", "value": "4711"}], **TOTP}
    login = make_login(bank, "/user", extras, autoRetryOnServiceDown=True, autoRetryDelayMinutes=0.5)
    facts = SignIn(VAULT).facts(login)
    assert (facts.shown["username"], facts.shown["pin"], facts.shown["password"]) == ("ada", "***", "***")
    assert facts.secret_values["pin"] == "4711"
    assert facts.secrets == [PASSWORD, SEED, "4711"]
    assert (facts.is_exclusive, facts.retries, facts.retry_delay_ms) == (True, 3, 30_000)
    assert "4711" not in repr(facts)


async def test_a_consent_screen_is_agreed_to_and_the_box_to_be_remembered_is_ticked(
    session: BrowserSession, bank: Bank, told: SignInContext
) -> None:
    bank.pages["/boxed"] = (
        f"<form method=post action=/grant>{PLAIN_FIELDS}"
        "<label><input type=checkbox name=keep> Remember me</label></form>"
    )
    bank.pages["/grant"] = (
        "<h1>Shop would like access to your account</h1>"
        "<form action=/in><button name=no>Cancel</button><button name=yes>Allow</button></form>"
    )
    bank.pages["/in"] = "<p id=who>Hello ada</p><a href=/out>Sign out</a>"
    login = make_login(bank, "/boxed", homeUrl=bank.url + "/boxed", persistSession=True)
    await sign_in(session, login, told)
    assert "login.agreed" in told.types
    assert bank.sent[0][1]["keep"] == "on"
    assert session.page.url.endswith("/in?yes=")


class OneLetter:
    """Mail that holds one letter."""

    pause_seconds = 0.05

    def __init__(self, text: str) -> None:
        self._letter = read_letter(f"From: a@bank.test\n\n{text}".encode(), time.time() + 60)

    async def letters(self, since: float) -> list[Letter]:
        return [self._letter] if since <= self._letter.received_at else []

    async def close(self) -> None:
        return

    async def source(self, login: Login, credentials: Credentials) -> tuple["OneLetter", str]:
        del login, credentials
        return self, "`ada@site.test`"


async def test_a_link_that_came_by_mail_is_opened(
    session: BrowserSession, bank: Bank, told: SignInContext
) -> None:
    bank.pages["/ask"] = (
        "<form method=post action=/sent><input name=email type=email><button>Next</button></form>"
    )
    bank.pages["/sent"] = "<h1>Check your inbox</h1><p>We have sent you a sign-in link.</p>"
    bank.pages["/magic"] = "<p id=who>Hello ada</p><a href=/out>Sign out</a>"
    login = make_login(
        bank,
        "/ask",
        {"password": "", "twoFactorAuthConfiguration": {"method": "Email"}, "username": "ada@site.test"},
        homeUrl=bank.url + "/magic",
    )
    mail = MailRoom(OneLetter(f"Sign in: {bank.url}/magic"), 5)
    await SignIn(VAULT, QUICK, mail=mail).sign_in(session, login, force=False, timeout_seconds=60, run=told)
    assert await who(session) == "Hello ada"
    assert "login.link" in told.types


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


async def test_everything_a_site_keeps_in_a_browser_is_there_in_the_next(
    pool: BrowserPool, session: BrowserSession, bank: Bank, told: SignInContext
) -> None:
    bank.pages["/first"] = f"<form method=post action=/in>{PLAIN_FIELDS}</form>"
    bank.pages["/in"] = _REMEMBERS
    login = make_login(bank, "/first", homeUrl=bank.url + "/in", persistSession=True)
    store = OneSession()
    signing = SignIn(VAULT, QUICK, sessions=SavedSessions(store, VAULT))
    signed_in = await signing.sign_in(session, login, force=False, timeout_seconds=60, run=told)
    await session.page.wait_for_function("sessionStorage.token === 'tab' && document.title")
    await signing.keep(session, signed_in)
    assert store.kept is not None
    assert b"indexed" not in store.kept.sealed
    other = await pool.take(SessionOptions(save_file=_no_file))
    try:
        again = SignInContext()
        await signing.sign_in(other, login, force=False, timeout_seconds=60, run=again)
        assert again.types == ["login.kept"]
        await other.page.wait_for_function("document.title")
        assert await other.page.title() == "was local,tab,indexed"
    finally:
        await other.end()
