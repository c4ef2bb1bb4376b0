"""Search on the current page: type a query into its search box and send it.

Reach for it on any site that has its own search. Without a locator the page's search box is found by
itself: a field of type search, one with the role searchbox, or one whose name contains search or is
`q`.
"""

import asyncio
from typing import ClassVar, Literal

from playwright.async_api import Locator as Element
from pydantic import Field

from pagehand.blocks.base import Block, LocatorUse
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.page.controls.acting import DialogAnswer, acting, evaluate_on, time_left_ms
from pagehand.blocks.page.controls.text_entry import enter_text
from pagehand.blocks.run_context import RunContext
from pagehand.errors import Diagnosis, NotPresent
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom
from pagehand.records import Json
from pagehand.workflow.locator import Locator
from pagehand.workflow.wire import Text

_TYPED = (
    "input:not([type=hidden]):not([type=submit]):not([type=button]):not([type=checkbox]):not([type=radio])"
)
_BOXES = (
    Locator(css="input[type=search]"),
    Locator(role="searchbox"),
    Locator(
        css=", ".join(
            f"{field}[{name}]"
            for field in (_TYPED, "textarea")
            for name in (
                "name=q i",
                *(f"{part}*=search i" for part in ("name", "id", "aria-label", "placeholder")),
            )
        )
    ),
    Locator(css=f"[role=search] {_TYPED}, search {_TYPED}"),
)
_BUTTON = on_dom(load_script(__file__, "search_button"))


# a box that narrows what is shown beside it, such as a menu, is not where the site is searched
_ONLY_FILTERS = """el => !el.form && !el.closest('[role=search], search')
  && /filter/i.test([el.id, el.name, el.placeholder, el.ariaLabel].join(' '))"""


class Search(Block):
    """Search on the current page."""

    type: ClassVar[str] = "Search"
    title: ClassVar[str] = "Search"
    label: ClassVar[str] = "Search on the site"
    sentences: ClassVar[str] = "pagehand.instructions.grammar.external_steps:SEARCHING"
    also_called: ClassVar[tuple[str, ...]] = ("find", "lookUp", "searchBox")
    needs_page: ClassVar[bool] = True
    changes_page: ClassVar[bool] = True
    locator_use: ClassVar[LocatorUse] = "optional"

    query: Text = Field(min_length=1)
    """What to search for."""
    submit: Literal["enter", "button"] = "enter"
    """Send it with Enter, or with the button beside the box."""
    dialog: DialogAnswer | None = None
    """How to answer a dialog that opens meanwhile."""

    async def run(self, ctx: RunContext) -> Outcome:
        """Find the box, type, send."""
        box = (await ctx.find("act")).element if ctx.locator is not None else await _search_box(ctx)
        name = str(ctx.locator or "the search box")
        async with acting(ctx, f"search with {name}", self.dialog):
            await enter_text(ctx, box, self.query, name)
            if self.submit == "enter":
                await box.press("Enter", timeout=time_left_ms(ctx))
            else:
                await _press_button(ctx, box)
        return Outcome(message=f"Searched for `{self.query}`", details={"url": ctx.page.page.url})


async def _search_box(ctx: RunContext) -> Element:
    """The first visible box, the surest signs first; waited for."""
    while True:
        filters: list[Element] = []
        for locator in _BOXES:
            for element in await ctx.page.find_all(locator):
                if not (await element.is_visible() and await element.is_enabled()):
                    continue
                if not await evaluate_on(element, _ONLY_FILTERS):
                    return element
                # a site may have nothing else: a filter is taken when no other box is there
                filters.append(element)
        if filters:
            return filters[0]
        if ctx.remaining_seconds <= 0.1:  # noqa: PLR2004 - one more look would come too late
            break
        await asyncio.sleep(0.1)
    raise NotPresent(
        "There is no search box on the page",
        Diagnosis(
            expected="a field of type search, with the role searchbox, or named search or q",
            advice="Give the block a locator of the field to type into.",
        ),
    )


async def _press_button(ctx: RunContext, box: Element) -> None:
    handle = await box.evaluate_handle(_BUTTON, timeout=time_left_ms(ctx))
    button = handle.as_element()
    if button is None:
        raise NotPresent('There is no button beside the search box; use `submit: "enter"`')
    await button.click(timeout=time_left_ms(ctx))


EXAMPLES: list[Json] = [
    {"type": "Search", "data": {"query": "{{params.term}}"}},
    {"type": "Search", "locator": {"css": "#find"}, "data": {"query": "blue shoes", "submit": "button"}},
]
