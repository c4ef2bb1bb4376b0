"""The live view as a person meets it: a real browser opens the link of a running execution and drives it."""

import asyncio
import contextlib
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from support.blocks import navigate
from support.service import Api
from support.site import Site
from support.viewer import Viewer, open_live_view, start_execution, wait_for_browser, wait_until_finished

pytestmark = pytest.mark.anyio


@pytest.mark.slow
async def test_a_person_drives_the_running_browser_and_the_run_goes_on(
    api: Api, site: Site, browser: Browser
) -> None:
    execution = start_execution(api, site)
    viewer = await open_live_view(browser, execution["liveViewUrl"])
    await viewer.ready()
    await expect(viewer.page.get_by_role("heading", level=1)).to_have_text("Workshop")
    await viewer.take()
    assert (await asyncio.to_thread(api.wait_for, execution["id"], "Paused"))["liveViewUrl"]
    await viewer.click(200, 320)
    await viewer.wait_for_colour(1000, 700, lambda colour: colour[0] < 40 and colour[1] > 120)
    await viewer.click(200, 120)
    await viewer.page.keyboard.type("Grüße, Ada")
    await viewer.page.keyboard.press("Shift+Home")
    await viewer.page.keyboard.press("End")
    await viewer.page.keyboard.press("Backspace")
    await viewer.click(200, 220)
    await viewer.page.keyboard.type("hush")
    await viewer.click(200, 720)
    await viewer.give_back()
    result = await wait_until_finished(api, execution)
    assert result["status"] == "Completed", result["errorAnalysis"]
    assert result["response"]["held"]["name"] == "Grüße, Ad"
    assert result["response"]["held"]["secret"] == "***"  # a password is typed, and not read
    assert result["liveViewUrl"] is None
    await expect(viewer.curtain).to_contain_text("This execution has ended. It is completed.")
    types = [event["type"] for event in api.events(execution["id"])]
    assert types.index("person.drives") < types.index("person.gave_back")


@pytest.mark.slow
async def test_pasting_dialogs_and_files(api: Api, site: Site, browser: Browser) -> None:
    execution = start_execution(api, site)
    viewer = await open_live_view(
        browser, execution["liveViewUrl"], permissions=["clipboard-read", "clipboard-write"]
    )
    await viewer.ready()
    await viewer.take()
    await viewer.click(200, 120)
    await viewer.page.evaluate("navigator.clipboard.writeText('pasted “words”')")
    await viewer.page.keyboard.press("Control+V")
    await viewer.click(200, 420)
    question = viewer.page.get_by_role("alertdialog")
    await expect(question).to_contain_text("Which colour?")
    await expect(question.get_by_label("Answer")).to_have_value("red")
    await question.get_by_label("Answer").fill("blue")
    await question.get_by_role("button", name="OK").click()
    await expect(question).to_have_count(0)
    await viewer.click(150, 520)
    content = b"x" * 700_000
    file: Any = {"name": "../../report.txt", "mimeType": "text/plain", "buffer": content}
    await viewer.page.get_by_label("Files for the page").set_input_files(file)
    await expect(viewer.page.get_by_role("group", name="File chooser")).to_have_count(0)
    await asyncio.sleep(0.5)
    await viewer.click(200, 720)
    await viewer.give_back()
    held = (await wait_until_finished(api, execution))["response"]["held"]
    assert held == {
        "name": "pasted “words”",
        "secret": "",
        "answer": "blue",
        "file_name": "report.txt 700000",
    }
    answers = [
        event["message"] for event in api.events(execution["id"]) if event["type"] == "dialog.answered"
    ]
    assert answers == ["The page's prompt was accepted by a person."]


@pytest.mark.slow
async def test_a_new_tab_comes_to_the_front_and_tabs_can_be_switched(
    api: Api, site: Site, browser: Browser
) -> None:
    site.page("/second", "<title>Second</title><body style='background: rgb(0, 0, 200)'>")
    execution = start_execution(api, site)
    viewer = await open_live_view(browser, execution["liveViewUrl"])
    await viewer.ready()
    tabs = viewer.page.get_by_role("tab")
    await expect(tabs).to_have_count(1)
    await expect(tabs.first).to_be_disabled()
    await viewer.take()
    await viewer.click(120, 610)
    await expect(tabs).to_have_count(2)
    await viewer.wait_for_colour(600, 400, lambda colour: colour[2] > 150 and colour[0] < 60)
    await viewer.page.get_by_role("tab", name="Workshop").click()
    await viewer.wait_for_colour(1000, 700, lambda colour: min(colour) > 240)
    shown = await tabs.all_inner_texts()
    assert site.url not in "".join(shown)
    await viewer.click(200, 720)
    await viewer.give_back()
    assert (await wait_until_finished(api, execution))["status"] == "Completed"


