"""Dialogs while a person drives: shown to them, and answered by the rules when they take too long."""

import asyncio
from collections.abc import Callable
from typing import Final

from playwright.async_api import Dialog as PlaywrightDialog

from pagehand.browser.dialogs import Answer, Dialogs
from pagehand.browser_session import Question

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
