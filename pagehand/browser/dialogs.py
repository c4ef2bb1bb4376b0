"""Dialogs a page opens: every one is answered at once and recorded, so that none can hold up a run."""

import asyncio
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from playwright.async_api import Dialog as PlaywrightDialog
from playwright.async_api import Error as PlaywrightError

Report = Callable[[str, str, Mapping[str, Any]], None]
"""Takes an event worth recording: its type, a sentence, and data."""

_ACCEPTED_BY_DEFAULT: Final = frozenset({"alert", "beforeunload"})
_REPORTED: Final = 20
_MESSAGE_LENGTH: Final = 2_000


@dataclass(slots=True, frozen=True)
class Dialog:
    """A dialog the page opened and how it was answered."""

    type: str
    message: str
    answer: str


class Dialogs:
    """Answers dialogs by the rules, or as the acting block says."""

    def __init__(self, report: Report) -> None:
        """`report` hears of each one, up to a limit that no honest page reaches."""
        self._report = report
        self._wish: Mapping[str, Any] | None = None
        self._noted: list[Dialog] | None = None
        self._count = 0
        self._answering: set[asyncio.Task[None]] = set()

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
        accept = self._accepts(dialog.type)
        text = (self._wish or {}).get("text")
        known = Dialog(dialog.type, dialog.message[:_MESSAGE_LENGTH], "accepted" if accept else "dismissed")
        if self._noted is not None:
            self._noted.append(known)
        self._count += 1
        if self._count <= _REPORTED:
            data = {"type": known.type, "message": known.message, "answer": known.answer}
            self._report("dialog.answered", f"The page's {known.type} was {known.answer}.", data)
        task = asyncio.ensure_future(_answer(dialog, accept=accept, text=None if text is None else str(text)))
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    def _accepts(self, kind: str) -> bool:
        # leaving the page was the workflow's own wish, whatever it wants said to other dialogs
        if self._wish is None or kind == "beforeunload":
            return kind in _ACCEPTED_BY_DEFAULT
        return self._wish.get("action", "accept") == "accept"


async def _answer(dialog: PlaywrightDialog, *, accept: bool, text: str | None) -> None:
    try:
        if not accept:
            await dialog.dismiss()
        elif text is not None and dialog.type == "prompt":
            await dialog.accept(text)
        else:
            await dialog.accept()
    except PlaywrightError:
        # the page went away with its dialog: there is nothing left to answer
        return
