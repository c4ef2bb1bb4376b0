"""Words on a page that changes: what is waited for, what is refused soon, and no list left in the page."""

from typing import Any, cast

import pytest
from playwright.async_api import Page

from pagehand.browser import by_words
from pagehand.browser.by_words import Meant, WordFinder
from pagehand.browser_session import Purpose
from pagehand.errors import NotPresent
from pagehand.page.phrases import NotClear, ResolvedElement, Snapshot
from pagehand.workflow.locator import Locator
from support.page_snapshots import element, page

pytestmark = pytest.mark.anyio
SAVE, EXPORT = page(element("button", "Save")), page(element("button", "Export"))
PARTIAL = page(element("button", "Export as list"))
EMPTY = page()


class Looks:
    """The page as it is at each look; the last state stays."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *states: Snapshot) -> None:
        self._states = list(states)
        self.looked = 0
        self.forgotten = 0
        self.unusable = 0
        self.only: frozenset[tuple[int, int]] | None = None
        monkeypatch.setattr(by_words, "look_at", self._look_at)
        monkeypatch.setattr(by_words, "_take", self._take)
        monkeypatch.setattr(by_words, "_PAUSES", (0.001,))
        monkeypatch.setattr(by_words, "_SURE_AFTER_SECONDS", 0.001)
        monkeypatch.setattr(by_words, "_DOUBT_SECONDS", 0.01)
        self.finder = WordFinder(lambda: cast("Page", None))

    async def _look_at(self, *_: object) -> "Looks":
        self.snapshot = self._states[min(self.looked, len(self._states) - 1)]
        self.looked += 1
        return self

    @property
    def frames(self) -> list[str]:
        return ["main"]

    async def forget(self) -> None:
        self.forgotten += 1

    async def _take(self, look: object, resolved: ResolvedElement, purpose: Purpose) -> Meant | None:
        del look, purpose
        if self.unusable:
            self.unusable -= 1
            return None
        return Meant(cast("Any", resolved.candidate.name), resolved.locator, resolved.understood)

    async def find(self, words: str, seconds: float = 2, **beside: str) -> str:
        wanted = Locator(words=words, **beside)
        meant = await self.finder.find(wanted, "act", "control", timeout_seconds=seconds)
        return str(meant.found)


async def test_what_is_found_is_given_at_once_and_its_list_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Looks(monkeypatch, SAVE)
    assert await looks.find("Save") == "Save"
    assert (looks.looked, looks.forgotten) == (1, 1)


async def test_an_element_that_comes_late_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Looks(monkeypatch, EMPTY, EMPTY, SAVE)
    assert await looks.find("Save") == "Save"
    assert looks.looked == looks.forgotten == 3


async def test_a_better_name_that_comes_late_wins_over_a_part_of_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks = Looks(monkeypatch, PARTIAL, EXPORT)
    assert await looks.find("Export") == "Export"


async def test_a_part_of_a_name_is_taken_once_it_was_seen_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Looks(monkeypatch, PARTIAL)
    assert await looks.find("Export") == "Export as list"
    assert looks.looked == 2


async def test_a_part_of_a_name_is_seen_twice_however_little_time_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert await Looks(monkeypatch, PARTIAL).find("Export", seconds=0) == "Export as list"


async def test_an_element_that_cannot_be_used_yet_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Looks(monkeypatch, SAVE)
    looks.unusable = 2
    assert await looks.find("Save") == "Save"
    assert looks.looked == looks.forgotten == 3


async def test_words_that_mean_nothing_are_refused_when_the_time_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks = Looks(monkeypatch, SAVE)
    with pytest.raises(NotPresent, match="nothing on the page explains `print`"):
        await looks.find("Print", seconds=0.02)
    assert looks.looked == looks.forgotten > 1


async def test_words_that_could_mean_several_are_refused_long_before_the_time_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    twins = page(element("button", "Delete"), element("button", "Delete", path="#other"))
    looks = Looks(monkeypatch, twins)
    with pytest.raises(NotClear, match="could mean 2 elements"):
        await looks.find("Delete", seconds=3600)
    assert looks.looked == looks.forgotten


async def test_where_nothing_fits_what_stands_beside_the_words_they_are_not_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks = Looks(monkeypatch, SAVE)
    looks.only = frozenset()
    with pytest.raises(NotPresent, match=r"Nothing on the page matches .*so `Save` is not looked for"):
        await looks.find("Save", seconds=0, css=".toolbar")
