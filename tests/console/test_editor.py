"""The editor: tree, form, versions, words, clipboard."""

import json
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from support.blocks import value
from support.console import Console, Theme
from support.service import Api, Json

pytestmark = pytest.mark.anyio


def wait(name: str, milliseconds: int = 5) -> Json:
    return {"type": "Wait", "name": name, "blockReferenceId": name, "data": {"durationMs": milliseconds}}


@pytest.fixture
def workflow(api: Api) -> Json:
    """Two waits, a decision and a loop, nested."""
    decision = {
        "type": "If",
        "name": "Decide",
        "blockReferenceId": "Decide",
        "data": {"condition": "1 == 1"},
        "sequenceData": {"trueSequence": [wait("Inside")], "falseSequence": []},
    }
    loop = {
        "type": "Loop",
        "name": "Each",
        "blockReferenceId": "Each",
        "data": {"over": {"times": 2}},
        "sequenceData": {"sequence": [wait("Round")]},
    }
    return api.create("Built by hand", wait("First"), wait("Second"), decision, loop)


def blocks(api: Api, workflow: Json) -> list[Json]:
    return api.call("/workflows/get", {"id": workflow["id"]})["workflow"]["blocks"]


def item(page: Page, name: str) -> Locator:
    return page.get_by_role("tree", name="Blocks").get_by_role("treeitem", name=name)


async def expect_order(page: Page, *first: str, of: int | None = None) -> None:
    """Wait until the tree begins with these blocks, of so many in all; without `of` they are all of it."""
    shown = page.get_by_role("tree", name="Blocks").locator(".tree-name")
    await expect(shown).to_have_count(of or len(first))
    for position, name in enumerate(first):
        await expect(shown.nth(position)).to_have_text(name)


async def save(page: Page) -> None:
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.get_by_text("Not saved")).to_have_count(0)


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")])
async def test_it_is_readable_at_every_width_and_in_both_themes(
    console: Console, workflow: Json, width: int, theme: Theme
) -> None:
    page = await console.open(f"/workflows/{workflow['id']}?block=Decide", width=width, theme=theme)
    await expect(item(page, "Decide")).to_have_attribute("aria-selected", "true")
    await console.check(page)
    await console.assert_fits(page)
    await console.picture(page, f"editor-{width}-{theme}", full=True)


async def test_if_and_loop_are_lanes_of_a_tree(console: Console, workflow: Json) -> None:
    page = await console.open(f"/workflows/{workflow['id']}")
    await expect(page.get_by_role("group", name="Decide: True").get_by_role("treeitem")).to_have_count(1)
    await expect(page.get_by_role("group", name="Decide: False").get_by_role("treeitem")).to_have_count(0)
    await expect(page.get_by_role("group", name="Each: Each round").get_by_role("treeitem")).to_have_count(1)
    await expect(item(page, "Inside")).to_have_attribute("aria-level", "2")


async def test_blocks_move_with_the_keyboard_in_out_and_along(
    console: Console, api: Api, workflow: Json
) -> None:
    page = await console.open(f"/workflows/{workflow['id']}")
    await item(page, "Second").click()
    await page.keyboard.press("Alt+ArrowUp")
    await expect_order(page, "Second", "First", of=6)
    await item(page, "Inside").click()
    await page.keyboard.press("Alt+ArrowLeft")
    await expect_order(page, "Second", "First", "Decide", "Inside", "Each", "Round")
    await page.keyboard.press("Alt+ArrowRight")
    await expect(page.get_by_role("group", name="Decide: True").get_by_role("treeitem")).to_have_count(1)
    await save(page)
    assert [block["name"] for block in blocks(api, workflow)] == ["Second", "First", "Decide", "Each"]


async def test_blocks_move_by_dragging(console: Console, workflow: Json) -> None:
    page = await console.open(f"/workflows/{workflow['id']}")
    await item(page, "First").drag_to(item(page, "Round"), target_position={"x": 20, "y": 4})
    await expect_order(page, "Second", "Decide", "Inside", "Each", "First", "Round")


