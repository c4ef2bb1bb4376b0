"""Who may look: signing in with a key, what the browser keeps of it, and requests from elsewhere."""

from collections.abc import Iterator
from urllib.parse import quote

import pytest

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
    console.errors.clear()  # the browser logs the refused requests

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
    console.errors.clear()  # the browser logs the refused request


async def test_page_of_another_origin_cannot_use_the_session(
    console: Console, service: RunningService, key: str
) -> None:
    context = await console.context()
    page = await console.open("/sign-in", context=context)
    await page.get_by_label("API key").fill(key)
    await page.keyboard.press("Enter")
    await page.wait_for_url(lambda url: "/sign-in" not in url)
    console.errors.clear()
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
    console.errors.clear()


@pytest.mark.parametrize("next_address", ["//evil.example", "/\\evil.example", "https://evil.example/"])
async def test_signing_in_leads_to_no_other_site(console: Console, key: str, next_address: str) -> None:
    page = await console.open(f"/sign-in?next={quote(next_address)}")
    await page.get_by_label("API key").fill(key)
    await page.keyboard.press("Enter")

    await page.get_by_role("navigation", name="Main").wait_for()

    assert page.url.startswith(console.url)
