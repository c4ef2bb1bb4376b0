"""The live view as a person meets it: a real browser opens the link of a running execution and drives it."""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.async_api import Browser, Page, WebSocket, expect

from pagehand.browser import LaunchOptions, LocalProvider
from pagehand.files.signing import UrlSigner
from pagehand.secrets.master_key import load_key_file
from pagehand.settings import Settings
from support.blocks import navigate
from support.database import add_key
from support.service import Api, Json, RunningService
from support.site import Site

pytestmark = pytest.mark.anyio

# every thing stands where a test can click it: 1280 x 800, rows 100 pixels high
WORKSHOP = """<!doctype html><title>Workshop</title><style>
  body { margin: 0; background: white }
  body > * { position: absolute; left: 100px; width: 300px; height: 40px }
</style>
<input id=name style="top: 100px" placeholder=Name>
<input id=secret type=password style="top: 200px">
<button style="top: 300px" onclick="document.body.style.background = 'rgb(0, 160, 0)'">Paint</button>
<button style="top: 400px" onclick="answer.value = prompt('Which colour?', 'red')">Ask</button>
<input id=answer style="top: 400px; left: 500px">
<input id=file type=file style="top: 500px"
  onchange="file_name.value = this.files[0].name + ' ' + this.files[0].size">
<input id=file_name style="top: 500px; left: 500px">
<a href=/second target=_blank style="top: 600px">Second tab</a>
<button style="top: 700px" onclick="document.body.append(Object.assign(document.createElement('b'),
  {id: 'finished', textContent: 'Finished'}))">Finish</button>"""


@pytest.fixture(scope="module")
async def browser(anyio_backend: str) -> AsyncGenerator[Browser]:
    """The person's own browser."""
    assert anyio_backend == "asyncio"
    provider = LocalProvider(Settings(browser_install=False))
    yield (await provider.launch(LaunchOptions())).browser
    await provider.close()


class Viewer:
    """A person at the live view."""

    def __init__(self, page: Page) -> None:
        self.page = page

    async def take(self) -> None:
        await self.page.get_by_role("button", name="Take control").click()
        await expect(self.page.locator("#status-text")).to_contain_text(
            "You are in control; the run is paused"
        )

    async def give_back(self) -> None:
        await self.page.get_by_role("button", name="Give back").click()

    async def click(self, x: float, y: float) -> None:
        """At a point of the page that is shown."""
        box = await self.page.locator("#screen").bounding_box()
        assert box is not None
        await self.page.mouse.click(box["x"] + x * box["width"] / 1280, box["y"] + y * box["height"] / 800)

    async def colour(self, x: int, y: int) -> list[int]:
        return await self.page.evaluate(
            """([x, y]) => {
              const pen = document.querySelector('#screen').getContext('2d');
              return [...pen.getImageData(x, y, 1, 1).data];
            }""",
            [x, y],
        )

    async def sees(self, x: int, y: int, is_it: Callable[[list[int]], bool], seconds: float = 30) -> None:
        """Wait until the picture has such a colour at a point."""
        async with asyncio.timeout(seconds):
            while not is_it(await self.colour(x, y)):  # noqa: ASYNC110 - a picture tells nobody
                await asyncio.sleep(0.05)

    async def ready(self) -> "Viewer":
        await expect(self.page.locator("#curtain")).to_be_hidden()
        return self


async def look(browser: Browser, url: str, **options: Any) -> Viewer:
    context = await browser.new_context(viewport={"width": 1400, "height": 1000}, **options)
    page = await context.new_page()
    await page.goto(url)
    return Viewer(page)


def started(api: Api, site: Site, *blocks: Json, **more: Any) -> Json:
    """An execution that stands on the workshop's page until "Finish" is clicked, and says what it holds."""
    condition = {"element": {"css": "#finished"}, "state": "visible"}
    fields = {
        name: {"locator": {"css": f"#{name}"}, "attribute": "value"}
        for name in ("name", "secret", "answer", "file_name")
    }
    workflow = api.create(
        "Workshop",
        navigate(site.page("/", WORKSHOP)),
        {"type": "WaitForCondition", "data": {"condition": condition, "timeoutMs": 60_000}},
        *blocks,
        {"type": "Extract", "blockReferenceId": "held", "data": {"prompt": "all", "fields": fields}},
    )
    return served(api, api.start(workflow["id"], **more)["id"])


