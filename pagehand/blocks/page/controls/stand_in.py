"""Finding a field, or what the page has drawn in its place when the field itself is hidden.

Many libraries keep the native `<select>` or `<input>` for its value, hide it, and draw a widget beside or
around it. A locator that names the hidden one means the widget.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from playwright.async_api import Locator as Element

from pagehand.blocks.page.controls.acting import ask
from pagehand.ports import Found, Purpose

_NEXT: Final = "following-sibling::*[1]"
_BEFORE: Final = "preceding-sibling::*[1]"
# widgets that take the field in among parts of their own
_CONTAINERS: Final = ".choices, .bootstrap-select"
# The way from a hidden field to its widget, as XPath; "" for a field in plain sight, null where nothing
# replaces it. Hidden is: not drawn, cut away to nearly nothing, or out of reach for eyes and keyboard alike.
_WAY: Final = """(el, [next, before, containers]) => {
  const hidden = e => { const {width, height} = e.getBoundingClientRect();
    return !e.checkVisibility({visibilityProperty: true}) || width < 3 || height < 3
      || ((e.ariaHidden === 'true' || e.hidden) && e.tabIndex < 0) };
  const drawn = e => e?.checkVisibility({visibilityProperty: true}) && e.getBoundingClientRect().height > 3;
  const widget = '[role=combobox], [role=listbox], [role=button], [aria-haspopup], [tabindex], input, button';
  if (!el.matches('select, input') || !hidden(el)) return '';
  const around = el.closest(containers), levels = [];
  for (let up = el; around && up !== around; up = up.parentElement) levels.push('..');
  if (around) return levels.join('/');
  const replaces = e => drawn(e) && !e.matches('label') && (e.matches(widget) || !!e.querySelector(widget));
  if (replaces(el.nextElementSibling)) return next;
  if (replaces(el.previousElementSibling)) return before;
  for (let up = el.parentElement, way = '..'; up && way.length < 9; up = up.parentElement, way += '/..') {
    if (up.matches('form, body, label, fieldset') || up.querySelectorAll('select').length > 1) break;
    if (drawn(up) && [...up.querySelectorAll(widget)].some(e => e !== el && drawn(e))) return way;
  }
  return null }"""


@dataclass(frozen=True, slots=True)
class StandIn:
    """The widget found in the place of a hidden field, and that field."""

    element: Element
    matches: int
    how: str
    field: Element


async def find_control(find: Callable[[Purpose], Awaitable[Found]]) -> Found:
    """The field that `find` gives, visible and enabled; where it is hidden, the widget drawn for it."""
    attached = await find("touch")
    way = await ask(attached.element, _WAY, [_NEXT, _BEFORE, _CONTAINERS])
    if not way:
        return await find("act")
    return StandIn(attached.element.locator(f"xpath={way}"), attached.matches, attached.how, attached.element)