@pytest.mark.slow
async def test_a_drop_down_list_can_be_seen_and_chosen_from(api: Api, site: Site, browser: Browser) -> None:
    options = "".join(f"<option style='height: 40px; background: rgb(0, 0, 200)'>{n}" for n in range(4))
    chosen = "onchange=\"document.body.append(Object.assign(document.createElement('b'), {id: 'chosen'}))\""
    style = "style='position: absolute; left: 100px; top: 100px; width: 300px; height: 40px'"
    url = site.page("/list", f"<title>List</title><body><select {style} {chosen}>{options}</select>")
    condition = {"element": {"css": "#chosen"}, "state": "exists"}
    workflow = api.create(
        "List",
        navigate(url),
        {"type": "WaitForCondition", "data": {"condition": condition, "timeoutMs": 60_000}},
        {
            "type": "Extract",
            "blockReferenceId": "e",
            "data": {"prompt": "v", "fields": {"v": {"locator": {"css": "select"}, "attribute": "value"}}},
        },
    )
    execution = wait_for_browser(api, api.start(workflow["id"])["id"])
    async with asyncio.timeout(20):  # the list must be there before anybody takes control
        while not any(event["type"] == "block.finished" for event in api.events(execution["id"])):  # noqa: ASYNC110 - events are read, not heard
            await asyncio.sleep(0.05)
    viewer = await (await open_live_view(browser, execution["liveViewUrl"])).ready()
    await viewer.take()
    await viewer.click(200, 120)
    await viewer.wait_for_colour(250, 200, lambda colour: colour[2] > 150 and colour[0] < 60)
    for _ in range(
        4
    ):  # a list that has just opened may not take the first click, as a person would click again
        await viewer.click(250, 240)
        with contextlib.suppress(TimeoutError):
            await viewer.wait_for_colour(250, 200, lambda colour: min(colour) > 240, seconds=5)
            break
    await viewer.give_back()
    result = await wait_until_finished(api, execution)
    assert result["response"]["e"]["v"] in ("1", "2", "3")


@pytest.mark.slow
async def test_the_second_driver_only_watches_until_they_take_over(
    api: Api, site: Site, browser: Browser
) -> None:
    execution = start_execution(api, site)
    first = await (await open_live_view(browser, execution["liveViewUrl"])).ready()
    second = await (await open_live_view(browser, execution["liveViewUrl"])).ready()
    await first.take()
    await expect(second.status).to_have_text("Somebody else is in control")
    await second.click(200, 120)
    await second.page.keyboard.type("not me")
    await first.click(200, 120)
    await first.page.keyboard.type("first")
    await second.page.get_by_role("button", name="Take over…").click()
    await second.page.get_by_role("button", name="Take over", exact=True).click()
    await expect(first.status).to_have_text("Somebody else is in control")
    await first.page.keyboard.type("not me either")
    await second.click(390, 120)
    await second.page.keyboard.type(" second")
    await second.click(200, 720)
    await second.give_back()
    assert (await wait_until_finished(api, execution))["response"]["held"]["name"] == "first second"


@pytest.mark.slow
async def test_two_executions_are_watched_and_driven_at_once(api: Api, site: Site, browser: Browser) -> None:
    executions = [start_execution(api, site), start_execution(api, site)]
    viewers = [
        await (await open_live_view(browser, execution["liveViewUrl"])).ready() for execution in executions
    ]
    for number, viewer in enumerate(viewers):
        await viewer.take()
        await viewer.click(200, 120)
        await viewer.page.keyboard.type(f"number {number}")
        await viewer.click(200, 720)
    for viewer in reversed(viewers):
        await viewer.give_back()
    held = [
        (await wait_until_finished(api, execution))["response"]["held"]["name"] for execution in executions
    ]
    assert held == ["number 0", "number 1"]


@pytest.mark.slow
async def test_a_driver_whose_connection_breaks_still_has_control(
    api: Api, site: Site, browser: Browser
) -> None:
    execution = start_execution(api, site)
    viewer = await (await open_live_view(browser, execution["liveViewUrl"])).ready()
    await viewer.take()
    await viewer.page.reload()
    await expect(viewer.status).to_contain_text("You are in control")
    assert api.get(execution["id"])["status"] == "Paused"
    api.call("/executions/resume", {"id": execution["id"]})
    await expect(viewer.status).to_have_text("Watching")
    api.call("/executions/cancel", {"id": execution["id"]})


@pytest.mark.slow
async def test_it_works_on_a_phone(api: Api, site: Site, browser: Browser) -> None:
    execution = start_execution(api, site)
    context = await browser.new_context(
        viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True
    )
    page = await context.new_page()
    await page.goto(execution["liveViewUrl"])
    viewer = await Viewer(page).ready()
    assert await page.evaluate("document.documentElement.scrollWidth") <= 360
    await viewer.take()
    await viewer.tap(200, 120)
    await page.get_by_role("button", name="Keyboard").tap()
    await page.keyboard.insert_text("thumb")
    await page.get_by_role("button", name="Zoom in").tap()
    await expect(page.get_by_role("button", name="Zoom out")).to_be_visible()
    await viewer.tap(200, 320)
    await viewer.wait_for_colour(1000, 700, lambda colour: colour[0] < 40 and colour[1] > 120)
    await page.get_by_role("button", name="Zoom out").tap()
    await viewer.tap(200, 720)
    await viewer.give_back()
    assert (await wait_until_finished(api, execution))["response"]["held"]["name"] == "thumb"
