"""One execution in the console: why it failed, its steps, what came out, and what can be done about it."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from support.blocks import branch, click_at, loop, navigate, value, wait
from support.console import Console
from support.service import FINAL, Api, Json
from support.site import Site

pytestmark = pytest.mark.anyio

HOSTILE = "<img src=x onerror=\"document.title='hacked'\">"
SHOP = """<!doctype html><title>Claims portal</title><h1>Claims</h1>
<table><tr><th>Number</th><th>Amount</th></tr><tr><td>C-1</td><td>120.50</td></tr></table>
<button id=save onclick="said.textContent='saved'">Save claim</button><p id=said></p>"""


def finished(api: Api, workflow_id: str, **more: Any) -> Json:
    return api.call("/workflows/executeSync", {"workflowId": workflow_id, **more})["execution"]


def press(css: str = "#save") -> Json:
    return {**click_at(css, timeoutMs=1500), "name": "Press save", "blockReferenceId": "press"}


@pytest.fixture
def failed(api: Api, site: Site) -> Json:
    """A run that found its button once, and does not after its page has changed."""
    workflow = api.create("Collect claims", navigate(site.page("/", SHOP)), press(), value("total", 7))
    good = finished(api, workflow["id"], name="Nightly ACME")
    assert good["status"] == "Completed", good["errorAnalysis"]
    site.page("/", "<!doctype html><title>Claims portal</title><h1>Down for maintenance</h1>")
    red = finished(api, workflow["id"], name="Nightly ACME")
    assert red["status"] == "Failed"
    return red


async def test_a_failed_run_says_why_on_top_with_picture_and_the_way_to_mend_it(
    console: Console, failed: Json
) -> None:
    page = await console.open(f"/executions/{failed['id']}")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Nightly ACME")
    reason = page.get_by_role("region", name="Why it failed")
    await expect(reason.get_by_role("heading")).to_contain_text("#save")
    await expect(reason).to_contain_text("Press save")
    picture = reason.get_by_role("img", name="The page when it failed")
    await expect(picture).to_be_visible()
    assert await picture.evaluate("(one) => one.decode().then(() => one.naturalWidth)") > 100
    fix = reason.get_by_role("link", name="Fix this block")
    block = failed["failure"]["blockId"]
    await expect(fix).to_have_attribute(
        "href", f"/workflows/{failed['workflow']['id']}?block={block}&execution={failed['id']}"
    )
    await console.check(page)


async def test_steps_show_kind_duration_pictures_and_what_went_in_and_out(
    console: Console, api: Api, site: Site
) -> None:
    workflow = api.create("Steps", navigate(site.page("/", SHOP)), press(), value("total", "{{params.n}}"))
    done = finished(api, workflow["id"], params={"n": 41})
    page = await console.open(f"/executions/{done['id']}")
    steps = page.get_by_role("list", name="Steps").get_by_role("listitem")
    await expect(steps).to_have_count(3)
    await steps.nth(1).get_by_role("button", name="Press save").click()
    await expect(steps.nth(1)).to_contain_text("Mouse")
    await expect(steps.nth(1).get_by_role("img", name="The page before “Press save”")).to_be_visible()
    await expect(steps.nth(1).get_by_role("img", name="The page after “Press save”")).to_be_visible()
    await steps.nth(2).get_by_role("button", expanded=False).first.click()
    await steps.nth(2).get_by_text("Input", exact=True).click()
    await expect(steps.nth(2)).to_contain_text("41")
    await steps.nth(2).get_by_text("Output", exact=True).click()
    await expect(steps.nth(2).locator(".json-body").last).to_contain_text("41")


async def test_a_step_marks_its_element_and_says_what_the_page_complained_about(
    console: Console, api: Api, site: Site
) -> None:
    noisy = (
        SHOP
        + "<script>save.addEventListener('click', () => {console.error('No stock'); fetch('/gone')})</script>"
    )
    workflow = api.create("Noisy", navigate(site.page("/noisy", noisy)), press(), wait(500, "later"))
    done = finished(api, workflow["id"], trace=True)
    page = await console.open(f"/executions/{done['id']}")
    steps = page.get_by_role("list", name="Steps").get_by_role("listitem")
    await steps.nth(1).get_by_role("button", name="Press save").click()
    await expect(steps.nth(1).get_by_role("group", name="Console")).to_contain_text("error: No stock")
    before = steps.nth(1).locator("figure").filter(has_text="Before; the element is marked")
    boxes = [await one.bounding_box() for one in (before.get_by_role("img"), before.locator(".mark"))]
    assert boxes[0]
    assert boxes[1]
    assert boxes[1]["width"] < boxes[0]["width"] / 4
    await page.get_by_role("button", name="Wait", exact=False).first.click()
    failed = page.get_by_role("group", name="Failed requests")
    await expect(failed.first).to_contain_text("/gone: 404")
    await expect(page.get_by_role("tab", name="Files")).to_contain_text("2")
    async with page.expect_download() as download:
        await page.get_by_role("link", name="Download trace").click()
    assert zipfile.is_zipfile(await (await download.value).path())
    await console.check(page)
    await console.picture(page, "execution-trace")


async def test_a_healed_step_says_what_was_found_instead_and_why(
    console: Console, api: Api, site: Site
) -> None:
    workflow = api.create("Heals", navigate(site.page("/heals", SHOP)), press())
    finished(api, workflow["id"])
    site.page("/heals", SHOP.replace("id=save", "id=store"))
    healed = finished(api, workflow["id"])
    page = await console.open(f"/executions/{healed['id']}")
    steps = page.get_by_role("list", name="Steps").get_by_role("listitem")
    await steps.nth(1).get_by_role("button", name="Press save").click()
    why = steps.nth(1).get_by_label("Healing")
    await expect(why).to_contain_text("Looked for")
    await expect(why).to_contain_text("#save")
    await expect(why).to_contain_text("Save claim")
    await expect(why).to_contain_text("As before: its name")
    await expect(why).to_contain_text(" %")
    await console.check(page)
    await console.picture(page, "execution-healed")


async def test_rounds_of_a_loop_are_folded(console: Console, api: Api) -> None:
    workflow = api.create("Loops", loop([1, 2, 3], [value("twice", "{{item}}")]))
    done = finished(api, workflow["id"])
    page = await console.open(f"/executions/{done['id']}")
    rounds = page.get_by_role("list", name="Rounds of").get_by_role("button", name="Round")
    await expect(rounds).to_have_count(3)
    second = page.get_by_role("button", name="Round 2")
    await expect(second).to_have_attribute("aria-expanded", "false")
    await second.click()
    await expect(second).to_have_attribute("aria-expanded", "true")


async def test_tabs_show_result_files_thread_events_and_parameters(console: Console, api: Api) -> None:
    rows = [{"number": "C-1", "amount": 120.5}, {"number": "C-2", "amount": 7}]
    workflow = api.create("Puts out", value("claims", "{{params.rows}}"), value("count", 2))
    done = finished(api, workflow["id"], params={"rows": rows})
    page = await console.open(f"/executions/{done['id']}")
    for name in ("Result", "Files", "Thread", "Events", "Parameters"):
        await page.get_by_role("tab", name=name).click()
        await expect(page.get_by_role("tabpanel", name=name)).to_be_visible()
    await page.get_by_role("tab", name="Result").click()
    table = page.get_by_role("tabpanel").get_by_role("table")
    await expect(table.get_by_role("columnheader")).to_have_text(["number", "amount"])
    await expect(table.get_by_role("row")).to_have_count(3)
    async with page.expect_download() as download:
        await page.get_by_role("region", name="claims").get_by_role("button", name="Download").click()
    assert (await download.value).suggested_filename == "claims.csv"
    await page.goto(f"{console.url}/executions/{done['id']}?tab=Parameters")
    await expect(page.get_by_role("tab", name="Parameters")).to_have_attribute("aria-selected", "true")


async def test_stored_file_in_the_result_is_a_link_and_a_url_of_elsewhere_is_not(
    console: Console, api: Api
) -> None:
    elsewhere = [
        {"letter": {"name": "a.pdf", "downloadUrl": url}} for url in ("https://a.example/x", "http://[")
    ]
    export = {
        "type": "ParseToCsv",
        "blockReferenceId": "csv",
        "data": {"input": [{"a": 1}], "fileName": "a.csv"},
    }
    workflow = api.create("Of files", export, value("letters", "{{params.letters}}"))
    done = finished(api, workflow["id"], params={"letters": elsewhere})
    page = await console.open(f"/executions/{done['id']}")
    panel = page.get_by_role("tabpanel")
    await expect(panel.get_by_text("a.example")).to_be_visible()
    await expect(panel.get_by_role("link")).to_have_text(["a.csv"])
    async with page.expect_download() as download:
        await panel.get_by_role("link").click()
    assert (await download.value).suggested_filename == "a.csv"


async def test_a_list_inside_a_row_is_folded_and_opens_as_a_table(console: Console, api: Api) -> None:
    pages: list[Json] = [{"page": 1, "rows": [{"claim": "C-1"}, {"claim": "C-2"}]}, {"page": 2, "rows": []}]
    workflow = api.create("Of pages", value("pages", "{{params.pages}}"))
    done = finished(api, workflow["id"], params={"pages": pages})
    page = await console.open(f"/executions/{done['id']}")
    panel = page.get_by_role("tabpanel")
    await expect(panel.get_by_text("C-1")).to_have_count(0)
    await panel.get_by_text("2 rows", exact=True).last.click()
    await expect(panel.get_by_role("cell", name="C-1", exact=True)).to_be_visible()
    await console.check(page)


async def test_evidence_is_downloaded_as_a_zip(console: Console, failed: Json, tmp_path: Path) -> None:
    page = await console.open(f"/executions/{failed['id']}")
    async with page.expect_download() as download:
        await page.get_by_role("button", name="Download evidence").click()
    path = tmp_path / "evidence.zip"
    await (await download.value).save_as(path)
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as opened:
        assert json.loads(opened.read("execution.json"))["id"] == failed["id"]


@pytest.mark.slow
async def test_a_failed_run_is_compared_with_the_last_good_one(console: Console, failed: Json) -> None:
    page = await console.open(f"/executions/{failed['id']}")
    await page.get_by_role("button", name="Compare with the last good run").click()
    table = page.get_by_role("table", name="Comparison")
    await expect(table.get_by_role("columnheader")).to_have_text(["This run", "Last good run"])
    first = table.locator("tr[aria-current=true]")
    await expect(first).to_contain_text("First difference")
    await expect(first).to_contain_text("Press save")
    await page.reload()
    await expect(page.get_by_role("table", name="Comparison")).to_be_visible()
    await console.check(page)


async def test_the_first_difference_is_found_in_its_round_of_a_loop(console: Console, api: Api) -> None:
    large, small = ({**value(name, "{{item}}"), "name": name} for name in ("large", "small"))
    rounds = [branch("item > 5", [large], [small]), value("noted", "{{item}}")]
    workflow = api.create("Rounds", loop("{{params.amounts}}", rounds), value("end"))
    ids = [
        finished(api, workflow["id"], params={"amounts": amounts})["id"]
        for amounts in ([1, 9, 9], [9, 9, 9], [9, 9, 8], [9, 9, 8])
    ]
    page = await console.open(f"/executions/{ids[1]}?compare={ids[0]}")
    table = page.get_by_role("table", name="Comparison")
    first = table.locator("tr[aria-current=true]")
    await expect(first).to_contain_text("large")
    await expect(first).to_contain_text("this step is new")
    # the next rounds are alike: only the branches of the first one differ, and what came of it
    await expect(table.locator("tr.differs")).to_have_count(2)
    await page.goto(f"{console.url}/executions/{ids[2]}?compare={ids[1]}")
    await expect(first).to_contain_text("its output is different")
    await expect(first).to_contain_text("large")
    await page.goto(f"{console.url}/executions/{ids[3]}?compare={ids[2]}")
    await expect(page.get_by_text("Both runs did the same steps with the same results.")).to_be_visible()


@pytest.mark.slow
async def test_a_run_is_paused_resumed_and_cancelled(console: Console, api: Api) -> None:
    workflow = api.create("Naps", wait(600), wait(60_000, "long"))
    execution = api.start(workflow["id"])["id"]
    page = await console.open(f"/executions/{execution}")
    await page.get_by_role("button", name="Pause").click()
    await expect(page.get_by_text("Paused on request")).to_be_visible()
    await page.get_by_role("button", name="Resume").click()
    await expect(page.get_by_role("button", name="Pause")).to_be_visible()
    await page.get_by_role("button", name="Cancel").click()
    await page.get_by_role("dialog").get_by_role("button", name="Cancel execution").click()
    await expect(page.get_by_role("region", name="Why it failed")).to_contain_text("Cancelled")
    await expect(page.get_by_role("button", name="Retry")).to_be_visible()


async def test_a_run_is_retried_and_run_from_a_step(console: Console, api: Api) -> None:
    workflow = api.create("Twice", value("one"), {**value("two"), "name": "Second"})
    done = finished(api, workflow["id"])
    page = await console.open(f"/executions/{done['id']}")
    await page.get_by_role("button", name="Retry").click()
    await page.wait_for_url(lambda url: done["id"] not in url)
    again = api.wait_for(page.url.rpartition("/")[2], *FINAL)
    assert again["parentExecutionId"] == done["id"]
    await page.get_by_role("list", name="Steps").get_by_role("button", name="Second").click()
    await page.get_by_role("button", name="Run from here").click()
    await page.wait_for_url(lambda url: again["id"] not in url)
    third = api.wait_for(page.url.rpartition("/")[2], *FINAL)
    assert third["response"] == {"one": 1, "two": 1}


async def test_a_run_is_repeated_with_changes_and_keeps_what_was_secret(console: Console, api: Api) -> None:
    secret = {"name": "pin", "type": "string", "isSecret": True}
    rows = {"name": "rows", "type": "array"}
    made = api.create(
        "Changed",
        value("seen", "{{params.rows}}"),
        value("pin", "{{params.pin}}", "len(input)"),
        parameters=[secret, rows],
    )
    done = finished(api, made["id"], params={"pin": "12345", "rows": [{"who": "Ada"}]})
    page = await console.open(f"/executions/{done['id']}")
    await page.get_by_role("button", name="Run again with changes").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Add a row").click()
    await dialog.get_by_label("who, row 2").fill("Bob")
    await console.check(page)
    await dialog.get_by_role("button", name="Run again").click()
    await page.wait_for_url(lambda url: done["id"] not in url)
    again = api.wait_for(page.url.rpartition("/")[2], *FINAL)
    assert again["response"] == {"seen": [{"who": "Ada"}, {"who": "Bob"}], "pin": 5}


@pytest.mark.slow
async def test_the_live_view_is_driven_and_given_back(console: Console, api: Api, site: Site) -> None:
    workflow = api.create("Live", navigate(site.page("/", SHOP)), wait(60_000))
    execution = api.start(workflow["id"])["id"]
    page = await console.open(f"/executions/{execution}")
    live = page.get_by_role("region", name="Live view")
    await live.get_by_role("button", name="Take control").click()
    await expect(live.get_by_role("button", name="Give back")).to_be_visible()
    await live.get_by_role("button", name="Give back").click()
    await expect(live.get_by_role("button", name="Take control")).to_be_visible()
    await console.check(page)
    api.call("/executions/cancel", {"id": execution})
    await expect(live).to_have_count(0)


async def test_hostile_names_titles_and_outputs_are_text(console: Console, api: Api, site: Site) -> None:
    url = site.page("/", f"<!doctype html><title>{HOSTILE}</title><h1>Hi</h1>")
    workflow = api.create(HOSTILE, {**navigate(url), "name": HOSTILE}, value("bad", [{HOSTILE: HOSTILE}]))
    done = finished(api, workflow["id"], name=HOSTILE, params={"x": HOSTILE})
    page = await console.open(f"/executions/{done['id']}")
    await expect(page.get_by_role("heading", level=1)).to_have_text(HOSTILE)
    for name in ("Events", "Parameters", "Result"):
        await page.get_by_role("tab", name=name).click()
    await expect(page.get_by_role("tabpanel").get_by_role("columnheader")).to_have_text([HOSTILE])
    assert await page.title() != "hacked"


async def test_a_run_that_does_not_exist_says_so(console: Console) -> None:
    page = await console.open("/executions/exec_none")
    await expect(page.get_by_text("There is no execution with this")).to_be_visible()
    console.expect_error("status of 404")


@pytest.mark.slow
async def test_five_hundred_steps_open_and_the_last_can_be_reached(console: Console, api: Api) -> None:
    blocks = [{**wait(1, f"n{number}"), "name": f"Step {number}"} for number in range(500)]
    workflow = api.create("Long", *blocks)
    done = finished(api, workflow["id"])
    page = await console.open(f"/executions/{done['id']}")
    steps = page.get_by_role("list", name="Steps").get_by_role("listitem")
    await expect(page.get_by_role("heading", name="Steps (500)")).to_be_visible()
    assert await steps.count() < 250
    last = page.get_by_role("button", name="Step 499")
    while not await last.count():
        await page.mouse.wheel(0, 4000)
        await page.wait_for_function("() => new Promise((done) => requestAnimationFrame(() => done(true)))")
    await expect(last).to_be_attached()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
async def test_it_fits_and_reads_well(console: Console, failed: Json, width: int, theme: Any) -> None:
    page = await console.open(f"/executions/{failed['id']}", width=width, theme=theme)
    await pictures_are_there(page)
    await console.picture(page, f"execution-failed-{width}-{theme}", full=True)
    await console.check(page)
    await console.assert_fits(page)


async def test_a_phone_shows_the_reason_below_one_line_of_buttons(console: Console, failed: Json) -> None:
    page = await console.open(f"/executions/{failed['id']}", width=390)
    names = ("Retry", "Compare with the last good run", "Download evidence")
    tops = [
        await page.get_by_role("button", name=name).evaluate("(one) => one.getBoundingClientRect().top")
        for name in names
    ]
    assert len(set(tops)) == 1, tops
    reason = page.get_by_role("region", name="Why it failed")
    assert await reason.evaluate("(one) => one.getBoundingClientRect().top") < 260


async def pictures_are_there(page: Page) -> None:
    await page.evaluate("() => [...document.images].forEach((one) => (one.loading = 'eager'))")
    await page.wait_for_function("() => [...document.images].every((one) => one.complete)")


async def test_an_execution_in_the_queue_says_which_one_uses_its_login(
    console: Console, api: Api, site: Site
) -> None:
    login = api.call(
        "/logins/create",
        {
            "name": "Claims portal",
            "authenticationUrl": site.page("/sign-in", SHOP),
            "loginConfiguration": {"username": "ada", "password": "not used"},
            "isManualAuthentication": True,
            "supportConcurrentLogins": False,
        },
    )["login"]["id"]
    workflow = api.create("Waits", wait(1))
    first = api.start(workflow["id"], loginId=login)
    api.wait_for(first["id"], "Paused")
    second = api.start(workflow["id"], loginId=login)
    page = await console.open(f"/executions/{second['id']}")
    await expect(page.get_by_text("In the queue: the login Claims portal serves one")).to_be_visible()
    other = page.get_by_role("link", name="another one")
    await expect(other).to_have_attribute("href", f"/executions/{first['id']}")
    api.call("/executions/cancel", {"id": first["id"]})
    await expect(page.get_by_text("In the queue")).to_be_hidden()
    api.call("/executions/cancel", {"id": second["id"]})