def served(api: Api, execution_id: str) -> Json:
    """The execution once a browser serves it."""
    end = time.monotonic() + 30
    while (execution := api.get(execution_id))["liveViewUrl"] is None:
        assert time.monotonic() < end, execution
        time.sleep(0.05)
    return execution


async def ended(api: Api, execution: Json) -> Json:
    return await asyncio.to_thread(api.wait_for, execution["id"], "Completed", "Failed")


async def test_a_person_drives_the_running_browser_and_the_run_goes_on(
    api: Api, site: Site, browser: Browser
) -> None:
    execution = started(api, site)
    viewer = await look(browser, execution["liveViewUrl"])
    await viewer.ready()
    await expect(viewer.page.locator("#workflow")).to_have_text("Workshop")
    await viewer.take()
    assert (await asyncio.to_thread(api.wait_for, execution["id"], "Paused"))["liveViewUrl"]
    await viewer.click(200, 320)
    await viewer.sees(1000, 700, lambda colour: colour[0] < 40 and colour[1] > 120)
    await viewer.click(200, 120)
    await viewer.page.keyboard.type("Grüße, Ada")
    await viewer.page.keyboard.press("Shift+Home")
    await viewer.page.keyboard.press("End")
    await viewer.page.keyboard.press("Backspace")
    await viewer.click(200, 220)
    await viewer.page.keyboard.type("hush")
    await viewer.click(200, 720)
    await viewer.give_back()
    result = await ended(api, execution)
    assert result["status"] == "Completed", result["errorAnalysis"]
    assert result["response"]["held"]["name"] == "Grüße, Ad"
    assert result["response"]["held"]["secret"] == "hush"
    assert result["liveViewUrl"] is None
    await expect(viewer.page.locator("#curtain-text")).to_contain_text(
        "This execution has ended. It is completed."
    )
    types = [event["type"] for event in api.events(execution["id"])]
    assert types.index("person.drives") < types.index("person.gave_back")


async def test_pasting_dialogs_and_files(api: Api, site: Site, browser: Browser) -> None:
    execution = started(api, site)
    viewer = await look(browser, execution["liveViewUrl"], permissions=["clipboard-read", "clipboard-write"])
    await viewer.ready()
    await viewer.take()
    await viewer.click(200, 120)
    await viewer.page.evaluate("navigator.clipboard.writeText('pasted “words”')")
    await viewer.page.keyboard.press("Control+V")
    await viewer.click(200, 420)
    await expect(viewer.page.locator("#question-text")).to_have_text("Which colour?")
    await expect(viewer.page.get_by_label("Your answer")).to_have_value("red")
    await viewer.page.get_by_label("Your answer").fill("blue")
    await viewer.page.get_by_role("button", name="OK").click()
    await expect(viewer.page.locator("#question")).to_be_hidden()
    await viewer.click(150, 520)
    await expect(viewer.page.get_by_role("heading", name="The page asks for a file")).to_be_visible()
    content = b"x" * 700_000
    file: Any = {"name": "../../report.txt", "mimeType": "text/plain", "buffer": content}
    await viewer.page.get_by_label("Files for the page").set_input_files(file)
    await viewer.page.get_by_role("button", name="Send").click()
    await expect(viewer.page.locator("#chooser")).to_be_hidden()
    await asyncio.sleep(0.5)
    await viewer.click(200, 720)
    await viewer.give_back()
    held = (await ended(api, execution))["response"]["held"]
    assert held == {
        "name": "pasted “words”",
        "secret": "",
        "answer": "blue",
        "file_name": "report.txt 700000",
    }
    said = [event["message"] for event in api.events(execution["id"]) if event["type"] == "dialog.answered"]
    assert said == ["The page's prompt was accepted by a person."]


