"""Dragging one element onto another, or by some way."""

import asyncio

from playwright.async_api import Locator as Element
from playwright.async_api import TimeoutError as PlaywrightTimeout

from pagehand.blocks.page.controls.acting import evaluate_on, time_left_ms
from pagehand.blocks.run_context import RunContext
from pagehand.errors import BlockFailed
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom_core

_PATIENCE_MS = 1000
_LINGER_SECONDS = 0.03
_STEPS = 10
"""Several, because pages begin a drag only once the mouse has moved a little."""
_LIES_OVER = on_dom_core(load_script(__file__, "lies_over"))


async def drag_onto(ctx: RunContext, element: Element, target: Element) -> None:
    """Drop `element` on the middle of `target`."""
    await _demand_uncovered(ctx, element, target)
    await element.hover(timeout=time_left_ms(ctx))
    mouse = ctx.page.page.mouse
    await mouse.down()
    # only now: scrolling there first could take what is to be dragged out from under the mouse
    await target.scroll_into_view_if_needed(timeout=time_left_ms(ctx))
    x, y = await _middle(ctx, target)
    await mouse.move(x, y, steps=_STEPS)
    # lists that are sorted while one drags look where the mouse is now and then: stay a little, moving
    for aside in (2, 0, 2, 0):
        await asyncio.sleep(_LINGER_SECONDS)
        await mouse.move(x + aside, y)
    await mouse.up()


async def drag_by(ctx: RunContext, element: Element, right: float, down: float) -> None:
    """Drop `element` that far from where it is."""
    await element.hover(timeout=time_left_ms(ctx))
    x, y = await _middle(ctx, element)
    mouse = ctx.page.page.mouse
    await mouse.down()
    await mouse.move(x + right, y + down, steps=_STEPS)
    await mouse.up()


async def _demand_uncovered(ctx: RunContext, element: Element, target: Element) -> None:
    """Wait until nothing lies over the target; what is dragged does not count, it will lie there anyway."""
    try:
        await target.hover(trial=True, timeout=min(_PATIENCE_MS, time_left_ms(ctx)))
    except PlaywrightTimeout:
        # the second try has all the time left, and its failure names what covers the target
        if not await evaluate_on(element, _LIES_OVER, await target.element_handle(timeout=time_left_ms(ctx))):
            await target.hover(trial=True, timeout=time_left_ms(ctx))


async def _middle(ctx: RunContext, element: Element) -> tuple[float, float]:
    box = await element.bounding_box(timeout=time_left_ms(ctx))
    if box is None:
        raise BlockFailed("What was to be dragged, or its target, has gone from the page")
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
