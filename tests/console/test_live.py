"""What happens in the service shows in open pages without a reload, by the one event stream."""

import asyncio
from typing import Any

import pytest
from playwright.async_api import expect

from support.console import Console, Theme
from support.service import Api
from support.site import Site
from support.viewer import Viewer, start_execution

pytestmark = pytest.mark.anyio
HELLO = {"type": "Transform", "name": "Say hello", "data": {"input": "hello", "code": "lambda x: x"}}


async def test_execution_appears_and_ends_in_an_open_list(console: Console, api: Api) -> None:
    workflow = api.create("Seen live", HELLO)
    page = await console.open("/executions")
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    api.start(workflow["id"], name="Watched")

    row = page.get_by_role("row").filter(has_text="Watched")
    await row.filter(has_text="Completed").wait_for()

    assert 1 <= len([url for url in requests if url.endswith("/executions/list")]) < 20


@pytest.mark.slow
async def test_nothing_is_asked_for_while_nothing_changes(console: Console) -> None:
    page = await console.open("/executions")
    await page.wait_for_function("() => !document.body.innerText.includes('Not connected')")
    await page.wait_for_timeout(1000)  # what opening the stream reads again
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    await page.wait_for_timeout(3000)  # nothing to wait for: that nothing happens is the claim
    assert requests == []


@pytest.mark.slow
async def test_stream_names_states_and_events_of_the_own_organization(console: Console, api: Api) -> None:
    workflow = api.create("Streamed", HELLO)
    page = await console.open("/settings")
    await page.evaluate(
        """() => { window.heard = []; const source = new EventSource("/console/events");
          source.onmessage = (message) => window.heard.push(JSON.parse(message.data));
          return new Promise((done) => { source.onopen = () => done(null); }); }"""
    )
    execution = api.start(workflow["id"])
    await page.wait_for_function(
        """(id) => ["execution", "event"].every((noun) =>
          window.heard.some((one) => one.noun === noun && one.id === id))""",
        arg=execution["id"],
    )


@pytest.mark.slow
async def test_linked_live_view_needs_no_session_and_fits_every_screen(
    console: Console, api: Api, site: Site
) -> None:
    execution = await asyncio.to_thread(start_execution, api, site)
    path = execution["liveViewUrl"].removeprefix(console.url)
    screens: list[tuple[int, Theme]] = [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]
    for width, theme in screens:
        page = await console.open(path, width=width, theme=theme)
        requests: list[str] = []
        page.on("request", lambda request, requests=requests: requests.append(request.url))
        viewer = await Viewer(page).ready()
        await expect(viewer.status).to_have_text("Watching")
        await viewer.take()
        await console.assert_fits(page)
        assert await page.evaluate("document.documentElement.scrollHeight <= innerHeight")
        await console.check(page)
        await console.picture(page, f"live-link-{width}-{theme}")
        await viewer.give_back()
        assert requests == []
        await page.close()
    api.call("/executions/cancel", {"id": execution["id"]})


@pytest.mark.slow
async def test_live_view_takes_keys_of_a_mac_and_of_input_methods(
    console: Console, api: Api, site: Site
) -> None:
    execution = await asyncio.to_thread(start_execution, api, site)
    context = await console.context(width=1280)
    await context.add_init_script("Object.defineProperty(navigator, 'platform', {value: 'MacIntel'})")
    page = await console.open(f"/executions/{execution['id']}", context=context)
    viewer = await Viewer(page).ready()
    await viewer.take()
    await viewer.click(200, 120)
    await page.keyboard.type("wrong")
    await page.keyboard.press("Meta+a")  # selects all, as Control+A does in the browser that is shown
    await page.keyboard.type("right ")
    composed: Any = await context.new_cdp_session(page)
    await composed.send("Input.imeSetComposition", {"text": "に", "selectionStart": 1, "selectionEnd": 1})
    await composed.send("Input.insertText", {"text": "日本"})
    await viewer.click(200, 720)
    await viewer.give_back()
    result = await asyncio.to_thread(api.wait_for, execution["id"], "Completed", "Failed")
    assert result["response"]["held"]["name"] == "right 日本"


@pytest.mark.slow
async def test_taking_control_does_not_move_the_picture_under_the_pointer(
    console: Console, api: Api, site: Site
) -> None:
    execution = await asyncio.to_thread(start_execution, api, site)
    page = await console.open(f"/executions/{execution['id']}")
    viewer = await Viewer(page).ready()
    before = await viewer.screen.bounding_box()
    await viewer.take()
    await expect(page.locator("main").get_by_text("Paused", exact=True)).to_be_visible()
    assert await viewer.screen.bounding_box() == before
    await viewer.give_back()
    api.call("/executions/cancel", {"id": execution["id"]})


@pytest.mark.slow
async def test_live_view_fills_the_screen_and_goes_back_beside_the_rest(
    console: Console, api: Api, site: Site
) -> None:
    execution = await asyncio.to_thread(start_execution, api, site)
    page = await console.open(f"/executions/{execution['id']}")
    viewer = await Viewer(page).ready()
    live = page.get_by_role("region", name="Live view")
    fills = "(one) => one.getBoundingClientRect().width === innerWidth"
    assert not await live.evaluate(fills)
    await page.get_by_role("button", name="Full screen").click()
    await page.get_by_role("button", name="Leave full screen").wait_for()
    assert await live.evaluate(fills)
    await viewer.take()
    await console.picture(page, "live-full-screen")
    await console.assert_fits(page)
    await viewer.give_back()
    await page.get_by_role("button", name="Leave full screen").click()
    await expect(page.get_by_role("button", name="Full screen", exact=True)).to_be_visible()
    assert not await live.evaluate(fills)
    api.call("/executions/cancel", {"id": execution["id"]})
