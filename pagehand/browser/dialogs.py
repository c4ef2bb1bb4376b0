"""Dialogs a page opens: each is answered at once and recorded, so none can block a run."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from playwright.async_api import Dialog as PlaywrightDialog
from playwright.async_api import Error as PlaywrightError

from pagehand.browser_session import Dialog, DialogRule
from pagehand.errors import Diagnosis, DialogUnanswered
from pagehand.loop import spawn

Report = Callable[[str, str, Mapping[str, Any]], None]
"""Takes an event worth recording: its type, a sentence, and data."""

AskPerson = Callable[[PlaywrightDialog], Awaitable["Answer | None"]]
"""Shows a dialog to a person; None when they do not answer."""

_WITHOUT_CHOICE: Final = frozenset({"alert", "beforeunload"})
"""Answered with OK: an alert takes nothing else, and leaving the page is what the workflow wanted."""
_MAX_UNANSWERED: Final = 20
_MAX_REPORTED: Final = 20
_MESSAGE_LENGTH: Final = 2_000
_QUOTED_LENGTH: Final = 300


@dataclass(slots=True, frozen=True)
class Answer:
    """The answer to one dialog."""

    accept: bool
    text: str | None = None


class Dialogs:
    """Answers dialogs as the acting block says, or by default: alerts get OK, questions get Cancel."""

    def __init__(self, report: Report) -> None:
        """`report` gets the first dialogs only: a page can open them without end."""
        self._report = report
        self._rule: DialogRule | None = None
        self._recorded: list[Dialog] | None = None
        """Where the acting block wants its dialogs listed; None while no block acts."""
        self._unanswered: list[Dialog] = []
        self._count = 0
        self._answering: set[asyncio.Task[None]] = set()
        self.ask_person: AskPerson | None = None
        """Set while a person drives: they answer the dialogs that no block caused."""

    @contextmanager
    def answering(self, rule: DialogRule | None, recorded: list[Dialog] | None = None) -> Generator[None]:
        """While a block acts: answer by its `rule` and add each dialog to `recorded`.

        The rule stays in force afterwards: a page may ask late, after a request or a pause.
        """
        before = self._recorded
        self._rule, self._recorded = rule, [] if recorded is None else recorded
        try:
            yield
        finally:
            self._recorded = before

    def forget_rule(self) -> None:
        """Dialogs from now on were not caused by the last block that acted."""
        # a block that acts right now keeps its rule
        if self._recorded is None:
            self._rule = None

    def raise_for_unanswered(self, cause: Exception | None = None) -> None:
        """Fail if a question was dismissed because no block says how to answer it.

        `cause` is an error that may be a consequence; the failure is raised from it.
        """
        if not self._unanswered:
            return
        first = self._unanswered[0]
        self._unanswered.clear()
        raise _not_answered(first, self._rule) from cause

    def clear_unanswered(self) -> None:
        """Ignore the questions dismissed so far."""
        self._unanswered.clear()

    def opened(self, dialog: PlaywrightDialog) -> None:
        """Answer a dialog that has just opened."""
        # dialogs that a block causes follow its rule, also while a person drives
        ask = self.ask_person if self._recorded is None else None
        answering = self._answer_by_rule(dialog) if ask is None else self._answer_by_person(dialog, ask)
        spawn(self._answering, answering)

    def _answer_by_rule(self, dialog: PlaywrightDialog) -> Coroutine[None, None, None]:
        # decided now and not in the task: the block may be done by the time that runs
        rule = self._rule if _applies(self._rule, dialog) else None
        accept = dialog.type in _WITHOUT_CHOICE or (rule is not None and rule.accept)
        answer = Answer(accept, rule.text if rule else None)
        record = self._record(dialog, answer)
        # kept to fail the block: a run must not succeed when its question was dismissed
        if dialog.type not in _WITHOUT_CHOICE and rule is None and len(self._unanswered) < _MAX_UNANSWERED:
            self._unanswered.append(record)
        return _answer(dialog, answer)

    async def _answer_by_person(self, dialog: PlaywrightDialog, ask: AskPerson) -> None:
        answer = await ask(dialog)
        if answer is None:
            await self._answer_by_rule(dialog)
        else:
            self._record(dialog, answer, " by a person")
            await _answer(dialog, answer)

    def _record(self, dialog: PlaywrightDialog, answer: Answer, by: str = "") -> Dialog:
        word = "accepted" if answer.accept else "dismissed"
        record = Dialog(dialog.type, dialog.message[:_MESSAGE_LENGTH], word)
        if self._recorded is not None:
            self._recorded.append(record)
        self._count += 1
        if self._count <= _MAX_REPORTED:
            data = {"type": record.type, "message": record.message, "answer": record.answer}
            self._report("dialog.answered", f"The page's {record.type} was {record.answer}{by}.", data)
        return record


def _applies(rule: DialogRule | None, dialog: PlaywrightDialog) -> bool:
    if rule is None or not rule.message_contains:
        return rule is not None
    return _fold(rule.message_contains) in _fold(dialog.message)


def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()


async def _answer(dialog: PlaywrightDialog, answer: Answer) -> None:
    try:
        if not answer.accept:
            await dialog.dismiss()
        elif answer.text is not None and dialog.type == "prompt":
            await dialog.accept(answer.text)
        else:
            await dialog.accept()
    except PlaywrightError:
        # the page closed together with its dialog
        return


def _not_answered(dialog: Dialog, rule: DialogRule | None) -> DialogUnanswered:
    question = f"“{_shorten(dialog.message)}”"
    reason = "no block says how to answer"
    if rule is not None:
        reason = f"the block answers only what contains “{rule.message_contains}”"
    return DialogUnanswered(
        f"The page asked {question} ({dialog.type}). It was dismissed, because {reason}; what depends on the "
        'answer was not done. Answer it with `data.dialog`, such as `{"action": "accept"}`.',
        Diagnosis(
            expected="an answer to a question of the page",
            found=f"a {dialog.type}: {question}",
            advice="Set `data.dialog` on the block that brings the question about: accept, or dismiss.",
        ),
    )


def _shorten(text: str) -> str:
    return text if len(text) <= _QUOTED_LENGTH else text[:_QUOTED_LENGTH] + "…"
