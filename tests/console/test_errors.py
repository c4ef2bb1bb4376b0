"""An error stands where it arose, in the words of the form, and goes when its cause is gone."""

import pytest
from playwright.async_api import Page, Route, expect

from support.console import Console
from support.service import FINAL, Api, RunningService
from support.webservice import web_service

pytestmark = pytest.mark.anyio


async def expect_no_message_at_the_edge(page: Page) -> None:
    await expect(page.locator(".notice.bad")).to_have_count(0)


async def test_a_refused_save_leads_to_the_block_and_stands_at_its_field(console: Console, api: Api) -> None:
    waits = [{"type": "Wait", "name": name, "data": {"durationMs": 5}} for name in ("First", "Second")]
    page = await console.open(f"/workflows/{api.create('Refused', *waits)['id']}")
    tree = page.get_by_role("tree", name="Blocks")
    await tree.get_by_role("treeitem", name="Second").click()
    form = page.get_by_role("form", name="Block")
    await form.get_by_label("Duration").fill("soon")
    await tree.get_by_role("treeitem", name="First").click()
    await page.get_by_role("tab", name="Parameters").click()
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(tree.get_by_role("treeitem", name="Second")).to_have_attribute("aria-selected", "true")
    problem = form.get_by_role("alert")
    await expect(problem).to_contain_text("Expected a whole number")
    assert not {"`", "blocks[", "data."} & set((await problem.inner_text()).split())
    assert "blocks[" not in await page.inner_text("main")
    assert "`" not in await page.inner_text("main")
    await expect(form.get_by_label("Duration")).to_have_attribute("aria-invalid", "true")
    await expect_no_message_at_the_edge(page)
    await page.get_by_role("tab", name="Parameters").click()
    await page.get_by_role("button", name="Add parameter").click()
    await page.get_by_label("Name").fill("two words")
    await tree.get_by_role("treeitem", name="Second").click()
    await page.get_by_role("tab", name="Block", exact=True).click()
    await form.get_by_label("Duration").fill("7")
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.get_by_role("group", name="two words").get_by_role("alert")).to_be_visible()
    console.expect_error("status of 400")


async def test_a_refused_login_is_explained_in_its_dialog_beside_the_field(console: Console) -> None:
    page = await console.open("/logins")
    await page.get_by_role("button", name="New login").first.click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Name", exact=True).fill("Portal")
    await dialog.get_by_label("Sign-in page").fill("https://portal.example/")
    await dialog.get_by_label("Second factor").select_option("TOTP")
    await dialog.get_by_label("TOTP secret").fill("018")
    await dialog.get_by_role("button", name="Save").click()
    await expect(dialog.get_by_label("TOTP secret")).to_have_attribute("aria-invalid", "true")
    problem = dialog.get_by_role("alert")
    await expect(problem).to_contain_text("letters A to Z and digits 2 to 7")
    assert "totpSecretKey" not in await dialog.inner_text()
    assert "`" not in await dialog.inner_text()
    await expect_no_message_at_the_edge(page)
    console.expect_error("status of 400")
    await dialog.get_by_label("TOTP secret").fill("JBSWY3DPEHPK3PXP")
    await expect(problem).to_have_count(0)


@pytest.mark.parametrize(
    ("address", "opened_by", "fields", "sent_by"),
    [
        ("/webhooks", "New webhook", {"URL": "no address"}, "Create webhook"),
        ("/schedules", "New schedule", {"Name": "x" * 2000}, "Save"),
        ("/workflows", "New workflow", {"Name": "x" * 2000}, "Create workflow"),
        ("/knowledge", "Add text", {"Name": "x" * 9000, "Text": "x"}, "Add document"),
    ],
)
async def test_every_dialog_keeps_its_refusal_inside(
    console: Console, api: Api, address: str, opened_by: str, fields: dict[str, str], sent_by: str
) -> None:
    api.create("Scheduled")
    page = await console.open(address)
    await page.get_by_role("button", name=opened_by).first.click()
    dialog = page.get_by_role("dialog")
    if await dialog.get_by_label("Workflow").count():
        await dialog.get_by_label("Workflow").select_option(label="Scheduled")
    for label, text in fields.items():
        await dialog.get_by_label(label, exact=True).fill(text)
    await dialog.get_by_role("button", name=sent_by).click()
    await expect(dialog.get_by_role("alert").first).to_be_visible()
    assert "`" not in await dialog.inner_text()
    await expect_no_message_at_the_edge(page)
    await console.check(page)
    console.expect_error("status of 400")


