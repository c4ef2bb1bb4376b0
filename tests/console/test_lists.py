"""Workflows, files, webhooks and knowledge: found, sent again, and gone when they were deleted."""

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Page, Request, Route, expect

from support.blocks import value
from support.console import Console
from support.service import FINAL, Api, Json
from support.webservice import Reply, WebService, web_service

pytestmark = pytest.mark.anyio


@pytest.fixture
def receiver() -> Iterator[WebService]:
    with web_service() as running:
        yield running


async def delete(page: Page, name: str) -> None:
    await page.get_by_role("button", name=f"Delete {name}").click()
    await page.get_by_role("dialog").get_by_role("button", name=re.compile("^(Delete|Remove) ")).click()


async def test_a_workflow_is_renamed_moved_duplicated_and_found(console: Console, api: Api) -> None:
    for name in ("Pay invoices", "Read letters"):
        api.create(name, value("1"), tags=["night"] if name == "Pay invoices" else [])
    page = await console.open("/workflows")
    names = page.get_by_role("table", name="Workflows").get_by_role("link")
    await page.get_by_role("button", name="Rename or move Pay invoices").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Name").fill("Pay bills")
    await dialog.get_by_label("Folder").fill("Finance / Monthly")
    await dialog.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("row").filter(has_text="Finance/Monthly")).to_contain_text("Pay bills")
    await page.get_by_role("button", name="Duplicate Finance/Monthly/Pay bills").click()
    await page.get_by_label("Folder").select_option("Finance/Monthly")
    await expect(names).to_have_count(2)
    await console.check(page)
    await console.picture(page, "workflows-folder")
    await page.get_by_label("Folder").select_option("")
    await page.get_by_label("Tag").select_option("night")
    await page.get_by_role("searchbox", name="Search").fill("letters")
    await expect(page.get_by_text("No workflow matches the filters.")).to_be_visible()
    await page.get_by_label("Tag").select_option("")
    await expect(names).to_have_text(["Read letters"])
    await page.reload()
    await expect(names).to_have_text(["Read letters"])


@pytest.mark.slow
async def test_a_workflow_has_a_page_of_its_runs(console: Console, api: Api) -> None:
    made = api.create("Often run", value("1"))
    for _ in range(3):
        api.call("/workflows/executeSync", {"workflowId": made["id"]})
    schedule = {"workflowId": made["id"], "name": "Every morning", "cron": "0 7 * * *", "timeZone": "UTC"}
    api.call("/schedules/create", schedule)
    hook = {"name": "On call", "url": "http://127.0.0.1:9/in", "events": ["execution.failed"]}
    webhook = api.call("/webhooks/create", hook)["webhook"]
    for name, scopes in (("Night shift", ["read", "run"]), ("Auditor", ["read"])):
        api.call("/keys/create", {"name": name, "scopes": scopes})
    page = await console.open(f"/workflows/{made['id']}?edit=Runs")
    await expect(page.get_by_role("list", name="Newest runs").get_by_role("listitem")).to_have_count(3)
    panel = page.get_by_role("tabpanel")
    for text in ("100", "3 runs completed, 0 failed", "Every morning", "On call", "Night shift", "/mcp"):
        await expect(panel).to_contain_text(text)
    await expect(panel).not_to_contain_text("Auditor")
    await expect(panel.get_by_role("img", name="oldest first: 3 completed")).to_be_visible()
    await console.check(page)
    await console.picture(page, "workflow-runs")
    api.call("/webhooks/delete", {"id": webhook["id"]})


@pytest.mark.slow
async def test_a_file_is_uploaded_found_by_part_of_its_name_and_deleted(
    console: Console, tmp_path: Path
) -> None:
    paths = [tmp_path / name for name in ("RÉSUMÉ.pdf", "<i>hostile.txt", "note.txt")]
    for path in paths:
        path.write_bytes(b"x" * 2000)
    page = await console.open("/files")
    async with page.expect_file_chooser() as chooser:
        await page.get_by_role("button", name="Upload").click()
    await (await chooser.value).set_files(paths)
    names = page.get_by_role("table", name="Files").get_by_role("link")
    await expect(names).to_have_count(3)
    await page.keyboard.press("/")
    await page.keyboard.type("résumé")
    await expect(names).to_have_text(["RÉSUMÉ.pdf"])
    await expect(page).to_have_url(f"{console.url}/files?search=r%C3%A9sum%C3%A9")
    await page.reload()
    await expect(page.get_by_role("searchbox", name="Search")).to_have_value("résumé")
    await expect(names).to_have_text(["RÉSUMÉ.pdf"])
    await delete(page, "RÉSUMÉ.pdf")
    await expect(page.get_by_text("No file name contains this text.")).to_be_visible()
    await page.get_by_role("searchbox", name="Search").fill("")
    for at, name in enumerate(("note.txt", "<i>hostile.txt")):  # then what executions left
        await expect(names.nth(at)).to_have_text(name)


