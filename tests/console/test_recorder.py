"""The recorder: what a person does on the live page becomes blocks, and a password never leaves the page."""

from collections.abc import AsyncGenerator

import pytest
from playwright.async_api import Locator, Page, Route, expect

from support.console import Console
from support.service import Api, Json, RunningService
from support.site import Site

pytestmark = pytest.mark.anyio

SECRET = "correct-horse-battery"
FORM = """<!doctype html><title>Portal</title><style>body{margin:0;font:16px sans-serif}
body > *, form > * {position:absolute;left:100px;width:300px;height:36px;margin:0}</style>
<h1 style="top:10px">Orders</h1>
<input aria-label="Search" style="top:60px">
<select aria-label="Status" style="top:110px"><option>All<option>Open<option>Closed</select>
<input type=checkbox aria-label="Archived" style="top:160px;width:30px">
<button style="top:210px" onclick="document.querySelector('h1').textContent = 'Found'">Find</button>
<a style="top:260px" href="/report.csv" download>Report</a>
<form style="position:static"><input aria-label="User" name=user style="top:310px">
<input aria-label="Password" type=password style="top:360px"></form>
<table style="top:420px"><tr><th>Order<th>Total<tr><td>A-1<td>10<tr><td>A-2<td>20</table>
<input type=file aria-label="Attachment" style="top:560px">"""


class Desk:
    """The live page in the editor, with a person at it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.live = page.get_by_role("region", name="Live view")
        self.screen = self.live.get_by_role("img")

    async def click(self, x: float, y: float) -> None:
        box = await self.screen.bounding_box()
        assert box is not None
        scale = box["width"] / 1280
        await self.screen.click(position={"x": x * scale, "y": y * scale})

    def block(self, name: str) -> Locator:
        return self.page.get_by_role("tree", name="Blocks").get_by_role("treeitem", name=name)

    async def saved(self, api: Api, workflow: Json) -> list[Json]:
        await self.page.get_by_role("button", name="Save", exact=True).click()
        await expect(self.page.get_by_text("Not saved")).to_have_count(0)
        return api.call("/workflows/get", {"id": workflow["id"]})["workflow"]["blocks"]


@pytest.fixture
def workflow(api: Api) -> Json:
    return api.create("Recorded")


@pytest.fixture
async def desk(console: Console, workflow: Json, site: Site) -> AsyncGenerator[Desk]:
    """Recording, on the form's page."""
    site.file("/report.csv", b"a,b\n1,2\n", "text/csv")
    page = await console.open(f"/workflows/{workflow['id']}", width=1600)
    await page.get_by_role("button", name="Record", exact=True).click()
    recorder = page.get_by_role("region", name="Recorder")
    await expect(recorder).to_be_visible(timeout=60_000)
    await recorder.get_by_label("Address").fill(site.page("/form", FORM).removeprefix("http://"))
    await recorder.get_by_role("button", name="Go").click()
    await expect(page.get_by_role("region", name="Outcome")).to_contain_text(
        "Completed without errors", timeout=60_000
    )
    desk = Desk(page)
    await expect(desk.live.get_by_text("You are in control")).to_be_visible()
    yield desk
    if await page.get_by_role("button", name="Close the session").count():
        await page.get_by_role("button", name="Close the session").click()
        await expect(desk.live).to_have_count(0)


