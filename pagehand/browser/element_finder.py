"""Finding elements in the current tab, by whatever a block gives: a locator, a key, words or a reference."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import cached_property
from typing import Final

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame, Page
from playwright.async_api import Locator as Element

from pagehand.browser.healing.stable_locator import stable_locator
from pagehand.browser.liveness import Guard
from pagehand.browser.locator_finder import LocatorFinder
from pagehand.browser.tabs import Tabs
from pagehand.browser.word_finder import WordFinder
from pagehand.browser_session import FoundElement, Purpose
from pagehand.errors import BlockFailed, NotPresent
from pagehand.javascript import load_script
from pagehand.page.dom import is_page_lost, on_dom_core
from pagehand.page.phrases import Snapshot, TargetKind
from pagehand.records import Json
from pagehand.secrets.redactor import Redactor
from pagehand.secrets.vault import HIDDEN
from pagehand.workflow.effect_words import is_risky
from pagehand.workflow.locator import Locator

_SECONDS: Final = 10.0
# the values of password and code fields, and of those masked because a secret was typed there
_SECRET_VALUES: Final = on_dom_core(load_script(__file__, "secret_values"))


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
        self, locator: Locator, *, within: Element | None = None, only_one: bool = False
    ) -> list[Element]:
        """All that match right now, in the first frame that has any; empty when nothing does. Never waits.

        With `only_one`, words and strict locators that could mean several elements are refused.
        """
        async with self._guard(f"find {locator}"):
            while True:
                async with self._tabs.forgiving_closed_tab():
                    if locator.words:
                        return await self._by_words.find_all(locator, within, only_one=only_one)
                    return await self._by_locator.find_all(locator, within, only_one=only_one)

    async def take_snapshot(self) -> Snapshot:
        """The page as `pagehand.page.phrases` sees it."""
        async with self._guard("look at the page"):
            return await self._by_words.take_snapshot()

    async def describe(self) -> str:
        """The page in words, each thing with a reference; values of secret fields are not shown."""
        async with self._guard("describe the page"):
            return await describe(self._tabs.current)

    async def find_by_reference(self, reference: str) -> tuple[FoundElement, Locator]:
        """The element with a reference of the latest description, and a locator that leads to it alone."""
        async with self._guard(f"find `{reference}`"):
            return await find_by_reference(self._tabs.current, reference)


async def describe(page: Page) -> str:
    """Address, title and the tree of what is shown; secrets in fields become `***`."""
    async with asyncio.timeout(_SECONDS):
        tree = await page.aria_snapshot(mode="ai", timeout=_SECONDS * 1000)
        secrets = await _secrets(page)
        for secret in sorted(secrets, key=len, reverse=True):
            tree = tree.replace(secret, HIDDEN)
        # the tree escapes signs such as `"`, so that values differ from what was typed
        return Redactor(secrets).text(f"Address: {page.url}\nTitle: {await page.title()}\n\n{tree}")


async def find_by_reference(page: Page, reference: str) -> tuple[FoundElement, Locator]:
    """The element with a reference of the latest description, and a locator that leads to it alone."""
    element = page.get_by_ref(reference)
    try:
        handle = await element.element_handle(timeout=1000)
        frame = await handle.owner_frame()
        locator = await stable_locator(frame, handle) if frame is not None else None
    except PlaywrightError as error:
        if is_page_lost(error):
            raise
        locator = None
    if locator is None:
        raise NotPresent(f"No element has the reference `{reference}` any more; look at the page again.")
    return FoundElement(element, 1, "reference"), locator


FindByReference = Callable[[str], Awaitable[tuple[FoundElement, Locator]]]
"""`BrowserSession.find_by_reference`."""
NAMED_ELEMENT: Final[Json] = {
    "type": "object",
    "properties": {"ref": {"type": ["string", "null"]}},
    "required": ["ref"],
}
"""How a model names an element of a page's description; null when it means none."""


class RiskyElement(BlockFailed):
    """The element that a model names could do harm, and what was wanted could not."""


async def named_element(
    find_by_reference: FindByReference, answer: Json, wanted: str
) -> tuple[FoundElement, Locator] | None:
    """The element that a model's answer names, and a locator of it; None when it names none.

    A page may mislead a model: a block that saves must not press Delete. `RiskyElement` then.
    """
    if not answer["ref"]:
        return None
    found, locator = await find_by_reference(answer["ref"])
    if is_risky(str(locator)) and not is_risky(wanted):
        raise RiskyElement(f"{locator} could do harm")
    return found, locator


async def _secrets(page: Page) -> set[str]:
    return {secret for frame in page.frames for secret in await _secrets_of(frame)}


async def _secrets_of(frame: Frame) -> list[str]:
    try:
        return await frame.evaluate(_SECRET_VALUES)
    except PlaywrightError as error:
        if is_page_lost(error):
            raise
        return []  # a frame that went away shows nothing either
