"""Every view of the console, light and dark, wide and narrow: reachable, readable, and nothing cut off."""

import pytest
from playwright.async_api import expect

from pagehand.api.console.pages import ADDRESSES
from support.console import Console, Theme
from support.service import Api, Json, RunningService

pytestmark = pytest.mark.anyio
VIEWS = [address for address in ADDRESSES if address != "/workflows/{id}"]
"""All but the editor, which has its own tests."""
NAVIGATION = [
    *("Overview", "Executions", "Workflows", "Attention", "Logins", "Batches"),
    *("Schedules", "Webhooks", "Files", "Knowledge", "Settings"),
]


@pytest.fixture(scope="module")
def ids(api: Api) -> Json:
    """What the addresses with an id lead to, and something to see in every list."""
    workflow = api.create(
        "Collect invoices",
        {"type": "Transform", "name": "Say hello", "data": {"input": "hello", "code": "lambda x: x"}},
        parameters=[{"name": "customer", "type": "string", "isRequired": False}],
        tags=["billing"],
    )
    failing = api.create(
        "Fails", {"type": "Transform", "name": "Divide", "data": {"input": 1, "code": "lambda x: x / 0"}}
    )
    batch = api.call(
        "/batches/create", {"name": "Customers", "workflowId": workflow["id"], "rows": [{}, {}]}
    )["batch"]
    api.call("/schedules/create", {"workflowId": workflow["id"], "cron": "0 3 * * *"})
    api.call(
        "/logins/create",
        {
            "name": "Claims portal of the Royal Insurance Company",
            "authenticationUrl": "https://portal.example/a/rather/long/path/to/sign-in?next=/claims/open",
            "loginConfiguration": {"username": "ada.lovelace@example.com", "password": "not shown"},
        },
    )
    api.call(
        "/webhooks/create",
        {"url": "https://hooks.example/pagehand", "events": ["execution.failed"], "name": "On call"},
    )
    api.call("/knowledge/create", {"name": "Handbook", "text": "Claims are paid within ten days."})
    finished = api.call("/workflows/executeSync", {"workflowId": workflow["id"], "name": "Nightly"})
    api.call("/workflows/executeSync", {"workflowId": failing["id"]})
    return {
        "/workflows/{id}": workflow["id"],
        "/executions/{id}": finished["execution"]["id"],
        "/batches/{id}": batch["id"],
    }


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("address", VIEWS)
async def test_view_is_accessible_and_fits(
    console: Console, ids: Json, address: str, width: int, theme: Theme
) -> None:
    page = await console.open(address.replace("{id}", ids.get(address, "")), width=width, theme=theme)
    name = address.strip("/").replace("/{id}", "-one") or "overview"

    await console.check(page)
    await console.assert_fits(page)
    picture = await console.picture(page, f"{name}-{width}-{theme}")
    await page.set_viewport_size({"width": 360, "height": 780})
    await console.assert_fits(page)

    assert picture.stat().st_size > 1000
    assert await page.evaluate("getComputedStyle(document.documentElement).colorScheme") == theme


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("/executions", "executions/list"),
        ("/workflows", "workflows/list"),
        ("/attention", "attention/list"),
        ("/logins", "logins/list"),
        ("/batches", "batches/list"),
        ("/schedules", "schedules/list"),
        ("/webhooks", "webhooks/list"),
        ("/files", "files/list"),
        ("/knowledge", "knowledge/list"),
    ],
)
async def test_a_list_says_that_it_is_being_read(console: Console, address: str, path: str) -> None:
    page = await console.open("/settings")
    await page.route(f"**/{path}", lambda _: None)
    await page.goto(console.url + address, wait_until="commit")
    await expect(page.get_by_role("main").get_by_role("heading", level=1)).to_be_visible()
    await expect(page.get_by_role("main").get_by_text("Loading…")).to_be_visible()


@pytest.mark.slow
async def test_navigation_leads_to_every_view_and_marks_where_one_is(console: Console) -> None:
    page = await console.open("/")
    links = page.get_by_role("navigation", name="Main").get_by_role("link")

    await expect(links.nth(len(NAVIGATION))).to_be_visible()
    for position, word in enumerate(NAVIGATION):
        await expect(links.nth(position)).to_contain_text(word)
    for word in NAVIGATION:
        await links.get_by_text(word, exact=True).click()
        await expect(page.get_by_role("heading", level=1).first).to_have_text(word)
        await expect(page.locator('nav [aria-current="page"]')).to_have_text(word)


async def test_switch_of_the_theme_outlives_a_reload(console: Console) -> None:
    page = await console.open("/settings")

    await page.get_by_role("button", name="Dark").click()
    await page.reload()

    await page.locator('html[data-theme="dark"]').wait_for()


@pytest.mark.parametrize(("keys", "address"), [("ge", "/executions"), ("gw", "/workflows")])
async def test_two_keys_lead_to_a_list(console: Console, keys: str, address: str) -> None:
    page = await console.open("/settings")
    for key in keys:
        await page.keyboard.press(key)
    await page.wait_for_url(f"**{address}")


async def test_question_mark_lists_the_keys_and_slash_searches(console: Console) -> None:
    page = await console.open("/executions")
    await page.keyboard.press("?")
    await page.get_by_role("dialog", name="Keyboard shortcuts").wait_for()
    await page.keyboard.press("Escape")
    await page.get_by_role("dialog").wait_for(state="hidden")
    await page.keyboard.press("/")
    await expect(page.get_by_role("searchbox", name="Search")).to_be_focused()


@pytest.mark.slow
@pytest.mark.parametrize(
    "address", ["/executions/exec_none", "/workflows/wf_none", "/batches/batch_none", "/nothing-here"]
)
async def test_thing_that_does_not_exist_says_so_in_words(console: Console, address: str) -> None:
    page = await console.open("/settings")
    await page.evaluate(
        "(to) => { history.pushState(null, '', to); dispatchEvent(new PopStateEvent('popstate')) }", address
    )
    await (
        page.get_by_role("main")
        .get_by_text("There is no")
        .or_(page.get_by_text("There is nothing"))
        .first.wait_for()
    )
    console.expect_error("status of 404")


@pytest.mark.parametrize(
    ("address", "meant"),
    [("/Workflows/", "/workflows"), ("/batch", "/batches"), ("/execution", "/executions")],
)
async def test_address_that_is_almost_right_leads_to_the_right_one(
    console: Console, service: RunningService, address: str, meant: str
) -> None:
    page = await console.open("/settings")
    console.expect_error("status of 404")
    answer = await page.goto(service.url + address)
    assert answer is not None
    assert answer.status == 404
    await page.get_by_role("main").get_by_role("link", name=meant, exact=True).click()
    await page.wait_for_url(f"**{meant}")


def test_unknown_address_is_json_for_other_clients(api: Api) -> None:
    answer = api.http.get("/workflow/list", headers={"accept": "*/*"})
    assert answer.status_code == 404
    assert "did you mean `/workflows/list`?" in answer.json()["error"]