async def test_a_block_is_inserted_between_two_by_what_people_call_it(
    console: Console, api: Api, workflow: Json
) -> None:
    page = await console.open(f"/workflows/{workflow['id']}")
    await item(page, "Second").click()
    await page.get_by_role("button", name="Insert before").click()
    await page.get_by_label("Search kinds").fill("click")
    offered = page.get_by_role("dialog").get_by_role("listitem")
    await expect(offered.first).to_contain_text("Mouse")
    await page.keyboard.press("Enter")
    await expect_order(page, "First", "Click", "Second", of=7)
    form = page.get_by_role("form", name="Block")
    await form.get_by_label("Words").fill("the Save button")
    await save(page)
    assert blocks(api, workflow)[1]["locator"] == {"words": "the Save button"}


async def test_undo_and_redo_go_across_saves(console: Console, api: Api, workflow: Json) -> None:
    page = await console.open(f"/workflows/{workflow['id']}?block=First")
    form = page.get_by_role("form", name="Block")
    await form.get_by_label("Name", exact=True).fill("Begin")
    await save(page)
    await item(page, "Second").click()
    await page.keyboard.press("Delete")
    await save(page)
    assert [block["name"] for block in blocks(api, workflow)] == ["Begin", "Decide", "Each"]
    undo = page.get_by_role("button", name="Undo").first  # the notice about the deleted block has one too
    await undo.click()
    await expect_order(page, "Begin", "Second", of=6)
    for _ in range(len("Begin") + 1):
        if await undo.is_disabled():
            break
        await undo.click()
    await expect_order(page, "First", "Second", of=6)
    await save(page)
    assert [block["name"] for block in blocks(api, workflow)] == ["First", "Second", "Decide", "Each"]
    await page.get_by_role("button", name="Redo").click()
    await expect(page.get_by_text("Not saved")).to_be_visible()


async def test_unsaved_work_survives_a_reload(console: Console, workflow: Json) -> None:
    page = await console.open(f"/workflows/{workflow['id']}?block=First")
    await page.get_by_role("form", name="Block").get_by_label("Name", exact=True).fill("Kept")
    await expect(page.get_by_text("Not saved")).to_be_visible()
    await page.reload()
    await expect(item(page, "Kept")).to_be_visible()
    await expect(page.get_by_text("Not saved")).to_be_visible()


async def test_blocks_are_copied_and_pasted_as_json(console: Console, workflow: Json) -> None:
    context = await console.context()
    await context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = await console.open(f"/workflows/{workflow['id']}", context=context)
    await item(page, "Each").click()
    await page.keyboard.press("Control+c")
    await expect(page.get_by_text("Copied as JSON.")).to_be_visible()
    copied = json.loads(await page.evaluate("navigator.clipboard.readText()"))
    assert copied[0]["type"] == "LoopV2"
    await page.keyboard.press("Control+v")
    await expect_order(page, "First", "Second", "Decide", "Inside", "Each", "Round", "Each", "Round")


async def test_several_blocks_are_selected_with_the_keyboard_and_pasted_into_another_workflow(
    console: Console, api: Api, workflow: Json
) -> None:
    reading = {"type": "Transform", "name": "Use", "data": {"input": "{{blocks.First}}", "code": "input"}}
    source = api.create("Source", wait("First"), reading, wait("Last"))
    context = await console.context()
    await context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = await console.open(f"/workflows/{source['id']}", context=context)
    await item(page, "First Wait").click()
    await page.keyboard.press("Shift+ArrowDown")
    await page.keyboard.press("Shift+ArrowDown")
    await expect(page.get_by_text("3 blocks selected")).to_be_visible()
    await page.keyboard.press("Shift+ArrowUp")
    await page.keyboard.press("Alt+ArrowDown")
    await expect_order(page, "Last", "First", "Use")
    await page.keyboard.press("Control+c")
    await expect(page.get_by_text("Copied as JSON.")).to_be_visible()
    await console.check(page)
    page = await console.open(f"/workflows/{workflow['id']}", context=context)
    await item(page, "Second").click()
    await page.keyboard.press("Control+v")
    await expect_order(page, "First", "Second", "First", "Use", "Decide", of=8)
    await save(page)
    # the reference is taken there: the copy has another, and what is copied with it follows
    pasted = blocks(api, workflow)[2:4]
    assert [one["blockReferenceId"] for one in pasted] == ["First_2", "Transform_1"]
    assert pasted[1]["data"]["input"] == "{{blocks.First_2}}"


