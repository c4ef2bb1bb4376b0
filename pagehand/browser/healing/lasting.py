"""A locator for an element that was found without one: the most lasting way that leads to it alone."""

from typing import Final

from playwright.async_api import ElementHandle, Frame
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.frames import name_of
from pagehand.browser.healing.scripts import program
from pagehand.browser.locate import elements
from pagehand.page.page_loss import is_page_lost
from pagehand.records import Json
from pagehand.workflow.locator import Locator

_IS_IT_ALONE: Final = "(found, element) => found.length === 1 && found[0] === element"


async def lasting_locator(frame: Frame, element: ElementHandle) -> Locator | None:
    """Role and name if they are enough, then label, attributes, and its place in the page last."""
    ways: list[Json] = await element.evaluate(f"(element) => {program('ways')}(element)")
    # two frames may share a name or an address: the locator is kept, and must not lead to the other one
    place = {"frame": name} if (name := await name_of(frame)) else {}
    for way in ways:
        locator = Locator.model_validate({**way, **place}, by_alias=True)
        if await _leads_to(frame, locator, element):
            return locator
    return None


async def _leads_to(frame: Frame, locator: Locator, element: ElementHandle) -> bool:
    query = elements(frame, locator, exact=True, include_hidden=True)
    try:
        return await query.evaluate_all(_IS_IT_ALONE, element)
    except PlaywrightError as error:
        if is_page_lost(error):
            raise
        # a role or selector that Playwright does not know
        return False
