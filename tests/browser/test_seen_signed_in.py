"""Signed in means seen to be signed in: pages that refuse without a form, and those that only look it."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest

from pagehand.browser import BrowserSession
from pagehand.errors import BlockFailed
from pagehand.logins import failures
from pagehand.logins.saved_sessions import SavedSessions
from pagehand.logins.sign_in.detection import SignInTimeouts
from pagehand.logins.sign_in.sign_in import SignIn
from pagehand.records import Login, SavedSession
from pagehand.secrets.master_key import MasterKey
from pagehand.secrets.vault import Vault
from support.logins import FakeSignInContext, sealed_login
from support.portal import (
    PASSWORD,
    RIGHT_CODE,
    START_AGAIN,
    Portal,
    PortalRequest,
    PortalWithCode,
    Reply,
    form,
    redirect,
)
from support.shared_browser import SharedBrowser

pytestmark = pytest.mark.anyio

VAULT = Vault(MasterKey(bytes(range(32))))
QUICK = SignInTimeouts(
    form_seconds=4, answer_seconds=5, repeat_seconds=0.8, settle_seconds=0.3, linger_seconds=1
)
HTML = str


@pytest.fixture
async def session(shared: SharedBrowser) -> AsyncGenerator[BrowserSession]:
    session = await shared.take()
    yield session
    await session.end()


def make_login(portal: Portal, *, home: str = "/home", password: str = PASSWORD, **fields: Any) -> Login:
    two_factor = fields.pop("two_factor", {"method": "SMS"})
    configuration = {"username": "ada", "password": password, "twoFactorAuthConfiguration": two_factor}
    written = {
        "name": "Portal",
        "authenticationUrl": f"{portal.url}/in",
        "homeUrl": portal.url + home if home else "",
        "loginConfiguration": configuration,
        **fields,
    }
    return sealed_login(VAULT, written)


async def sign_in(session: BrowserSession, login: Login, run: FakeSignInContext) -> None:
    await SignIn(VAULT, QUICK).sign_in(session, login, force=False, timeout_seconds=60, run=run)


REFUSALS: dict[str, HTML | Reply] = {
    "text and link": START_AGAIN,
    "text alone": "<div>The code you entered is not correct.</div>",
    "in pieces": "<p>The code <b>111111</b> is <em>not valid</em> any more</p>",
    "with a way out": f"{START_AGAIN}<a href=/out>Log out</a>",
    "status 403": Reply("<h1>Nope</h1><p>Computer says no.</p>", 403),
    "status 401": Reply("<h1>Nope</h1>", 401),
    "rate limit": Reply("<h1>Slow down</h1><p>Too many attempts, try later.</p>", 429),
    "unknown words and a link": "<p>Quxbar flumph.</p><a href=/in>Hoppla</a>",
    "German": "<p>Der Bestätigungscode stimmt nicht.</p>",
    "French": "<p>Le code saisi n'est pas valide.</p>",
    "Spanish": "<p>El código introducido no es válido.</p>",
    "Polish": "<p>Nieprawidłowy kod weryfikacyjny.</p>",
    "Russian": "<p>Неверный код подтверждения.</p>",
    "Japanese": "<p>認証コードが正しくありません。</p>",
    "Chinese": "<p>验证码错误</p>",
    "in a frame": "<iframe srcdoc='<p>Wrong code</p>' width=300 height=100></iframe>",
    "by a script": "<div id=a></div><script>setTimeout(() => a.textContent = 'Wrong code', 100)</script>",
}


@pytest.mark.slow
@pytest.mark.parametrize("how", REFUSALS)
async def test_a_wrong_code_is_a_refusal_whatever_the_page_looks_like(
    session: BrowserSession, guarded: PortalWithCode, how: str
) -> None:
    guarded.refusal = REFUSALS[how]
    run = FakeSignInContext("111111", RIGHT_CODE)
    await sign_in(session, make_login(guarded), run)
    assert [item["code"] for item in guarded.posted("/code")] == ["111111", RIGHT_CODE]
    assert run.waits[0][1] == ""
    assert "did not accept the code" in run.waits[1][1]
    assert await session.page.inner_text("#who") == "Hello ada"


@pytest.mark.slow
async def test_where_the_site_ends_the_sign_in_it_is_begun_again_three_times_and_no_more(
    session: BrowserSession, guarded: PortalWithCode
) -> None:
    run = FakeSignInContext(*["111111"] * 9)
    with pytest.raises(failures.CredentialsRefused, match="Invalid verification code") as failure:
        await sign_in(session, make_login(guarded), run)
    assert failure.value.is_code
    assert len(guarded.posted("/code")) == 4
    assert run.types.count("login.restarted") == 3
    assert "login.accepted" not in run.types


@pytest.mark.slow
async def test_codes_of_a_wrong_seed_are_tried_twice_and_refused(
    session: BrowserSession, guarded: PortalWithCode
) -> None:
    seed = "otpauth://totp/x?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&period=2"
    login = make_login(guarded, two_factor={"method": "TOTP", "totpSecretKey": seed})
    with pytest.raises(failures.CredentialsRefused, match="did not accept the code"):
        await sign_in(session, login, FakeSignInContext())
    assert len(guarded.posted("/code")) == 2


@pytest.mark.slow
async def test_a_locked_account_is_not_tried_again(session: BrowserSession, guarded: PortalWithCode) -> None:
    guarded.refusal = "<p>Your account has been locked after a wrong code.</p>"
    with pytest.raises(BlockFailed, match="locked the account"):
        await sign_in(session, make_login(guarded), FakeSignInContext("111111", RIGHT_CODE))
    assert len(guarded.posted("/code")) == 1


@pytest.mark.slow
async def test_a_site_that_asks_again_without_words_beside_a_public_home_is_not_signed_in(
    session: BrowserSession, guarded: PortalWithCode
) -> None:
    guarded.routes["/home"] = lambda _: "<h1>Our shop</h1><p>Bargains for everybody</p>"
    guarded.refusal = "<p>Quxbar flumph.</p><a href=/in>Hoppla</a>"
    run = FakeSignInContext(*["111111"] * 9)
    with pytest.raises(failures.CredentialsRefused, match="did not accept the code"):
        await sign_in(session, make_login(guarded), run)


WRONG_PASSWORDS: dict[str, HTML | Reply] = {
    "text and link": "<p>Wrong password.</p><a href=/in>Try again</a>",
    "German": "<p>Anmeldung fehlgeschlagen.</p>",
    "403": Reply("<p>Nothing to see</p>", 403),
}


@pytest.mark.parametrize("how", WRONG_PASSWORDS)
async def test_a_wrong_password_without_a_form_is_refused_and_typed_once(
    session: BrowserSession, plain: Portal, how: str
) -> None:
    plain.routes["/in"] = lambda asked: form() if asked.method == "GET" else WRONG_PASSWORDS[how]
    with pytest.raises(
        failures.CredentialsRefused, match="did not accept the user name or the password"
    ) as failure:
        await sign_in(session, make_login(plain), FakeSignInContext())
    assert not failure.value.is_code
    assert len(plain.posted("/in")) == 1


HOMES_OF_NOBODY: dict[str, HTML | Reply] = {
    "expired": "<h1>Oh</h1><p>Your session has expired.</p><a href=/start>Back to start</a>",
    "timed out": "<p>Session timed out</p>",
    "please": "<p>Please log in to continue.</p>",
    "a way in": "<h1>Shop</h1><p>Bargains</p><nav><a href=/enter>Sign in</a></nav>",
    "a way in as button": "<h1>Shop</h1><button>Log in</button>",
    "German": "<p>Ihre Sitzung ist abgelaufen. Bitte melden Sie sich erneut an.</p>",
    "French": "<p>Votre session a expiré.</p>",
    "Japanese": "<p>セッションの有効期限が切れました</p>",
    "401": Reply("<p>Members</p>", 401),
    "403": Reply("<p>Members</p>", 403),
    "in a frame": "<iframe srcdoc='Your session has expired' width=300 height=100></iframe>",
    "form in the head": (
        "<form action=/enter><input name=user><input type=password name=pw><button>Go</button></form>"
        "<h1>News</h1><p>For everybody</p>"
    ),
    "form elsewhere": form("<h1>Members</h1>", "/elsewhere"),
}


@pytest.mark.slow
@pytest.mark.parametrize("how", HOMES_OF_NOBODY)
async def test_a_home_page_of_nobody_is_not_signed_in(
    session: BrowserSession, plain: Portal, how: str
) -> None:
    plain.routes["/home"] = lambda _: HOMES_OF_NOBODY[how]
    run = FakeSignInContext()
    with pytest.raises(BlockFailed, match=r"After signing in with `Portal`|The site did not accept"):
        await sign_in(session, make_login(plain), run)
    assert "login.accepted" not in run.types


@pytest.mark.slow
@pytest.mark.parametrize("how", HOMES_OF_NOBODY)
async def test_a_saved_session_that_has_ended_is_seen_as_that(
    session: BrowserSession, plain: Portal, how: str
) -> None:
    login = make_login(plain, persistSession=True)
    sessions = SavedSessions(OneSession(), VAULT)
    signing = SignIn(VAULT, QUICK, sessions=sessions)
    kept = await signing.sign_in(session, login, force=False, timeout_seconds=60, run=FakeSignInContext())
    await signing.save_session(session, kept)
    home = plain.routes["/home"]
    plain.routes["/home"] = lambda _: HOMES_OF_NOBODY[how]

    def back(asked: PortalRequest) -> Reply | str:
        plain.routes["/home"] = home
        return Portal.sign_in(plain, asked)

    plain.routes["/in"] = back
    run = FakeSignInContext()
    await signing.sign_in(session, login, force=False, timeout_seconds=60, run=run)
    assert [item for item in run.types if item in ("login.expired", "login.kept", "login.submitted")] == [
        "login.expired",
        "login.submitted",
    ]


class OneSession:
    """Keeps one saved session."""

    def __init__(self) -> None:
        self.saved: SavedSession | None = None

    async def session(self, organization_id: str, login_id: str) -> SavedSession | None:
        del organization_id, login_id
        return self.saved

    async def put_session(self, saved: SavedSession) -> None:
        self.saved = saved

    async def refresh_session(self, saved: SavedSession) -> bool:
        self.saved = saved
        return True


CHANGE = (
    "<h1>Your profile</h1><form method=post action=/profile>"
    "<label>Name <input name=name value=Ada></label>"
    "<label>Current password <input type=password name=old></label>"
    "<label>New password <input type=password name=new></label>"
    "<label>Repeat it <input type=password name=again></label><button>Save</button></form>"
)
HOMES_OF_ADA: dict[str, HTML] = {
    "change of password": CHANGE,
    "password of a profile": (
        "<h1>Your profile</h1><form><label>E-mail <input type=email name=mail></label>"
        "<label>Password <input type=password name=password></label><button>Save changes</button></form>"
    ),
    "application that asks for a password among much else": (
        "<h1>Visa application</h1><form><label>User name <input name=user></label>"
        "<label>Password of the embassy <input type=password name=pw></label>"
        + "".join(f"<label>Question {number} <input name=q{number}></label>" for number in range(12))
        + "<button>Continue</button></form>"
    ),
    "confirmation": (
        "<h1>Payments</h1><form><label>Confirm with your password <input type=password></label>"
        "<button>Pay</button></form>"
    ),
    "sign-out in a closed menu": "<p>2 logins failed</p><ul hidden><a href=/out>Sign out</a></ul>",
    "number": "<h1>Parcels</h1><label>Enter the PIN of a parcel <input></label><button>Find</button>",
    "tracking code": "<h1>Parcels</h1><label>Tracking code <input name=code></label><button>Find</button>",
    "newsletter": "<h1>Home</h1><form>Newsletter <input type=email><button>Subscribe</button></form>",
    "trouble of others": "<h1>Orders</h1><p>Order 12: payment failed</p><p>Last failed login: Monday</p>",
    "alert about something else": "<h1>Home</h1><div role=alert>Payment 12 failed</div>",
    "session that will end": "<h1>Home</h1><p>Your session expires in 20 minutes.</p>",
    "frames": "<iframe srcdoc='<a href=/out>Log out</a>'></iframe><iframe srcdoc='Wrong codes: 0'></iframe>",
    "nothing special": "<h1>Dashboard</h1><p>All quiet.</p>",
}


@pytest.mark.slow
@pytest.mark.parametrize("how", HOMES_OF_ADA)
@pytest.mark.parametrize("saved", [False, True], ids=["fresh", "saved"])
async def test_a_home_page_of_somebody_is_signed_in(
    session: BrowserSession, plain: Portal, how: str, saved: bool
) -> None:
    plain.routes["/home"] = lambda asked: HOMES_OF_ADA[how] if asked.visit.is_in else redirect("/in")
    login = make_login(plain, persistSession=saved)
    signing = SignIn(VAULT, QUICK, sessions=SavedSessions(OneSession(), VAULT))
    for run in (FakeSignInContext(), FakeSignInContext()) if saved else (FakeSignInContext(),):
        kept = await signing.sign_in(session, login, force=False, timeout_seconds=60, run=run)
        await signing.save_session(session, kept)
        assert run.types[-1] in ("login.accepted", "login.kept")
    assert len(plain.posted("/in")) == 1


@pytest.mark.slow
async def test_the_words_of_the_detection_prompt_show_that_somebody_is_signed_in(
    session: BrowserSession, plain: Portal
) -> None:
    def home(asked: PortalRequest) -> str:
        name = "Welcome  back, Ada" if asked.visit.is_in else "Welcome"
        return f"<h1>{name}</h1><a href=/in>Sign in</a>"

    plain.routes["/home"] = home
    await sign_in(session, make_login(plain, loginDetectionPrompt="welcome back"), FakeSignInContext())
    plain.routes["/home"] = lambda _: "<h1>Welcome</h1><a href=/in>Sign in</a>"
    plain.visits.clear()
    with pytest.raises(BlockFailed, match="After signing in"):
        await sign_in(session, make_login(plain, loginDetectionPrompt="welcome back"), FakeSignInContext())


def application(right: HTML, wrong: HTML) -> HTML:
    """A sign-in that never loads another page."""
    return (
        "<main id=m><h1>Sign in</h1><input id=u aria-label='User name'><input id=p type=password>"
        "<button onclick='go()'>Sign in</button></main><script>"
        f"function go() {{ const good = p.value === '{PASSWORD}'; setTimeout(() => {{"
        f"m.innerHTML = good ? `{right}` : `{wrong}` }}, 200) }}</script>"
    )


@pytest.mark.slow
async def test_an_application_of_one_page_without_a_home_of_its_own(
    session: BrowserSession, plain: Portal
) -> None:
    wrong = "<p>Wrong password</p><a href='#'>Back</a>"
    plain.routes["/in"] = lambda _: application("<h1>Your claims</h1>", wrong)
    await sign_in(session, make_login(plain, home=""), FakeSignInContext())
    with pytest.raises(failures.CredentialsRefused, match="Wrong password"):
        await sign_in(session, make_login(plain, home="", password="not-it"), FakeSignInContext())


async def test_an_error_beside_a_way_to_sign_out_is_judged_by_the_home_page(
    session: BrowserSession, guarded: PortalWithCode
) -> None:
    guarded.routes["/welcome"] = lambda _: (
        "<p role=alert>Your verification e-mail is not valid any more</p><a href=/out>Log out</a>"
    )
    complete_sign_in = guarded.complete_sign_in

    def welcomed(request: PortalRequest) -> Reply | str:
        complete_sign_in(request)
        return redirect("/welcome")

    guarded.complete_sign_in = welcomed
    run = FakeSignInContext(RIGHT_CODE)
    await sign_in(session, make_login(guarded), run)
    assert run.types[-1] == "login.accepted"