async def test_a_new_blocks_output_keeps_its_name_where_it_is_used(
    console: Console, api: Api, workflow: Json
) -> None:
    page = await console.open(f"/workflows/{workflow['id']}")
    form = page.get_by_role("form", name="Block")
    for kind in ("transform", "transform"):
        await page.get_by_role("button", name="Insert a block").click()
        await page.get_by_label("Search kinds").fill(kind)
        await page.keyboard.press("Enter")
    await form.get_by_label("Input", exact=True).fill("{{blocks.Transform_1}}")
    await item(page, "First").click()
    await page.get_by_role("button", name="Insert before").click()
    await page.get_by_label("Search kinds").fill("transform")
    await page.keyboard.press("Enter")
    for position in range(3):
        await item(page, "Compute a value").nth(position).click()
        await form.get_by_role("textbox", name="Code").click()
        await page.keyboard.insert_text("input")
        if position < 2:
            await form.get_by_label("Input", exact=True).fill(str(position))
    await save(page)
    kept = [(one["blockReferenceId"], one["data"].get("input")) for one in blocks(api, workflow)]
    assert kept[0] == ("Transform_2", 0)
    assert kept[5:] == [("Transform_1", 1), ("Transform_3", "{{blocks.Transform_1}}")]


async def test_a_warning_stands_at_its_field(console: Console, api: Api) -> None:
    made = api.create("Doubtful", {"type": "Mouse", "name": "Press", "locator": {"words": "x"}, "data": {}})
    page = await console.open(f"/workflows/{made['id']}")
    await item(page, "Press").click()
    form = page.get_by_role("form", name="Block")
    await form.get_by_label("Words").fill("Delete the order")
    await page.get_by_role("button", name="Save", exact=True).click()
    warning = form.get_by_role("status").filter(has_text="Check this")
    await expect(warning).to_be_visible()
    await page.reload()
    await item(page, "Press").click()
    await expect(warning).to_be_visible()
    await form.get_by_label("Words").fill("the Save button")
    await expect(warning).to_have_count(0)


@pytest.mark.slow
async def test_parameters_and_output_are_kept_with_their_types(
    console: Console, api: Api, workflow: Json
) -> None:
    page = await console.open(f"/workflows/{workflow['id']}")
    await page.get_by_role("tab", name="Parameters").click()
    await page.get_by_role("button", name="Add parameter").click()
    await page.get_by_label("Name").fill("limit")
    await page.get_by_label("Type").select_option("number")
    await page.get_by_label("Default").fill("7")
    await page.get_by_role("tab", name="Output").click()
    await page.get_by_label("Response").select_option("json")
    editor = page.get_by_role("textbox", name="Output")
    await editor.click()
    await page.keyboard.press("Control+a")
    await page.keyboard.insert_text('{"limit": "{{params.limit}}"}')
    await save(page)
    await expect(page.get_by_text("version 2", exact=True)).to_be_visible()
    kept = api.call("/workflows/get", {"id": workflow["id"]})["workflow"]
    assert kept["parameters"][0]["default"] == 7
    assert kept["output"] == {"limit": "{{params.limit}}"}


async def test_versions_say_what_changed_and_one_is_restored(
    console: Console, api: Api, workflow: Json
) -> None:
    changed = [{**wait("First", 9)}, wait("Third")]
    operation = {"type": "replaceAll", "blocks": changed}
    api.call("/workflows/blocks/update", {"workflowId": workflow["id"], "operations": [operation]})
    page = await console.open(f"/workflows/{workflow['id']}?edit=Versions")
    await page.get_by_role("button", name="What changed").first.click()
    changes = page.get_by_role("list", name="Changes")
    await expect(changes).to_contain_text("added “Third” (Wait)")
    await expect(changes).to_contain_text("Duration ms: “5” → “9”")
    await console.picture(page, "editor-versions")
    await page.get_by_role("button", name="Restore").click()
    await expect(item(page, "Decide")).to_be_visible()
    assert [block["name"] for block in blocks(api, workflow)] == ["First", "Second", "Decide", "Each"]


