"""The operator's walk, with the keyboard alone: a red run, its reason, the block mended with Pick, green."""

import re

import pytest
from playwright.async_api import Locator, Page, expect

from support.blocks import click_at, navigate, value
from support.console import Console
from support.service import FINAL, Api
from support.site import Site

pytestmark = pytest.mark.anyio

HOME = "<!doctype html><title>Claims</title><h1 style='margin-top:320px'>Welcome back</h1>{button}"
NEW = "<button style='position:fixed;left:0;top:0;width:300px;height:300px'>Keep everything</button>"
_MOST_TABS = 150


async def tab_to(page: Page, target: Locator) -> None:
    """Press Tab until the target has the focus, as a user without a mouse does."""
    await target.first.wait_for()
    for _ in range(_MOST_TABS):
        if await target.first.evaluate("(one) => one === document.activeElement"):
            return
        await page.keyboard.press("Tab")
    raise AssertionError(f"{target} is not reached by {_MOST_TABS} presses of Tab")


async def press(page: Page, target: Locator) -> None:
    await tab_to(page, target)
    await page.keyboard.press("Enter")


@pytest.mark.slow
async def test_a_red_run_is_found_mended_with_pick_and_green_without_a_mouse(
    console: Console, api: Api, site: Site
) -> None:
    portal = site.page("/claims", HOME.format(button=NEW))
    save = {**click_at("#save", timeoutMs=5000), "name": "Save the claim", "isCacheable": False}
    address = {**navigate("{{params.portal}}"), "name": "Open the portal"}
    declared = [{"name": "portal", "type": "string", "isRequired": True}]
    workflow = api.create("Nightly claims", address, save, value("done", True), parameters=declared)["id"]
    started = api.start(workflow, {"portal": portal}, name="Last night")
    red = api.wait_for(started["id"], *FINAL, seconds=90)
    assert red["status"] == "Failed", red["response"]

    page = await console.open("/", width=1600)
    await page.keyboard.press("g")
    await page.keyboard.press("e")
    await expect(page.get_by_role("heading", name="Executions", level=1)).to_be_visible()
    row = page.get_by_role("row").filter(has_text="Last night")
    await expect(row).to_contain_text("Failed")
    await press(page, row.get_by_role("link", name="Nightly claims"))

    reason = page.get_by_role("region", name="Why it failed")
    await expect(reason).to_contain_text("#save")
    healing = reason.get_by_role("link", name="Healing")
    await expect(healing).to_have_attribute("href", "/guide/healing.html")
    await press(page, reason.get_by_role("link", name="Fix this block"))

    # the live session has the run's parameters, and goes to where it failed
    await expect(page.get_by_role("note")).to_contain_text("Last night")
    await press(page, page.get_by_role("button", name="Pick", exact=True))
    outcome = page.get_by_role("region", name="Outcome")
    await expect(outcome).to_contain_text("#save", timeout=60_000)
    await expect(outcome.get_by_role("link", name="Healing")).to_be_visible()
    screen = page.get_by_role("region", name="Live view").get_by_role("img")
    await expect(screen).to_be_focused()
    # from the middle of the page, 1280 by 800, to the button in its corner
    for key in ("ArrowLeft",) * 30 + ("ArrowUp",) * 15:
        await page.keyboard.press(key)
    await page.keyboard.press("Enter")
    offered = page.get_by_role("list", name="Ranked locators").get_by_role("button")
    await expect(offered.first).to_contain_text("Keep everything", timeout=30_000)
    await press(page, offered)
    await press(page, page.get_by_role("button", name="More ways to run"))
    await press(page, page.get_by_role("menuitem", name="Run this block"))
    await expect(outcome).to_contain_text("Completed without errors", timeout=60_000)
    await press(page, page.get_by_role("button", name="Save", exact=True))
    await expect(page.get_by_text("version 2", exact=True)).to_be_visible()
    await press(page, page.get_by_role("button", name="Close the session"))

    await page.goto(f"{console.url}/executions/{red['id']}")
    steps = page.get_by_role("list", name="Steps")
    await expect(steps.get_by_role("button", name=re.compile("^Save the claim"))).to_have_attribute(
        "aria-expanded", "true"
    )
    await press(page, page.get_by_role("button", name="Retry", exact=True))
    await page.wait_for_url(lambda url: red["id"] not in url and "/executions/" in url)
    green = api.wait_for(page.url.rpartition("/")[2], *FINAL, seconds=90)
    assert green["status"] == "Completed", green["errorAnalysis"]
    await expect(page.locator(".view-head").get_by_text("Completed", exact=True)).to_be_visible()
