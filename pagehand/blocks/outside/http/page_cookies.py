"""The page's cookies on a call to the page's own origin: sent along, and what the answer sets put back."""

from http.cookies import CookieError, Morsel, SimpleCookie
from typing import Any
from urllib.parse import urljoin, urlsplit

from pagehand.browser_session import PageSession
from pagehand.errors import BlockFailed
from pagehand.ports import HttpAnswer
from pagehand.records import Json


def on_the_page(session: PageSession, route: str) -> str:
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


async def cookie_header(session: PageSession, url: str) -> list[tuple[str, str]]:
    """The header a browser would send there, if any."""
    cookies = await session.page.context.cookies(url)
    header = "; ".join(f"{cookie.get('name', '')}={cookie.get('value', '')}" for cookie in cookies)
    return [("Cookie", header)] if header else []


async def keep_cookies(session: PageSession, url: str, answer: HttpAnswer) -> None:
    """Give the browser what the answer sets, as if the page itself had asked."""
    lines = [value for name, value in answer.headers if name.lower() == "set-cookie"]
    if urlsplit(answer.url)[:2] != urlsplit(url)[:2]:
        return
    cookies: list[Any] = []
    for line in lines:
        try:
            cookies += [_cookie(url, name, morsel) for name, morsel in SimpleCookie(line).items()]
        except CookieError:
            continue  # a malformed cookie is one that was not set
    if cookies:
        await session.page.context.add_cookies(cookies)


def _cookie(url: str, name: str, morsel: "Morsel[str]") -> Json:
    parts = urlsplit(url)
    cookie: Json = {
        "name": name,
        "value": morsel.coded_value,
        "domain": morsel["domain"] or parts.hostname or "",
        "path": morsel["path"] or "/",
        "httpOnly": bool(morsel["httponly"]),
        "secure": bool(morsel["secure"]),
    }
    return cookie | ({"expires": 1} if morsel["max-age"] == "0" else {})
