"""Dialogs a page opens: every one is answered at once and recorded, so that none can hold up a run."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from playwright.async_api import Dialog as PlaywrightDialog
from playwright.async_api import Error as PlaywrightError

Report = Callable[[str, str, Mapping[str, Any]], None]
"""Takes an event worth recording: its type, a sentence, and data."""

Ask = Callable[[PlaywrightDialog], Awaitable["Answer | None"]]
"""Asks a person; None when they leave it to the rules."""

_ACCEPTED_BY_DEFAULT: Final = frozenset({"alert", "beforeunload"})
_REPORTED: Final = 20
_MESSAGE_LENGTH: Final = 2_000


@dataclass(slots=True, frozen=True)
class Dialog:
    """A dialog the page opened and how it was answered."""

    type: str
    message: str
    answer: str


@dataclass(slots=True, frozen=True)
class Answer:
    """A person's answer to a dialog."""

    accept: bool
    text: str | None = None


class Dialogs:
    """Answers dialogs by the rules, or as the acting block says."""

    def __init__(self, report: Report) -> None:
        """`report` hears of each one, up to a limit that no honest page reaches."""
        self._report = report
        self._wish: Mapping[str, Any] | None = None
        self._noted: list[Dialog] | None = None
        self._count = 0
        self._answering: set[asyncio.Task[None]] = set()
        self.ask: Ask | None = None
        """Set while a person drives: then they answer what no block has brought about."""

    @contextmanager
    def answering(self, wish: Mapping[str, Any] | None, noted: list[Dialog]) -> Generator[None]:
        """While a block acts: answer as `wish` says and note what came."""
        before = self._wish, self._noted
        self._wish, self._noted = wish, noted
        try:
            yield
        finally:
            self._wish, self._noted = before

    def opened(self, dialog: PlaywrightDialog) -> None:
        """Answer a dialog that has just opened."""
        ask = self.ask if self._noted is None else None
        task = asyncio.ensure_future(self._by_rules(dialog) if ask is None else self._by_person(dialog, ask))
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    def _by_rules(self, dialog: PlaywrightDialog) -> Coroutine[None, None, None]:
        text = (self._wish or {}).get("text")
        answer = Answer(self._accepts(dialog.type), None if text is None else str(text))
        self._note(dialog, answer)
        return _answer(dialog, answer)

    async def _by_person(self, dialog: PlaywrightDialog, ask: Ask) -> None:
        answer = await ask(dialog)
        if answer is None:
            await self._by_rules(dialog)
        else:
            self._note(dialog, answer, " by a person")
            await _answer(dialog, answer)

    def _note(self, dialog: PlaywrightDialog, answer: Answer, by: str = "") -> None:
        word = "accepted" if answer.accept else "dismissed"
        known = Dialog(dialog.type, dialog.message[:_MESSAGE_LENGTH], word)
        if self._noted is not None:
            self._noted.append(known)
        self._count += 1
        if self._count <= _REPORTED:
            data = {"type": known.type, "message": known.message, "answer": known.answer}
            self._report("dialog.answered", f"The page's {known.type} was {known.answer}{by}.", data)

    def _accepts(self, kind: str) -> bool:
        # leaving the page was the workflow's own wish, whatever it wants said to other dialogs
        if self._wish is None or kind == "beforeunload":
            return kind in _ACCEPTED_BY_DEFAULT
        return self._wish.get("action", "accept") == "accept"


async def _answer(dialog: PlaywrightDialog, answer: Answer) -> None:
    try:
        if not answer.accept:
            await dialog.dismiss()
        elif answer.text is not None and dialog.type == "prompt":
            await dialog.accept(answer.text)
        else:
            await dialog.accept()
    except PlaywrightError:
        # the page went away with its dialog: there is nothing left to answer
        return
