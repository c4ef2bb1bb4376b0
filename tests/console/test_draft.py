"""One draft holds blocks, parameters, output and settings; nobody but its author throws it away."""

import contextlib
import itertools
from collections.abc import Awaitable, Callable

import pytest
from playwright.async_api import Error, Locator, Page, Route, expect

from support.console import Console
from support.service import Api, Json, RunningService

pytestmark = pytest.mark.anyio
Edit = Callable[[Page], Awaitable[None]]


@pytest.fixture
def workflow(api: Api) -> Json:
    waits = [
        {"type": "Wait", "name": name, "blockReferenceId": name, "data": {"durationMs": 5}}
        for name in ("First", "Second", "Third")
    ]
    loop = {
        "type": "Loop",
        "name": "Each",
        "blockReferenceId": "Each",
        "data": {"over": {"times": 2}},
        "sequenceData": {"sequence": [{**waits[0], "name": "Round", "blockReferenceId": "Round"}]},
    }
    return api.create("Drafted", *waits, loop)


def saved(api: Api, workflow: Json) -> Json:
    return api.call("/workflows/get", {"id": workflow["id"]})["workflow"]


def item(page: Page, name: str) -> Locator:
    return page.get_by_role("tree", name="Blocks").get_by_role("treeitem", name=name)


async def show(page: Page, tab: str) -> None:
    await page.get_by_role("tab", name=tab).click()


async def rename(page: Page, block: str, name: str) -> None:
    await show(page, "Block")
    await item(page, block).click()
    field = page.get_by_role("form", name="Block").get_by_label("Name", exact=True)
    await expect(field).to_have_value(block)
    await field.fill(name)


async def rename_first(page: Page) -> None:
    await rename(page, "First", "Begin")


async def add_parameter(page: Page, name: str = "limit") -> None:
    await show(page, "Parameters")
    await page.get_by_role("button", name="Add parameter").click()
    added = page.get_by_role("group", name="New parameter")
    await added.get_by_label("Type").select_option("number")
    await added.get_by_label("Default").fill("7")
    await added.get_by_label("Name").fill(name)


async def set_output(page: Page) -> None:
    await show(page, "Output")
    await page.get_by_label("Response").select_option("template")
    await page.get_by_label("Output").last.fill("{{blocks.First}}")


async def set_settings(page: Page) -> None:
    await show(page, "Settings")
    await page.get_by_label("Tags").fill("billing, nightly")
    await page.get_by_label("Safe to repeat").check()


async def save(page: Page) -> None:
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.get_by_text("Not saved")).to_have_count(0)


def assert_whole(now: Json) -> None:
    """Every edit of `EDITS` is in it."""
    assert [block["name"] for block in now["blocks"]] == ["Begin", "Second", "Third", "Each"]
    parameters = [(one["name"], one["type"], one["default"]) for one in now["parameters"]]
    assert parameters == [("limit", "number", 7)]
    assert now["output"] == "{{blocks.First}}"
    assert sorted(tag["name"] for tag in now["tags"]) == ["billing", "nightly"]
    assert now["retrySafe"]


EDITS: tuple[Edit, ...] = (rename_first, add_parameter, set_output, set_settings)


@pytest.mark.parametrize("order", list(itertools.permutations(EDITS))[::7])
async def test_everything_is_saved_together_whatever_was_edited_first(
    console: Console, api: Api, workflow: Json, order: tuple[Edit, ...]
) -> None:
    page = await console.open(f"/workflows/{workflow['id']}")
    for edit in order:
        await edit(page)
        await page.reload()
        await expect(page.get_by_text("Not saved")).to_be_visible()
    await save(page)
    now = saved(api, workflow)
    assert now["version"] == 2
    assert_whole(now)


async def test_one_undo_leads_back_through_everything(console: Console, api: Api, workflow: Json) -> None:
    page = await console.open(f"/workflows/{workflow['id']}")
    before = saved(api, workflow)
    for edit in EDITS:
        await edit(page)
    await save(page)
    undo = page.get_by_role("button", name="Undo")
    while await undo.is_enabled():
        await undo.click()
    await save(page)
    now = saved(api, workflow)
    for field in ("name", "parameters", "output", "retrySafe", "blocks"):
        assert now[field] == before[field]
    redo = page.get_by_role("button", name="Redo")
    while await redo.is_enabled():
        await redo.click()
    await save(page)
    assert_whole(saved(api, workflow))


async def test_what_another_tab_saved_is_merged(console: Console, api: Api, workflow: Json) -> None:
    context = await console.context()
    address = f"/workflows/{workflow['id']}"
    one = await console.open(address, context=context)
    other = await console.open(address, context=context)
    await rename_first(one)
    await add_parameter(one)
    await rename(other, "Third", "Last")
    await item(other, "Second").click()
    await other.keyboard.press("Delete")
    await add_parameter(other, "other")
    await save(other)
    await expect(item(one, "Last")).to_be_visible()
    await expect(one.get_by_text("Not saved")).to_be_visible()
    await show(one, "Block")
    await item(one, "Round").click()
    await one.keyboard.press("Alt+ArrowLeft")
    await save(one)
    now = saved(api, workflow)
    assert [block["name"] for block in now["blocks"]] == ["Begin", "Last", "Each", "Round"]
    assert {parameter["name"] for parameter in now["parameters"]} == {"limit", "other"}