async def test_a_change_within_a_long_text_is_shown_where_it_is(console: Console, api: Api) -> None:
    long = "Read every line of the letter. " * 10
    made = api.create("Letters", value("letter", f"{long}Leave out greetings. {long}"))
    now = [value("letter", f"{long}Keep the greetings. {long}"), {**wait("Rest"), "type": "WaitForCondition"}]
    now[1]["data"] = {"condition": "True"}
    operation = {"type": "replaceAll", "blocks": now}
    api.call("/workflows/blocks/update", {"workflowId": made["id"], "operations": [operation]})
    page = await console.open(f"/workflows/{made['id']}?edit=Versions")
    await page.get_by_role("button", name="What changed").first.click()
    changes = page.get_by_role("list", name="Changes")
    await expect(changes).to_contain_text("line of the letter. Leave out greetings. Read eve…")
    await expect(changes).to_contain_text("line of the letter. Keep the greetings. Read eve…")
    await expect(changes).to_contain_text("added “Rest” (Wait For Condition)")


async def test_the_whole_draft_is_edited_as_json_with_the_checks_of_the_forms(
    console: Console, api: Api, workflow: Json
) -> None:
    page = await console.open(f"/workflows/{workflow['id']}?edit=JSON")
    editor = page.get_by_role("textbox", name="Workflow as JSON")
    text = await page.locator(".json-view .code-field").evaluate("(one) => one.shadowRoot.textContent")
    assert "isCacheable" not in text

    async def type_all(changed: Json | str) -> None:
        await editor.click()
        await page.keyboard.press("Control+a")
        await page.keyboard.insert_text(changed if isinstance(changed, str) else json.dumps(changed))

    first = {
        "id": blocks(api, workflow)[0]["id"],
        "type": "Wait",
        "name": "Renamed",
        "data": {"durationMs": 7},
    }
    await type_all({"name": "Typed", "blocks": [first]})
    await expect_order(page, "Renamed")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Typed")
    await type_all('{"name": "Typed", "blocks": [')
    await expect(page.get_by_text("This is not valid JSON yet.")).to_be_visible()
    await type_all({"name": "Typed", "blocks": [{**first, "nmae": "x"}]})
    await expect(page.get_by_text("has no field nmae")).to_be_visible()
    await expect_order(page, "Renamed")
    console.expect_error("status of 400")
    await type_all({"name": "Typed", "blocks": [{**first, "data": {"durationMs": "long"}}]})
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.get_by_role("alert").filter(has_text="“Renamed”, Duration ms:")).to_be_visible()
    await console.check(page)
    await console.picture(page, "editor-json")
    await type_all({"name": "Typed", "blocks": [first]})
    await save(page)
    assert blocks(api, workflow)[0]["data"] == {"durationMs": 7}


async def test_what_can_be_inserted_shows_what_it_was_in_the_last_run(console: Console, api: Api) -> None:
    found = {
        **wait("Found"),
        "type": "Transform",
        "data": {"input": "{{params.rows}}", "code": "lambda x: len(x)"},
    }
    loop = {
        "type": "Loop",
        "name": "Each",
        "data": {"over": {"items": "{{params.rows}}"}},
        "sequenceData": {"sequence": [{**wait("Round"), "id": "round"}]},
    }
    rows = [{"title": "A volume"}, {"title": "Another"}]
    workflow = api.create("Sampled", {**found, "blockReferenceId": "Found"}, loop)
    api.call("/workflows/executeSync", {"workflowId": workflow["id"], "params": {"rows": rows}})
    page = await console.open(f"/workflows/{workflow['id']}")
    await item(page, "Each").click()
    form = page.get_by_role("form", name="Block")
    await form.get_by_role("button", name="Insert").first.click()
    listed = form.get_by_role("list", name="What to insert into")
    await expect(listed).to_contain_text("blocks.Found 2")
    await console.check(page)
    await console.picture(page, "editor-insert")


