"""A bank that signs people in as sites do, and logins for it."""

import json
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from pagehand.browser import BrowserSession
from pagehand.logins.second_factor.totp import code_at
from pagehand.logins.sign_in.detection import SignInTimeouts
from pagehand.logins.sign_in.sign_in import SignIn
from pagehand.records import FileInfo, Login
from pagehand.secrets.master_key import MasterKey
from pagehand.secrets.vault import Vault
from support.http_server import HttpReply, HttpRequest, HttpServer
from support.logins import FakeSignInContext, sealed_login

VAULT = Vault(MasterKey(bytes(range(32))))


SEED = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"


PASSWORD = 'hor"se & <staple> ü'


PLAIN_FIELDS = "<input name=user><input type=password name=pw><button>Log in</button>"


QUICK = SignInTimeouts(
    form_seconds=3, answer_seconds=4, repeat_seconds=0.8, settle_seconds=0.3, linger_seconds=1
)


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


def serve_bank(bank: Bank) -> HttpServer:
    """Start the bank on a free port of loopback."""

    def respond(request: HttpRequest) -> HttpReply:
        raw = parse_qs(request.body.decode(), keep_blank_values=True)
        cookie = SimpleCookie(request.headers.get("cookie", "")).get("visit")
        key = cookie.value if cookie else secrets.token_hex(8)
        visit = bank.visits.setdefault(key, Visit())
        fields = {name: values[-1] for name, values in raw.items()}
        reply = bank.answer(request.method, request.path.partition("?")[0], fields, visit)
        headers = {"Content-Type": "text/html; charset=utf-8", "Set-Cookie": f"visit={key}; Path=/"}
        if reply.location:
            headers["Location"] = reply.location
        return HttpReply(reply.body.encode(), reply.status, headers)

    server = HttpServer(respond)
    bank.url = server.url
    server.start()
    return server


def bank_login(bank: Bank, path: str, configuration: dict[str, Any] | None = None, **fields: Any) -> Login:
    full: dict[str, Any] = {"username": "ada", "password": PASSWORD, **(configuration or {})}
    written = {
        "name": "Bank",
        "authenticationUrl": bank.url + path,
        "homeUrl": bank.url + "/home",
        "loginConfiguration": full,
        **fields,
    }
    return sealed_login(VAULT, written)


TOTP = {"twoFactorAuthConfiguration": {"method": "TOTP", "totpSecretKey": SEED}}


async def sign_in(
    session: BrowserSession, login: Login, run: FakeSignInContext, *, force: bool = False
) -> None:
    await SignIn(VAULT, QUICK).sign_in(session, login, force=force, timeout_seconds=60, run=run)


async def signed_in_user(session: BrowserSession) -> str:
    return await session.page.inner_text("#who")


async def no_file(*_: Any) -> FileInfo:
    raise AssertionError("nothing is downloaded while signing in")
