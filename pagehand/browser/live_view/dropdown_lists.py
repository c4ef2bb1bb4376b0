"""Drop-down lists while a person drives: drawn inside the page, for a native list is in no picture of it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, Final

from playwright.async_api import CDPSession, Frame, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.devtools import send
from pagehand.javascript import load_script

_SECONDS: Final = 1.0

# Chromium draws a list that asks for `base-select` as part of the page.
_DRAW: Final = load_script(__file__, "draw_lists")
_RESTORE: Final = load_script(__file__, "restore_lists")


class Lists:
    """Has the tabs draw their drop-down lists, and puts things back as they were."""

    def __init__(self, channel: Callable[[Page], Awaitable[CDPSession]]) -> None:
        """`channel` gives a tab's protocol channel."""
        self._channel = channel
        self._drawn: dict[Page, str] = {}

    async def draw_in(self, pages: Sequence[Page]) -> None:
        """Draw lists in these tabs, also on the pages they go to."""
        for page in pages:
            if page not in self._drawn:
                self._drawn[page] = ""
                script = {"source": f"({_DRAW})()"}
                await self._send(page, "Page.enable", {})  # without it the script is kept but never run
                answer = await self._send(page, "Page.addScriptToEvaluateOnNewDocument", script)
                self._drawn[page] = str(answer.get("identifier", ""))
                await self._in_frames(page, _DRAW)

    async def restore(self) -> None:
        """Leave lists to the browser again."""
        drawn, self._drawn = self._drawn, {}
        for page, identifier in drawn.items():
            if identifier:
                script = {"identifier": identifier}
                await self._send(page, "Page.removeScriptToEvaluateOnNewDocument", script)
                await self._send(page, "Page.disable", {})
            await self._in_frames(page, _RESTORE)

    async def _send(self, page: Page, method: str, parameters: dict[str, str]) -> dict[str, Any]:
        with suppress(PlaywrightError, TimeoutError):  # the tab is gone, or does not answer now
            async with asyncio.timeout(_SECONDS):
                return await send(await self._channel(page), method, **parameters)
        return {}

    async def _in_frames(self, page: Page, script: str) -> None:
        await asyncio.gather(*(_evaluate(frame, script) for frame in page.frames))


async def _evaluate(frame: Frame, script: str) -> None:
    with suppress(PlaywrightError, TimeoutError):  # a frame on its way out, or one that shows a dialog
        async with asyncio.timeout(_SECONDS):
            await frame.evaluate(script)
