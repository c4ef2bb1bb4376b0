"""Finding a field, or what the page has drawn in its place when the field itself is hidden.

Many libraries keep the native `<select>` or `<input>` for its value, hide it, and draw a widget beside or
around it. A locator that names the hidden one means the widget.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from playwright.async_api import Locator as Element

from pagehand.blocks.page.controls.acting import evaluate_on
from pagehand.browser_session import FoundElement, Purpose
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom_core

_NEXT: Final = "following-sibling::*[1]"
_BEFORE: Final = "preceding-sibling::*[1]"
# widgets that wrap the field
_CONTAINERS: Final = ".choices, .bootstrap-select"
# The way from a hidden field to its widget, as XPath; "" for a visible field, null where nothing
# replaces it. Hidden is: not drawn, cut away to nearly nothing, or out of reach for eyes and keyboard alike.
_WAY: Final = on_dom_core(load_script(__file__, "replacement_widget"))


@dataclass(frozen=True, slots=True)
class ReplacementWidget(FoundElement):
    """The widget found in the place of a hidden field, and that field."""

    field: Element


async def find_control(find: Callable[[Purpose], Awaitable[FoundElement]]) -> FoundElement:
    """The field that `find` gives, visible and enabled; where it is hidden, the widget drawn for it."""
    attached = await find("touch")
    way = await evaluate_on(attached.element, _WAY, [_NEXT, _BEFORE, _CONTAINERS])
    if not way:
        return await find("act")
    return ReplacementWidget(
        attached.element.locator(f"xpath={way}"), attached.matches, attached.how, attached.element
    )
