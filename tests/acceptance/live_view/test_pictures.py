"""The stream of pictures: it flows, and it holds up nobody."""

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, WebSocket, expect

from support.blocks import navigate
from support.service import Api, Json, RunningService
from support.site import Site
from support.viewer import open_live_view, wait_for_browser

pytestmark = pytest.mark.anyio


MOVING = """<title>Moving</title><body><script>
  setInterval(() => { document.body.style.background = `hsl(${performance.now() / 10} 80% 50%)` }, 50)
</script>"""


def moving(api: Api, site: Site) -> Json:
    """An execution whose page never rests."""
    blocks = navigate(site.page("/moving", MOVING)), {"type": "Wait", "data": {"durationMs": 60_000}}
    return wait_for_browser(api, api.start(api.create("Moving", *blocks)["id"])["id"])


@pytest.mark.slow
async def test_pictures_flow_while_somebody_watches_and_the_run_does_not_mind(
    api: Api, site: Site, browser: Browser
) -> None:
    execution = moving(api, site)
    viewer = await open_live_view(browser, execution["liveViewUrl"])
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
    reopened = await (await open_live_view(browser, execution["liveViewUrl"])).ready()
    await expect(reopened.status).to_have_text("Watching")
    api.call("/executions/cancel", {"id": execution["id"]})


@pytest.mark.slow
async def test_a_slow_watcher_gets_fewer_pictures(api: Api, site: Site, browser: Browser) -> None:
    execution = moving(api, site)
    viewer = await (await open_live_view(browser, execution["liveViewUrl"])).ready()
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


@pytest.mark.slow
async def test_watchers_hear_of_a_crash_and_of_the_end_of_the_service(
    alone: RunningService, site: Site, browser: Browser
) -> None:
    api = alone.api()
    execution = moving(api, site)
    viewer = await (await open_live_view(browser, execution["liveViewUrl"])).ready()
    await viewer.page.get_by_role("button", name="Take control").click()
    for pid, command in alone.children().items():
        if "--type=renderer" in command:
            os.kill(pid, signal.SIGKILL)
    await expect(viewer.curtain).to_contain_text("It has failed.", timeout=15_000)
    execution = moving(api, site)
    viewer = await (await open_live_view(browser, execution["liveViewUrl"])).ready()
    await viewer.take()
    began = time.monotonic()
    assert await asyncio.to_thread(alone.stop) == 0
    assert time.monotonic() - began < 15
    await expect(viewer.curtain).to_contain_text("Trying again", timeout=15_000)
