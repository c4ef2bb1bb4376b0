"""Finding elements in the current tab, by whatever a block gives: a locator, a key, words or a reference."""

from functools import cached_property

from playwright.async_api import Locator as Element

from pagehand.browser import description
from pagehand.browser.liveness import Guard
from pagehand.browser.locator_finder import LocatorFinder
from pagehand.browser.tabs import Tabs
from pagehand.browser.word_finder import WordFinder
from pagehand.browser_session import FoundElement, Purpose
from pagehand.page.phrases import Snapshot, TargetKind
from pagehand.workflow.locator import Locator


class ElementFinder:
    """Looks again in the opener when the current tab closes meanwhile, as look-up windows do."""

    def __init__(self, tabs: Tabs, guard: Guard) -> None:
        self._tabs = tabs
        self._guard = guard
        self._by_locator = LocatorFinder(lambda: tabs.current)

    # made when first needed: most locators have no words
    @cached_property
    def _by_words(self) -> WordFinder:
        return WordFinder(lambda: self._tabs.current)

    async def find(
        self, locator: Locator, purpose: Purpose, *, kind: TargetKind = "anything", timeout_seconds: float
    ) -> FoundElement:
        """Wait for the element that fits the purpose; `NotPresent` with a diagnosis when the time is over.

        `kind` is what words in the locator may mean.
        """
        async with self._guard(f"find {locator}"):
            while True:
                async with self._tabs.forgiving_closed_tab():
                    if not locator.words:
                        return await self._by_locator.find(locator, purpose, timeout_seconds=timeout_seconds)
                    match = await self._by_words.find(locator, purpose, kind, timeout_seconds=timeout_seconds)
                    return match.found

    async def find_by_key(self, key: str, purpose: Purpose, *, timeout_seconds: float) -> FoundElement:
        """Wait for the form field meant by `key`: its label, aria-label, placeholder, name or id."""
        async with self._guard(f"find the field `{key}`"):
            while True:
                async with self._tabs.forgiving_closed_tab():
                    return await self._by_locator.find(key, purpose, timeout_seconds=timeout_seconds)

    async def find_all(
        self, locator: Locator, *, within: Element | None = None, one: bool = False
    ) -> list[Element]:
        """All that match right now, in the first frame that has any; empty when nothing does. Never waits.

        With `one`, words that could mean several elements are refused.
        """
        async with self._guard(f"find {locator}"):
            while True:
                async with self._tabs.forgiving_closed_tab():
                    if locator.words:
                        return await self._by_words.find_all(locator, within, one=one)
                    return await self._by_locator.find_all(locator, within)

    async def take_snapshot(self) -> Snapshot:
        """The page as `pagehand.page.phrases` sees it."""
        async with self._guard("look at the page"):
            return await self._by_words.take_snapshot()

    async def describe(self) -> str:
        """The page in words, each thing with a reference; values of secret fields are not shown."""
        async with self._guard("describe the page"):
            return await description.describe(self._tabs.current)

    async def find_by_reference(self, reference: str) -> tuple[FoundElement, Locator]:
        """The element with a reference of the latest description, and a locator that leads to it alone."""
        async with self._guard(f"find `{reference}`"):
            return await description.find_by_reference(self._tabs.current, reference)
