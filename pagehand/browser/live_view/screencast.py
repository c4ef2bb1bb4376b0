"""Pictures of one tab as it changes: only the newest is kept, every one is acknowledged."""

import asyncio
import base64
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final

from msgspec import Struct, convert
from playwright.async_api import BrowserContext, CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.provider import send
from pagehand.browser.screenshots import Screenshots
from pagehand.browser_session import ScreencastFrame
from pagehand.loop import spawn

_QUALITY: Final = 60
_PACE_SECONDS: Final = 0.05
"""Chromium sends the next picture once the last is acknowledged; this bounds what an animation costs."""
_STOP_SECONDS: Final = 1.0
_RETRY_SECONDS: Final = 0.5
_USUAL_SIZE: Final = (1280, 800)


class _Metadata(Struct, rename="camel"):
    device_width: float
    device_height: float


class _FrameEvent(Struct, rename="camel"):
    """Chromium's `Page.screencastFrame`."""

    session_id: int
    data: str
    metadata: _Metadata


class Screencast:
    """Shows one tab at a time."""

    def __init__(
        self, context: BrowserContext, screenshots: Screenshots, on_frame: Callable[[], None]
    ) -> None:
        """Nothing is opened before the first tab is shown."""
        self._context = context
        self._screenshots = screenshots
        self._on_frame = on_frame
        self._page: Page | None = None
        self._channel: CDPSession | None = None
        self._number = 0
        self._acknowledged_at = 0.0
        self._tasks: set[asyncio.Task[None]] = set()
        # a watcher may come while the last one leaves: stopping must not end what has just started
        self._changing = asyncio.Lock()
        self.frame: ScreencastFrame | None = None

    async def follow(self, page: Page) -> None:
        """Show this tab from now on."""
        async with self._changing:
            if page is self._page:
                return
            await self._detach()
            self._channel = channel = await self._context.new_cdp_session(page)
            channel.on("Page.screencastFrame", partial(self._received, channel))
            await send(channel, "Page.startScreencast", format="jpeg", quality=_QUALITY, everyNthFrame=1)
            # not before it has begun: after a refusal the next call tries again
            self._page = page
            spawn(self._tasks, self._take_first_frame(page))

    async def stop(self) -> None:
        """Nobody watches any more."""
        async with self._changing:
            await self._detach()
            for task in set(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self.frame = None

    async def _take_first_frame(self, page: Page) -> None:
        """A page that does not change sends no picture: take one until the first has come."""
        before = self._number
        while page is self._page and self._number == before and not page.is_closed():
            jpeg = await self._screenshots.take(page)
            if jpeg is not None and page is self._page and self._number == before:
                size = page.viewport_size
                self._show(jpeg, *((size["width"], size["height"]) if size else _USUAL_SIZE))
            else:
                # a page that is being exchanged for another gives no picture yet
                await asyncio.sleep(_RETRY_SECONDS)

    def _received(self, channel: CDPSession, event: dict[str, Any]) -> None:
        frame = convert(event, _FrameEvent)
        spawn(self._tasks, self._acknowledge(channel, frame.session_id))
        if channel is self._channel:
            size = round(frame.metadata.device_width), round(frame.metadata.device_height)
            self._show(base64.b64decode(frame.data), *size)

    def _show(self, jpeg: bytes, width: int, height: int) -> None:
        self._number += 1
        self.frame = ScreencastFrame(self._number, jpeg, width, height)
        self._on_frame()

    async def _acknowledge(self, channel: CDPSession, session_id: int) -> None:
        loop = asyncio.get_running_loop()
        due = self._acknowledged_at + _PACE_SECONDS
        self._acknowledged_at = max(loop.time(), due)
        await asyncio.sleep(max(0.0, due - loop.time()))
        with suppress(PlaywrightError):  # the tab went away, or another is shown by now
            await send(channel, "Page.screencastFrameAck", sessionId=session_id)

    async def _detach(self) -> None:
        channel, self._channel, self._page = self._channel, None, None
        if channel is not None:
            with suppress(PlaywrightError, TimeoutError):  # gone with its tab
                async with asyncio.timeout(_STOP_SECONDS):
                    await send(channel, "Page.stopScreencast")
                    await channel.detach()
