"""What an API block sends: the address with its query, the body in the form asked for, the authorization."""

import base64
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Any, Final, Literal, NamedTuple, Self, cast
from urllib.parse import urlencode, urljoin, urlsplit, urlunsplit

import orjson
from pydantic import model_validator

from pagehand.browser import BrowserSession
from pagehand.errors import BlockFailed
from pagehand.ports import HttpAnswer, RunFiles
from pagehand.records import Json, is_array, is_object
from pagehand.workflow.templates import as_text, is_template, plain
from pagehand.workflow.wire import Text, WireModel

BodyType = Literal["json", "form", "multipart", "text", "file"]
_NEEDS = {
    "basic": ("username", "password"),
    "bearer": ("token",),
    "header": ("name", "value"),
    "query": ("name", "value"),
}
_GONE: Final = 1
"""A moment long past, in seconds."""


class Auth(WireModel):
    """How the call proves who it is; `{{login.…}}` reads the login's secrets here."""

    type: Literal["basic", "bearer", "header", "query"]
    """basic: username and password; bearer: token; header and query: name and value."""
    username: Text | None = None
    """basic: the user."""
    password: Text | None = None
    """basic: the password."""
    token: Text | None = None
    """bearer: the token."""
    name: Text | None = None
    """header, query: its name."""
    value: Text | None = None
    """header, query: its value."""

    @model_validator(mode="after")
    def _has_what_it_needs(self) -> Self:
        for field in _NEEDS[self.type]:
            if getattr(self, field) is None:
                raise ValueError(f"`{self.type}` needs `{field}`")
        return self

    def revealed(self, reveal: Callable[[str], str]) -> Self:
        """The same with its secrets in place of their placeholders."""
        # not `name`: a header's name is shown, and a secret in it would be shown with it
        texts = {name: getattr(self, name) for name in ("username", "password", "token", "value")}
        return self.model_copy(update={name: reveal(text) for name, text in texts.items() if text})

    @property
    def header(self) -> tuple[str, str] | None:
        """The header to send."""
        if self.type == "basic":
            pair = f"{self.username}:{self.password}".encode()
            return "Authorization", f"Basic {base64.b64encode(pair).decode()}"
        if self.type == "bearer":
            return "Authorization", f"Bearer {self.token}"
        return (self.name or "", self.value or "") if self.type == "header" else None

    @property
    def query(self) -> Json:
        """What to add to the query."""
        return {self.name or "": self.value} if self.type == "query" else {}

    @property
    def secrets(self) -> list[str]:
        """What must not be shown: a server that echoes a request echoes these."""
        # basic sends user and password in base64: an echo of that is as good as the password
        sent = self.header[1].rpartition(" ")[2] if self.header else ""
        return [item for item in (self.password, self.token, self.value, sent) if item]


class Body(NamedTuple):
    """Bytes to send, and their type unless the block's headers name one."""

    content: bytes = b""
    mime_type: str | None = None


def with_query(url: str, query: Json) -> str:
    """`url` with more in its query; null is left out, an array gives one entry per item."""
    pairs = [
        (name, as_text(item))
        for name, value in query.items()
        for item in (value if is_array(value) else [value])
        if item is not None
    ]
    if not pairs:
        return url
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise BlockFailed(f"`data.route` is not an address: {error}") from None
    joined = "&".join(filter(None, (parts.query, urlencode(pairs))))
    return urlunsplit(parts._replace(query=joined))


async def write_body(given: Any, body_type: BodyType | None, files: RunFiles) -> Body:
    """The body for `data`: text as it is and everything else as JSON, unless `bodyType` says otherwise."""
    if given is None and body_type != "file":
        return Body()
    match body_type or ("text" if isinstance(given, str) else "json"):
        case "json":
            return Body(_json(given), "application/json")
        case "text":
            return Body(as_text(given).encode(), "text/plain; charset=utf-8")
        case "form":
            encoded = with_query("", _fields(given, "form"))
            return Body(encoded.removeprefix("?").encode(), "application/x-www-form-urlencoded")
        case "file":
            info = await files.find(given)
            return Body(await files.read(info), info.mime_type)
        case _:
            return await _multipart(_fields(given, "multipart"), files)


def body_problem(given: Any, body_type: Any) -> str | None:
    """Why `data`, as written, can never be a body of that type; None when it may."""
    if body_type == "file" and given in (None, ""):
        return "`data.data` is missing: it is the file to send."
    if body_type in ("form", "multipart") and given is not None and not is_object(given):
        return None if is_template(given) else _not_fields(body_type)
    return None