@pytest.mark.slow
async def test_a_described_step_is_a_diff_before_it_is_taken(
    console: Console, api: Api, workflow: Json
) -> None:
    page = await console.open(f"/workflows/{workflow['id']}?block=First")
    await expect(page.get_by_role("form", name="Block").get_by_label("Name", exact=True)).to_have_value(
        "First"
    )
    await page.get_by_role("button", name="Describe a step").click()
    await page.get_by_label("What should happen").fill("Click the Submit button")
    await page.get_by_role("button", name="Propose blocks").click()
    await expect(page.get_by_role("list", name="Changes")).to_contain_text("Submit")
    assert len(blocks(api, workflow)) == 4
    await console.picture(page, "editor-describe")
    await console.check(page)
    await page.get_by_role("button", name="Apply").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(page.get_by_text("version 2", exact=True)).to_be_visible()
    await expect_order(page, "First", of=7)
    assert [one["type"] for one in blocks(api, workflow)][:3] == ["Wait", "Mouse", "Wait"]
    await page.get_by_role("button", name="Undo").click()
    await save(page)
    assert len(blocks(api, workflow)) == 4


async def test_what_a_description_leaves_open_is_settled_where_it_stands(
    console: Console, api: Api, workflow: Json
) -> None:
    console.expect_error("400 (Bad Request)")
    page = await console.open(f"/workflows/{workflow['id']}?block=First")
    await page.get_by_role("button", name="Describe a step").click()
    words = page.get_by_label("What should happen")
    await words.fill(
        "Click the 🙂 Submit button. Sing a song, then dance. Then dance a waltz. Open https://example.com"
    )
    await page.get_by_role("button", name="Propose blocks").click()
    part = page.get_by_role("region", name="Not understood")
    await expect(part.locator("mark").first).to_have_text("Sing a song")
    await console.picture(page, "editor-describe-open")
    await console.check(page)
    await part.get_by_role("form").first.get_by_role("button", name="Leave it out").click()
    await expect(part.locator("mark").first).to_contain_text("dance")
    while await part.get_by_role("form").count() > 1:
        left = await part.get_by_role("form").count()
        await part.get_by_role("form").first.get_by_role("button", name="Leave it out").click()
        await expect(part.get_by_role("form")).to_have_count(left - 1)
    rest = part.get_by_role("form")
    await rest.get_by_role("textbox").fill("click the Save button")
    await rest.get_by_role("button", name="Say it like this").click()
    changes = page.get_by_role("list", name="Changes")
    await expect(changes).to_contain_text("Save")
    await expect(changes).to_contain_text("example.com")
    await expect(changes).not_to_contain_text("dance")
    assert len(blocks(api, workflow)) == 4


async def test_a_workflow_is_exported_and_imported(
    console: Console, api: Api, workflow: Json, tmp_path: Path
) -> None:
    page = await console.open(f"/workflows/{workflow['id']}")
    async with page.expect_download() as began:
        await page.get_by_role("button", name="Export").click()
    file = tmp_path / "exported.json"
    await (await began.value).save_as(file)
    empty = api.create("Empty")
    page = await console.open(f"/workflows/{empty['id']}")
    async with page.expect_file_chooser() as opened:
        await page.get_by_role("button", name="Import").click()
    await (await opened.value).set_files(file)
    await expect(item(page, "Decide")).to_be_visible()
    await save(page)
    assert [block["name"] for block in blocks(api, empty)] == ["First", "Second", "Decide", "Each"]


async def test_code_is_edited_with_an_editor_that_is_loaded_when_needed(console: Console, api: Api) -> None:
    made = api.create(
        "Code", {"type": "Transform", "name": "Double", "data": {"input": 2, "code": "input * 2"}}
    )
    page = await console.open(f"/workflows/{made['id']}")
    loaded = await page.evaluate("performance.getEntriesByType('resource').map((one) => one.name).join()")
    assert "code_editor" not in loaded
    await item(page, "Double").click()
    editor = page.get_by_role("textbox", name="Code")
    await expect(editor).to_have_text("input * 2")
    await editor.click()
    await page.keyboard.press("End")
    await page.keyboard.insert_text(" + 1")
    await save(page)
    assert blocks(api, made)[0]["data"]["code"] == "input * 2 + 1"
    await console.check(page)


async def test_hostile_names_are_shown_as_text(console: Console, api: Api) -> None:
    name = "<img src=x onerror=alert(1)>"
    made = api.create(name, wait("w") | {"name": name})
    page = await console.open(f"/workflows/{made['id']}")
    await expect(item(page, name)).to_be_visible()
    await expect(page.get_by_role("heading", name=name)).to_be_visible()
    assert await page.locator("img[src=x]").count() == 0
