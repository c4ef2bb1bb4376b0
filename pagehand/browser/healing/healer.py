"""Taking fingerprints of elements, and finding them again when their locator no longer does."""

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

from msgspec import Struct, convert, to_builtins
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame, JSHandle, Page
from playwright.async_api import Locator as Element

from pagehand.browser.frames import frames_of
from pagehand.browser.healing.decide import RIVALS, WEIGHTS, FrameRanking, Thresholds, decide
from pagehand.browser.healing.stable_locator import in_frame, on_first, stable_locator
from pagehand.browser.liveness import Guard
from pagehand.browser.navigation import Navigations, wait_until_still
from pagehand.browser.queries import elements
from pagehand.browser_session import FoundElement, HealingFacts, HealingResult
from pagehand.page.dom import is_page_lost
from pagehand.records import Fingerprint, Json

_ANSWER_SECONDS: Final = 12.0
"""For a look at every control of the page: seconds on a large page and a busy machine."""
_REQUESTS_SECONDS: Final = 2.0
_STILL_SECONDS: Final = 0.3
_STILL_TIMEOUT_SECONDS: Final = 2.0
_SHOWN: Final = 3
_UNLIKE: Final = 0.2
_Answer = TypeVar("_Answer", bound=Struct)


class _Comparison(Struct):
    """What `check` in the page reports about an element and a fingerprint."""

    kind: str
    was: str
    """The kind of the element that the fingerprint is of."""
    seen: dict[str, float]
    """The features that speak for or against the same element."""


class Healer:
    """Works on the tab that is current when it is called."""

    def __init__(self, current: Callable[[], Page], navigations: Navigations, guard: Guard) -> None:
        """`current` gives the tab."""
        self._current = current
        self._navigations = navigations
        self._guard = guard
        self.thresholds = Thresholds()

    async def take_fingerprint(self, element: Element) -> Fingerprint | None:
        """What the element and those most like it look like; None when it is gone or the page is busy."""
        async with self._guard("look at an element"):
            return await _ask(element, "fingerprint", {"weights": WEIGHTS, "most": RIVALS}, Fingerprint)

    async def is_different_element(self, element: Element, fingerprint: Fingerprint) -> bool:
        """True when the element is plainly not the one of the fingerprint; False in doubt.

        Asked although the locator matched: 4 to 16 % of positional locators that still match a changed page
        point at another element (measured, see the design note).
        """
        async with self._guard("look at an element"):
            given = {"wanted": to_builtins(fingerprint), "weights": WEIGHTS}
            comparison = await _ask(element, "check", given, _Comparison)
            return comparison is not None and _is_different(comparison, fingerprint)

    async def heal(
        self, fingerprint: Fingerprint, *, is_commit: bool, is_repeated: bool = False
    ) -> HealingResult:
        """The element of the fingerprint on the page as it is now, or a refusal; waits for a quiet page.

        A repeated search does not wait: it looks for what has come since.
        """
        async with self._guard("look for an element by its fingerprint"):
            if not is_repeated:
                await self._navigations.wait_until_idle(_REQUESTS_SECONDS)
                await wait_until_still(self._current(), _STILL_SECONDS, _STILL_TIMEOUT_SECONDS)
            # after the wait, in which the current tab may have changed
            page = self._current()
            # the main frame first: `decide` prefers the earlier of equals
            frames = frames_of(page)
            ranked = await asyncio.gather(*(_rank(frame, fingerprint) for frame in frames))
            seen = [(frame, *item) for frame, item in zip(frames, ranked, strict=True) if item is not None]
            rankings = [ranking for _, ranking, _ in seen]
            decision = decide(fingerprint, rankings, self.thresholds, is_commit=is_commit)
            if decision.frame < 0:
                return HealingResult(None, None, decision.reason, decision.facts)
            frame, _, handle = seen[decision.frame]
            return await _result(frame, handle, decision.facts)


def _is_different(comparison: _Comparison, fingerprint: Fingerprint) -> bool:
    # a button where a link was is another element, whatever it is called
    if comparison.kind != comparison.was:
        return True
    seen = comparison.seen
    # in doubt it is the same: only names that share nothing speak against it
    if not seen["nameApart"] or seen["idEqual"]:
        return False
    if fingerprint.address:
        return bool(seen["addressApart"])
    return seen["near"] < _UNLIKE and seen["attributeRarity"] < _UNLIKE and not seen["field"]


async def _result(frame: Frame, ranking: JSHandle, facts: HealingFacts) -> HealingResult:
    chosen = (await ranking.evaluate_handle("ranking => ranking.elements[0]")).as_element()
    # the handle would not survive the next navigation, a locator does
    locator = await stable_locator(frame, chosen) if chosen is not None else None
    if chosen is None or locator is None:
        return HealingResult(None, None, "the page changed while it was looked at", facts)
    element = elements(frame, locator, exact=True, include_hidden=True)
    return HealingResult(FoundElement(element, 1, "healed"), locator, "", facts)


async def _rank(frame: Frame, fingerprint: Fingerprint) -> tuple[FrameRanking, JSHandle] | None:
    given = {"wanted": to_builtins(fingerprint), "weights": WEIGHTS, "shown": _SHOWN}
    try:
        async with asyncio.timeout(_ANSWER_SECONDS):
            handle = await frame.evaluate_handle(in_frame("rank"), given)
            return convert(await handle.evaluate("ranking => ranking.report"), FrameRanking), handle
    except (PlaywrightError, TimeoutError) as error:
        # a frame that is gone or busy offers nothing
        _raise_if_lost(error)
        return None


async def _ask(element: Element, task: str, given: Json, answer: type[_Answer]) -> _Answer | None:
    try:
        async with asyncio.timeout(_ANSWER_SECONDS):
            answered = await element.evaluate_all(on_first(task), given)
            return None if answered is None else convert(answered, answer)
    except (PlaywrightError, TimeoutError) as error:
        _raise_if_lost(error)
        return None


def _raise_if_lost(error: Exception) -> None:
    if isinstance(error, PlaywrightError) and is_page_lost(error):
        raise error
