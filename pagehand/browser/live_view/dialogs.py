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
    """At most one dialog is open at a time in a tab; those of other tabs wait behind it."""

    def __init__(self, dialogs: Dialogs, on_change: Callable[[], None]) -> None:
        """Dialogs come here only between `ask_person` and `stop_asking`."""
        self._dialogs = dialogs
        self._on_change = on_change
        self._asked = 0
        self._open: dict[int, tuple[Question, asyncio.Future[Answer | None]]] = {}

    @property
    def current(self) -> Question | None:
        """The oldest one without an answer."""
        return next((question for question, _ in self._open.values()), None)

    def ask_person(self) -> None:
        """From now on a person answers."""
        self._dialogs.ask = self._ask

    def stop_asking(self) -> None:
        """From now on the rules answer, also what is still open."""
        self._dialogs.ask = None
        for _, answer in self._open.values():
            if not answer.done():
                answer.set_result(None)

    def answer(self, question: int, answer: Answer) -> None:
        """The person's word; one that comes too late is ignored."""
        _, waiting = self._open.get(question, (None, None))
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    async def _ask(self, dialog: PlaywrightDialog) -> Answer | None:
        self._asked += 1
        number = self._asked
        message = dialog.message[:_MESSAGE_LENGTH]
        question = Question(number, dialog.type, message, dialog.default_value[:_MESSAGE_LENGTH])
        answer: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
        self._open[number] = question, answer
        self._on_change()
        try:
            async with asyncio.timeout(_SECONDS_TO_ANSWER):
                return await answer
        except TimeoutError:
            return None
        finally:
            del self._open[number]
            self._on_change()
