"""The table `Executions`: live, filtered by the address, of any length, and several at once."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import expect

from support.blocks import fail, value, wait
from support.console import Console
from support.service import FINAL, Api, RunningService

pytestmark = pytest.mark.anyio

COLUMNS = ["Status", "Workflow", "Name", "Started", "Duration", "Attempts", "Reason"]


@pytest.fixture(scope="module")
def runs(api: Api) -> dict[str, str]:
    """One that completed, one that failed, and a test; their ids."""
    good = api.create("Collect claims", value("n"), tags=["claims"])["id"]
    bad = api.create("Pay bills", fail("The bill is overdue"))["id"]
    ids = {
        "good": api.start(good, name="ACME one")["id"],
        "bad": api.start(bad, name="ACME two")["id"],
        "test": api.start(good, name="Try", isTest=True)["id"],
    }
    for item in ids.values():
        api.wait_for(item, *FINAL)
    return {**ids, "workflow": good}


async def test_the_table_has_its_columns_and_says_why_a_run_failed(
    console: Console, runs: dict[str, str]
) -> None:
    page = await console.open("/executions")
    table = page.get_by_role("table", name="Executions")
    await expect(table).to_be_visible()
    headers = table.get_by_role("columnheader")
    await expect(headers).to_have_text(["Select all", *COLUMNS])
    red = table.get_by_role("row").filter(has_text="ACME two")
    await expect(red).to_contain_text("Failed")
    await expect(red).to_contain_text("The bill is overdue")
    await red.get_by_role("link", name="Pay bills").click()
    await expect(page).to_have_url(f"{console.url}/executions/{runs['bad']}")


async def test_filters_are_in_the_address_and_survive_a_reload(
    console: Console, runs: dict[str, str]
) -> None:
    page = await console.open("/executions?status=Failed&search=ACME")
    rows = page.get_by_role("table", name="Executions").locator("tbody tr:not([aria-hidden])")
    await expect(rows).to_have_count(1)
    await expect(page.get_by_label("Status", exact=True)).to_have_value("Failed")
    await expect(page.get_by_role("searchbox", name="Search")).to_have_value("ACME")
    await page.get_by_label("Status", exact=True).select_option("")
    await expect(rows).to_have_count(2)
    await page.get_by_role("searchbox", name="Search").fill("")
    await page.get_by_label("Workflow", exact=True).select_option(runs["workflow"])
    await page.get_by_label("Tests", exact=True).select_option("Only")
    await expect(rows).to_have_count(1)
    await expect(rows).to_contain_text("Try")
    await page.reload()
    await expect(rows).to_have_count(1)
    await page.get_by_label("Tests", exact=True).select_option("Shown")
    await page.get_by_label("Tag", exact=True).select_option(label="claims")
    await expect(rows).to_have_count(2)
    await page.get_by_label("From", exact=True).fill("2100-01-01T00:00")
    await expect(page.get_by_text("No execution matches these filters.")).to_be_visible()


async def test_nonsense_in_the_address_is_not_a_filter(console: Console, runs: dict[str, str]) -> None:
    assert runs
    page = await console.open("/executions?from=yesterday&status=Lost")
    await expect(page.get_by_role("table", name="Executions")).to_contain_text("ACME one")


@pytest.mark.slow
async def test_a_run_that_starts_and_ends_shows_at_once(console: Console, api: Api) -> None:
    page = await console.open("/executions")
    execution = api.start(api.create("Slow", wait(60_000))["id"], name="Night run")["id"]
    row = page.get_by_role("row").filter(has_text="Night run")
    await expect(row).to_contain_text("In progress")
    api.call("/executions/cancel", {"id": execution})
    await expect(row).to_contain_text("Failed")


async def test_selected_rows_are_retried_cancelled_and_exported(
    console: Console, api: Api, runs: dict[str, str], tmp_path: Path
) -> None:
    long = api.create("Long", wait(60_000))["id"]
    waiting = [api.start(long, name="Many")["id"] for _ in range(2)]
    page = await console.open("/executions?search=Many")
    await page.get_by_role("checkbox", name="Select all").check()
    tools = page.get_by_role("toolbar", name="Selected executions")
    await tools.get_by_role("button", name="Cancel").click()
    await page.get_by_role("dialog").get_by_role("button", name="Cancel executions").click()
    for attempt in waiting:
        assert api.wait_for(attempt, *FINAL)["status"] == "Failed"
    await page.goto(f"{console.url}/executions?search=ACME")
    await page.get_by_role("checkbox", name=f"Select {runs['good']}").check()
    async with page.expect_download() as download:
        await tools.get_by_role("button", name="Export").click()
    path = tmp_path / "executions.json"
    await (await download.value).save_as(path)
    assert [load["id"] for load in json.loads(path.read_text())] == [runs["good"]]
    await tools.get_by_role("button", name="Retry").click()
    await expect(page.get_by_text("1 retried.")).to_be_visible()
    newest = api.call("/executions/list", {"search": ["ACME one"]})["executions"][0]
    assert newest["parentExecutionId"] == runs["good"]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
async def test_it_fits_and_reads_well(console: Console, runs: dict[str, str], width: int, theme: Any) -> None:
    assert runs
    page = await console.open("/executions", width=width, theme=theme)
    await console.picture(page, f"executions-{width}-{theme}")
    await console.check(page)
    await console.assert_fits(page)


@pytest.fixture(scope="module")
def crowded(bundle: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service with ten thousand executions, none of which runs."""
    del bundle
    folder = tmp_path_factory.mktemp("crowded")
    running = RunningService(folder / "data", "--no-worker", PAGEHAND_MAX_QUEUED="20000").start()
    api = running.api()
    workflow = api.create("Many", value("n"))["id"]
    rows = [{"n": number} for number in range(10_000)]
    api.call("/batches/create", {"name": "Many", "workflowId": workflow, "rows": rows})
    yield running
    running.stop()


