"""Forms as people think: what a loop goes over, what a condition is about, which columns are read."""

import pytest
from playwright.async_api import Locator, Page, expect

from support.console import Console
from support.service import Api, Json

pytestmark = pytest.mark.anyio


@pytest.fixture
def workflow(api: Api) -> Json:
    note = {"type": "Transform", "name": "Note", "blockReferenceId": "Note"}
    return api.create(
        "Formed",
        {**note, "data": {"input": "Ada", "code": "input"}},
        {"type": "Loop", "name": "Each", "data": {"over": {"times": 2}}},
        {"type": "If", "name": "Decide", "data": {"condition": "1 == 1"}},
        {"type": "Extract", "name": "Read", "data": {"prompt": "Invoices"}},
        {
            "type": "Input",
            "name": "Fill",
            "locator": {"label": "Reference"},
            "data": {"inputType": "TextInput", "value": "x"},
        },
        parameters=[{"name": "rows", "type": "array"}, {"name": "amount", "type": "number"}],
    )


async def form_of(page: Page, block: str) -> Locator:
    await page.get_by_role("tree", name="Blocks").get_by_role("treeitem", name=block).click()
    return page.get_by_role("form", name="Block")


async def saved(page: Page, api: Api, workflow: Json, block: str) -> Json:
    """The block's data after a save."""
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.get_by_text("Not saved")).to_have_count(0)
    blocks = api.call("/workflows/get", {"id": workflow["id"]})["workflow"]["blocks"]
    return next(one["data"] for one in blocks if one["name"] == block)


async def test_a_loop_goes_over_one_thing_that_is_chosen(console: Console, api: Api, workflow: Json) -> None:
    page = await console.open(f"/workflows/{workflow['id']}")
    form = await form_of(page, "Each")
    over = form.get_by_role("group", name="Loop over")
    kind = over.get_by_label("Loop over")
    await expect(kind.locator("option")).to_have_text(
        [
            "Choose…",
            "A parameter or output",
            "A list typed here",
            "A number of times",
            "While something holds",
            "The pages of a list",
        ]
    )
    await expect(over.get_by_label("Times")).to_have_value("2")
    await expect(over.get_by_label("Items")).to_have_count(0)
    await kind.select_option("A parameter or output")
    await expect(over.get_by_label("Times")).to_have_count(0)
    await over.get_by_role("button", name="Insert").click()
    await over.get_by_role("button", name="params.rows").click()
    await console.picture(page, "form-loop", full=True)
    await console.check(page)
    assert (await saved(page, api, workflow, "Each"))["over"] == {"items": "{{params.rows}}"}
    await kind.select_option("While something holds")
    await over.get_by_label("Kind").select_option("Values are compared")
    await over.get_by_label("Value").fill("index")
    await over.get_by_label("Comparison").select_option("is less than")
    await over.get_by_label("Compared with").fill("3")
    assert (await saved(page, api, workflow, "Each"))["over"] == {"while": "index < 3"}


async def test_a_condition_is_made_of_parts_and_its_expression_is_the_other_view(
    console: Console, api: Api, workflow: Json
) -> None:
    page = await console.open(f"/workflows/{workflow['id']}")
    form = await form_of(page, "Decide")
    kind = form.get_by_label("Kind")
    await kind.select_option("Values are compared")
    await form.get_by_label("Value").fill("params.amount")
    await form.get_by_label("Comparison").select_option("is greater than")
    await form.get_by_label("Compared with").fill("100")
    await kind.select_option("Expression")
    await expect(form.get_by_label("Expression")).to_have_value("params.amount > 100")
    assert (await saved(page, api, workflow, "Decide"))["condition"] == "params.amount > 100"
    await kind.select_option("An element is …")
    await form.get_by_label("State").select_option("Hidden")
    await form.get_by_label("Words").fill("No results")
    await console.picture(page, "form-condition", full=True)
    condition = (await saved(page, api, workflow, "Decide"))["condition"]
    assert condition == {"state": "hidden", "element": {"words": "No results"}}
    await kind.select_option("The address matches")
    await form.get_by_label("Url").fill("*/done")
    assert (await saved(page, api, workflow, "Decide"))["condition"] == {"url": "*/done"}


async def test_columns_to_read_are_a_table_and_their_schema_is_the_other_view(
    console: Console, api: Api, workflow: Json
) -> None:
    page = await console.open(f"/workflows/{workflow['id']}")
    form = await form_of(page, "Read")
    await form.get_by_role("button", name="Add column").click()
    await form.get_by_label("Name of column 1").fill("number")
    await form.get_by_label("What to read into column 1").fill("Invoice no.")
    await form.get_by_role("button", name="Add column").click()
    await form.get_by_label("Name of column 2").fill("total")
    await form.get_by_label("Type of column 2").select_option("Number")
    await form.get_by_label("Column 2 is required").check()
    await console.picture(page, "form-columns", full=True)
    await console.check(page)
    columns = {"number": {"type": "string", "description": "Invoice no."}, "total": {"type": "number"}}
    row = {"type": "object", "properties": columns, "required": ["total"]}
    assert (await saved(page, api, workflow, "Read"))["schema"] == {"type": "array", "items": row}
    await form.get_by_role("button", name="Code").click()
    await expect(form.get_by_role("textbox", name="Schema")).to_contain_text("Invoice no.")


async def test_the_key_is_asked_for_only_without_a_locator(console: Console, workflow: Json) -> None:
    page = await console.open(f"/workflows/{workflow['id']}")
    form = await form_of(page, "Fill")
    await expect(form.get_by_label("Value")).to_have_value("x")
    await expect(form.get_by_label("Key", exact=True)).to_have_count(0)
    await form.get_by_label("Label").fill("")
    await expect(form.get_by_label("Key", exact=True)).to_be_visible()


async def test_a_value_becomes_a_parameter(console: Console, api: Api, workflow: Json) -> None:
    page = await console.open(f"/workflows/{workflow['id']}")
    form = await form_of(page, "Fill")
    await form.get_by_label("Value").fill("4711")
    await form.get_by_role("button", name="Make a parameter").last.click()
    await expect(form.get_by_label("Value")).to_have_value("{{params.value}}")
    assert (await saved(page, api, workflow, "Fill"))["value"] == "{{params.value}}"
    parameters = api.call("/workflows/get", {"id": workflow["id"]})["workflow"]["parameters"]
    assert [(one["name"], one["default"]) for one in parameters][-1] == ("value", "4711")


async def test_a_login_is_chosen_by_its_name_and_help_has_the_words_of_the_form(
    console: Console, api: Api
) -> None:
    login = api.call(
        "/logins/create",
        {
            "name": "Portal of ACME",
            "authenticationUrl": "https://portal.example/",
            "loginConfiguration": {"username": "ada", "password": "not shown"},
        },
    )["login"]
    workflow = api.create("Signs in", {"type": "Login", "name": "Sign in", "data": {"isParameter": True}})
    page = await console.open(f"/workflows/{workflow['id']}")
    form = await form_of(page, "Sign in")
    await expect(form).to_contain_text("“Login ID” then does not matter")
    assert "isParameter" not in await form.inner_text()
    choice = form.get_by_role("combobox", name="Login ID")
    await choice.select_option(label="Portal of ACME")
    assert (await saved(page, api, workflow, "Sign in"))["loginId"] == login["id"]
    await choice.select_option(label="Given by a parameter")
    await expect(form.get_by_label("Login ID")).to_have_value("{{params.login}}")
