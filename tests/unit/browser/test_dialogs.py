"""Every dialog is answered: by the block's rule, by a person or by the rules; dismissing is reported."""

import asyncio
from typing import Any, cast

import pytest
from playwright.async_api import Dialog as PlaywrightDialog
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.dialogs import Answer, Dialogs
from pagehand.browser_session import Dialog, DialogRule
from pagehand.errors import DialogUnanswered

pytestmark = pytest.mark.anyio
ACCEPT, DISMISS = DialogRule(accept=True), DialogRule(accept=False)


class FakeDialog:
    """A dialog of a page, and what it was answered."""

    def __init__(self, kind: str, message: str = "Sure?", trouble: Exception | None = None) -> None:
        self.type = kind
        self.message = message
        self.trouble = trouble
        self.answer: tuple[str, str | None] | None = None

    async def accept(self, text: str | None = None) -> None:
        self._answered("accept", text)

    async def dismiss(self) -> None:
        self._answered("dismiss", None)

    def _answered(self, word: str, text: str | None) -> None:
        if self.trouble is not None:
            raise self.trouble
        self.answer = (word, text)


class Page:
    """Dialogs and their reports."""

    def __init__(self) -> None:
        self.reports: list[tuple[str, str]] = []
        self.dialogs = Dialogs(lambda kind, words, _: self.reports.append((kind, words)))

    async def asks(self, kind: str, message: str = "Sure?") -> tuple[str, str | None] | None:
        asked = FakeDialog(kind, message)
        self.dialogs.opened(cast("PlaywrightDialog", asked))
        for _ in range(5):
            await asyncio.sleep(0)
        return asked.answer


@pytest.mark.parametrize(
    ("kind", "word"),
    [("alert", "accept"), ("beforeunload", "accept"), ("confirm", "dismiss"), ("prompt", "dismiss")],
)
async def test_without_a_rule_a_question_is_dismissed(kind: str, word: str) -> None:
    page = Page()
    assert await page.asks(kind) == (word, None)
    assert page.reports == [("dialog.answered", f"The page's {kind} was {word}ed.")]


@pytest.mark.parametrize("kind", ["confirm", "prompt"])
async def test_a_dismissed_question_fails_whoever_goes_on_once(kind: str) -> None:
    page = Page()
    await page.asks(kind, "Delete everything?")
    with pytest.raises(DialogUnanswered, match=rf"asked “Delete everything\?” \({kind}\).*`data.dialog`"):
        page.dialogs.raise_for_unanswered()
    page.dialogs.raise_for_unanswered()


async def test_an_alert_asks_nothing() -> None:
    page = Page()
    await page.asks("alert")
    page.dialogs.raise_for_unanswered()


@pytest.mark.parametrize(
    ("kind", "rule", "answer"),
    [
        ("confirm", ACCEPT, ("accept", None)),
        ("confirm", DISMISS, ("dismiss", None)),
        ("prompt", DialogRule(accept=True, text="Ann"), ("accept", "Ann")),
        ("confirm", DialogRule(accept=True, text="Ann"), ("accept", None)),
        ("prompt", DialogRule(accept=False, text="Ann"), ("dismiss", None)),
        ("alert", DISMISS, ("accept", None)),
        ("confirm", DialogRule(accept=True, message_contains="  SURE "), ("accept", None)),
        ("confirm", DialogRule(accept=True, message_contains="other"), ("dismiss", None)),
    ],
)
async def test_a_block_says_how_to_answer(kind: str, rule: DialogRule, answer: tuple[str, Any]) -> None:
    page = Page()
    recorded: list[Dialog] = []
    with page.dialogs.answering(rule, recorded):
        assert await page.asks(kind, "Are you\n  sure?") == answer
    assert [(item.type, item.answer) for item in recorded] == [(kind, f"{answer[0]}ed")]


async def test_a_question_outside_the_rule_is_quoted_with_the_rule() -> None:
    page = Page()
    with page.dialogs.answering(DialogRule(accept=True, message_contains="other")):
        await page.asks("confirm")
        with pytest.raises(DialogUnanswered, match="the block answers only what contains “other”"):
            page.dialogs.raise_for_unanswered()


async def test_a_rule_holds_for_late_dialogs_until_it_is_forgotten() -> None:
    page = Page()
    with page.dialogs.answering(ACCEPT):
        page.dialogs.forget_rule()  # not while the block acts
    assert await page.asks("confirm") == ("accept", None)
    page.dialogs.forget_rule()
    assert await page.asks("confirm") == ("dismiss", None)


async def test_a_person_answers_what_no_block_has_brought_about() -> None:
    page = Page()

    async def ask(dialog: PlaywrightDialog) -> Answer | None:
        return Answer(accept=True, text="by hand") if dialog.type == "prompt" else None

    page.dialogs.ask_person = ask
    assert await page.asks("prompt") == ("accept", "by hand")
    assert page.reports[-1][1] == "The page's prompt was accepted by a person."
    assert await page.asks("confirm") == ("dismiss", None)  # left to the rules
    with page.dialogs.answering(DISMISS):
        assert await page.asks("prompt") == ("dismiss", None)


async def test_a_storm_of_dialogs_is_answered_and_reported_only_so_often() -> None:
    page = Page()
    for _ in range(100):
        assert await page.asks("confirm", "x" * 10_000) == ("dismiss", None)
    assert len(page.reports) == 20
    with pytest.raises(DialogUnanswered) as failure:
        page.dialogs.raise_for_unanswered()
    assert len(failure.value.message) < 1000


async def test_a_page_that_went_away_needs_no_answer() -> None:
    page = Page()
    asked = FakeDialog("confirm", trouble=PlaywrightError("Target closed"))
    page.dialogs.opened(cast("PlaywrightDialog", asked))
    for _ in range(5):
        await asyncio.sleep(0)
    page.dialogs.clear_unanswered()
    page.dialogs.raise_for_unanswered()
