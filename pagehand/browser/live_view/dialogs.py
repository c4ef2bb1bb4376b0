"""What Chromium draws outside the page, for a person who drives: dialogs and drop-down lists.

Dialogs are shown to the person, and answered by the rules when that takes too long.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final

from playwright.async_api import CDPSession, Frame, Page
from playwright.async_api import Dialog as PlaywrightDialog
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.devtools import send
from pagehand.browser.dialogs import Answer, Dialogs
from pagehand.browser_session import Question
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


_SECONDS_TO_ANSWER: Final = 120.0
_MESSAGE_LENGTH: Final = 2_000


class Questions:
    """Dialogs that wait for a person; a tab has one at a time, those of other tabs wait behind it."""

    def __init__(self, dialogs: Dialogs, on_change: Callable[[], None]) -> None:
        """Dialogs come here only between `start_asking` and `stop_asking`."""
        self._dialogs = dialogs
        self._on_change = on_change
        self._last_id = 0
        self._open: dict[int, tuple[Question, asyncio.Future[Answer | None]]] = {}

    @property
    def current(self) -> Question | None:
        """The oldest one without an answer."""
        return next((question for question, _ in self._open.values()), None)

    def start_asking(self) -> None:
        """From now on a person answers."""
        self._dialogs.ask_person = self._ask

    def stop_asking(self) -> None:
        """From now on the rules answer, also what is still open."""
        self._dialogs.ask_person = None
        for _, answer in self._open.values():
            if not answer.done():
                answer.set_result(None)

    def answer(self, question: int, answer: Answer) -> None:
        """The person's answer; one that comes too late is ignored."""
        _, waiting = self._open.get(question, (None, None))
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    async def _ask(self, dialog: PlaywrightDialog) -> Answer | None:
        self._last_id += 1
        id_ = self._last_id
        message = dialog.message[:_MESSAGE_LENGTH]
        question = Question(id_, dialog.type, message, dialog.default_value[:_MESSAGE_LENGTH])
        answer: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
        self._open[id_] = question, answer
        self._on_change()
        try:
            async with asyncio.timeout(_SECONDS_TO_ANSWER):
                return await answer
        except TimeoutError:
            return None
        finally:
            del self._open[id_]
            self._on_change()


async def _evaluate_in_frames(page: Page, script: str) -> None:
    await asyncio.gather(*(_evaluate(frame, script) for frame in page.frames))


async def _evaluate(frame: Frame, script: str) -> None:
    with suppress(PlaywrightError, TimeoutError):  # a frame that goes away, or one that shows a dialog
        async with asyncio.timeout(_SECONDS):
            await frame.evaluate(script)
