"""Dialogs a page opens: every one is answered at once and recorded, so that none can hold up a run."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from playwright.async_api import Dialog as PlaywrightDialog
from playwright.async_api import Error as PlaywrightError

from pagehand.browser_session import Dialog
from pagehand.errors import Diagnosis, DialogUnanswered

Report = Callable[[str, str, Mapping[str, Any]], None]
"""Takes an event worth recording: its type, a sentence, and data."""

Ask = Callable[[PlaywrightDialog], Awaitable["Answer | None"]]
"""Asks a person; None when they leave it to the rules."""

_WITHOUT_CHOICE: Final = frozenset({"alert", "beforeunload"})
"""Answered with OK: an alert takes nothing else, and leaving the page was the workflow's own wish."""
_KEPT: Final = 20
_REPORTED: Final = 20
_MESSAGE_LENGTH: Final = 2_000
_QUOTED_LENGTH: Final = 300


@dataclass(slots=True, frozen=True)
class Answer:
    """A person's answer to a dialog."""

    accept: bool
    text: str | None = None


class Dialogs:
    """Answers dialogs by the rules, or as the acting block says."""

    def __init__(self, report: Report) -> None:
        """`report` gets each one, up to a limit that no honest page reaches."""
        self._report = report
        self._wish: Mapping[str, Any] | None = None
        self._noted: list[Dialog] | None = None
        self._unanswered: list[Dialog] = []
        self._count = 0
        self._answering: set[asyncio.Task[None]] = set()
        self.ask: Ask | None = None
        """Set while a person drives: then they answer what no block has brought about."""

    @contextmanager
    def answering(self, wish: Mapping[str, Any] | None, noted: list[Dialog]) -> Generator[None]:
        """While a block acts: answer as `wish` says and note what came.

        What the act sets off may ask later, after a request or a pause: then the wish still counts.
        """
        before = self._noted
        self._wish, self._noted = wish, noted
        try:
            yield
        finally:
            self._noted = before

    def forget_wish(self) -> None:
        """What was set off so far is over: a dialog from now on belongs to something else."""
        # while a block acts its wish still holds, for dialogs that come after a request or a pause
        if self._noted is None:
            self._wish = None

    def demand_answers(self, because: Exception | None = None) -> None:
        """Fail if a question was dismissed as no block says how to answer; `because` is what followed."""
        if not self._unanswered:
            return
        asked = self._unanswered[0]
        self._unanswered.clear()
        raise _not_answered(asked, self._wish) from because

    def forget_questions(self) -> None:
        """Whoever acted has judged by other means whether all went well."""
        self._unanswered.clear()

    def opened(self, dialog: PlaywrightDialog) -> None:
        """Answer a dialog that has just opened."""
        # what a block brings about is answered by its rules, also while a person drives
        ask = self.ask if self._noted is None else None
        task = asyncio.ensure_future(self._by_rules(dialog) if ask is None else self._by_person(dialog, ask))
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    def _by_rules(self, dialog: PlaywrightDialog) -> Coroutine[None, None, None]:
        wish = self._fitting(dialog)
        text = wish.get("text") if wish else None
        accepts = dialog.type in _WITHOUT_CHOICE or (wish is not None and wish.get("action") == "accept")
        answer = Answer(accepts, None if text is None else str(text))
        known = self._note(dialog, answer)
        # kept so that the block fails: a run must not be green when nothing was sent
        if dialog.type not in _WITHOUT_CHOICE and wish is None and len(self._unanswered) < _KEPT:
            self._unanswered.append(known)
        return _answer(dialog, answer)

    def _fitting(self, dialog: PlaywrightDialog) -> Mapping[str, Any] | None:
        """What the block says about this dialog, if it speaks of it."""
        wish = self._wish
        if wish is None or not (wanted := wish.get("messageContains")):
            return wish
        return wish if _folded(str(wanted)) in _folded(dialog.message) else None

    async def _by_person(self, dialog: PlaywrightDialog, ask: Ask) -> None:
        answer = await ask(dialog)
        if answer is None:
            await self._by_rules(dialog)
        else:
            self._note(dialog, answer, " by a person")
            await _answer(dialog, answer)

    def _note(self, dialog: PlaywrightDialog, answer: Answer, by: str = "") -> Dialog:
        word = "accepted" if answer.accept else "dismissed"
        known = Dialog(dialog.type, dialog.message[:_MESSAGE_LENGTH], word)
        if self._noted is not None:
            self._noted.append(known)
        self._count += 1
        if self._count <= _REPORTED:
            data = {"type": known.type, "message": known.message, "answer": known.answer}
            self._report("dialog.answered", f"The page's {known.type} was {known.answer}{by}.", data)
        return known


def _not_answered(asked: Dialog, wish: Mapping[str, Any] | None) -> DialogUnanswered:
    question = f"“{_shortened(asked.message)}”"
    reason = "no block says how to answer"
    if wish is not None:
        reason = f"the block answers only what contains “{wish.get('messageContains')}”"
    return DialogUnanswered(
        f"The page asked {question} ({asked.type}). It was dismissed, because {reason}; what depends on the "
        'answer was not done. Answer it with `data.dialog`, such as `{"action": "accept"}`.',
        Diagnosis(
            expected="an answer to a question of the page",
            found=f"a {asked.type}: {question}",
            advice="Set `data.dialog` on the block that brings the question about: accept, or dismiss.",
        ),
    )


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _shortened(text: str) -> str:
    return text if len(text) <= _QUOTED_LENGTH else text[:_QUOTED_LENGTH] + "…"


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
