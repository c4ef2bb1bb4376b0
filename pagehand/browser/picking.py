"""Pointing at an element: what is at a point of the window, and the locators that find it again.

The order is the one of healing, the most stable first: role and name, label, test ids, the position last.
Words come before all of them where they mean the element alone: they are resolved again at every run.
"""

import asyncio
from typing import Final

from msgspec import Struct, convert
from playwright.async_api import ElementHandle, Frame, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.frames import name_of
from pagehand.browser.healing.stable_locator import in_frame, parse_locators, program
from pagehand.browser.live_snapshot import take_live_snapshot
from pagehand.browser.queries import elements
from pagehand.browser_session import PickedElement, RankedLocator
from pagehand.page.dom import is_page_lost
from pagehand.page.phrases.naming import suggest_phrase
from pagehand.records import Json
from pagehand.workflow.locator import Locator

_COUNT: Final = "(found, element) => [found.length, found.includes(element)]"
_FOCUSED: Final = """() => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at === document.body ? null : at;
}"""
_TEST_IDS: Final = ("data-testid", "data-test", "data-cy", "data-qa")
_TEXT_REASONS: Final = (
    ("label", "the label beside it"),
    ("placeholder", "the hint inside it"),
    ("alt_text", "the picture's text"),
    ("title", "its title"),
    ("text", "the text it shows"),
)
_RANKING_SECONDS: Final = 3.0
_MAX_DEPTH: Final = 10
"""Frames within frames."""


class _Facts(Struct):
    """What `pointedFacts` in the page answers."""

    tag: str
    role: str
    name: str
    locators: list[Json]
    """The most stable first."""


async def pick(page: Page, x: float, y: float, *, with_locators: bool = True) -> PickedElement | None:
    """The element that a person means who points there; None where the page has nothing."""
    found = await element_at(page, x, y)
    if found is None:
        return None
    frame, element = found
    facts = await _facts(element)
    # an element without a box, such as one that just went away, is shown as the point itself
    box = await element.bounding_box() or {"x": x, "y": y, "width": 0, "height": 0}
    locators: list[RankedLocator] = []
    if with_locators:
        frame_name = await name_of(frame)
        possible = parse_locators(facts.locators, frame_name)
        locators = await _rank(page, frame, element, possible, frame_name)
    return PickedElement(
        tag=facts.tag,
        role=facts.role,
        name=facts.name,
        box=(box["x"], box["y"], box["width"], box["height"]),
        locators=locators,
    )


async def element_at(page: Page, x: float, y: float) -> tuple[Frame, ElementHandle] | None:
    """The control around the point, or the element itself, in whatever frame it is."""
    frame = page.main_frame
    for _ in range(_MAX_DEPTH):
        handle = await frame.evaluate_handle(in_frame("pointed"), {"x": x, "y": y})
        element = handle.as_element()
        if element is None:
            return None
        inner = await element.content_frame()
        if inner is None:
            return frame, element
        corner = await element.evaluate(
            "frame => { const box = frame.getBoundingClientRect();"
            " return [box.left + frame.clientLeft, box.top + frame.clientTop] }"
        )
        frame, x, y = inner, x - corner[0], y - corner[1]
    return None


async def focused_element(page: Page) -> tuple[Frame, ElementHandle] | None:
    """The element that has the focus, in whatever frame it is."""
    frame = page.main_frame
    for _ in range(_MAX_DEPTH):
        element = (await frame.evaluate_handle(_FOCUSED)).as_element()
        inner = await element.content_frame() if element is not None else None
        if element is None or inner is None:
            return (frame, element) if element is not None else None
        frame = inner
    return None


async def locate(page: Page, frame: Frame, element: ElementHandle) -> tuple[Locator | None, str]:
    """The locator that comes first in the ranking, and what the element is called (empty without a name).

    A page that answers too slowly for the ranking gets the most stable locator unranked.
    """
    facts = await _facts(element)
    frame_name = await name_of(frame)
    possible = parse_locators(facts.locators, frame_name)
    try:
        async with asyncio.timeout(_RANKING_SECONDS):
            by_words = await _by_words(page, frame, element, frame_name)
            if by_words is not None and by_words.matches == 1:
                return by_words.locator, facts.name
            ranked = await _rank_others(frame, element, possible, by_words)
    except TimeoutError:
        return possible[0].model_copy(update={"strict": True}), facts.name
    return ranked[0].locator if ranked else None, facts.name


async def _facts(element: ElementHandle) -> _Facts:
    return convert(await element.evaluate(f"(element) => {program('pointedFacts')}(element)"), _Facts)


async def _rank(
    page: Page, frame: Frame, element: ElementHandle, possible: list[Locator], frame_name: str | None
) -> list[RankedLocator]:
    """Those that lead to the element alone first; among equals the most stable."""
    by_words = await _by_words(page, frame, element, frame_name)
    return await _rank_others(frame, element, possible, by_words)


async def _rank_others(
    frame: Frame, element: ElementHandle, possible: list[Locator], by_words: RankedLocator | None
) -> list[RankedLocator]:
    # words first: they are resolved at every run, so a list that was sorted differently does no harm
    ranked = [by_words] if by_words else []
    for locator in possible:
        matches = await _count_matches(frame, locator, element)
        if matches:
            # a page with more of them later must not be clicked at the first
            strict = locator.model_copy(update={"strict": True})
            ranked.append(RankedLocator(strict, matches, _reason(locator)))
    # sorted() keeps the order of equals; a position that is unique is still less than a name that is not
    return sorted(ranked, key=lambda item: (item.locator.is_position, item.matches > 1))


async def _by_words(
    page: Page, frame: Frame, element: ElementHandle, frame_name: str | None
) -> RankedLocator | None:
    in_this_frame = Locator(words="anything", frame=frame_name) if frame_name else None
    live = await take_live_snapshot(page, in_this_frame)
    try:
        if frame not in live.frames:
            return None
        at = live.frames.index(frame)
        index: int = await live.handles[at].evaluate(
            "(listed, element) => listed.elements.indexOf(element)", element
        )
    finally:
        await live.dispose()
    candidates = live.snapshot.candidates
    candidate = next((candidate for candidate in candidates if candidate.key == (at, index)), None)
    if candidate is None:
        return None
    phrase = await asyncio.to_thread(suggest_phrase, candidate, live.snapshot)
    if phrase is None:
        return None
    locator = Locator(words=phrase.words, frame=frame_name)
    return RankedLocator(locator, phrase.matches, "words, looked up again at every run")


async def _count_matches(frame: Frame, locator: Locator, element: ElementHandle) -> int:
    """How many elements it leads to, 0 when this one is not among them."""
    query = elements(frame, locator, exact=True, include_hidden=True)
    try:
        count, is_among = await query.evaluate_all(_COUNT, element)
    except PlaywrightError as error:
        if is_page_lost(error):
            raise
        return 0  # a role or selector that Playwright does not know
    return count if is_among else 0


def _reason(locator: Locator) -> str:
    """Why it stays stable, or does not."""
    if locator.role:
        return "role and name, as people and screen readers know it"
    if reason := next((reason for field, reason in _TEXT_REASONS if getattr(locator, field)), ""):
        return reason
    css = locator.css or ""
    if any(f"[{name}" in css for name in _TEST_IDS):
        return "a test id, kept stable on purpose"
    if locator.is_position or " > " in css:
        return "its place on the page: another takes it when something is added"
    if css.startswith("#"):
        return "its id"
    return "its attributes" if "[" in css else "its looks (classes)"
