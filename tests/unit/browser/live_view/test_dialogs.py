"""Dialogs while a person drives: shown one after the other, answered by them or else by the rules."""

import asyncio
from typing import cast

import pytest
from playwright.async_api import Dialog as PlaywrightDialog

from pagehand.browser.dialogs import Answer, Dialogs
from pagehand.browser.live_view import outside_page
from pagehand.browser.live_view.outside_page import Questions

pytestmark = pytest.mark.anyio


class FakeDialog:
    """A dialog of a page, and what it was answered."""

    def __init__(self, message: str, default_value: str = "") -> None:
        self.type = "prompt"
        self.message = message
        self.default_value = default_value
        self.answer: str | None = None

    async def accept(self, text: str | None = None) -> None:
        self.answer = f"accepted {text}"

    async def dismiss(self) -> None:
        self.answer = "dismissed"


class Driven:
    """A browser that a person drives."""

    def __init__(self) -> None:
        self.dialogs = Dialogs(lambda _type, _message, _data: None)
        self.changes = 0
        self.questions = Questions(self.dialogs, self._changed)
        self.questions.start_asking()

    def _changed(self) -> None:
        self.changes += 1

    async def opens(self, message: str, default_value: str = "") -> FakeDialog:
        dialog = FakeDialog(message, default_value)
        self.dialogs.opened(cast("PlaywrightDialog", dialog))
        await settled()
        return dialog


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_a_dialog_is_shown_until_the_person_answers() -> None:
    driven = Driven()
    dialog = await driven.opens("Your name?", "Ann")
    question = driven.questions.current
    assert question is not None
    assert (question.type, question.message, question.suggestion) == ("prompt", "Your name?", "Ann")
    assert driven.changes == 1
    driven.questions.answer(question.id, Answer(accept=True, text="Bob"))
    await settled()
    assert dialog.answer == "accepted Bob"
    assert driven.questions.current is None
    assert driven.changes == 2


async def test_dialogs_of_several_tabs_are_shown_oldest_first() -> None:
    driven = Driven()
    await driven.opens("first")
    await driven.opens("second")
    shown: list[str] = []
    while (question := driven.questions.current) is not None:
        shown.append(question.message)
        driven.questions.answer(question.id, Answer(accept=True))
        await settled()
    assert shown == ["first", "second"]


async def test_an_answer_to_a_dialog_that_is_gone_is_ignored() -> None:
    driven = Driven()
    await driven.opens("first")
    assert driven.questions.current is not None
    late = driven.questions.current.id
    driven.questions.answer(late, Answer(accept=False))
    await settled()
    second = await driven.opens("second")
    driven.questions.answer(late, Answer(accept=True))
    await settled()
    assert second.answer is None
    assert driven.questions.current.message == "second"


async def test_when_the_person_stops_driving_the_rules_answer_what_is_open() -> None:
    driven = Driven()
    open_dialog = await driven.opens("Sure?")
    driven.questions.stop_asking()
    await settled()
    assert open_dialog.answer == "dismissed"
    assert driven.questions.current is None
    assert (await driven.opens("Later?")).answer == "dismissed"


async def test_a_person_who_takes_too_long_leaves_the_answer_to_the_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outside_page, "_SECONDS_TO_ANSWER", 0.01)
    driven = Driven()
    dialog = await driven.opens("Sure?")
    async with asyncio.timeout(5):
        while dialog.answer is None:  # noqa: ASYNC110 - the rules answer without an event
            await asyncio.sleep(0.005)
    assert dialog.answer == "dismissed"
    assert driven.questions.current is None