async def test_a_message_goes_when_the_action_works_and_when_the_view_is_left(
    console: Console, api: Api
) -> None:
    workflow = api.create("Started")
    execution = api.start(workflow["id"])
    page = await console.open(f"/executions/{execution['id']}")

    async def refuse(route: Route) -> None:
        await route.fulfill(status=409, json={"error": "`x` is not there."})

    await page.route("**/executions/retry", refuse)
    message = page.locator(".notice.bad")
    await page.get_by_role("button", name="Retry").click()
    await expect(message).to_have_text("x is not there.")
    await page.get_by_role("link", name="Workflows").first.click()
    await expect(message).to_have_count(0)
    console.expect_error("status of 409")


async def test_a_message_about_the_service_goes_when_the_service_is_back(
    console: Console, api: Api, service: RunningService
) -> None:
    execution = api.start(api.create("Unreached")["id"])
    page = await console.open(f"/executions/{execution['id']}")
    await expect(page.get_by_role("button", name="Retry")).to_be_visible()
    service.kill()
    await page.get_by_role("button", name="Retry").click()
    message = page.locator(".notice.bad")
    await expect(message).to_contain_text("cannot be reached")
    service.start()
    await expect(message).to_have_count(0)
    console.expect_error("ERR_")
    console.expect_error("status of 503")  # it is starting


async def test_a_retry_says_first_what_the_earlier_run_has_already_done(console: Console, api: Api) -> None:
    with web_service() as receiver:
        pay = {
            "type": "API",
            "blockReferenceId": "Pay",
            "data": {"method": "POST", "route": f"{receiver.url}/pay"},
        }
        done = api.wait_for(api.start(api.create("Paid", pay)["id"])["id"], *FINAL)
        page = await console.open(f"/executions/{done['id']}")
        await page.get_by_role("button", name="Retry").click()
        dialog = page.get_by_role("dialog", name="Do it again?")
        await expect(dialog).to_contain_text("Pay")
        await expect(dialog).to_contain_text("POST")
        await dialog.get_by_role("button", name="Go back").click()
        await expect(dialog).to_have_count(0)
        assert len(receiver.requests) == 1
        await page.get_by_role("button", name="Retry").click()
        await dialog.get_by_role("button", name="Retry anyway").click()
        await expect(page).not_to_have_url(f"{console.url}/executions/{done['id']}")


@pytest.mark.parametrize("body", ["", '  {"workflows": [{"id'])
async def test_an_answer_that_breaks_off_is_an_error_and_not_an_empty_answer(
    console: Console, body: str
) -> None:
    context = await console.context()
    await context.route("**/workflows/list", lambda route: route.fulfill(status=200, body=body))
    page = await console.open("/workflows", context=context)
    await expect(page.get_by_text("The connection broke off")).to_be_visible()


async def test_a_run_whose_answer_breaks_off_leaves_the_editor_and_what_was_typed(
    console: Console, api: Api
) -> None:
    note = {"type": "Transform", "name": "Note", "data": {"input": "{{params.customer}}", "code": "input"}}
    workflow = api.create("Cut", note, parameters=[{"name": "customer"}, {"name": "pin", "isSecret": True}])
    page = await console.open(f"/workflows/{workflow['id']}")
    await page.route("**/liveSessions/run", lambda route: route.fulfill(status=200, body="   "))
    run = page.get_by_role("button", name="Run", exact=True)
    await run.click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("customer").fill("ACME")
    await dialog.get_by_label("pin").fill("1234")
    await dialog.get_by_role("button", name="Run", exact=True).click()
    await expect(page.get_by_text("The connection broke off").first).to_be_visible()
    await page.get_by_role("button", name="Close the session").click()
    await expect(page.get_by_role("region", name="Live session")).to_have_count(0)
    await page.reload()
    await run.click()
    await expect(dialog.get_by_label("customer")).to_have_value("ACME")
    await expect(dialog.get_by_label("pin")).to_have_value("")
