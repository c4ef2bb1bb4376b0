"""The operator's walk, with the keyboard alone: a red run, its reason, the block mended, green from there."""

import re
from collections.abc import Iterator

import pytest
from playwright.async_api import Locator, Page, expect

from support.blocks import click_at, value
from support.console import Console
from support.portal import PASSWORD, Asked, Portal, Reply, opened
from support.service import FINAL, Api

pytestmark = pytest.mark.anyio

HOME = "<!doctype html><title>Claims</title><h1>Welcome back</h1><a href=/out>Sign out</a>{button}"
OLD = "<button id=save>Save claim</button>"
NEW = "<button data-testid=keep class=fresh>Keep everything</button>"
_MOST_TABS = 150


@pytest.fixture
def portal() -> Iterator[Portal]:
    with opened(Portal()) as running:
        yield running


async def tab_to(page: Page, target: Locator) -> None:
    """Press Tab until the target has the focus, as somebody without a mouse does."""
    await target.first.wait_for()
    for _ in range(_MOST_TABS):
        if await target.first.evaluate("(one) => one === document.activeElement"):
            return
        await page.keyboard.press("Tab")
    raise AssertionError(f"{target} is not reached by {_MOST_TABS} presses of Tab")


async def press(page: Page, target: Locator) -> None:
    await tab_to(page, target)
    await page.keyboard.press("Enter")


async def test_a_red_run_is_found_mended_and_green_without_a_mouse(
    console: Console, api: Api, portal: Portal
) -> None:
    shown = [OLD]
    signed_in = portal.routes["/home"]

    def home(asked: Asked) -> Reply | str:
        answer = signed_in(asked)
        return HOME.format(button=shown[-1]) if isinstance(answer, str) else answer

    portal.routes["/home"] = home
    login = api.call(
        "/logins/create",
        {
            "name": "Claims portal",
            "authenticationUrl": f"{portal.url}/in",
            "homeUrl": f"{portal.url}/home",
            "loginConfiguration": {"username": "ada", "password": PASSWORD},
        },
    )["login"]["id"]
    save = {**click_at("#save", timeoutMs=1500), "name": "Save the claim", "isCacheable": False}
    workflow = api.create("Nightly claims", value("date", "today"), save, value("done", True))["id"]
    shown.append(NEW)
    red = api.wait_for(api.start(workflow, loginId=login, name="Last night")["id"], *FINAL, seconds=90)
    assert red["status"] == "Failed", red["response"]

    page = await console.open("/")
    await page.keyboard.press("g")
    await page.keyboard.press("e")
    await expect(page.get_by_role("heading", name="Executions", level=1)).to_be_visible()
    row = page.get_by_role("row").filter(has_text="Last night")
    await expect(row).to_contain_text("Failed")
    await press(page, row.get_by_role("link", name="Nightly claims"))

    reason = page.get_by_role("region", name="Why it failed")
    await expect(reason).to_contain_text("#save")
    await press(page, reason.get_by_role("link", name="Fix this block"))

    field = page.get_by_role("group", name="Element").get_by_label(re.compile("^css", re.IGNORECASE))
    await tab_to(page, field)
    await page.keyboard.press("ControlOrMeta+a")
    await page.keyboard.type("button.fresh")
    await press(page, page.get_by_role("button", name="Save", exact=True))
    await expect(page.get_by_text("version 2").first).to_be_visible()

    await page.go_back()
    steps = page.get_by_role("list", name="Steps")
    await expect(steps.get_by_role("button", name=re.compile("^Save the claim"))).to_have_attribute(
        "aria-expanded", "true"
    )
    await press(page, steps.get_by_role("button", name="Run from here"))
    await page.wait_for_url(lambda url: red["id"] not in url and "/executions/" in url)
    green = api.wait_for(page.url.rpartition("/")[2], *FINAL, seconds=90)
    assert green["status"] == "Completed", green["errorAnalysis"]
    await expect(page.locator(".view-head").get_by_text("Completed", exact=True)).to_be_visible()
    assert "date" not in green["response"]
