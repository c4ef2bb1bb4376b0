"""Who may look: signing in with a key, what the browser keeps of it, and requests from elsewhere."""

import asyncio
from collections.abc import Iterator

import pytest
from playwright.async_api import Route

from support.console import Console
from support.service import RunningService

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def service(bundle: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service that demands keys."""
    del bundle
    folder = tmp_path_factory.mktemp("locked") / "data"
    running = RunningService(folder, "--no-worker", PAGEHAND_REQUIRE_KEY="1").start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def key(service: RunningService) -> str:
    return service.new_key("acme")


async def test_key_signs_in_and_is_kept_nowhere_in_the_browser(console: Console, key: str) -> None:
    page = await console.open("/executions?status=Failed")
    await page.wait_for_url("**/sign-in?**")
    console.expect_error("status of 401")

    await page.get_by_label("API key").fill(key)
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/executions?status=Failed")
    await page.get_by_role("heading", name="Executions", level=1).wait_for()

    stored = await page.evaluate(
        "JSON.stringify([localStorage, sessionStorage, document.cookie, location.href, history.state])"
    )
    [cookie] = await page.context.cookies()
    assert key not in stored
    assert cookie.get("httpOnly") is True
    assert cookie.get("sameSite") == "Strict"
    assert key not in str(cookie)


async def test_wrong_key_is_refused_in_words(console: Console) -> None:
    page = await console.open("/sign-in")
    await page.get_by_label("API key").fill("ph_wrong_key")
    await page.keyboard.press("Enter")

    await page.get_by_role("alert").or_(page.get_by_role("status")).filter(has_text="key").first.wait_for()

    assert page.url.endswith("/sign-in")
    console.expect_error("status of 401")


async def test_page_of_another_origin_cannot_use_the_session(
    console: Console, service: RunningService, key: str
) -> None:
    context = await console.context()
    page = await console.open("/sign-in", context=context)
    await page.get_by_label("API key").fill(key)
    await page.keyboard.press("Enter")
    await page.wait_for_url(lambda url: "/sign-in" not in url)
    console.expect_error("status of 401")
    [cookie] = await context.cookies()
    headers = {"Cookie": f"{cookie.get('name')}={cookie.get('value')}", "Content-Type": "application/json"}
    elsewhere = service.api().post("/executions/list", headers={**headers, "Origin": "http://evil.example"})
    here = service.api().post("/executions/list", headers={**headers, "Origin": service.url})

    assert (elsewhere.status_code, here.status_code) == (403, 200)


async def test_policy_lets_no_inline_script_run(console: Console, service: RunningService) -> None:
    page = await console.open("/sign-in")
    policy = service.api().http.get("/sign-in", headers={"Accept": "text/html"}).headers
    await page.evaluate(
        "() => { const one = document.createElement('script'); one.textContent = 'window.hit = 1';"
        " document.head.append(one); }"
    )

    assert "unsafe-inline" not in policy["content-security-policy"]
    assert await page.evaluate("window.hit") is None
    assert any("Content Security Policy" in error for error in console.errors)
    console.expect_error("Content Security Policy")


ELSEWHERE = [
    *("//evil.example", "///evil.example", "////evil.example/x", "/\\evil.example", "\\\\evil.example"),
    *("\\/evil.example", "/.//evil.example", "/..//evil.example", "/./..//evil.example/x"),
    *("/%2e//evil.example", "/%2e%2e//evil.example", "/.%2E//evil.example", "/executions/..//evil.example"),
    *("/executions/../..//evil.example", "/executions/%2e%2e//evil.example", "/.\\/evil.example"),
    *("/./\\evil.example", "/\t/evil.example", "/\n/evil.example", "/\r\n//evil.example"),
    *("\t//evil.example", " //evil.example", "/.\t//evil.example", "/%09/evil.example"),
    *("/%2f/evil.example", "/%2Fevil.example", "%2f%2fevil.example", "/%252e//evil.example"),
    *("/%5cevil.example", "/%5C%5Cevil.example", "https://evil.example/", "https:evil.example"),
    *("https:/evil.example", "HTTP://evil.example", "http:\\\\evil.example", "http:////evil.example"),
    *("javascript:alert(1)", "java\nscript:alert(1)", " javascript:alert(1)", "data:text/html,hi"),
    *("blob:https://evil.example/1", "ftp://evil.example/", "//user@evil.example/executions"),
    *("//127.0.0.1@evil.example/", "HERE@evil.example/", "//me:pw@HOST/executions"),
    *("HERE.evil.example/executions", "//HOST:1/executions", "/\uff0fevil.example"),
    *("\uff0f\uff0fevil.example", "//evil\u3002example", "/executions//evil.example", "/executions/.."),
    *("/executions/a/b", "/.", "/docs", "/files/download?t=x", "/live?t=x", "/executions/%2e%2e%2fdocs"),
    *("/executions/%", "//", "///", "http://"),
]
"""Addresses that are not views; `HERE` is the console's own origin, `HOST` its host and port."""
VIEWS = {
    "/": "/",
    "": "/",
    "?a=1": "/?a=1",
    "#//evil.example": "/",
    "/executions?status=Failed&next=//evil.example": "/executions?status=Failed&next=//evil.example",
    "/executions/exec_1": "/executions/exec_1",
    "/executions/./exec_1": "/executions/exec_1",
    "HERE/workflows/wf_1?block=1#x": "/workflows/wf_1?block=1",
    "attention": "/attention",
}


async def test_signing_in_leads_to_views_of_the_console_and_nowhere_else(console: Console) -> None:
    page = await console.open("/sign-in")
    opened: asyncio.Queue[str] = asyncio.Queue()

    async def answer(route: Route) -> None:
        if not route.request.is_navigation_request():
            await route.fulfill(json={})
            return
        opened.put_nowait(route.request.url)
        await route.fulfill(status=204)  # the page stays for the next address

    await page.route("**", answer)
    await page.get_by_label("API key").fill("any")
    expected = {**dict.fromkeys(ELSEWHERE, "/"), **VIEWS}
    seen: dict[str, str] = {}
    for text in expected:
        address = text.replace("HERE", console.url).replace("HOST", console.url.partition("//")[2])
        await page.evaluate(
            """(next) => { history.replaceState(null, "", `/sign-in?next=${encodeURIComponent(next)}`);
            dispatchEvent(new PopStateEvent("popstate")); }""",
            address,
        )
        await page.keyboard.press("Enter")
        async with asyncio.timeout(20):
            seen[text] = await opened.get()
    assert seen == {text: console.url + path for text, path in expected.items()}


async def test_person_whose_session_ends_is_led_to_the_sign_in_page(console: Console, key: str) -> None:
    context = await console.context()
    page = await console.open("/sign-in", context=context)
    await page.get_by_label("API key").fill(key)
    await page.keyboard.press("Enter")
    await page.get_by_role("navigation", name="Main").wait_for()
    # in another tab, or by somebody who revoked the key
    await page.evaluate(
        """() => fetch("/console/session/end", {method: "POST", body: "{}",
        headers: {"Content-Type": "application/json"}})"""
    )
    await page.wait_for_url("**/sign-in?next=%2F")
    console.expect_error("status of 401")
    # the service cuts the stream of events of a session that has ended, sometimes before the page leaves
    console.expect_error("ERR_INCOMPLETE_CHUNKED_ENCODING")
