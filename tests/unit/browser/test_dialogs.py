"""Every dialog is answered: as the block wishes, by a person or by the rules; dismissing is reported."""

import asyncio
from typing import Any, cast

import pytest
from playwright.async_api import Dialog as PlaywrightDialog
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.dialogs import Answer, Dialogs
from pagehand.browser_session import Dialog
from pagehand.errors import DialogUnanswered

pytestmark = pytest.mark.anyio


class Asked:
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
        asked = Asked(kind, message)
        self.dialogs.opened(cast("PlaywrightDialog", asked))
        for _ in range(5):
            await asyncio.sleep(0)
        return asked.answer


@pytest.mark.parametrize(
    ("kind", "word"),
    [("alert", "accept"), ("beforeunload", "accept"), ("confirm", "dismiss"), ("prompt", "dismiss")],
)
async def test_without_a_wish_a_question_is_dismissed(kind: str, word: str) -> None:
    page = Page()
    assert await page.asks(kind) == (word, None)
    assert page.reports == [("dialog.answered", f"The page's {kind} was {word}ed.")]


@pytest.mark.parametrize("kind", ["confirm", "prompt"])
async def test_a_dismissed_question_fails_whoever_goes_on_once(kind: str) -> None:
    page = Page()
    await page.asks(kind, "Delete everything?")
    with pytest.raises(DialogUnanswered, match=rf"asked “Delete everything\?” \({kind}\).*`data.dialog`"):
        page.dialogs.demand_answers()
    page.dialogs.demand_answers()


async def test_an_alert_asks_nothing() -> None:
    page = Page()
    await page.asks("alert")
    page.dialogs.demand_answers()


@pytest.mark.parametrize(
    ("kind", "wish", "answer"),
    [
        ("confirm", {"action": "accept"}, ("accept", None)),
        ("confirm", {"action": "dismiss"}, ("dismiss", None)),
        ("prompt", {"action": "accept", "text": "Ann"}, ("accept", "Ann")),
        ("prompt", {"action": "accept", "text": 7}, ("accept", "7")),
        ("confirm", {"action": "accept", "text": "Ann"}, ("accept", None)),
        ("prompt", {"action": "dismiss", "text": "Ann"}, ("dismiss", None)),
        ("alert", {"action": "dismiss"}, ("accept", None)),
        ("confirm", {"action": "accept", "messageContains": "  SURE "}, ("accept", None)),
        ("confirm", {"action": "accept", "messageContains": "other"}, ("dismiss", None)),
    ],
)
async def test_a_block_says_how_to_answer(kind: str, wish: dict[str, Any], answer: tuple[str, Any]) -> None:
    page = Page()
    noted: list[Dialog] = []
    with page.dialogs.answering(wish, noted):
        assert await page.asks(kind, "Are you\n  sure?") == answer
    assert [(item.type, item.answer) for item in noted] == [(kind, f"{answer[0]}ed")]


async def test_a_question_that_the_wish_does_not_cover_is_quoted_with_the_wish() -> None:
    page = Page()
    with page.dialogs.answering({"action": "accept", "messageContains": "other"}, []):
        await page.asks("confirm")
        with pytest.raises(DialogUnanswered, match="the block answers only what contains “other”"):
            page.dialogs.demand_answers()


async def test_a_wish_counts_for_what_comes_later_until_it_is_over() -> None:
    page = Page()
    with page.dialogs.answering({"action": "accept"}, []):
        page.dialogs.forget_wish()  # not while the block acts
    assert await page.asks("confirm") == ("accept", None)
    page.dialogs.forget_wish()
    assert await page.asks("confirm") == ("dismiss", None)


async def test_a_person_answers_what_no_block_has_brought_about() -> None:
    page = Page()

    async def ask(dialog: PlaywrightDialog) -> Answer | None:
        return Answer(accept=True, text="by hand") if dialog.type == "prompt" else None

    page.dialogs.ask = ask
    assert await page.asks("prompt") == ("accept", "by hand")
    assert page.reports[-1][1] == "The page's prompt was accepted by a person."
    assert await page.asks("confirm") == ("dismiss", None)  # left to the rules
    with page.dialogs.answering({"action": "dismiss"}, []):
        assert await page.asks("prompt") == ("dismiss", None)


async def test_a_storm_of_dialogs_is_answered_and_reported_only_so_often() -> None:
    page = Page()
    for _ in range(100):
        assert await page.asks("confirm", "x" * 10_000) == ("dismiss", None)
    assert len(page.reports) == 20
    with pytest.raises(DialogUnanswered) as failure:
        page.dialogs.demand_answers()
    assert len(failure.value.message) < 1000


async def test_a_page_that_went_away_needs_no_answer() -> None:
    page = Page()
    asked = Asked("confirm", trouble=PlaywrightError("Target closed"))
    page.dialogs.opened(cast("PlaywrightDialog", asked))
    for _ in range(5):
        await asyncio.sleep(0)
    page.dialogs.forget_questions()
    page.dialogs.demand_answers()
