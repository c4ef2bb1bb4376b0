"""Building with the live page beside the editor: run a block, run to one, point at an element."""

import pytest
from playwright.async_api import Page, expect

from support.blocks import click, navigate, value
from support.console import Console, choose_run
from support.service import Api, Json
from support.site import Site

pytestmark = pytest.mark.anyio

SHOP = """<!doctype html><title>Shop</title><style>body{margin:0;font:16px sans-serif}
button,input{position:absolute;left:100px;width:200px;height:40px}</style>
<h1 style="margin:20px 100px">Claims</h1><input aria-label="Customer" style="top:100px">
<button style="top:200px" onclick="document.querySelector('h1').textContent = 'Paid'">Pay now</button>"""


@pytest.fixture
def workflow(api: Api, site: Site) -> Json:
    """Its second block looks for a button that has another name by now."""
    fields = {"title": {"locator": {"css": "h1"}}}
    return api.create(
        "Pay a claim",
        navigate(site.page("/shop", SHOP)),
        {
            "type": "Mouse",
            "name": "Pay",
            "blockReferenceId": "pay",
            "locator": {"role": "button", "text": "Settle"},
            "data": {"timeoutMs": 1000},
        },
        {
            "type": "Extract",
            "name": "Read",
            "blockReferenceId": "read",
            "data": {"prompt": "it", "fields": fields},
        },
    )


async def choose(page: Page, name: str) -> None:
    await page.get_by_role("tree", name="Blocks").get_by_role("treeitem", name=name).click()


async def close(page: Page) -> None:
    await page.get_by_role("button", name="Close the session").click()
    await expect(page.get_by_role("region", name="Live view")).to_have_count(0)


@pytest.mark.slow
async def test_the_operator_mends_a_locator_with_pick_and_runs_it_green(
    console: Console, api: Api, workflow: Json
) -> None:
    page = await console.open(f"/workflows/{workflow['id']}?block=pay", width=1600)
    await expect(page.get_by_role("form", name="Block").get_by_label("Name", exact=True)).to_have_value("Pay")
    await choose_run(page, "Run to here")
    outcome = page.get_by_role("region", name="Outcome")
    await expect(outcome).to_contain_text("Settle", timeout=60_000)
    live = page.get_by_role("region", name="Live view")
    await expect(live.get_by_text("Watching")).to_be_visible()
    await console.picture(page, "editor-failed-block", full=True)

    await page.get_by_role("button", name="Pick").click()
    screen = live.get_by_role("img")
    box = await screen.bounding_box()
    assert box is not None
    scale = box["width"] / 1280
    await screen.click(position={"x": 150 * scale, "y": 220 * scale})
    offered = page.get_by_role("list", name="Ranked locators").get_by_role("button")
    await expect(offered.first).to_contain_text("Pay now button")
    await expect(offered.first).to_contain_text("1 match")
    await console.picture(page, "editor-pick", full=True)
    await console.check(page)
    await offered.first.click()
    await expect(page.get_by_role("form", name="Block").get_by_label("Words")).to_have_value("Pay now button")

    await choose_run(page, "Run this block")
    await expect(outcome).to_contain_text("Completed without errors", timeout=60_000)
    await choose(page, "Read")
    await choose_run(page, "Run this block")
    await expect(outcome).to_contain_text("Paid", timeout=60_000)
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.get_by_text("version 2", exact=True)).to_be_visible()
    await close(page)
    kept = api.call("/workflows/get", {"id": workflow["id"]})["workflow"]["blocks"]
    assert kept[1]["locator"] == {"words": "Pay now button"}
    run = api.call("/workflows/executeSync", {"workflowId": workflow["id"]})["execution"]
    assert run["status"] == "Completed"


@pytest.mark.slow
async def test_run_runs_everything_beside_the_editor_and_a_reload_finds_the_session_again(
    console: Console, api: Api, site: Site
) -> None:
    made = api.create("Look", navigate(site.page("/shop", SHOP)))
    page = await console.open(f"/workflows/{made['id']}", width=390, theme="dark")
    await page.get_by_role("button", name="Run", exact=True).click()
    await expect(page.get_by_role("region", name="Outcome")).to_contain_text(
        "Completed without errors", timeout=60_000
    )
    await console.assert_fits(page)
    await console.check(page)
    await console.picture(page, "editor-live-390-dark", full=True)
    await page.reload()
    live = page.get_by_role("region", name="Live view")
    await expect(live.get_by_text("Watching")).to_be_visible(timeout=30_000)
    listed = api.call("/executions/list", {"isTest": True})["executions"]
    assert [
        item["metadata"].get("liveSession") for item in listed if item["workflow"]["id"] == made["id"]
    ] == [True]
    await close(page)