async def test_what_runs_returned_does_not_hide_other_files(console: Console, api: Api) -> None:
    api.call("/files/upload", {"name": "price-list.csv", "contentBase64": ""})
    api.run(value("x"))
    page = await console.open("/files")
    table = page.get_by_role("table", name="Files")
    await expect(table.get_by_role("link", name="price-list.csv")).to_be_visible()
    await expect(table.get_by_role("link", name="response.json")).to_have_count(0)
    await page.get_by_label("Show").select_option("Files and responses")
    await expect(table.get_by_role("link", name="response.json").first).to_be_visible()
    await console.check(page)


async def test_a_late_answer_does_not_take_the_place_of_a_newer_one(console: Console, api: Api) -> None:
    api.call("/files/upload", {"name": "late-answer.txt", "contentBase64": ""})
    page = await console.open("/files")
    newest_came = asyncio.Event()

    async def answer(route: Route) -> None:
        searched = _searched(route.request)
        response = await route.fetch()
        if searched == "late":
            await newest_came.wait()
        await route.fulfill(response=response)
        if searched == "late-a":
            newest_came.set()

    await page.route("**/files/list", answer)
    search = page.get_by_role("searchbox", name="Search")
    names = page.get_by_role("table", name="Files").get_by_role("link")
    async with page.expect_response(lambda came: _searched(came.request) == "late") as late:
        await search.fill("late")
        await search.fill("late-a")
        await expect(names).to_have_text(["late-answer.txt"])
    await (await late.value).finished()
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 100)))")
    await expect(names).to_have_text(["late-answer.txt"])


def _searched(request: Request) -> str | None:
    body: Json = json.loads(request.post_data or "{}")
    return body.get("search")


@pytest.mark.slow
async def test_a_delivery_that_failed_is_sent_again(console: Console, api: Api, receiver: WebService) -> None:
    receiver.answers["/in"] = Reply(status=500)
    page = await console.open("/webhooks")
    await page.get_by_role("button", name="New webhook").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("URL").fill(f"{receiver.url}/in")
    await dialog.get_by_label("Name").fill("On call")
    await dialog.get_by_label("execution.completed").check()
    await dialog.get_by_role("button", name="Create webhook").click()
    await expect(dialog.get_by_text("shown only once")).to_be_visible()
    await dialog.get_by_role("button", name="Close").click()
    api.start(api.create("Announced", value("x"))["id"])
    await page.get_by_role("button", name="Deliveries").click()
    rows = page.get_by_role("table", name="Deliveries").get_by_role("row")
    await expect(rows.filter(has_text="execution.completed")).to_have_count(1)
    receiver.answers["/in"] = Reply()
    await page.get_by_role("button", name="Send again").click()
    await expect(rows.filter(has_text="delivered")).to_have_count(1)
    await console.check(page)
    await delete(page, "On call")  # with its deliveries open: they are not requested again
    await expect(page.get_by_text("No webhooks yet.")).to_be_visible()


@pytest.mark.slow
async def test_a_workflow_is_deleted_and_its_executions_stay(console: Console, api: Api) -> None:
    workflow = api.create("No longer needed", value("x"))
    done = api.wait_for(api.start(workflow["id"])["id"], *FINAL)
    page = await console.open("/workflows")
    link = page.get_by_role("link", name="No longer needed")
    await expect(link).to_be_visible()
    await delete(page, "No longer needed")
    await expect(link).to_have_count(0)
    await page.goto(f"{console.url}/executions/{done['id']}")
    await expect(page.get_by_role("heading", level=1)).to_have_text("No longer needed")


@pytest.mark.slow
async def test_a_text_is_put_into_the_knowledge_base_found_and_taken_out(console: Console) -> None:
    page = await console.open("/knowledge")
    await page.get_by_role("button", name="Add text").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Name").fill("Handbook")
    await dialog.get_by_label("Text").fill("Claims above 5,000 need the approval of <i>two</i> people.")
    await dialog.get_by_role("button", name="Add document").click()
    await expect(dialog).to_have_count(0)
    await page.get_by_role("searchbox", name="Search the documents").fill("approval of claims")
    await page.keyboard.press("Enter")
    await expect(page.locator("blockquote")).to_contain_text("the approval of <i>two</i> people")
    await delete(page, "Handbook")
    await expect(page.get_by_text("No documents yet.")).to_be_visible()
