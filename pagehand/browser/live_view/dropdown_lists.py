"""Drop-down lists while a person drives: drawn inside the page, because no screencast shows native ones."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final

from playwright.async_api import CDPSession, Frame, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.devtools import send
from pagehand.javascript import load_script
from pagehand.records import Json

_SECONDS: Final = 1.0

# Chromium draws a list that asks for `base-select` as part of the page.
_DRAW: Final = load_script(__file__, "draw_lists")
_RESTORE: Final = load_script(__file__, "restore_lists")


class DropdownLists:
    """Makes tabs draw their drop-down lists inside the page, and undoes it."""

    def __init__(self, channel: Callable[[Page], Awaitable[CDPSession]]) -> None:
        """`channel` gives a tab's protocol channel."""
        self._channel = channel
        self._scripts: dict[Page, str] = {}
        """The id of the script that was added to each tab."""

    async def draw_inside(self, pages: Sequence[Page]) -> None:
        """Draw the lists of these tabs inside the page, also on the pages they go to."""
        for page in pages:
            if page not in self._scripts:
                self._scripts[page] = ""
                await self._send(page, "Page.enable")  # without it the script is kept but never run
                answer = await self._send(
                    page, "Page.addScriptToEvaluateOnNewDocument", source=f"({_DRAW})()"
                )
                self._scripts[page] = str(answer.get("identifier", ""))
                await _evaluate_in_frames(page, _DRAW)

    async def restore(self) -> None:
        """Leave the lists to the browser again."""
        scripts, self._scripts = self._scripts, {}
        for page, identifier in scripts.items():
            if identifier:
                method = "Page.removeScriptToEvaluateOnNewDocument"
                await self._send(page, method, identifier=identifier)
                await self._send(page, "Page.disable")
            await _evaluate_in_frames(page, _RESTORE)

    async def _send(self, page: Page, method: str, **parameters: str) -> Json:
        with suppress(PlaywrightError, TimeoutError):  # the tab is gone, or does not answer now
            async with asyncio.timeout(_SECONDS):
                return await send(await self._channel(page), method, **parameters)
        return {}


async def _evaluate_in_frames(page: Page, script: str) -> None:
    await asyncio.gather(*(_evaluate(frame, script) for frame in page.frames))


async def _evaluate(frame: Frame, script: str) -> None:
    with suppress(PlaywrightError, TimeoutError):  # a frame that goes away, or one that shows a dialog
        async with asyncio.timeout(_SECONDS):
            await frame.evaluate(script)