def _json(given: Any) -> bytes:
    try:
        return orjson.dumps(plain(given))
    except TypeError as error:
        raise BlockFailed(f"`data.data` cannot be written as JSON: {error}") from None


def _fields(given: Any, body_type: str) -> Json:
    if not is_object(given):
        raise BlockFailed(_not_fields(body_type))
    return given


def _not_fields(body_type: str) -> str:
    return f"`data.data`: a {body_type} body is an object of fields."


async def _multipart(fields: Json, files: RunFiles) -> Body:
    import httpx2  # noqa: PLC0415 - large, and already loaded where a request is made

    texts: dict[str, list[str]] = {}
    parts: list[tuple[str, tuple[str, bytes, str]]] = []
    for name, value in fields.items():
        for item in value if is_array(value) else [value]:
            if _is_file(item):
                info = await files.find(item)
                parts.append((name, (info.name, await files.read(info), info.mime_type)))
            elif item is not None:
                texts.setdefault(name, []).append(as_text(item))
    if not parts:  # without a file the library would write a plain form
        parts = [(name, cast("Any", (None, value))) for name, values in texts.items() for value in values]
        texts = {}
    request = httpx2.Request("POST", "http://multipart", data=texts, files=parts)
    return Body(request.read(), request.headers["content-type"])


def _is_file(value: Any) -> bool:
    """True for a File info as blocks put it out; a bare id among form fields is just text."""
    return is_object(value) and {"id", "name", "mimeType"} <= value.keys()


def on_the_page(session: BrowserSession, route: str) -> str:
    """`route` at the page's origin; `BlockFailed` when there is no page, or it leads elsewhere."""
    page = urlsplit(session.page.url)
    if page.scheme not in ("http", "https"):
        raise BlockFailed(
            f"`{route[:100]}` is relative, and no page is open that it could be relative to: "
            "open one first, or give the whole address."
        )
    origin = f"{page.scheme}://{page.netloc.rpartition('@')[2]}"
    url = urljoin(f"{origin}/", route)
    if not url.startswith(f"{origin}/"):
        raise BlockFailed(f"`{route[:100]}` leads away from the page's origin; give the whole address.")
    return url


async def cookie_header(session: BrowserSession, url: str) -> list[tuple[str, str]]:
    """The header a browser would send there, if any."""
    cookies = await session.page.context.cookies(url)
    header = "; ".join(f"{cookie.get('name', '')}={cookie.get('value', '')}" for cookie in cookies)
    return [("Cookie", header)] if header else []


async def keep_cookies(session: BrowserSession, url: str, answer: HttpAnswer) -> None:
    """Give the browser what the answer sets, as if the page itself had asked."""
    lines = [value for name, value in answer.headers if name.lower() == "set-cookie"]
    if urlsplit(answer.url)[:2] != urlsplit(url)[:2]:
        return
    host = urlsplit(url).hostname or ""
    cookies: list[Any] = [cookie for line in lines if (cookie := _cookie(host, line)) is not None]
    if cookies:
        await session.page.context.add_cookies(cookies)


def _cookie(host: str, line: str) -> Json | None:
    """What one `Set-Cookie` says; None for a cookie that a browser would not take.

    The standard library's parser drops values with quotes or spaces, which browsers take.
    """
    pair, *attributes = line.split(";")
    name, there, value = (part.strip() for part in pair.partition("="))
    attributes = {
        key.strip().lower(): given.strip()
        for key, _, given in (attribute.partition("=") for attribute in attributes)
    }
    domain = attributes.get("domain", "").lstrip(".").lower()
    # a site sets cookies for itself and the domain above it, never for others
    is_above = "." in domain and host.endswith(f".{domain}")
    if not there or not name or (domain and domain != host and not is_above):
        return None
    cookie: Json = {
        "name": name,
        "value": value,
        "domain": f".{domain}" if domain else host,
        "path": attributes["path"] if attributes.get("path", "").startswith("/") else "/",
        "httpOnly": "httponly" in attributes,
        "secure": "secure" in attributes,
    }
    return cookie | ({"expires": _GONE} if _is_over(attributes) else {})


def _is_over(attributes: dict[str, str]) -> bool:
    """True for a cookie that the answer takes away."""
    if "max-age" in attributes:
        return attributes["max-age"] == "0" or attributes["max-age"].startswith("-")
    try:
        return parsedate_to_datetime(attributes["expires"]).timestamp() < time.time()
    except (KeyError, ValueError, OverflowError):
        return False
