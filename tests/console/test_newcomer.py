"""The walk of a new user, with the keyboard alone.

It starts the service, looks at the run of the demo, runs it live, breaks the portal, sees the workflow heal,
changes a block and runs it again. On the way it takes the pictures that the documentation shows.
"""

from collections.abc import Iterator

import pytest
from playwright.async_api import Locator, Page

from support.console import Console
from support.service import FINAL, Api, RunningService

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(600)]
MOST_TABS = 150
RUN_MS = 240_000


@pytest.fixture(scope="module")
def service(bundle: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """The service as `make serve` starts it: with the demo."""
    del bundle
    folder = tmp_path_factory.mktemp("newcomer") / "data"
    running = RunningService(folder, "--demo", PAGEHAND_DEMO_PORT="0", PAGEHAND_EGRESS_ALLOW="").start()
    yield running
    running.stop()


@pytest.mark.slow
async def test_newcomer_sees_a_run_breaks_the_portal_sees_it_healed_and_changes_a_block(
    console: Console, api: Api
) -> None:
    page = await console.open("/")
    await _see_the_first_run(console, page)

    await _press(page, page.get_by_role("button", name="Run it live"))
    await _until_completed(page)
    await _press(page, page.get_by_role("link", name="Overview"))
    await _press(page, page.get_by_role("button", name="Break the portal"))
    await page.get_by_role("button", name="Restore the portal").wait_for()
    await _press(page, page.get_by_role("button", name="Run it live"))
    await _until_completed(page)
    await page.get_by_role("main").get_by_text("healed").first.wait_for()
    await console.check(page)
    demo = api.call("/workflows/list", {"search": "Demo: collect claims"})["workflows"][0]
    runs = await console.open(f"/workflows/{demo['id']}?edit=Runs")
    healed = runs.get_by_role("list", name="Healed elements").get_by_role("listitem")
    await healed.filter(has_text="now ").first.wait_for()
    await console.check(runs)
    await runs.close()

    await _change_the_file_name(page, "claims-of-today.csv")
    await console.picture(page, "docs-editor", as_jpeg=True)
    await _press(page, page.get_by_role("link", name="Overview"))
    await _press(page, page.get_by_role("button", name="Run it live"))
    await _until_completed(page)

    newest = api.call("/executions/list", {"limit": 1})["executions"][0]
    assert api.get(newest["id"])["response"]["csv"]["name"] == "claims-of-today.csv"


@pytest.mark.slow
async def test_failed_run_shows_its_reason_on_the_overview(console: Console, api: Api) -> None:
    demo = api.call("/demo/get")["demo"]
    workflow = api.create(
        "Check the account",
        {"type": "Navigate", "name": "Open the portal", "data": {"url": demo["url"]}},
        {
            "type": "Mouse",
            "name": "Open my account",
            "data": {"timeoutMs": 2000},
            "locator": {"role": "link", "text": "My account"},
        },
    )
    failed = api.wait_for(api.start(workflow["id"], name="Nightly")["id"], *FINAL, seconds=120)

    page = await console.open("/")
    failure = page.get_by_role("region", name="Newest failures").get_by_role("link").first
    await failure.get_by_text("My account").wait_for()
    await failure.get_by_role("img", include_hidden=True).or_(failure.locator("img")).first.wait_for()
    await console.check(page)
    await console.picture(page, "docs-overview", as_jpeg=True)
    await _press(page, failure)
    await page.wait_for_url(f"**/executions/{failed['id']}")
    await console.settle(page)
    await page.get_by_role("heading", level=1).wait_for()
    await console.check(page)
    await console.picture(page, "docs-failed-execution", as_jpeg=True)


async def _see_the_first_run(console: Console, page: Page) -> None:
    welcome = page.get_by_role("region", name="Welcome to Pagehand")
    await welcome.get_by_text("Completed").wait_for(timeout=RUN_MS)
    await welcome.locator("img").nth(5).wait_for()
    await console.check(page)
    await console.assert_fits(page)
    await console.picture(page, "first-run")


async def _until_completed(page: Page) -> None:
    await page.wait_for_url("**/executions/*")
    await page.get_by_role("main").get_by_text("Completed", exact=True).first.wait_for(timeout=RUN_MS)


async def _change_the_file_name(page: Page, name: str) -> None:
    await page.keyboard.press("g")
    await page.keyboard.press("w")
    await _press(page, page.get_by_role("link", name="Demo: collect claims"))
    tree = page.get_by_role("tree", name="Blocks")
    await tree.get_by_role("treeitem").first.wait_for()
    await _reach(page, tree.get_by_role("treeitem").first)
    await page.keyboard.press("End")
    field = page.get_by_role("form", name="Block").get_by_label("File name")
    await _reach(page, field)
    await page.keyboard.press("ControlOrMeta+a")
    await page.keyboard.type(name)
    await _press(page, page.get_by_role("button", name="Save", exact=True))
    await page.get_by_text("Saved as version 2").wait_for()


async def _press(page: Page, wanted: Locator) -> None:
    """Go there by the Tab key and press Enter."""
    await _reach(page, wanted)
    await page.keyboard.press("Enter")


async def _reach(page: Page, wanted: Locator) -> None:
    await wanted.first.wait_for()
    for _ in range(MOST_TABS):
        if await wanted.first.evaluate("(one) => one === document.activeElement"):
            return
        await page.keyboard.press("Tab")
    raise AssertionError(f"{wanted} cannot be reached with the Tab key")