async def test_of_two_changes_that_meet_both_stay_until_the_person_chooses(
    console: Console, api: Api, workflow: Json
) -> None:
    address = f"/workflows/{workflow['id']}"
    mine, theirs = await console.open(address), await console.open(address)
    await rename(mine, "First", "My first")
    await rename(mine, "Second", "My second")
    await rename(mine, "Round", "My round")
    await rename(theirs, "First", "Their first")
    await rename(theirs, "Second", "Their second")
    await item(theirs, "Each").click()
    await theirs.keyboard.press("Delete")
    await save(theirs)
    conflicts = mine.get_by_role("region", name="Conflicts")
    await expect(conflicts.get_by_role("listitem")).to_have_count(3)
    await expect(conflicts).to_contain_text("My first")
    await expect(conflicts).to_contain_text("Their first")
    await expect(mine.get_by_role("button", name="Save", exact=True)).to_be_disabled()
    await console.check(mine)
    await console.picture(mine, "editor-conflicts")
    await mine.reload()
    await expect(conflicts.get_by_role("listitem")).to_have_count(3)

    async def choose(title: str, button: str) -> None:
        of_title = conflicts.get_by_role("listitem").filter(has_text=title)
        await of_title.get_by_role("button", name=button).click()

    await choose("My first", "Keep mine")
    await choose("My second", "Take version 2")
    await choose("Each", "Keep mine")
    await expect(conflicts).to_have_count(0)
    await save(mine)
    now = saved(api, workflow)
    assert [block["name"] for block in now["blocks"]] == ["My first", "Their second", "Third", "Each"]
    assert now["blocks"][3]["sequenceData"]["sequence"][0]["name"] == "My round"


async def test_a_new_tab_takes_what_a_crashed_tab_left(console: Console, api: Api, workflow: Json) -> None:
    context = await console.context()
    address = f"/workflows/{workflow['id']}"
    crashed = await console.open(address, context=context)
    other = await console.open(address, context=context)
    for edit in EDITS:
        await edit(crashed)
    await rename(other, "Third", "Last")
    for page in (crashed, other):
        with contextlib.suppress(Error):
            await page.goto("chrome://crash", timeout=5000)
    page = await console.open(address, context=context)
    await expect(item(page, "Begin")).to_be_visible()
    await expect(item(page, "Last")).to_be_visible()
    await rename(page, "Last", "Third")
    await save(page)
    assert_whole(saved(api, workflow))


async def test_a_live_tab_keeps_its_draft_to_itself(console: Console, workflow: Json) -> None:
    context = await console.context()
    address = f"/workflows/{workflow['id']}"
    one = await console.open(address, context=context)
    await rename_first(one)
    other = await console.open(address, context=context)
    await expect(item(other, "First")).to_be_visible()
    await expect(other.get_by_text("Not saved")).to_have_count(0)


async def test_the_draft_stays_on_the_screen_while_the_service_restarts(
    console: Console, api: Api, service: RunningService, workflow: Json
) -> None:
    page = await console.open(f"/workflows/{workflow['id']}")
    await rename_first(page)
    service.kill()
    await add_parameter(page)
    await save_fails(page)
    await set_output(page)
    service.start()
    await set_settings(page)
    await save(page)
    assert_whole(saved(api, workflow))
    console.expect_error("ERR_")
    console.expect_error("status of 503")  # it is starting


async def save_fails(page: Page) -> None:
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.get_by_text("The service cannot be reached").first).to_be_visible()
    await expect(page.get_by_text("Not saved")).to_be_visible()


async def test_what_is_typed_while_a_save_is_under_way_stays(
    console: Console, api: Api, workflow: Json
) -> None:
    page = await console.open(f"/workflows/{workflow['id']}")
    await rename_first(page)
    save_button = page.get_by_role("button", name="Save", exact=True)

    async with page.expect_response("**/workflows/update"):
        await page.route("**/workflows/update", lambda route: _type_then_continue(page, route), times=1)
        await save_button.click()
    await expect(page.get_by_text("version 2", exact=True)).to_be_visible()
    await expect(page.get_by_text("Not saved")).to_be_visible()
    await save(page)
    assert [block["name"] for block in saved(api, workflow)["blocks"]][:2] == ["Begin", "Meanwhile"]


async def _type_then_continue(page: Page, route: Route) -> None:
    await rename(page, "Second", "Meanwhile")
    await route.continue_()


async def test_json_that_is_half_typed_survives_a_reload(console: Console, workflow: Json) -> None:
    page = await console.open(f"/workflows/{workflow['id']}?edit=Output")
    await page.get_by_label("Response").select_option("json")
    await page.get_by_role("textbox", name="Output").click()
    await page.keyboard.press("Control+a")
    await page.keyboard.insert_text('{"half": [1, 2')
    await expect(page.get_by_text("This is not valid JSON.")).to_be_visible()
    await page.reload()
    await expect(page.get_by_role("textbox", name="Output")).to_have_text('{"half": [1, 2')
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.get_by_text("Not saved")).to_be_visible()


async def test_undo_survives_a_reload(console: Console, workflow: Json) -> None:
    page = await console.open(f"/workflows/{workflow['id']}?edit=Settings")
    name = page.get_by_label("Workflow name")
    before = await name.input_value()
    await name.fill("Another name")
    await page.reload()
    await expect(name).to_have_value("Another name")
    await page.get_by_role("button", name="Undo").click()
    await expect(name).to_have_value(before)
