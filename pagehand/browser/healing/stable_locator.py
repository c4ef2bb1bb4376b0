"""A locator for an element that was found without one: the most stable that leads to it alone."""

from functools import cache
from importlib.resources import files
from typing import Final

from playwright.async_api import ElementHandle, Frame
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator as Element

from pagehand.browser.frames import name_of
from pagehand.browser.queries import elements
from pagehand.page.dom import DOM, is_page_lost
from pagehand.records import Json
from pagehand.workflow.locator import Locator

_IS_IT_ALONE: Final = "(found, element) => found.length === 1 && found[0] === element"
_PARTS: Final = ("describe.js", "score.js", "tasks.js")


async def stable_locator(frame: Frame, element: ElementHandle) -> Locator | None:
    """By role and name if they are enough, then by label, by attributes, and by its position last."""
    # two frames may share a name or an address: the locator is kept, and must not lead to the other one
    frame_name = await name_of(frame)
    for locator in await possible_locators(element, frame_name):
        if await _leads_to(frame, locator, element):
            return locator
    return None


async def possible_locators(element: ElementHandle, frame_name: str | None) -> list[Locator]:
    """Locators for the element, the most stable first; others may match them too."""
    given: list[Json] = await element.evaluate(f"(element) => {program('locatorsOf')}(element)")
    return parse_locators(given, frame_name)


def parse_locators(given: list[Json], frame_name: str | None) -> list[Locator]:
    """What `locatorsOf` in the page answers, as locators within the frame."""
    frame = {"frame": frame_name} if frame_name else {}
    return [Locator.model_validate({**fields, **frame}, by_alias=True) for fields in given]


async def leads_only_to(query: Element, element: ElementHandle) -> bool:
    """True when the query matches this element and no other."""
    return await query.evaluate_all(_IS_IT_ALONE, element)


async def _leads_to(frame: Frame, locator: Locator, element: ElementHandle) -> bool:
    try:
        return await leads_only_to(elements(frame, locator, exact=True, include_hidden=True), element)
    except PlaywrightError as error:
        if is_page_lost(error):
            raise
        # a role or selector that Playwright does not know
        return False


@cache
def program(task: str) -> str:
    """JavaScript that makes the function called `task`; the page sees nothing of what it is made of."""
    folder = files("pagehand.browser.healing")
    source = "\n".join(folder.joinpath(part).read_text(encoding="utf-8") for part in _PARTS)
    return f"((dom) => {{\n{source}\nreturn {task};\n}})(({DOM})())"


def on_first(task: str) -> str:
    """The task as a function of the elements that a locator matches; null when there is none."""
    return f"([element], given) => element ? {program(task)}(element, given) : null"


def in_frame(task: str) -> str:
    """The task as a function of its argument alone."""
    return f"(given) => {program(task)}(given)"
