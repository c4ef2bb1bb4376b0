"""A small site with accounts on loopback: routes are functions, and every browser has its own visit."""

import secrets
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from urllib.parse import parse_qs, urlsplit

from support.http_server import HttpReply, HttpRequest, HttpServer

PASSWORD = "correct-horse-battery"
RIGHT_CODE = "424242"
"""The code that the portal with a second step takes."""
START_AGAIN = "<p>Invalid verification code.</p><a href=/in>Start again</a>"


@dataclass
class Visit:
    """One browser's dealings with the site."""

    user: str = ""
    knows_password: bool = False
    is_in: bool = False


@dataclass
class PortalRequest:
    """One request."""

    method: str
    path: str
    query: dict[str, str]
    fields: dict[str, str]
    visit: Visit
    headers: dict[str, str]


@dataclass
class Reply:
    """What the site answers."""

    body: str = ""
    status: int = 200
    location: str = ""
    headers: dict[str, str] = field(default_factory=dict[str, str])


Route = Callable[[PortalRequest], Reply | str]


def redirect(location: str) -> Reply:
    """A redirect."""
    return Reply(status=303, location=location)


class Portal:
    """Routes by path; `ada` signs in at `/in` and is at home on `/home` unless a test says otherwise."""

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[PortalRequest] = []
        self.signed_in_at_once = 0
        """The largest number of browsers that were signed in at the same time."""
        self.visits: dict[str, Visit] = {}
        self.routes: dict[str, Route] = {"/in": self.sign_in, "/home": self.home, "/out": self.sign_out}

    def posted(self, path: str) -> list[dict[str, str]]:
        """The forms that came to a path."""
        return [item.fields for item in self.requests if item.method == "POST" and item.path == path]

    def sign_in(self, request: PortalRequest) -> Reply | str:
        """User name and password on one page."""
        if request.method != "POST":
            return form("<h1>Sign in</h1>")
        request.visit.user = request.fields.get("user", "")
        if request.visit.user.split("+")[0] != "ada" or request.fields.get("password") != PASSWORD:
            return form("<p role=alert>Wrong user name or password</p>")
        request.visit.knows_password = True
        return self.after_password(request)

    def after_password(self, request: PortalRequest) -> Reply | str:
        """Replaced where a second step follows."""
        return self.complete_sign_in(request)

    def complete_sign_in(self, request: PortalRequest) -> Reply | str:
        """Sign in for good."""
        request.visit.is_in = True
        self.signed_in_at_once = max(
            self.signed_in_at_once, sum(visit.is_in for visit in self.visits.values())
        )
        return redirect("/home")

    def home(self, request: PortalRequest) -> Reply | str:
        """Only for those who are signed in."""
        if not request.visit.is_in:
            return redirect("/in")
        return f"<h1>Home</h1><p id=who>Hello {request.visit.user}</p><a href=/out>Log out</a>"

    def sign_out(self, request: PortalRequest) -> Reply | str:
        """Forget who it was."""
        request.visit.is_in = request.visit.knows_password = False
        return redirect("/in")


def form(above: str = "", action: str = "/in") -> str:
    """A sign-in form."""
    return (
        f"{above}<form method=post action={action}><label>User name <input name=user></label>"
        "<label>Password <input type=password name=password></label><button>Sign in</button></form>"
    )


def code_form(above: str = "", action: str = "/code") -> str:
    """A form for a second factor."""
    return (
        f"{above}<h1>One more step</h1><form method=post action={action}>"
        "<label>Verification code <input name=code autocomplete=one-time-code></label>"
        "<button>Verify</button></form>"
    )


class PortalWithCode(Portal):
    """Asks for a code after the password; a wrong one ends the sign-in with `refusal` and no form."""

    def __init__(self, refusal: str | Reply = START_AGAIN) -> None:
        super().__init__()
        self.refusal = refusal
        self.ends_session = True
        self.routes["/code"] = self.code

    def after_password(self, request: PortalRequest) -> Reply | str:
        del request
        return redirect("/code")

    def code(self, request: PortalRequest) -> Reply | str:
        if not request.visit.knows_password:
            return redirect("/in")
        if request.method != "POST":
            return code_form()
        if request.fields["code"] == RIGHT_CODE:
            return self.complete_sign_in(request)
        if self.ends_session:
            request.visit.knows_password = False
        return self.refusal


@contextmanager
def serve_portal(portal: Portal) -> Generator[Portal]:
    """Serve a portal on a free port of loopback."""

    def respond(received: HttpRequest) -> HttpReply:
        address = urlsplit(received.path)
        cookie = SimpleCookie(received.headers.get("cookie", "")).get("visit")
        key = cookie.value if cookie else secrets.token_hex(8)
        request = PortalRequest(
            received.method,
            address.path,
            _last(address.query),
            _last(received.body.decode()),
            portal.visits.setdefault(key, Visit()),
            received.headers,
        )
        portal.requests.append(request)
        route = portal.routes.get(address.path)
        message = route(request) if route else Reply("nothing here", 404)
        reply = message if isinstance(message, Reply) else Reply(message)
        page = reply.body if reply.body.startswith("{") else f"<!doctype html><body>{reply.body}"
        given = {**reply.headers, "Location": reply.location}
        headers = {
            "Content-Type": "text/html; charset=utf-8",
            "Set-Cookie": f"visit={key}; Path=/",
            **{name: value for name, value in given.items() if value},
        }
        return HttpReply(page.encode(), reply.status, headers)

    with HttpServer(respond) as server:
        portal.url = server.url
        yield portal


def _last(encoded: str) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(encoded, keep_blank_values=True).items()}
