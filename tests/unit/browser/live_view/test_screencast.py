"""The screencast: the newest picture of one tab, every one acknowledged at a bounded pace."""

import asyncio
import base64
from collections.abc import Callable
from typing import Any, cast

import pytest
from playwright.async_api import BrowserContext, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.live_view import screencast as screencast_module
from pagehand.browser.live_view.screencast import Screencast
from pagehand.browser.screenshots import Screenshots

pytestmark = pytest.mark.anyio


class FakeTab:
    """A tab with its protocol channel; it sends pictures when the test says so."""

    def __init__(self, still: bytes | None = b"still") -> None:
        self.still = still
        self.viewport_size = {"width": 800, "height": 600}
        self.methods: list[str] = []
        self.acknowledged: list[int] = []
        self.refuses = False
        self._listener: Callable[[dict[str, Any]], None] | None = None

    def is_closed(self) -> bool:
        return False

    def on(self, event: str, listener: Any) -> None:
        assert event == "Page.screencastFrame"
        self._listener = listener

    async def send(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        if self.refuses:
            raise PlaywrightError("Target closed")
        if method == "Page.screencastFrameAck":
            self.acknowledged.append(parameters["sessionId"])
        else:
            self.methods.append(method)
        return {}

    async def detach(self) -> None:
        self.methods.append("detach")

    def sends(self, jpeg: bytes, number: int = 1) -> None:
        assert self._listener is not None
        metadata = {"deviceWidth": 1279.6, "deviceHeight": 799.7, "pageScaleFactor": 1, "timestamp": 1.5}
        event = {"sessionId": number, "data": base64.b64encode(jpeg).decode(), "metadata": metadata}
        self._listener(event)


class Watched:
    """A screencast and how often it had something new."""

    def __init__(self) -> None:
        self.frames = 0
        self.screencast = Screencast(cast("BrowserContext", self), cast("Screenshots", self), self._on_frame)

    def _on_frame(self) -> None:
        self.frames += 1

    async def new_cdp_session(self, page: FakeTab) -> FakeTab:
        return page

    async def take(self, page: FakeTab) -> bytes | None:
        return page.still

    async def follow(self, tab: FakeTab) -> None:
        await self.screencast.follow(cast("Page", tab))

    @property
    def jpeg(self) -> bytes | None:
        return self.screencast.frame.jpeg if self.screencast.frame else None


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_a_page_that_does_not_change_is_shown_at_once() -> None:
    watched, tab = Watched(), FakeTab()
    await watched.follow(tab)
    await settled()
    assert watched.screencast.frame is not None
    assert (watched.jpeg, watched.screencast.frame.width, watched.screencast.frame.height) == (
        b"still",
        800,
        600,
    )
    await watched.screencast.stop()


async def test_each_picture_of_the_tab_replaces_the_last_and_is_acknowledged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(screencast_module, "_PACE_SECONDS", 0.001)
    watched, tab = Watched(), FakeTab(still=None)
    await watched.follow(tab)
    tab.sends(b"one", 1)
    tab.sends(b"two", 2)
    frame = watched.screencast.frame
    assert frame is not None
    assert (frame.jpeg, frame.number, frame.width, frame.height) == (b"two", 2, 1280, 800)
    async with asyncio.timeout(5):
        while len(tab.acknowledged) < 2:  # noqa: ASYNC110 - acknowledging is not an event
            await asyncio.sleep(0.001)
    assert tab.acknowledged == [1, 2]
    await watched.screencast.stop()


async def test_pictures_of_a_tab_that_is_no_longer_shown_are_dropped() -> None:
    watched, first, second = Watched(), FakeTab(still=None), FakeTab(still=None)
    await watched.follow(first)
    await watched.follow(second)
    assert first.methods == ["Page.startScreencast", "Page.stopScreencast", "detach"]
    first.sends(b"late")
    assert watched.jpeg is None
    second.sends(b"now")
    assert watched.jpeg == b"now"
    await watched.screencast.stop()


async def test_a_tab_that_refused_is_tried_again() -> None:
    watched, tab = Watched(), FakeTab()
    tab.refuses = True
    with pytest.raises(PlaywrightError):
        await watched.follow(tab)
    tab.refuses = False
    await watched.follow(tab)
    await settled()
    assert watched.jpeg == b"still"
    await watched.screencast.stop()


async def test_nothing_is_kept_once_nobody_watches() -> None:
    watched, tab = Watched(), FakeTab()
    await watched.follow(tab)
    await settled()
    await watched.screencast.stop()
    assert watched.screencast.frame is None
    assert tab.methods[-2:] == ["Page.stopScreencast", "detach"]
