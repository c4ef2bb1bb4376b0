"""`Ctrl K` finds workflows, executions, logins, batches, files and actions from any view."""

from base64 import b64encode

import pytest
from playwright.async_api import expect

from support.console import Console
from support.service import FINAL, Api

pytestmark = pytest.mark.anyio


async def test_everything_is_found_from_anywhere_by_the_keyboard(console: Console, api: Api) -> None:
    wait = {"type": "Wait", "name": "First", "data": {"durationMs": 5}}
    workflow = api.create("Quarterly invoices", wait)
    run = api.start(workflow["id"], name="Quarterly run")
    api.wait_for(run["id"], *FINAL)
    api.call(
        "/logins/create",
        {
            "name": "Quarterly login",
            "authenticationUrl": "https://example.com/",
            "isManualAuthentication": True,
        },
    )
    content = b64encode(b"x").decode()
    api.call("/files/upload", {"name": "quarterly.csv", "contentBase64": content})
    page = await console.open(f"/workflows/{workflow['id']}")
    await page.get_by_role("treeitem").click()
    await page.keyboard.press("ControlOrMeta+k")
    await page.keyboard.type("quarterly")
    found = page.get_by_role("listbox", name="Found")
    for text in ("Quarterly invoices", "Quarterly run", "Quarterly login", "quarterly.csv"):
        await expect(found.get_by_role("option").filter(has_text=text).first).to_be_visible()
    await console.check(page)
    await console.picture(page, "search")
    await page.get_by_label("Search everything", exact=True).fill("go to sched")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Schedules")).to_be_visible()


async def test_the_editor_adds_its_blocks_and_actions(console: Console, api: Api) -> None:
    waits = [{"type": "Wait", "name": f"Wait {at}", "data": {"durationMs": 5}} for at in range(40)]
    workflow = api.create("Forty waits", *waits)
    page = await console.open(f"/workflows/{workflow['id']}")
    await expect(page.get_by_role("treeitem")).to_have_count(40)
    await page.keyboard.press("ControlOrMeta+k")
    await page.keyboard.type("wait 39")
    await expect(page.get_by_role("option", selected=True)).to_contain_text("Blocks")
    await page.keyboard.press("Enter")
    chosen = page.get_by_role("treeitem", selected=True)
    await expect(chosen).to_contain_text("Wait 39")
    await expect(chosen).to_be_in_viewport()
    await page.keyboard.press("ControlOrMeta+k")
    await page.keyboard.type("run in the back")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("dialog", name="Run in the background")).to_be_visible()


async def test_slash_searches_without_leaving_the_editor(console: Console, api: Api) -> None:
    workflow = api.create("Left alone", {"type": "Wait", "data": {"durationMs": 5}})
    page = await console.open(f"/workflows/{workflow['id']}")
    await page.keyboard.press("/")
    await page.keyboard.type("nothing like it")
    await expect(page.get_by_text("Nothing matches “nothing like it”.")).to_be_visible()
    await page.keyboard.press("Escape")
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("heading", name="Left alone")).to_be_visible()