@pytest.mark.slow
async def test_what_is_done_becomes_blocks_as_it_is_done(
    console: Console, api: Api, desk: Desk, workflow: Json
) -> None:
    page = desk.page
    await desk.click(200, 78)
    await page.keyboard.type("ACME")
    await expect(desk.block("Fill in Search")).to_be_visible()
    await desk.click(115, 178)
    await expect(desk.block("Set Archived")).to_be_visible()
    await desk.click(200, 228)
    await expect(desk.block("Click Find")).to_be_visible()
    await desk.click(130, 278)
    await expect(desk.block("Download Report")).to_be_visible()
    await console.picture(page, "editor-recording", full=True)
    await console.check(page)
    await page.get_by_role("button", name="Extract").click()
    await desk.click(120, 470)
    await expect(desk.block("Read the table")).to_be_visible()
    await page.get_by_role("button", name="Check", exact=True).click()
    await desk.click(200, 28)
    await page.get_by_role("list", name="What to check").get_by_role("button", name="It says").click()
    await expect(desk.block("Check the text “Found”")).to_be_visible()
    await page.get_by_role("button", name="Make parameters").click()
    await expect(desk.block("Fill in Search")).to_contain_text("{{params.search}}")
    await desk.block("Read the table").click()
    await page.get_by_role("button", name="For each row").click()
    await desk.click(200, 228)
    await expect(desk.block("Click Find")).to_have_count(2)
    await page.get_by_role("button", name="Stop recording").click()
    await expect(page.get_by_role("region", name="Recorder")).to_have_count(0)
    kept = await desk.saved(api, workflow)
    shown = [(match["type"], match["locator"] and match["locator"].get("words")) for match in kept]
    assert shown == [
        ("Navigate", None),
        ("Input", "Search field"),
        ("Input", "Archived checkbox"),
        ("Mouse", "Find button"),
        ("DownloadFile", "Report link"),
        ("Extract", None),
        ("LoopV2", None),
        ("WaitForCondition", None),
    ]
    assert kept[1]["data"]["value"] == "{{params.search}}"
    declared = api.call("/workflows/get", {"id": workflow["id"]})["workflow"]["parameters"]
    assert {"search": "ACME"}.items() <= {one["name"]: one["default"] for one in declared}.items()
    assert [inner["type"] for inner in kept[6]["sequenceData"]["sequence"]] == ["Mouse"]
    assert list(kept[5]["data"]["schema"]["items"]["properties"]) == ["Order", "Total"]
    run = api.call("/workflows/executeSync", {"workflowId": workflow["id"]})["execution"]
    assert run["status"] == "Completed", run["errorAnalysis"]
    rows = run["response"][kept[5]["blockReferenceId"]]
    assert rows == [{"Order": "A-1", "Total": "10"}, {"Order": "A-2", "Total": "20"}]


@pytest.mark.slow
async def test_a_password_becomes_a_reference_and_is_found_nowhere(
    api: Api, service: RunningService, desk: Desk, workflow: Json
) -> None:
    page = desk.page
    await desk.click(200, 328)
    await page.keyboard.type("ada")
    await page.keyboard.press("Tab")
    await page.keyboard.type(SECRET)
    await desk.click(200, 228)
    await expect(desk.block("Click Find")).to_be_visible()
    await page.get_by_role("button", name="Stop recording").click()
    await expect(page.get_by_role("region", name="Recorder")).to_have_count(0)
    kept = await desk.saved(api, workflow)
    values = [match["data"].get("value") for match in kept if match["type"] == "Input"]
    assert values == ["{{login.username}}", "{{login.password}}"]
    assert [match["data"].get("inputType") for match in kept][2] == "SensitiveTextInput"
    session = api.call("/executions/list", {"isTest": True})["executions"][0]
    everything = str(kept) + str(api.events(session["id"])) + str(api.get(session["id"]))
    assert SECRET not in everything
    assert SECRET not in service.log.read_text()
    assert SECRET not in await page.content()
    stored = b"".join(file.read_bytes() for file in service.data_dir.rglob("*") if file.is_file())
    assert SECRET.encode() not in stored


async def test_going_back_and_loading_anew_open_the_page_again(api: Api, desk: Desk, workflow: Json) -> None:
    opened = desk.page.get_by_role("tree", name="Blocks").get_by_role("treeitem")
    await expect(opened).to_have_count(1)
    await desk.live.get_by_role("button", name="Reload the page").click()
    await expect(opened).to_have_count(2)
    await desk.page.get_by_role("button", name="Stop recording").click()
    await expect(desk.page.get_by_role("region", name="Recorder")).to_have_count(0)
    kept = await desk.saved(api, workflow)
    assert [match["type"] for match in kept] == ["Navigate", "Navigate"]
    assert kept[0]["data"]["url"] == kept[1]["data"]["url"]


