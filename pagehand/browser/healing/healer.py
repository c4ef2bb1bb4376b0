"""Remembering elements and finding them again when their locator no longer does."""

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

from msgspec import Struct, convert, to_builtins
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame, JSHandle, Page
from playwright.async_api import Locator as Element

from pagehand.browser.healing.decide import Ranking, Thresholds, decide
from pagehand.browser.healing.lasting import lasting_locator
from pagehand.browser.healing.scripts import QUIET, in_frame, on_first
from pagehand.browser.healing.weights import RIVALS, WEIGHTS
from pagehand.browser.locate import elements
from pagehand.browser_session import Found, Proposal
from pagehand.page.page_loss import is_page_lost
from pagehand.records import Fingerprint, Json

_SECONDS: Final = 5.0
_STILL_SECONDS: Final = 0.3
_UNQUIET_SECONDS: Final = 2.0
_SHOWN: Final = 3
_UNLIKE: Final = 0.2
_Answer = TypeVar("_Answer", bound=Struct)


class _Checked(Struct):
    """What `check` in the page reports."""

    kind: str
    was: str
    """The remembered one's kind."""
    seen: dict[str, float]


class Healer:
    """Works on the page that is current when asked."""

    def __init__(self, current: Callable[[], Page]) -> None:
        """`current` gives the tab."""
        self._current = current

    async def remember(self, element: Element) -> Fingerprint | None:
        """What the element is like, and those most like it; None when it is gone or the page is busy."""
        return await _ask(element, "remember", {"weights": WEIGHTS, "most": RIVALS}, Fingerprint)

    async def is_another(self, element: Element, wanted: Fingerprint) -> bool:
        """True when the element is plainly not the remembered one; False in doubt.

        Asked although the locator matched: 4 to 16 % of positional locators that still match a changed page
        point at another element (measured, see the design note).
        """
        given = {"wanted": to_builtins(wanted), "weights": WEIGHTS}
        checked = await _ask(element, "check", given, _Checked)
        if checked is None:
            return False
        # a button where a link was is another element, whatever it is called
        if checked.kind != checked.was:
            return True
        seen = checked.seen
        # in doubt it is the same: only names that share nothing speak against it
        if not seen["nameApart"] or seen["idEqual"]:
            return False
        if wanted.address:
            return bool(seen["addressApart"])
        return seen["near"] < _UNLIKE and seen["attributeRarity"] < _UNLIKE and not seen["field"]

    async def wait_until_quiet(
        self, still_seconds: float = _STILL_SECONDS, timeout_seconds: float = _UNQUIET_SECONDS
    ) -> bool:
        """Until the page has not changed for a moment; False for pages that do not rest in time."""
        limits = [still_seconds * 1000, max(0.0, timeout_seconds) * 1000]
        try:
            async with asyncio.timeout(max(0.0, timeout_seconds) + _SECONDS):
                return bool(await self._current().evaluate(QUIET, limits))
        except (PlaywrightError, TimeoutError) as error:
            # a page that goes away meanwhile is looked at again by whoever asked
            _raise_if_lost(error)
            return False

    async def heal(self, wanted: Fingerprint, thresholds: Thresholds, *, is_commit: bool) -> Proposal:
        """The element that is the remembered one by all appearances, or a refusal."""
        page = self._current()
        # the main frame first: `decide` prefers the earlier of equals
        frames = [page.main_frame, *(frame for frame in page.frames if frame is not page.main_frame)]
        ranked = await asyncio.gather(*(_rank(frame, wanted) for frame in frames))
        looked = [(frame, *item) for frame, item in zip(frames, ranked, strict=True) if item is not None]
        verdict = decide(wanted, [report for _, report, _ in looked], thresholds, is_commit=is_commit)
        if verdict.frame < 0:
            return Proposal(None, None, verdict.reason, verdict.facts)
        frame, _, handle = looked[verdict.frame]
        return await _propose(frame, handle, verdict.facts)


async def _propose(frame: Frame, ranking: JSHandle, facts: Json) -> Proposal:
    chosen = (await ranking.evaluate_handle("ranking => ranking.elements[0]")).as_element()
    # the handle would not survive the next navigation, a locator does
    locator = await lasting_locator(frame, chosen) if chosen is not None else None
    if chosen is None or locator is None:
        return Proposal(None, None, "the page changed while it was looked at", facts)
    element = elements(frame, locator, exact=True, include_hidden=True)
    return Proposal(Found(element, 1, "healed"), locator, "", facts)


async def _rank(frame: Frame, wanted: Fingerprint) -> tuple[Ranking, JSHandle] | None:
    given = {"wanted": to_builtins(wanted), "weights": WEIGHTS, "shown": _SHOWN}
    try:
        async with asyncio.timeout(_SECONDS):
            handle = await frame.evaluate_handle(in_frame("rank"), given)
            return convert(await handle.evaluate("ranking => ranking.report"), Ranking), handle
    except (PlaywrightError, TimeoutError) as error:
        # a frame that is gone or busy offers nothing
        _raise_if_lost(error)
        return None


async def _ask(element: Element, task: str, given: Json, answer: type[_Answer]) -> _Answer | None:
    try:
        async with asyncio.timeout(_SECONDS):
            answered = await element.evaluate_all(on_first(task), given)
            return None if answered is None else convert(answered, answer)
    except (PlaywrightError, TimeoutError) as error:
        _raise_if_lost(error)
        return None


def _raise_if_lost(error: Exception) -> None:
    if isinstance(error, PlaywrightError) and is_page_lost(error):
        raise error
