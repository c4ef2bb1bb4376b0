"""The page's cookies on a call to the page's own origin: sent along, and what the answer sets put back."""

import time
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from pagehand.browser_session import PageSession
from pagehand.errors import BlockFailed
from pagehand.ports import HttpAnswer
from pagehand.records import Json

_GONE: Final = 1
"""A moment long past, in seconds."""


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
