"""A person at the live view of a running execution, and executions that stay to be looked at."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from playwright.async_api import Browser, Page, expect

from support.blocks import navigate
from support.service import Api, Json
from support.site import Site

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


class Viewer:
    """A person at the live view."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.screen = page.get_by_role("img")
        self.status = page.locator(".live-status")
        self.curtain = page.locator(".live-curtain")

    async def take(self) -> None:
        await self.page.get_by_role("button", name="Take control").click()
        await expect(self.status).to_contain_text("You are in control; the run is paused")

    async def give_back(self) -> None:
        await self.page.get_by_role("button", name="Give back").click()

    async def click(self, x: float, y: float) -> None:
        """At a point of the page that is shown."""
        await self.page.mouse.click(*await self._place(x, y))

    async def tap(self, x: float, y: float) -> None:
        """With a finger, at a point of the page that is shown."""
        await self.page.touchscreen.tap(*await self._place(x, y))

    async def _place(self, x: float, y: float) -> tuple[float, float]:
        box = await self.screen.bounding_box()
        assert box is not None
        return box["x"] + x * box["width"] / 1280, box["y"] + y * box["height"] / 800

    async def colour(self, x: int, y: int) -> list[int]:
        return await self.page.evaluate(
            """([x, y]) => {
              const pen = document.querySelector('canvas').getContext('2d');
              return [...pen.getImageData(x, y, 1, 1).data];
            }""",
            [x, y],
        )

    async def wait_for_colour(
        self, x: int, y: int, matches: Callable[[list[int]], bool], seconds: float = 30
    ) -> None:
        """Wait until the picture has such a colour at a point."""
        async with asyncio.timeout(seconds):
            while not matches(await self.colour(x, y)):  # noqa: ASYNC110 - a picture has no event
                await asyncio.sleep(0.05)

    async def ready(self) -> "Viewer":
        await expect(self.screen).to_be_visible()
        await expect(self.curtain).to_have_count(0)
        return self


async def open_live_view(browser: Browser, url: str, **options: Any) -> Viewer:
    context = await browser.new_context(viewport={"width": 1400, "height": 1000}, **options)
    page = await context.new_page()
    await page.goto(url)
    return Viewer(page)


def start_execution(api: Api, site: Site, *blocks: Json, **more: Any) -> Json:
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
    return wait_for_browser(api, api.start(workflow["id"], **more)["id"])


def wait_for_browser(api: Api, execution_id: str) -> Json:
    """The execution once a browser serves it."""
    end = time.monotonic() + 30
    while (execution := api.get(execution_id))["liveViewUrl"] is None:
        assert time.monotonic() < end, execution
        time.sleep(0.05)
    return execution


async def wait_until_finished(api: Api, execution: Json) -> Json:
    return await asyncio.to_thread(api.wait_for, execution["id"], "Completed", "Failed")
