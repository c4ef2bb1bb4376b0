"""A person records a workflow on an application of other people, makes it general, runs and repairs it.

Sign in, add one book, read the table: fifteen recorded steps. Two of the typed values become parameters, the
steps for one book become a loop over the rows of a sheet. Later the page changes, and the block is repaired.
"""

import asyncio
import json
import os
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from support.apps import App, started_app
from support.console import Console
from support.service import Api
from support.shared_browser import SharedBrowser

ROWS = int(os.environ.get("WALK_ROWS", "2"))
pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.timeout(600 + 30 * ROWS)]
RUN_MS = 240_000 + 10_000 * ROWS
SHEET = "title\tprice\n" + "\n".join(f"A volume {number:02}\t{number}.50" for number in range(1, ROWS + 1))
BOOKS = "/admin/library/book/"
PARAGRAPH = (
    "Log in. Open {books}. For each book in {{{{params.books}}}}, click Add book, "
    "type {{{{item.title}}}} into Title, type {{{{item.price}}}} into Price, "
    "select Listed in Status, tick Lendable and click the Save button. "
    "After the loop, sing a song. Read the title and price of each book."
)


@pytest.fixture(scope="module")
def admin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    with started_app("admin", tmp_path_factory.mktemp("walk")) as app:
        yield app


@pytest.fixture
async def twin(shared: SharedBrowser) -> AsyncGenerator[Page]:
    """The application in a browser of the test, to know where things are on the live page."""
    context = await shared.context(viewport={"width": 1280, "height": 800})
    page = await context.new_page()
    yield page
    await context.close()


class Person:
    """Somebody at the live page, who clicks where things are."""

    def __init__(self, page: Page, twin: Page, api: Api) -> None:
        self.page, self.twin, self.api = page, twin, api
        self.screen = page.get_by_role("region", name="Live view").get_by_role("img")

    async def click(self, seen: Locator) -> None:
        """Click an element, where the twin shows it."""
        box, screen = await seen.bounding_box(), await self.screen.bounding_box()
        assert box
        assert screen
        scale = screen["width"] / 1280
        x, y = box["x"] + min(box["width"] / 2, 60), box["y"] + box["height"] / 2
        assert y < 800, "below the window"
        await self.screen.click(position={"x": x * scale, "y": y * scale})

    async def sees(self, name: str) -> None:
        """Wait until the live page shows it, as people do before they click."""
        session = self.api.call("/executions/list", {"isTest": True})["executions"][0]["id"]
        async with asyncio.timeout(60):
            while not any(one.startswith(name) for one in self._shown(session)):  # noqa: ASYNC110 - they look
                await asyncio.sleep(0.2)

    def _shown(self, session: str) -> set[str]:
        return {one["name"] for one in self.api.call("/liveSessions/describe", {"id": session})["elements"]}

    async def scroll(self, down: int) -> None:
        await self.screen.hover()
        await self.page.mouse.wheel(0, down)
        await self.twin.mouse.move(640, 400)
        await self.twin.mouse.wheel(0, down)
        await self.twin.wait_for_function("() => scrollY > 0")

    def block(self, name: str) -> Locator:
        return self.page.get_by_role("tree", name="Blocks").get_by_role("treeitem", name=name)


async def record(person: Person, admin: App) -> None:
    page, twin = person.page, person.twin
    recorder = page.get_by_role("region", name="Recorder")
    await page.get_by_role("button", name="Record", exact=True).click()
    await recorder.get_by_label("Address").fill(admin.url.removeprefix("http://") + BOOKS)
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("You are in control")).to_be_visible(timeout=60_000)
    await expect(page.get_by_role("region", name="Outcome")).to_contain_text("Completed", timeout=60_000)
    await twin.goto(admin.url + BOOKS)
    await person.click(twin.get_by_label("Username"))
    await page.keyboard.type("plain")
    await page.keyboard.press("Tab")
    await page.keyboard.type(str(admin.facts["password"]))
    await person.click(twin.get_by_role("button", name="Log in"))
    await expect(person.block("Click Log in")).to_be_visible()
    await twin.get_by_label("Username").fill("plain")
    await twin.get_by_label("Password").fill(str(admin.facts["password"]))
    await twin.get_by_role("button", name="Log in").click()
    await person.sees("Add book")
    await person.click(twin.get_by_role("link", name="Add book"))
    await expect(person.block("Click Add book")).to_be_visible()
    await twin.goto(admin.url + BOOKS + "add/")
    await person.sees("Summary")
    await person.click(twin.get_by_label("Title"))
    await page.keyboard.type("A volume")
    await page.keyboard.press("Tab")
    await page.keyboard.type("Bought in spring")
    await page.keyboard.press("Tab")
    await page.keyboard.type("L")
    await expect(person.block("Status")).to_be_visible()
    await person.click(twin.get_by_label("Hardcover"))
    await expect(person.block("Set Hardcover")).to_be_visible()
    await person.scroll(700)
    await person.click(twin.locator("#id_released_0"))
    await page.keyboard.type("2024-05-01")
    await person.click(twin.locator("#id_released_1"))
    await page.keyboard.type("14:30:00")
    await person.click(twin.get_by_label("Price"))
    await page.keyboard.press("ControlOrMeta+a")
    await page.keyboard.type("1.50")
    await person.click(twin.get_by_label("Lendable"))
    await person.click(twin.get_by_role("button", name="Save", exact=True))
    await expect(person.block("Click Save")).to_be_visible()
    await twin.goto(admin.url + BOOKS)
    await person.sees("Add book")
    await page.get_by_role("button", name="Extract").click()
    await person.click(twin.locator("#result_list tbody tr").nth(1))
    await expect(person.block("Read the table")).to_be_visible()
    await page.get_by_role("button", name="Stop recording").click()
    await expect(recorder).to_have_count(0)


