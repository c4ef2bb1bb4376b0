"""The Schedules view: words, next times, history, Run now and the switch."""

import re

import pytest
from playwright.async_api import expect

from support.console import Console
from support.service import FINAL, Api

pytestmark = pytest.mark.anyio
HELLO = {"type": "Transform", "name": "Say hello", "data": {"input": "hello", "code": "lambda x: x"}}


@pytest.mark.slow
async def test_a_schedule_is_made_run_by_hand_switched_off_and_deleted(console: Console, api: Api) -> None:
    api.create("Nightly report", HELLO, parameters=[{"name": "customer", "type": "string"}])
    page = await console.open("/schedules")
    await page.get_by_role("button", name="New schedule").click()
    dialog = page.get_by_role("dialog", name="New schedule")
    await dialog.get_by_label("Workflow").select_option(label="Nightly report")
    await dialog.get_by_label("How often").select_option(label="By a cron expression")
    await dialog.get_by_label("Cron").fill("99 8 * * *")
    await dialog.get_by_text("The minute 99 is not valid").wait_for()
    console.expect_error("status of 400")
    await dialog.get_by_label("How often").select_option(label="Every weekday, Monday to Friday")
    await dialog.get_by_label("At", exact=True).fill("07:30")
    await dialog.get_by_label("Time zone").select_option("Europe/Berlin")
    # before anything is saved
    times = page.get_by_role("list", name="Next times").get_by_role("listitem")
    await expect(times).to_have_text([re.compile("(Mon|Tue|Wed|Thu|Fri).*0?7:30")] * 5)
    await expect(dialog.get_by_label("customer")).to_have_value("")
    await dialog.get_by_label("customer").fill("ACME")
    await console.check(page)
    await console.picture(page, "schedule-form")
    await dialog.get_by_role("button", name="Save").click()
    await page.get_by_text("At 07:30 on Monday through Friday").wait_for()
    await expect(times).to_have_text([re.compile("0?7:30")] * 5)
    await page.get_by_role("button", name="Change").click()
    changed = page.get_by_role("dialog", name="Change the schedule")
    await expect(changed.get_by_label("customer")).to_have_value("ACME")
    await changed.get_by_label("How often").select_option(label="On days of the week")
    await changed.get_by_label("Sunday").check()
    await changed.get_by_label("Monday").uncheck()
    await changed.get_by_role("button", name="Save").click()
    await page.get_by_text("At 07:30 on Sunday").wait_for()

    await page.get_by_role("button", name="Run now").click()
    await page.wait_for_url("**/executions/exec_*")
    api.wait_for(page.url.rpartition("/")[2], *FINAL)
    await page.go_back()
    await page.get_by_role("button", name="History").click()
    row = page.get_by_role("table", name="History").get_by_role("row").filter(has_text="run by hand")
    await row.filter(has_text="Completed").wait_for()

    await page.get_by_role("checkbox", name="Nightly report is on").click()
    await page.get_by_text("it starts no executions").wait_for()
    [schedule] = api.call("/schedules/list", {})["schedules"]
    assert schedule["enabled"] is False
    assert schedule["params"] == {"customer": "ACME"}
    assert schedule["cron"] == "30 7 * * SUN"

    await page.get_by_role("button", name="Delete Nightly report").click()
    await page.get_by_role("button", name="Delete schedule").click()
    await page.get_by_text("No schedules yet.").wait_for()


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
async def test_it_fits_and_reads_well(console: Console, api: Api, width: int, theme: str) -> None:
    workflow = api.create("<b>Hostile</b> " + "name " * 20, HELLO)
    made = api.call("/schedules/create", {"workflowId": workflow["id"], "cron": "0 9 * * *"})["schedule"]
    page = await console.open("/schedules", width=width, theme="dark" if theme == "dark" else "light")
    await page.get_by_role("button", name="History").first.click()
    await page.get_by_text("No runs yet.").wait_for()
    await console.check(page)
    await console.assert_fits(page)
    await console.picture(page, f"schedules-{width}-{theme}")
    tops = await page.locator(".card-actions").first.evaluate(
        "(row) => [...row.children].map((one) => one.getBoundingClientRect().top)"
    )
    assert len(set(tops)) == 1, tops  # the button that deletes stands beside the others
    api.call("/schedules/delete", {"id": made["id"]})