async def test_a_new_tab_comes_to_the_front_and_tabs_can_be_switched(
    api: Api, site: Site, browser: Browser
) -> None:
    site.page("/second", "<title>Second</title><body style='background: rgb(0, 0, 200)'>")
    execution = started(api, site)
    viewer = await look(browser, execution["liveViewUrl"])
    await viewer.ready()
    tabs = viewer.page.get_by_role("tab")
    await expect(tabs).to_have_count(1)
    await expect(tabs.first).to_be_disabled()
    await viewer.take()
    await viewer.click(120, 610)
    await expect(tabs).to_have_count(2)
    await viewer.sees(600, 400, lambda colour: colour[2] > 150 and colour[0] < 60)
    await viewer.page.get_by_role("tab", name="Workshop").click()
    await viewer.sees(1000, 700, lambda colour: min(colour) > 240)
    shown = await tabs.all_inner_texts()
    assert site.url not in "".join(shown)
    await viewer.click(200, 720)
    await viewer.give_back()
    assert (await ended(api, execution))["status"] == "Completed"


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
    execution = served(api, api.start(workflow["id"])["id"])
    async with asyncio.timeout(20):  # the list must be there before anybody takes control
        while not any(event["type"] == "block.finished" for event in api.events(execution["id"])):  # noqa: ASYNC110 - events are read, not heard
            await asyncio.sleep(0.05)
    viewer = await (await look(browser, execution["liveViewUrl"])).ready()
    await viewer.take()
    await viewer.click(200, 120)
    await viewer.sees(250, 200, lambda colour: colour[2] > 150 and colour[0] < 60)
    for _ in range(
        4
    ):  # a list that has just opened may not take the first click, as a person would click again
        await viewer.click(250, 240)
        with contextlib.suppress(TimeoutError):
            await viewer.sees(250, 200, lambda colour: min(colour) > 240, seconds=5)
            break
    await viewer.give_back()
    result = await ended(api, execution)
    assert result["response"]["e"]["v"] in ("1", "2", "3")


async def test_the_second_driver_only_watches_until_they_take_over(
    api: Api, site: Site, browser: Browser
) -> None:
    execution = started(api, site)
    first = await (await look(browser, execution["liveViewUrl"])).ready()
    second = await (await look(browser, execution["liveViewUrl"])).ready()
    await first.take()
    await expect(second.page.locator("#status-text")).to_have_text("Somebody else is in control")
    await second.click(200, 120)
    await second.page.keyboard.type("not me")
    await first.click(200, 120)
    await first.page.keyboard.type("first")
    await second.page.get_by_role("button", name="Take over…").click()
    await second.page.get_by_role("button", name="Take over", exact=True).click()
    await expect(first.page.locator("#status-text")).to_have_text("Somebody else is in control")
    await first.page.keyboard.type("not me either")
    await second.click(390, 120)
    await second.page.keyboard.type(" second")
    await second.click(200, 720)
    await second.give_back()
    assert (await ended(api, execution))["response"]["held"]["name"] == "first second"


async def test_a_link_to_watch_shows_and_does_not_drive(
    service: RunningService, api: Api, site: Site, browser: Browser
) -> None:
    reader = service.api(await asyncio.to_thread(add_key, service, "default", scopes=["read"]))
    execution = started(api, site)
    url = reader.get(execution["id"])["liveViewUrl"]
    assert url != execution["liveViewUrl"]
    viewer = await (await look(browser, url)).ready()
    await expect(viewer.page.locator("#status-text")).to_have_text("Running")
    await expect(viewer.page.get_by_role("button", name="Take control")).to_be_hidden()
    assert "This link is to watch only" in await from_its_page(viewer.page, url)
    api.call("/executions/cancel", {"id": execution["id"]})
    await expect(viewer.page.locator("#curtain-text")).to_contain_text("It has failed.")


async def from_its_page(page: Page, url: str) -> str:
    """What the service says to somebody who asks for control from the live view's own page."""
    return await page.evaluate(
        """(token) => new Promise((done) => {
          const heard = [];
          const socket = new WebSocket(`ws://${location.host}/live/socket`, ['pagehand.live', `t.${token}`]);
          socket.onopen = () => socket.send('{"type": "take"}');
          socket.onmessage = (event) => { if (typeof event.data === 'string') heard.push(event.data); };
          socket.onclose = (event) => done(`${heard.join()} closed ${event.code}`);
          setTimeout(() => socket.close(), 1500);
        })""",
        url.split("?t=")[1],
    )


