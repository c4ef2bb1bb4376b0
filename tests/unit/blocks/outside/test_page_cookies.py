"""Cookies of a call to the page's origin come from the browser, and go back as a browser would keep them."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from pagehand.blocks.http_request import cookie_header, keep_cookies, on_the_page
from pagehand.browser import BrowserSession
from pagehand.errors import BlockFailed
from pagehand.ports import HttpAnswer

pytestmark = pytest.mark.anyio
HERE = "https://app.shop.test/api/orders"


class Browser:
    """The cookies of a browser, as the block reaches them."""

    def __init__(self, page: str = HERE, **cookies: str) -> None:
        self.kept: list[dict[str, Any]] = []
        self._cookies = [{"name": name, "value": value} for name, value in cookies.items()]
        self.session = cast("BrowserSession", SimpleNamespace(page=SimpleNamespace(url=page, context=self)))

    async def cookies(self, _: str) -> list[dict[str, str]]:
        return self._cookies

    async def add_cookies(self, cookies: list[dict[str, Any]]) -> None:
        self.kept += cookies


async def kept(*lines: str, url: str = HERE, answered: str | None = None) -> list[dict[str, Any]]:
    browser = Browser()
    headers = [("Set-Cookie", line) for line in lines]
    await keep_cookies(
        browser.session, url, HttpAnswer(status=200, url=answered or url, headers=headers, body=b"")
    )
    return browser.kept


@pytest.mark.parametrize(
    ("route", "url"),
    [
        ("/api?x=1", "https://app.shop.test/api?x=1"),
        ("api", "https://app.shop.test/api"),
        ("../up", "https://app.shop.test/up"),
        ("", "https://app.shop.test/"),
    ],
)
def test_a_route_is_at_the_origin_of_the_page(route: str, url: str) -> None:
    assert on_the_page(Browser().session, route) == url


def test_the_password_in_an_address_stays_out_of_it() -> None:
    session = Browser("https://ada:secret@shop.test:8443/x").session
    assert on_the_page(session, "/api") == "https://shop.test:8443/api"


@pytest.mark.parametrize(
    "route", ["//evil.test/x", "https://evil.test/", "https://app.shop.test.evil.test/", "ftp://x/"]
)
def test_a_route_that_leads_away_is_refused(route: str) -> None:
    with pytest.raises(BlockFailed, match="leads away from the page's origin"):
        on_the_page(Browser().session, route)


@pytest.mark.parametrize("page", ["about:blank", "data:text/html,x", "chrome-error://chromewebdata/"])
def test_without_a_page_a_route_has_no_origin(page: str) -> None:
    with pytest.raises(BlockFailed, match="no page is open that it could be relative to"):
        on_the_page(Browser(page).session, "/api")


async def test_the_header_is_what_a_browser_sends() -> None:
    assert await cookie_header(Browser(sid="a1", theme="dark").session, HERE) == [
        ("Cookie", "sid=a1; theme=dark")
    ]
    assert await cookie_header(Browser().session, HERE) == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("sid=a1", {"name": "sid", "value": "a1", "domain": "app.shop.test", "path": "/"}),
        ("sid=a1; Path=/api; Secure; HttpOnly", {"path": "/api", "secure": True, "httpOnly": True}),
        ("sid=a1; domain=.Shop.Test", {"domain": ".shop.test"}),
        ("sid=a1; Domain=app.shop.test", {"domain": ".app.shop.test"}),
        ("sid=a=b==", {"value": "a=b=="}),
        ('prefs={"theme": "dark"}; Path=/', {"value": '{"theme": "dark"}', "path": "/"}),
        ("empty=", {"value": ""}),
        ("sid=x; Path=relative", {"path": "/"}),
    ],
)
async def test_a_cookie_is_kept_as_it_was_set(line: str, expected: dict[str, Any]) -> None:
    (cookie,) = await kept(line)
    assert {key: cookie[key] for key in expected} == expected
    assert "expires" not in cookie


@pytest.mark.parametrize(
    "line",
    [
        "sid=x; Max-Age=0",
        "sid=x; max-age=-1",
        "sid=; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
        "sid=; expires=Wed, 21-Oct-2015 07:28:00 GMT",
    ],
)
async def test_a_cookie_that_is_taken_away_is_over(line: str) -> None:
    assert (await kept(line))[0]["expires"] == 1


@pytest.mark.parametrize(
    "line",
    [
        "sid=x; Expires=Fri, 31 Dec 2999 23:59:59 GMT",
        "sid=x; Expires=nonsense",
        "sid=x; Max-Age=60; Expires=x",
    ],
)
async def test_a_cookie_that_lasts_is_kept(line: str) -> None:
    assert "expires" not in (await kept(line))[0]


@pytest.mark.parametrize(
    "domain", ["bank.test", "other.shop.test", "pp.shop.test", "test.shop.test.evil", "test"]
)
async def test_a_site_sets_no_cookies_for_another(domain: str) -> None:
    assert await kept(f"sid=x; Domain={domain}", "own=1") == await kept("own=1")


@pytest.mark.parametrize("line", ["", "novalue", "=x", ";", "; Path=/"])
async def test_what_is_not_a_cookie_is_left_out(line: str) -> None:
    assert await kept(line) == []


async def test_cookies_of_another_origin_that_redirected_are_not_kept() -> None:
    assert await kept("sid=x", answered="https://login.test/") == []
