"""Words on a page that changes: what is waited for, and what is refused soon."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from playwright.async_api import Page

from pagehand.browser import word_finder
from pagehand.browser.word_finder import WordFinder, WordMatch
from pagehand.browser_session import Purpose
from pagehand.errors import NotPresent
from pagehand.page.phrases import NotClear, ResolvedElement, Snapshot
from pagehand.workflow.locator import Locator
from support.page_snapshots import element, page

pytestmark = pytest.mark.anyio
SAVE, EXPORT = page(element("button", "Save")), page(element("button", "Export"))
PART = page(element("button", "Export as list"))
EMPTY = page()


class ChangingPage:
    """The page as it is at each look; the last state stays."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *states: Snapshot) -> None:
        self._states = list(states)
        self.snapshots_taken = 0
        self.unusable = 0
        self.allowed: frozenset[tuple[int, int]] | None = None
        monkeypatch.setattr(word_finder, "take_live_snapshot", self._take_live_snapshot)
        monkeypatch.setattr(word_finder, "_match", self._match)
        monkeypatch.setattr(word_finder, "_PAUSES", (0.001,))
        monkeypatch.setattr(word_finder, "_CONFIRM_SECONDS", 0.001)
        monkeypatch.setattr(word_finder, "_AMBIGUOUS_SECONDS", 0.01)
        # by this clock a look takes 8 ms, however busy the machine is
        clock = SimpleNamespace(monotonic=lambda: 0.008 * self.snapshots_taken)
        monkeypatch.setattr(word_finder, "time", clock)
        self.finder = WordFinder(lambda: cast("Page", None))

    async def _take_live_snapshot(self, *_: object) -> "ChangingPage":
        self.snapshot = self._states[min(self.snapshots_taken, len(self._states) - 1)]
        self.snapshots_taken += 1
        return self

    @property
    def frames(self) -> list[str]:
        return ["main"]

    async def _match(self, live: object, resolved: ResolvedElement, purpose: Purpose) -> WordMatch | None:
        del live, purpose
        if self.unusable:
            self.unusable -= 1
            return None
        return WordMatch(cast("Any", resolved.candidate.name), resolved.locator, resolved.understood)

    async def find(self, words: str, seconds: float = 2, **beside: str) -> str:
        wanted = Locator.model_validate({"words": words, **beside})
        match = await self.finder.find(wanted, "act", "control", timeout_seconds=seconds)
        return str(match.found)


async def test_what_is_found_is_given_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    changing = ChangingPage(monkeypatch, SAVE)
    assert await changing.find("Save") == "Save"
    assert changing.snapshots_taken == 1


async def test_an_element_that_comes_late_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    changing = ChangingPage(monkeypatch, EMPTY, EMPTY, SAVE)
    assert await changing.find("Save") == "Save"
    assert changing.snapshots_taken == 3


async def test_a_better_name_that_comes_late_wins_over_a_part_of_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    changing = ChangingPage(monkeypatch, PART, EXPORT)
    assert await changing.find("Export") == "Export"


async def test_a_part_of_a_name_is_taken_once_it_was_seen_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    changing = ChangingPage(monkeypatch, PART)
    assert await changing.find("Export") == "Export as list"
    assert changing.snapshots_taken == 2


async def test_a_part_of_a_name_is_seen_twice_however_little_time_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert await ChangingPage(monkeypatch, PART).find("Export", seconds=0) == "Export as list"


async def test_an_element_that_cannot_be_used_yet_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    changing = ChangingPage(monkeypatch, SAVE)
    changing.unusable = 2
    assert await changing.find("Save") == "Save"
    assert changing.snapshots_taken == 3


async def test_words_that_mean_nothing_are_refused_when_the_time_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    changing = ChangingPage(monkeypatch, SAVE)
    with pytest.raises(NotPresent, match="nothing on the page explains `print`"):
        await changing.find("Print", seconds=0.02)
    assert changing.snapshots_taken > 1


async def test_words_that_could_mean_several_are_refused_long_before_the_time_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    twins = page(element("button", "Delete"), element("button", "Delete", path="#other"))
    changing = ChangingPage(monkeypatch, twins)
    with pytest.raises(NotClear, match="could mean 2 elements"):
        await changing.find("Delete", seconds=3600)
    assert changing.snapshots_taken > 1


async def test_where_nothing_fits_what_stands_beside_the_words_they_are_not_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    changing = ChangingPage(monkeypatch, SAVE)
    changing.allowed = frozenset()
    with pytest.raises(NotPresent, match=r"Nothing on the page matches .*so `Save` is not looked for"):
        await changing.find("Save", seconds=0, css=".toolbar")