async def test_two_executions_are_watched_and_driven_at_once(api: Api, site: Site, browser: Browser) -> None:
    executions = [started(api, site), started(api, site)]
    viewers = [await (await look(browser, execution["liveViewUrl"])).ready() for execution in executions]
    for number, viewer in enumerate(viewers):
        await viewer.take()
        await viewer.click(200, 120)
        await viewer.page.keyboard.type(f"number {number}")
        await viewer.click(200, 720)
    for viewer in reversed(viewers):
        await viewer.give_back()
    held = [(await ended(api, execution))["response"]["held"]["name"] for execution in executions]
    assert held == ["number 0", "number 1"]


async def test_a_captcha_waits_for_the_person(api: Api, site: Site, browser: Browser) -> None:
    captcha = """<title>Captcha</title><body style="margin: 0"><div class=g-recaptcha style="position:
      absolute; left: 100px; top: 100px; width: 300px; height: 80px; background: silver"
      onclick="document.querySelector('textarea').value = 'solved'">I am a person</div>
      <textarea name=g-recaptcha-response style="display: none"></textarea>"""
    workflow = api.create(
        "Captcha", navigate(site.page("/captcha", captcha)), {"type": "WaitForCaptchaSolve", "data": {}}
    )
    execution = api.start(workflow["id"])
    paused = await asyncio.to_thread(api.wait_for, execution["id"], "Paused")
    viewer = await (await look(browser, paused["liveViewUrl"])).ready()
    await expect(viewer.page.locator("#notice")).to_have_text("Solve the reCAPTCHA in the live view")
    await viewer.take()
    await viewer.click(200, 140)
    result = await ended(api, execution)
    assert result["status"] == "Completed", result["errorAnalysis"]


HAND_IN = """<title>Sign in</title><style>
  body { margin: 0 } form > * { position: absolute; left: 100px; width: 300px; height: 40px }
</style>
<form action=/home><input name=user style="top: 100px"><input name=password type=password style="top: 200px">
<button style="top: 300px">Sign in</button></form>"""


def manual_login(api: Api, site: Site) -> Json:
    fields = {
        "name": "By hand",
        "authenticationUrl": site.page("/in", HAND_IN),
        "homeUrl": f"{site.url}/home",
    }
    return api.call("/logins/create", {**fields, "isManualAuthentication": True})["login"]


async def test_a_manual_sign_in_waits_for_the_person(api: Api, site: Site, browser: Browser) -> None:
    site.page("/home", "<title>Home</title><h1>Welcome</h1><a href=/out>Sign out</a>")
    fields = {"title": {"locator": {"css": "h1"}}}
    workflow = api.create(
        "Manual", {"type": "Extract", "blockReferenceId": "e", "data": {"prompt": "t", "fields": fields}}
    )
    execution = api.start(workflow["id"], loginId=manual_login(api, site)["id"])
    paused = await asyncio.to_thread(api.wait_for, execution["id"], "Paused")
    [authentication] = paused["authentications"]
    assert authentication["status"] == "WaitingForUser"
    assert authentication["liveViewUrl"] == paused["liveViewUrl"]
    viewer = await (await look(browser, paused["liveViewUrl"])).ready()
    await expect(viewer.page.locator("#notice")).to_contain_text("Sign in with By hand by hand")
    await viewer.take()
    await viewer.click(200, 120)
    await viewer.page.keyboard.type("ada")
    await viewer.page.keyboard.press("Tab")
    await viewer.page.keyboard.type("pw")
    await viewer.page.keyboard.press("Enter")
    result = await ended(api, execution)
    assert result["status"] == "Completed", result["errorAnalysis"]
    assert result["response"]["e"] == {"title": "Welcome"}
    assert [authentication["status"] for authentication in result["authentications"]] == ["Completed"]


async def test_the_person_says_that_the_sign_in_is_done(api: Api, site: Site, browser: Browser) -> None:
    site.page("/home", "<title>Home</title><h1>No sign of it</h1>")
    fields: Json = {"name": "Odd", "authenticationUrl": site.page("/odd", "<h1>Odd</h1>")}
    login = api.call("/logins/create", {**fields, "isManualAuthentication": True})["login"]
    execution = api.start(api.create("Odd", navigate(f"{site.url}/home"))["id"], loginId=login["id"])
    paused = await asyncio.to_thread(api.wait_for, execution["id"], "Paused")
    viewer = await (await look(browser, paused["liveViewUrl"])).ready()
    await viewer.take()
    await asyncio.sleep(1)
    assert api.get(execution["id"])["status"] == "Paused"
    await viewer.page.get_by_role("button", name="Done, give back").click()
    assert (await ended(api, execution))["status"] == "Completed"


