"""Pictures of one tab as it changes: the newest one only, every one acknowledged."""

import asyncio
import base64
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final

from playwright.async_api import BrowserContext, CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.devtools import send
from pagehand.browser.screenshots import Pictures
from pagehand.browser_session import Frame

_QUALITY: Final = 60
_PACE_SECONDS: Final = 0.05
"""Chromium sends the next picture once the last is acknowledged; this bounds what an animation costs."""
_STOP_SECONDS: Final = 1.0
_AGAIN_SECONDS: Final = 0.5
_USUAL_SIZE: Final = (1280, 800)


class Screencast:
    """Follows one tab at a time."""

    def __init__(self, context: BrowserContext, pictures: Pictures, on_frame: Callable[[], None]) -> None:
        """Nothing is opened before the first tab is followed."""
        self._context = context
        self._pictures = pictures
        self._on_frame = on_frame
        self._page: Page | None = None
        self._channel: CDPSession | None = None
        self._number = 0
        self._answered_at = 0.0
        self._tasks: set[asyncio.Task[None]] = set()
        # somebody may come while the last one leaves: stopping must not end what has just begun anew
        self._changing = asyncio.Lock()
        self.frame: Frame | None = None

    async def follow(self, page: Page) -> None:
        """Show this tab from now on."""
        async with self._changing:
            if page is self._page:
                return
            await self._let_go()
            self._channel = channel = await self._context.new_cdp_session(page)
            channel.on("Page.screencastFrame", partial(self._came, channel))
            await send(channel, "Page.startScreencast", format="jpeg", quality=_QUALITY, everyNthFrame=1)
            # not before it has begun: after a refusal the next call tries again
            self._page = page
            self._do(self._first_frame(page))

    async def stop(self) -> None:
        """Nobody looks any more."""
        async with self._changing:
            await self._let_go()
            for task in set(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self.frame = None

    async def _first_frame(self, page: Page) -> None:
        """A page at rest sends nothing by itself, and one that is being exchanged cannot be pictured yet."""
        before = self._number
        while page is self._page and self._number == before and not page.is_closed():
            jpeg = await self._pictures.take(page)
            if jpeg is not None and page is self._page and self._number == before:
                size = page.viewport_size
                self._show(jpeg, *((size["width"], size["height"]) if size else _USUAL_SIZE))
            else:
                await asyncio.sleep(_AGAIN_SECONDS)

    def _came(self, channel: CDPSession, event: dict[str, Any]) -> None:
        self._do(self._acknowledge(channel, event["sessionId"]))
        if channel is self._channel:
            metadata = event["metadata"]
            self._show(
                base64.b64decode(event["data"]),
                round(metadata["deviceWidth"]),
                round(metadata["deviceHeight"]),
            )

    def _show(self, jpeg: bytes, width: int, height: int) -> None:
        self._number += 1
        self.frame = Frame(self._number, jpeg, width, height)
        self._on_frame()

    async def _acknowledge(self, channel: CDPSession, number: int) -> None:
        loop = asyncio.get_running_loop()
        due = self._answered_at + _PACE_SECONDS
        self._answered_at = max(loop.time(), due)
        await asyncio.sleep(max(0.0, due - loop.time()))
        with suppress(PlaywrightError):  # the tab went away, or another is shown by now
            await send(channel, "Page.screencastFrameAck", sessionId=number)

    async def _let_go(self) -> None:
        channel, self._channel, self._page = self._channel, None, None
        if channel is not None:
            with suppress(PlaywrightError, TimeoutError):  # gone with its tab
                async with asyncio.timeout(_STOP_SECONDS):
                    await send(channel, "Page.stopScreencast")
                    await channel.detach()

    def _do(self, work: Any) -> None:
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
