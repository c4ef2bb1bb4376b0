"""A person builds a workflow block by block on an application of other people, runs it, and repairs it.

Sign in, loop over the rows of a sheet, fill in a form of eight fields for each, and read the table: all by
hand in the editor, at the width of a laptop, by the labels that people see.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from support.apps import App, started_app
from support.console import Console
from support.service import Api

ROWS = int(os.environ.get("WALK_ROWS", "2"))
pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.timeout(600 + 30 * ROWS)]
RUN_MS = 240_000 + 10_000 * ROWS
SHEET = "title\tprice\n" + "\n".join(f"A volume {number:02}\t{number}.50" for number in range(1, ROWS + 1))
FIELDS = (
    ("Title", "TextInput", "{{item.title}}"),
    ("Summary", "TextInput", "Bought in spring"),
    ("Status", "Dropdown", "Listed"),
    ("Binding", "Radio", "Hardcover"),
    ("Price", "TextInput", "{{item.price}}"),
    ("Lendable", "Checkbox", "true"),
    ("Date", "Date", "2024-05-01"),
    ("Time", "TextInput", "14:30:00"),
)


@pytest.fixture(scope="module")
def admin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    folder: Path = tmp_path_factory.mktemp("walk")
    with started_app("admin", folder) as app:
        yield app


async def insert(page: Page, words: str, button: str = "Insert a block") -> Locator:
    """Find a kind by what people call it; typing goes on in the new block's form."""
    await page.get_by_role("button", name=button, exact=True).click()
    await page.keyboard.type(words)
    await page.keyboard.press("Enter")
    return page.get_by_role("form", name="Block")


async def build(page: Page, admin: App) -> None:
    await insert(page, "open page")
    await page.keyboard.type(admin.url.removeprefix("http://") + "/admin/library/book/")
    for label, kind, value in (
        ("Username", "TextInput", "plain"),
        ("Password", "SensitiveTextInput", str(admin.facts["password"])),
    ):
        form = await insert(page, "type")
        await page.keyboard.type(label)
        await form.get_by_label("Input type", exact=True).select_option(kind)
        await form.get_by_label("Value", exact=True).fill(value)
    await insert(page, "click")
    await page.keyboard.type("Log in")
    form = await insert(page, "for each")
    await form.get_by_role("combobox", name="Loop over").select_option(label="A parameter or output")
    await form.get_by_label("Which").fill("books")
    await insert(page, "navigate", "Insert into each round")
    await page.keyboard.type("/admin/library/book/add/")
    await fill_in_fields(page, await insert(page, "form", "Insert after"))
    await insert(page, "click", "Insert after")
    await page.keyboard.type("the Save everything button")
    await insert(page, "navigate")
    await page.keyboard.type("/admin/library/book/")
    form = await insert(page, "read a table")
    for name in ("title", "price"):
        await page.get_by_role("button", name="Add column").click()
        await page.keyboard.type(name)
    await form.get_by_label("Type of column 2").select_option(label="Number")


async def fill_in_fields(page: Page, form: Locator) -> None:
    for number, (label, kind, value) in enumerate(FIELDS, 1):
        if number > 1:
            await form.get_by_role("button", name="Add to fields").click()
        await page.keyboard.type(label)
        field = form.get_by_role("group", name=f"Field {number}", exact=True)
        await field.get_by_label("Input type", exact=True).select_option(kind)
        await field.get_by_label("Value", exact=True).fill(value)


async def test_a_workflow_is_built_run_and_repaired_by_hand(console: Console, api: Api, admin: App) -> None:
    context = await console.context(width=1440)
    await context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = await console.open("/workflows", context=context)
    await page.get_by_role("button", name="New workflow").click()
    await page.keyboard.type("Add books")
    await page.keyboard.press("Enter")
    await page.get_by_role("heading", name="Add books").wait_for()
    await build(page, admin)
    await page.reload()
    await expect(page.get_by_role("treeitem")).to_have_count(10)

    await page.evaluate("(text) => navigator.clipboard.writeText(text)", SHEET)
    await page.get_by_role("button", name="Run", exact=True).click()
    await page.keyboard.press("ControlOrMeta+v")
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_label(f"title, row {ROWS}")).to_have_value(f"A volume {ROWS:02}")
    await dialog.get_by_role("button", name="Declare them as parameters").click()
    await dialog.get_by_role("button", name="Run", exact=True).click()

    # the page has no such button: its nearest match is one click, and a run begins in a browser of its own
    outcome = page.get_by_role("region", name="Outcome")
    await outcome.get_by_role("button", name="Use “Save”", exact=True).click(timeout=RUN_MS)
    form, live = page.get_by_role("form", name="Block"), page.get_by_role("region", name="Live session")
    tabs = page.get_by_role("tablist", name="Edit").get_by_role("tab")
    assert len({box["y"] for one in await tabs.all() if (box := await one.bounding_box())}) == 1
    boxes = [await one.bounding_box() for one in (form, live)]
    assert boxes[0]
    assert boxes[1]
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
    await console.picture(page, "walk-by-hand-failed")
    await page.get_by_role("button", name="Save", exact=True).click()
    await page.get_by_text("Saved as version 2").wait_for()
    await page.get_by_role("button", name="Run", exact=True).click()
    await outcome.get_by_text("Completed without errors.").wait_for(timeout=RUN_MS)
    await page.get_by_role("treeitem").last.click()
    await expect(form.get_by_role("row").filter(has=page.get_by_label("Name of column 1"))).to_contain_text(
        "A volume 01"
    )
    await console.check(page)
    for width in (1440, 390):
        await page.set_viewport_size({"width": width, "height": 844})
        await page.emulate_media(color_scheme="dark" if width == 390 else "light")
        await console.assert_fits(page)
        await console.picture(page, f"walk-by-hand-{width}")

    workflow = api.call("/workflows/list")["workflows"][0]
    rows = [{"title": "A volume 99", "price": "9"}]
    ended = api.call("/workflows/executeSync", {"workflowId": workflow["id"], "params": {"books": rows}})
    assert ended["execution"]["status"] == "Completed", ended["execution"]["errorAnalysis"]
    titles = [row["title"] for row in ended["execution"]["response"]["Extract_1"]]
    # the application shows ten in one page of its list, and has others after these
    expected = [*(f"A volume {number:02}" for number in range(1, ROWS + 1)), "A volume 99"]
    assert titles[: len(expected)] == expected[:10]
    assert len(titles) == 10