async def test_a_driver_whose_connection_breaks_still_has_control(
    api: Api, site: Site, browser: Browser
) -> None:
    execution = started(api, site)
    viewer = await (await look(browser, execution["liveViewUrl"])).ready()
    await viewer.take()
    await viewer.page.reload()
    await expect(viewer.page.locator("#status-text")).to_contain_text("You are in control")
    assert api.get(execution["id"])["status"] == "Paused"
    api.call("/executions/resume", {"id": execution["id"]})
    await expect(viewer.page.locator("#status-text")).to_have_text("Running")
    api.call("/executions/cancel", {"id": execution["id"]})


async def test_it_works_on_a_phone(api: Api, site: Site, browser: Browser) -> None:
    execution = started(api, site)
    context = await browser.new_context(
        viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True
    )
    page = await context.new_page()
    await page.goto(execution["liveViewUrl"])
    viewer = await Viewer(page).ready()
    assert await page.evaluate("document.documentElement.scrollWidth") <= 360
    await viewer.take()
    box = await page.locator("#screen").bounding_box()
    assert box is not None
    scale = box["width"] / 1280
    await page.touchscreen.tap(box["x"] + 200 * scale, box["y"] + 120 * scale)
    await page.get_by_role("button", name="Keyboard").tap()
    await page.keyboard.insert_text("thumb")
    await page.touchscreen.tap(box["x"] + 200 * scale, box["y"] + 720 * scale)
    await viewer.give_back()
    assert (await ended(api, execution))["response"]["held"]["name"] == "thumb"


async def test_wrong_expired_and_foreign_links_are_refused(
    service: RunningService, api: Api, other: Api, site: Site, browser: Browser
) -> None:
    execution = started(api, site)
    url: str = execution["liveViewUrl"]
    address, token = url.split("?t=")
    signer = UrlSigner(load_key_file(service.data_dir)[0].subkey("signed urls"), service.url, 900)
    organization = signer.open(token).organization_id
    foreign = other.start(other.create("w", navigate(f"{site.url}/"))["id"])
    refused = {
        "": 403,
        "nonsense": 403,
        token[:-2] + ("AA" if token[-2:] != "AA" else "BB"): 403,
        signer.token("live view", organization, execution["id"], mode="control", lifetime_seconds=0): 404,
        signer.token("file", organization, execution["id"]): 403,
        signer.token("live view", organization, foreign["id"], mode="control"): 404,
    }
    viewer = await (await look(browser, url)).ready()
    for wrong, status in refused.items():
        answer = httpx2.get(f"{address}?t={wrong}")
        assert (answer.status_code, list(answer.json())) == (status, ["error"]), wrong
        assert (
            httpx2.get(f"{service.url}/live/socket", headers=handshake(service, wrong)).status_code == status
        )
        assert "closed 1006" in await from_its_page(viewer.page, f"?t={wrong}")
    assert api.get(execution["id"])["status"] == "InProgress"
    api.call("/executions/cancel", {"id": execution["id"]})


def handshake(service: RunningService, token: str, **more: str) -> dict[str, str]:
    """What a browser sends to open a socket from our own page."""
    return {
        "connection": "Upgrade",
        "upgrade": "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        "sec-websocket-protocol": f"pagehand.live, t.{token or 'none'}",
        "origin": service.url,
        **more,
    }


async def test_pages_of_other_origins_cannot_open_the_socket(
    service: RunningService, api: Api, site: Site, browser: Browser
) -> None:
    execution = started(api, site)
    token = execution["liveViewUrl"].split("?t=")[1]
    for origin in ("http://evil.example", site.url, "null", ""):
        headers = handshake(service, token, origin=origin)
        answer = httpx2.get(f"{service.url}/live/socket", headers=headers)
        assert (answer.status_code, list(answer.json())) == (403, ["error"]), origin
    page = await (await browser.new_context()).new_page()
    await page.goto(site.url)
    heard = await page.evaluate(
        """([url, token]) => new Promise((done) => {
          const socket = new WebSocket(url, ['pagehand.live', `t.${token}`]);
          socket.onopen = () => done('open');
          socket.onclose = (event) => done(`closed ${event.code}`);
        })""",
        [f"{service.url.replace('http', 'ws')}/live/socket", token],
    )
    assert heard == "closed 1006"
    elsewhere = httpx2.get(f"{service.url}/executions/get", headers=handshake(service, token))
    assert (elsewhere.status_code, list(elsewhere.json())) == (404, ["error"])
    api.call("/executions/cancel", {"id": execution["id"]})


