"""Pointing at a table or a text to read it."""

from typing import Final

from msgspec import Struct, convert
from playwright.async_api import Page

from pagehand.browser.picking import best_locator, element_at
from pagehand.page.dom import on_dom
from pagehand.workflow.recorded import RecordedAct

_FACTS: Final = on_dom("""(dom, element) => {
  const textOf = (el) => dom.collapseSpaces(dom.renderedText(el)).slice(0, 80);
  const table = element.closest('table, [role=table], [role=grid]');
  if (!table) return {target: element, name: textOf(element), columns: []};
  const heads = [...table.querySelectorAll('th, [role=columnheader]')].map(textOf);
  const name = (table.caption && textOf(table.caption)) || dom.ariaName(table, textOf).slice(0, 80);
  return {target: table, name: name || 'the table', columns: [...new Set(heads.filter(Boolean))]};
}""")


class _Facts(Struct):
    name: str
    columns: list[str]


async def reading_at(page: Page, x: float, y: float) -> RecordedAct | None:
    """The table around the point with its columns, or the text there; None where nothing is."""
    found = await element_at(page, x, y)
    if found is None:
        return None
    frame, element = found
    handle = await element.evaluate_handle(_FACTS)
    target = (await handle.get_property("target")).as_element()
    facts = convert(await handle.evaluate("({name, columns}) => ({name, columns})"), _Facts)
    if target is None:
        return None
    locator = await best_locator(page, frame, target)
    return RecordedAct(kind="read", locator=locator, name=facts.name, columns=facts.columns)
