"""Pointing at a table or a text to read it."""

from typing import Final

from msgspec import Struct, convert
from playwright.async_api import Page

from pagehand.browser.picking import best_locator, element_at
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom
from pagehand.workflow.recorded import RecordedAct

_READABLE: Final = on_dom(load_script(__file__, "readable"))


class _Facts(Struct):
    name: str
    columns: list[str]
    """The headings of a table; empty for a text."""


async def record_read_at(page: Page, x: float, y: float) -> RecordedAct | None:
    """The table around the point with its columns, or the text there; None where nothing is."""
    found = await element_at(page, x, y)
    if found is None:
        return None
    frame, element = found
    handle = await element.evaluate_handle(_READABLE)
    target = (await handle.get_property("target")).as_element()
    facts = convert(await handle.evaluate("({name, columns}) => ({name, columns})"), _Facts)
    if target is None:
        return None
    locator = await best_locator(page, frame, target)
    return RecordedAct(kind="read", locator=locator, name=facts.name, columns=facts.columns)
