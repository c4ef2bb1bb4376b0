"""Batches in the console: a sheet is mapped and checked before it starts, and followed to its results."""

import csv
import io
import zipfile
from pathlib import Path

import pytest
from openpyxl import Workbook
from playwright.async_api import Page, expect

from support.blocks import value
from support.console import Console
from support.service import FINAL, Api, Json

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def flow(api: Api) -> Json:
    return api.create(
        "File a claim",
        value("filed", "{{params.policy}}"),
        parameters=[
            {"name": "policy", "type": "string", "isRequired": True},
            {"name": "amount", "type": "number"},
        ],
    )


async def chosen(console: Console, flow: Json, path: Path) -> Page:
    """The dialog with a workflow and a sheet."""
    page = await console.open("/batches")
    await page.get_by_role("button", name="New batch").click()
    await page.get_by_label("Workflow").select_option(label=flow["name"])
    async with page.expect_file_chooser() as chooser:
        await page.get_by_role("button", name="Choose a sheet").click()
    await (await chooser.value).set_files(path)
    await page.get_by_label("Name").wait_for()
    return page


def workbook(path: Path, *rows: list[object]) -> Path:
    book = Workbook()
    for row in rows:
        book.worksheets[0].append(row)
    book.save(path)
    return path


@pytest.mark.slow
async def test_a_workbook_is_mapped_started_and_its_results_come_back_as_csv(
    console: Console, api: Api, flow: Json, tmp_path: Path
) -> None:
    sheet = workbook(tmp_path / "March.xlsx", ["Nr", "Amount"], ["P-1", 12.5], ["@P-2", 3])
    page = await chosen(console, flow, sheet)
    await expect(page.get_by_text("No column is mapped to “policy”")).to_be_visible()
    await page.get_by_label("Nr").select_option("policy")
    await expect(page.get_by_text("No column is mapped to")).to_have_count(0)
    await console.check(page)
    await page.get_by_role("button", name="Start 2 executions").click()

    await expect(page.get_by_role("heading", level=1)).to_have_text("March")
    batch = page.url.rpartition("/")[2]
    for execution in api.call("/executions/list", {"batch": batch})["executions"]:
        api.wait_for(execution["id"], *FINAL)
    await expect(page.get_by_role("table", name="Rows").get_by_text("Completed")).to_have_count(2)
    async with page.expect_download() as download:
        await page.get_by_role("button", name="Results as CSV").click()
    read = (await (await download.value).path()).read_text("utf-8-sig")
    lines = list(csv.DictReader(io.StringIO(read, newline="")))
    assert [(line["params.policy"], line["params.amount"]) for line in lines] == [
        ("P-1", "12.5"),
        ("'@P-2", "3"),
    ]
    async with page.expect_download() as download:
        await page.get_by_role("button", name="Results and files as ZIP").click()
    assert (await download.value).suggested_filename == "March.zip"
    with zipfile.ZipFile(await (await download.value).path()) as archive:
        assert archive.namelist() == ["results.csv"]


@pytest.mark.slow
async def test_a_sheet_of_tens_of_megabytes_shows_its_progress_and_is_not_kept_when_nothing_starts(
    console: Console, flow: Json, tmp_path: Path
) -> None:
    sheet = tmp_path / "large.csv"
    sheet.write_text("policy,remark\n" + "".join(f"P-{n},{'x' * 2000}\n" for n in range(12_000)), "utf-8")
    page = await console.open("/batches")
    network = await page.context.new_cdp_session(page)
    slowly = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 12_000_000}
    await network.send("Network.emulateNetworkConditions", slowly)  # pyright: ignore[reportUnknownMemberType]
    await page.get_by_role("button", name="New batch").click()
    await page.get_by_label("Workflow").select_option(label=flow["name"])
    async with page.expect_file_chooser() as chooser:
        await page.get_by_role("button", name="Choose a sheet").click()
    await (await chooser.value).set_files(sheet)
    await expect(page.get_by_role("progressbar", name="Uploading large.csv")).to_be_visible()
    await expect(page.get_by_text("large.csv: 12,000 rows")).to_be_visible()
    await expect(page.get_by_role("button", name="Start 12,000 executions")).to_be_enabled()
    await page.get_by_role("button", name="Close", exact=True).click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await page.goto(console.url + "/files?search=large.csv")
    await expect(page.get_by_text("No file name contains this text.")).to_be_visible()


