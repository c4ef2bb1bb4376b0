"""Nothing that is typed gets lost: where the focus is, what Enter and undo do, what becomes of the text."""

import pytest
from playwright.async_api import Page, expect

from support.console import Console
from support.service import Api, Json

pytestmark = pytest.mark.anyio


@pytest.fixture
def workflow(api: Api) -> Json:
    return api.create("Typed", {"type": "Wait", "name": "First", "data": {"durationMs": 5}})


async def insert(page: Page, words: str) -> None:
    """As fast as a person who knows the words: nothing waits for the dialog or the form."""
    await page.get_by_role("button", name="Insert a block").click()
    await page.keyboard.type(words)
    await page.keyboard.press("Enter")


@pytest.mark.parametrize(
    ("path", "button", "field"),
    [
        ("/workflows", "New workflow", "Name"),
        ("/logins", "New login", "Name"),
        ("/webhooks", "New webhook", "URL"),
        ("/knowledge", "Add text", "Name"),
    ],
)
async def test_typing_goes_into_the_dialog_that_was_opened(
    console: Console, path: str, button: str, field: str
) -> None:
    page = await console.open(path)
    await page.get_by_role("button", name=button).first.click()
    await page.keyboard.type("Books 1")
    await expect(page.get_by_role("dialog").get_by_label(field, exact=True)).to_have_value("Books 1")


async def test_enter_does_what_the_dialog_is_for(console: Console) -> None:
    page = await console.open("/workflows")
    await page.get_by_role("button", name="New workflow").click()
    await page.keyboard.type("By keyboard")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="By keyboard")).to_be_visible()


async def test_one_letter_alone_opens_no_other_view(console: Console) -> None:
    page = await console.open("/workflows")
    for keys in ("s", "gxs"):
        await page.reload()
        await page.keyboard.type(keys)
        await expect(page.get_by_role("heading", name="Workflows")).to_be_visible()
    await page.keyboard.type("gs")
    await expect(page.get_by_role("heading", name="Schedules")).to_be_visible()


async def test_typing_goes_on_in_a_new_block_and_its_fields_are_found_by_their_labels(
    console: Console, workflow: Json
) -> None:
    page = await console.open(f"/workflows/{workflow['id']}")
    await insert(page, "type")
    form = page.get_by_role("form", name="Block")
    await page.keyboard.type("Username")
    await expect(form.get_by_label("Key")).to_have_value("Username")
    await expect(form.get_by_label("Input type", exact=True)).to_have_value("TextInput")
    await form.get_by_label("Value", exact=True).fill("ada")
    await insert(page, "form")
    await page.keyboard.type("Title")
    await page.get_by_role("button", name="Add to fields").click()
    await page.keyboard.type("Price")
    for number, label in ((1, "Title"), (2, "Price")):
        group = form.get_by_role("group", name=f"Field {number}", exact=True)
        await expect(group.get_by_label("Key")).to_have_value(label)


async def test_undo_takes_back_a_word_not_a_letter(console: Console, workflow: Json) -> None:
    page = await console.open(f"/workflows/{workflow['id']}")
    await insert(page, "click")
    await page.keyboard.type("Save the draft")
    words = page.get_by_role("form", name="Block").get_by_label("Words")
    await expect(words).to_have_value("Save the draft")
    undo = page.get_by_role("button", name="Undo")
    await undo.click()
    await expect(words).to_have_value("")
    await undo.click()
    await expect(page.get_by_role("treeitem")).to_have_count(1)


async def test_the_offer_to_undo_ends_with_the_next_change(console: Console, workflow: Json) -> None:
    page = await console.open(f"/workflows/{workflow['id']}")
    await page.get_by_role("treeitem").click()
    await page.keyboard.press("Delete")
    deleted = page.get_by_text("“First” deleted.")
    await expect(deleted).to_be_visible()
    await insert(page, "click")
    await expect(deleted).to_have_count(0)
    await expect(page.get_by_role("treeitem")).to_have_count(1)


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("127.0.0.1:8731/admin/", "http://127.0.0.1:8731/admin/"),
        ("www.example.com", "https://www.example.com"),
        ("/admin/", "/admin/"),
        ("page.html", "page.html"),
        ("{{params.site}}", "{{params.site}}"),
    ],
)
async def test_an_address_is_completed_when_its_field_is_left(
    console: Console, workflow: Json, typed: str, kept: str
) -> None:
    page = await console.open(f"/workflows/{workflow['id']}")
    await insert(page, "navigate")
    url = page.get_by_role("form", name="Block").get_by_label("URL")
    await url.fill(typed)
    await url.blur()
    await expect(url).to_have_value(kept)


async def paste(page: Page, text: str) -> None:
    await page.evaluate("(text) => navigator.clipboard.writeText(text)", text)
    await page.keyboard.press("ControlOrMeta+v")


async def test_rows_of_a_sheet_are_pasted_into_an_empty_list_in_a_dialog(console: Console, api: Api) -> None:
    inner = {"type": "Wait", "data": {"durationMs": "{{item.pause}}"}}
    loop: Json = {"type": "Loop", "data": {"over": {"items": "{{params.rows}}"}}}
    workflow = api.create("Rows", {**loop, "sequenceData": {"sequence": [inner]}})
    context = await console.context()
    await context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = await console.open(f"/workflows/{workflow['id']}", context=context)
    await page.get_by_role("button", name="Run", exact=True).click()
    await paste(page, "pause\n1\n2\n")
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_label("pause, row 2")).to_have_value("2")
    await expect(page.get_by_text("The clipboard contains no blocks.")).to_have_count(0)


async def test_a_name_alone_means_the_parameter_to_loop_over(console: Console, workflow: Json) -> None:
    page = await console.open(f"/workflows/{workflow['id']}")
    await insert(page, "for each")
    form = page.get_by_role("form", name="Block")
    await form.get_by_role("combobox", name="Loop over").select_option(label="A parameter or output")
    await form.get_by_label("Which").fill("rows")
    await form.get_by_label("Which").blur()
    await expect(form.get_by_label("Which")).to_have_value("{{params.rows}}")
    await expect(page.get_by_role("treeitem").last).to_contain_text("{{params.rows}}")


async def test_a_view_of_an_older_version_offers_to_reload(console: Console) -> None:
    page = await console.open("/workflows")
    await page.route("**/console/assets/**", lambda route: route.fulfill(status=404))
    console.expect_error("404")
    await page.get_by_role("link", name="Schedules").click()
    await expect(page.get_by_text("Your unsaved changes are kept.")).to_be_visible()
    await page.unroute_all()
    await page.get_by_role("button", name="Reload").click()
    await expect(page.get_by_role("heading", name="Schedules")).to_be_visible()