@pytest.mark.slow
async def test_ten_thousand_rows_scroll_to_the_last(crowded: RunningService, console: Console) -> None:
    console.url = crowded.url
    page = await console.open("/executions")
    table = page.get_by_role("table", name="Executions")
    await expect(table).to_have_attribute("aria-rowcount", "10001")
    last = table.locator("tr[aria-rowindex='10001']")
    await page.evaluate(
        """() => { const down = () => { scrollTo(0, document.body.scrollHeight);
            if (!document.querySelector("tr[aria-rowindex='10001']")) requestAnimationFrame(down); };
            down(); }"""
    )
    await expect(last).to_be_attached(timeout=120_000)
    assert await table.locator("tbody tr").count() < 120
    await page.evaluate("scrollTo(0, 0)")
    await expect(table.locator("tr[aria-rowindex='2']")).to_be_visible()


_BECOME = """(state) => {
  Object.defineProperty(document, "visibilityState", {value: state, configurable: true});
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.mark.slow
async def test_a_hidden_tab_reads_nothing_and_catches_up_when_it_is_shown(console: Console, api: Api) -> None:
    workflow = api.create("Runs unseen", value("done", True))["id"]
    page = await console.open("/executions?search=unseen-run")
    shown = page.get_by_role("row").filter(has_text="unseen-run")
    api.start(workflow, name="unseen-run one")
    await expect(shown).to_contain_text("Completed", timeout=60_000)
    await page.evaluate(_BECOME, "hidden")
    other = await console.open("/executions?search=unseen-run")
    api.wait_for(api.start(workflow, name="unseen-run two")["id"], *FINAL, seconds=90)
    heard = other.get_by_role("row").filter(has_text="unseen-run two")
    await expect(heard).to_contain_text("Completed", timeout=60_000)
    await expect(shown).to_have_count(1)
    await page.evaluate(_BECOME, "visible")
    await expect(shown).to_have_count(2)