@pytest.mark.slow
async def test_wrong_rows_are_named_and_can_be_left_out(
    console: Console, api: Api, flow: Json, tmp_path: Path
) -> None:
    sheet = tmp_path / "claims.csv"
    sheet.write_text("policy;amount\nP-1;1\n;2\nP-3;a lot\nP-4;4\n", "utf-8")
    page = await chosen(console, flow, sheet)
    wrong = page.get_by_role("region", name="Invalid rows")
    await expect(wrong.get_by_role("listitem")).to_have_text(
        [
            "Row 2: policy is missing: the workflow declares it as required.",
            'Row 3: amount: expected a number, got "a lot".',
        ]
    )
    await expect(page.get_by_role("button", name="Start")).to_be_disabled()
    await console.picture(page, "batches-wrong-rows")
    await page.get_by_label("Skip invalid rows").check()
    await page.get_by_role("button", name="Start 2 executions").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("claims")
    batch = api.call("/batches/get", {"id": page.url.rpartition("/")[2]})["batch"]
    assert batch["total"] == 2
    [first, last] = api.call("/executions/list", {"batch": batch["id"]})["executions"]
    for execution in (first, last):
        api.wait_for(execution["id"], *FINAL)
    table = page.get_by_role("table", name="Rows")
    await expect(table.get_by_role("columnheader")).to_have_text(
        ["Row", "Status", "policy", "amount", "filed", "Reason"]
    )
    # in the order of the sheet and with its numbers, also the two that were left out
    for at, text in enumerate(
        (
            "1CompletedP-11P-1",
            "2Skipped2policy is missing: the workflow declares it as required.",
            '3SkippedP-3a lotamount: expected a number, got "a lot".',
            "4CompletedP-44P-4",
        ),
        1,
    ):
        await expect(table.get_by_role("row").nth(at)).to_have_text(text)
    await expect(page.get_by_text("2 skipped: the workflow would refuse them")).to_be_visible()
    await page.get_by_label("Only failed and skipped rows").check()
    await expect(table.get_by_role("row")).to_have_count(3)
    await page.get_by_label("Only failed and skipped rows").uncheck()
    await expect(table.get_by_role("row")).to_have_count(5)
    await console.check(page)
    for width in (1440, 390):
        await page.set_viewport_size({"width": width, "height": 844})
        await console.assert_fits(page)
        await console.picture(page, f"batch-{width}")


async def test_a_file_that_is_not_a_sheet_is_refused_with_a_sentence(
    console: Console, flow: Json, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.xlsx"
    broken.write_bytes(b"PK\x03\x04 not a workbook")
    page = await console.open("/batches")
    await page.get_by_role("button", name="New batch").click()
    await page.get_by_label("Workflow").select_option(label=flow["name"])
    async with page.expect_file_chooser() as chooser:
        await page.get_by_role("button", name="Choose a sheet").click()
    await (await chooser.value).set_files(broken)
    await expect(page.get_by_text("the sheet cannot be read")).to_be_visible()
    console.expect_error("status of 400")


@pytest.mark.slow
async def test_failed_rows_are_shown_alone_and_retried(console: Console, api: Api) -> None:
    flow = api.create("Divides", value("part", "{{params.by}}", "10 / input"))
    rows = [{"by": 1}, {"by": 0}]
    batch = api.call("/batches/create", {"name": "Parts", "workflowId": flow["id"], "rows": rows})["batch"]
    for execution in api.call("/executions/list", {"batch": batch["id"]})["executions"]:
        api.wait_for(execution["id"], *FINAL)
    page = await console.open(f"/batches/{batch['id']}")
    table = page.get_by_role("table", name="Rows")
    await expect(table.get_by_role("link")).to_have_count(2)
    await page.get_by_label("Only failed rows").check()
    await expect(table.get_by_role("link")).to_have_text(["2"])
    await page.get_by_role("button", name="Retry failed rows").click()
    await expect(page.get_by_text("Retrying 1 row.")).to_be_visible()
    await expect(table.get_by_role("link")).to_have_text(["2", "2"])