def create_login(api: Api, admin: App) -> None:
    secrets = {"username": "plain", "password": admin.facts["password"]}
    login = {"authenticationUrl": admin.url + "/admin/login/", "loginConfiguration": secrets}
    api.call("/logins/upsert", {"name": "Library", **login})


async def run_over_sheet(page: Page, column: str) -> None:
    """Paste the sheet into the dialog and run."""
    await page.evaluate("(text) => navigator.clipboard.writeText(text)", SHEET)
    await page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Add a row").wait_for()
    await page.keyboard.press("ControlOrMeta+v")
    await expect(dialog.get_by_label(f"{column}, row {ROWS}")).to_have_value(f"A volume {ROWS:02}")
    await dialog.get_by_label("Login").select_option(label="Library")
    await dialog.get_by_role("button", name="Run", exact=True).click()


async def test_a_paragraph_of_english_becomes_a_workflow_that_runs(
    console: Console, api: Api, admin: App
) -> None:
    console.expect_error("400 (Bad Request)")
    create_login(api, admin)
    context = await console.context(width=1440)
    await context.grant_permissions(["clipboard-read", "clipboard-write"])
    workflow = api.create("Add books in words")
    page = await console.open(f"/workflows/{workflow['id']}", context=context)
    await page.get_by_role("button", name="Describe a step").click()
    await page.get_by_label("What should happen").fill(PARAGRAPH.format(books=admin.url + BOOKS))
    await page.get_by_role("button", name="Propose blocks").click()
    part = page.get_by_role("region", name="Not understood")
    await expect(part.locator("mark")).to_have_text("sing a song")
    await part.get_by_role("button", name="Leave it out").click()
    await page.get_by_role("button", name="Apply").click()
    await expect(page.get_by_role("treeitem")).to_have_count(10)
    await console.picture(page, "walk-described")
    await run_over_sheet(page, "title")
    outcome = page.get_by_role("region", name="Outcome")
    await expect(outcome).to_contain_text("Completed without errors.", timeout=RUN_MS)
    await page.get_by_role("treeitem").last.click()
    row = page.get_by_role("row").filter(has=page.get_by_label("Name of column 1"))
    await expect(row).to_contain_text("A volume 01")


async def test_a_recorded_workflow_is_made_general_run_and_repaired(
    console: Console, api: Api, admin: App, twin: Page
) -> None:
    secrets = {"username": "plain", "password": admin.facts["password"]}
    login = {
        "name": "Library",
        "authenticationUrl": admin.url + "/admin/login/",
        "loginConfiguration": secrets,
    }
    api.call("/logins/create", login)
    context = await console.context(width=1440)
    await context.grant_permissions(["clipboard-read", "clipboard-write"])
    workflow = api.create("Add books", pictures="failures")
    page = await console.open(f"/workflows/{workflow['id']}", context=context)
    person = Person(page, twin, api)
    await record(person, admin)
    await expect(page.get_by_role("treeitem")).to_have_count(15)
    form = page.get_by_role("form", name="Block")
    for name in ("Fill in Title", "Fill in Price"):
        await person.block(name).click()
        await form.get_by_role("button", name="Make a parameter").last.click()
    await person.block("Click Add book").click()
    await person.block("Click Save").click(modifiers=["Shift"])
    await page.get_by_role("button", name="Repeat over a sheet").click()
    await run_over_sheet(page, "title")
    # the tree shows which block runs, and in which round
    running = page.get_by_role("treeitem").and_(page.locator("[aria-current=step]"))
    await expect(running.filter(has_text="For each row")).to_contain_text("Round 2", timeout=RUN_MS)
    outcome = page.get_by_role("region", name="Outcome")
    await outcome.get_by_text("Completed without errors.").wait_for(timeout=RUN_MS)
    await person.block("Read the table").click()
    await expect(form.get_by_role("row").filter(has=page.get_by_label("Name of column 1"))).to_contain_text(
        "A volume"
    )
    await console.check(page)
    for width in (1440, 390):
        await page.set_viewport_size({"width": width, "height": 844})
        await page.emulate_media(color_scheme="dark" if width == 390 else "light")
        await console.assert_fits(page)
        await console.picture(page, f"walk-recorded-{width}")
    await page.set_viewport_size({"width": 1440, "height": 844})

    # the page changes: the block's button has another name, and others have the old one in theirs
    reworded = {'value="Save"': 'value="Keep book"'}
    (Path(admin.facts["folder"]) / "reworded.json").write_text(json.dumps(reworded))
    await page.get_by_role("button", name="Run", exact=True).click()
    await outcome.get_by_text("could mean 2 elements").wait_for(timeout=RUN_MS)
    await expect(person.block("Click Save")).to_have_attribute("aria-selected", "true")
    await twin.goto(admin.url + BOOKS + "add/")
    await twin.get_by_role("button", name="Keep book").scroll_into_view_if_needed()
    await form.get_by_role("button", name="Pick").first.click()
    await person.click(twin.get_by_role("button", name="Keep book"))
    await page.get_by_role("list", name="Ranked locators").get_by_role("button").first.click()
    await page.get_by_role("button", name="Save", exact=True).click()
    await page.get_by_text("Saved as version 2").wait_for()
    await page.get_by_role("button", name="Run", exact=True).click()
    await outcome.get_by_text("Completed without errors.").wait_for(timeout=RUN_MS)