@pytest.mark.slow
async def test_the_page_is_driven_and_the_next_run_takes_it_over(
    console: Console, api: Api, site: Site
) -> None:
    read = {
        "type": "Extract",
        "name": "Read",
        "data": {"prompt": "it", "fields": {"title": {"locator": {"css": "h1"}}}},
    }
    made = api.create("Drive", navigate(site.page("/shop", SHOP)), read)
    page = await console.open(f"/workflows/{made['id']}", width=1600)
    await choose(page, "Navigate")
    await choose_run(page, "Run to here")
    await expect(page.get_by_role("region", name="Outcome")).to_contain_text(
        "Completed without errors", timeout=60_000
    )
    live = page.get_by_role("region", name="Live view")
    await live.get_by_role("button", name="Take control").click()
    await expect(live.get_by_text("You are in control")).to_be_visible()
    screen = live.get_by_role("img")
    box = await screen.bounding_box()
    assert box is not None
    scale = box["width"] / 1280
    await screen.click(position={"x": 150 * scale, "y": 220 * scale})
    await choose(page, "Read")
    await choose_run(page, "Run this block")
    await expect(page.get_by_role("region", name="Outcome")).to_contain_text("Paid", timeout=60_000)
    await expect(live.get_by_text("Watching")).to_be_visible()
    await close(page)


@pytest.mark.slow
async def test_run_from_here_takes_what_an_earlier_run_left_and_names_effects_first(
    console: Console, api: Api, site: Site
) -> None:
    form = "<!doctype html><title>Form</title><form method=post action=/sent><button>Send</button></form>"
    site.page("/sent", "<!doctype html><title>Sent</title><h1>Number 12</h1>")
    read = {"prompt": "it", "fields": {"title": {"locator": {"css": "h1"}}}}
    made = api.create(
        "Send and read",
        navigate(site.page("/form", form)),
        {**click("button", "Send"), "name": "Send", "blockReferenceId": "send"},
        {"type": "Extract", "name": "Read", "blockReferenceId": "read", "data": read},
        {**value("shown", "{{params.rows}} {{blocks.read.title}}"), "name": "Show"},
    )
    run = {"workflowId": made["id"], "isTest": True, "params": {"rows": "two"}}
    api.call("/workflows/executeSync", run)
    site.hits.clear()
    page = await console.open(f"/workflows/{made['id']}", width=1600)
    await choose(page, "Read Extract")
    await choose_run(page, "Run from here")
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_role("button", name="Run", exact=True)).to_be_visible()
    await dialog.get_by_label("The first block").check()
    await expect(
        dialog.get_by_role("list", name="Blocks that are repeated").get_by_role("img")
    ).to_have_count(2)
    await expect(dialog.get_by_role("note")).to_contain_text("POST")
    await console.check(page)
    await console.picture(page, "editor-run-from")
    await dialog.get_by_label("What an earlier run left").check()
    await dialog.get_by_role("button", name="Run", exact=True).click()
    outcome = page.get_by_role("region", name="Outcome")
    await expect(outcome).to_contain_text("two Number 12", timeout=60_000)
    assert [hit for hit in site.hits if "favicon" not in hit] == ["/sent"]
    await close(page)


@pytest.mark.slow
async def test_a_refused_block_is_shown_at_its_field(console: Console, api: Api) -> None:
    made = api.create("Refused", {"type": "Wait", "name": "Nap", "data": {"durationMs": 5}})
    page = await console.open(f"/workflows/{made['id']}")
    await choose(page, "Nap")
    form = page.get_by_role("form", name="Block")
    await form.get_by_label("Duration ms").fill("{{blocks.nowhere}}")
    await page.get_by_role("button", name="Save", exact=True).click()
    problem = form.get_by_role("alert")
    await expect(problem).to_contain_text("nowhere")
    console.expect_error("status of 400")