async def test_the_page_is_closed_to_frames_scripts_and_caches_of_others(api: Api, site: Site) -> None:
    execution = started(api, site)
    headers = httpx2.get(execution["liveViewUrl"]).headers
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'self'" in policy
    api.call("/executions/cancel", {"id": execution["id"]})


MOVING = """<title>Moving</title><body><script>
  setInterval(() => { document.body.style.background = `hsl(${performance.now() / 10} 80% 50%)` }, 50)
</script>"""


def moving(api: Api, site: Site) -> Json:
    """An execution whose page never rests."""
    blocks = navigate(site.page("/moving", MOVING)), {"type": "Wait", "data": {"durationMs": 60_000}}
    return served(api, api.start(api.create("Moving", *blocks)["id"])["id"])


async def test_pictures_flow_while_somebody_watches_and_the_run_does_not_mind(
    api: Api, site: Site, browser: Browser
) -> None:
    execution = moving(api, site)
    viewer = await look(browser, execution["liveViewUrl"])
    frames: list[int] = []

    def note(socket: WebSocket) -> None:
        socket.on("framereceived", lambda data: frames.append(len(data)) if isinstance(data, bytes) else None)

    viewer.page.on("websocket", note)
    await viewer.page.reload()
    await viewer.ready()
    async with asyncio.timeout(30):
        while len(frames) <= 10:  # noqa: ASYNC110 - frames come by a callback of the page
            await asyncio.sleep(0.02)
    await viewer.page.close()
    await asyncio.sleep(0.5)
    assert api.get(execution["id"])["status"] == "InProgress"
    again = await (await look(browser, execution["liveViewUrl"])).ready()
    await expect(again.page.locator("#status-text")).to_have_text("Running")
    api.call("/executions/cancel", {"id": execution["id"]})


async def test_a_slow_watcher_gets_fewer_pictures(api: Api, site: Site, browser: Browser) -> None:
    execution = moving(api, site)
    viewer = await (await look(browser, execution["liveViewUrl"])).ready()
    count = await viewer.page.evaluate(
        """(token) => new Promise((done) => {
          let count = 0;
          const socket = new WebSocket(`ws://${location.host}/live/socket`, ['pagehand.live', `t.${token}`]);
          socket.onmessage = (event) => { if (typeof event.data !== 'string') count += 1; };
          setTimeout(() => done(count), 2000);
        })""",
        execution["liveViewUrl"].split("?t=")[1],
    )
    assert count == 2
    api.call("/executions/cancel", {"id": execution["id"]})


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[RunningService]:
    """A service of one's own, to be treated badly."""
    running = RunningService(tmp_path / "data", PAGEHAND_STOP_GRACE_SECONDS="1").start()
    yield running
    running.stop()


async def test_watchers_are_told_of_a_crash_and_of_the_end_of_the_service(
    alone: RunningService, site: Site, browser: Browser
) -> None:
    api = alone.api()
    execution = moving(api, site)
    viewer = await (await look(browser, execution["liveViewUrl"])).ready()
    await viewer.page.get_by_role("button", name="Take control").click()
    for pid, command in alone.children().items():
        if "--type=renderer" in command:
            os.kill(pid, signal.SIGKILL)
    await expect(viewer.page.locator("#curtain-text")).to_contain_text("It has failed.", timeout=15_000)
    execution = moving(api, site)
    viewer = await (await look(browser, execution["liveViewUrl"])).ready()
    await viewer.take()
    began = time.monotonic()
    assert await asyncio.to_thread(alone.stop) == 0
    assert time.monotonic() - began < 15
    await expect(viewer.page.locator("#curtain-text")).to_contain_text("Trying again", timeout=15_000)