async def test_what_is_done_while_the_service_does_not_answer_is_recorded_afterwards(
    console: Console, desk: Desk
) -> None:
    async def fail(route: Route) -> None:
        await route.abort()

    console.expect_error("Failed to load resource")
    await desk.page.route("**/liveSessions/recorded", fail)
    async with desk.page.expect_event("requestfailed"):
        await desk.live.get_by_role("button", name="Reload the page").click()
    await desk.page.unroute("**/liveSessions/recorded")
    await expect(desk.page.get_by_role("tree", name="Blocks").get_by_role("treeitem")).to_have_count(2)


async def test_a_second_recording_takes_each_act_once_and_stopping_waits_for_what_was_typed_last(
    api: Api, desk: Desk, workflow: Json
) -> None:
    page, blocks = desk.page, desk.page.get_by_role("tree", name="Blocks").get_by_role("treeitem")
    for name, y in (("Click Find", 228), ("Download Report", 278)):
        await desk.click(130, y)
        await expect(desk.block(name)).to_be_visible()
        await page.get_by_role("button", name="Stop recording").click()
        await expect(page.get_by_role("region", name="Recorder")).to_have_count(0)
        await page.get_by_role("button", name="Record", exact=True).click()
        await expect(page.get_by_role("region", name="Recorder")).to_be_visible()
        await expect(desk.live.get_by_text("You are in control")).to_be_visible()
    await desk.click(200, 78)
    await page.keyboard.type("ACME")
    await page.get_by_role("button", name="Stop recording").click()
    await expect(page.get_by_role("region", name="Recorder")).to_have_count(0)
    assert "ACME" in await desk.block("Fill in Search").inner_text()  # already, so that Save has it
    await expect(blocks).to_have_count(4)
    kept = await desk.saved(api, workflow)
    assert [match["type"] for match in kept] == ["Navigate", "Mouse", "DownloadFile", "Input"]
    assert kept[3]["data"]["value"] == "ACME"


@pytest.mark.slow
async def test_a_check_compares_with_what_is_there_now(api: Api, desk: Desk, workflow: Json) -> None:
    page = desk.page
    await desk.click(200, 78)
    await page.keyboard.type("ACME")
    await expect(desk.block("Fill in Search")).to_be_visible()
    checks = {
        (200, 78): "Its value is “ACME”",
        (200, 128): "“All” is chosen",
        (115, 178): "It is not ticked",
    }
    for (x, y), text in checks.items():
        await page.get_by_role("button", name="Check", exact=True).click()
        await desk.click(x, y)
        await page.get_by_role("list", name="What to check").get_by_role("button", name=text).click()
    await page.get_by_role("button", name="Check", exact=True).click()
    await desk.click(200, 378)  # the password field: its value is offered nowhere
    choices = page.get_by_role("list", name="What to check").get_by_role("button")
    await expect(choices).to_have_count(1)
    await page.get_by_role("button", name="Stop picking").click()
    await page.get_by_role("button", name="Stop recording").click()
    await expect(page.get_by_role("region", name="Recorder")).to_have_count(0)
    kept = await desk.saved(api, workflow)
    conditions = [one["data"]["condition"] for one in kept if one["type"] == "WaitForCondition"]
    assert [(one["state"], one.get("value")) for one in conditions] == [
        ("valueEquals", "ACME"),
        ("textContains", "All"),
        ("unchecked", None),
    ]
    run = api.call("/workflows/executeSync", {"workflowId": workflow["id"]})["execution"]
    assert run["status"] == "Completed", run["errorAnalysis"]
