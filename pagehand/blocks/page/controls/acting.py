"""Acting on the page within a block's time, and what the act must bring about."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager, nullcontext, suppress
from typing import Any, Final, Literal

from playwright.async_api import ElementHandle, JSHandle, Page
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator as Element
from playwright.async_api import TimeoutError as PlaywrightTimeout
from pydantic import Field

from pagehand.blocks.run_context import RunContext
from pagehand.browser import Press
from pagehand.browser_session import Action, DialogRule, FormRejection
from pagehand.errors import BlockFailed, Diagnosis, FormNotSent
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom_core
from pagehand.records import Json
from pagehand.workflow.wire import Text, WireModel

_PATIENCE_MS = 1000
_LINGER_SECONDS = 0.03
_STEPS = 10
"""Several, because pages begin a drag only once the mouse has moved a little."""
_LIES_OVER = on_dom_core(load_script(__file__, "lies_over"))
Expectation = Literal["navigation", "popup"]
_MOVING_ON_MS: Final = 2000
_UNMET: Final = {"navigation": "no navigation began", "popup": "no tab or window opened"}
# blocks without a time limit have very many seconds left, which would overflow Playwright's timer
_LONGEST_SECONDS = 86_400


class DialogAnswer(WireModel):
    """How a confirm or prompt is answered; one that nothing answers is dismissed and fails the block."""

    action: Literal["accept", "dismiss"]
    """accept presses OK, dismiss presses Cancel."""
    text: Text | None = None
    """What to answer a prompt."""
    message_contains: Text | None = Field(default=None, min_length=1)
    """Answer only a dialog whose message holds these words; any other fails the block."""


def time_left_ms(ctx: RunContext) -> float:
    """Milliseconds left of the block's time, for Playwright: never 0, which would mean "for ever"."""
    return min(max(ctx.remaining_seconds, 0.001), _LONGEST_SECONDS) * 1000


async def evaluate_on(element: Element | ElementHandle, function: str, argument: Any = None) -> Any:
    """What a JavaScript function of the element answers; one message instead of `evaluate`'s three."""
    if isinstance(element, ElementHandle):
        return await element.evaluate(function, argument)
    present = "if (!el) throw new Error('the element went away meanwhile');"
    return await element.evaluate_all(
        f"([el], given) => {{ {present} return ({function})(el, given) }}", argument
    )


async def becomes_true(claim: Callable[[], Awaitable[Any]], seconds: float = 1.0) -> bool:
    """Wait until `claim` is true: many pages redraw a control after it was used."""
    end = time.monotonic() + seconds
    while not await claim():
        if time.monotonic() > end:
            return False
        await asyncio.sleep(0.03)
    return True


@asynccontextmanager
async def acting(
    ctx: RunContext,
    doing: str,
    dialog: DialogAnswer | None = None,
    press: Press | None = None,
    *,
    is_input: bool = True,
) -> AsyncGenerator[Action]:
    """Do something to the page; `doing` names it in failures, such as "click css `#save`".

    What it sends is an effect, unless `is_input` is false: looking around presses nothing. `press` is the
    press of a control, if it is one: a form that the browser then holds back fails the block.
    """
    # the picture has a time limit of its own, which is not the block's
    with ctx.stopped_clock(), ctx.timing("picture"):
        await ctx.page.wait_for_screenshots()
    async with ctx.intending_effect(_named(doing, press)) if is_input else nullcontext():
        if is_input:
            ctx.page.begin_press(press)
        try:
            async with _doing(ctx, doing, dialog, press) as action:
                yield action
        except BlockFailed as error:
            # an unanswered dialog explains the failure better than the failed act does
            ctx.page.dialogs.raise_for_unanswered(error)
            raise
        ctx.page.dialogs.raise_for_unanswered()
        if press is not None and (rejection := await press.form_rejection()) is not None:
            raise _not_sent(rejection)


def _named(doing: str, press: Press | None) -> str:
    return f"pressing `{press.name}`" if press is not None and press.name else doing


@asynccontextmanager
async def _doing(
    ctx: RunContext, doing: str, dialog: DialogAnswer | None, press: Press | None
) -> AsyncGenerator[Action]:
    with ExitStack() as settling:
        async with ctx.page.guard(doing), ctx.page.acting(dialog_rule(dialog), press) as action:
            with ctx.timing("act"):
                yield action
            # what comes after the act, within `guard` and `acting`, is waiting for the page: counted apart
            settling.enter_context(ctx.timing("settle"))


def _not_sent(rejection: FormRejection) -> FormNotSent:
    field = f"`{rejection.field}`: " if rejection.field else ""
    message = rejection.message or "its value is not accepted."
    return FormNotSent(
        f"The form was not sent. The browser says: {field}{message}",
        Diagnosis(
            expected="a form that can be sent",
            found=f"{field}{message}",
            advice="Give the field a value the page accepts, or name the control that sends the form.",
        ),
    )


def dialog_rule(dialog: DialogAnswer | None) -> DialogRule | None:
    """How the browser answers dialogs."""
    if dialog is None:
        return None
    return DialogRule(dialog.action == "accept", dialog.text, dialog.message_contains)


def dialog_output(action: Action, dialog: DialogAnswer | None) -> Json:
    """What a block outputs about dialogs: nothing unless it says how to answer them."""
    if dialog is None:
        return {}
    last = action.dialogs[-1] if action.dialogs else None
    return {"dialog": {"type": last.type, "message": last.message} if last else None}


@asynccontextmanager
async def expecting(ctx: RunContext, expectation: Expectation | None) -> AsyncGenerator[None]:
    """Around an act: `BlockFailed` unless it brings that about in the block's time."""
    if expectation is None:
        yield
        return
    page, has_acted = ctx.page.page, False
    try:
        async with _awaiting(page, expectation, time_left_ms(ctx)):
            yield
            has_acted = True
    except PlaywrightTimeout as error:
        if not has_acted:
            raise
        raise _unmet(expectation, page.url) from error


@asynccontextmanager
async def _awaiting(page: Page, expectation: Expectation, timeout: float) -> AsyncGenerator[None]:  # noqa: ASYNC109 - handed to Playwright
    if expectation == "popup":
        async with page.expect_popup(timeout=timeout):
            yield
        return
    before = await page.evaluate("history.length")
    document = await page.evaluate_handle("document")
    async with page.expect_event("framenavigated", lambda frame: frame == page.main_frame, timeout=timeout):
        yield
    if await _only_renamed(document, before):
        # a page that saves its draft puts another address over itself just before it moves on
        with suppress(PlaywrightTimeout):
            await page.wait_for_event(
                "framenavigated", lambda frame: frame == page.main_frame, timeout=min(timeout, _MOVING_ON_MS)
            )
    await page.wait_for_load_state("domcontentloaded", timeout=timeout)


async def _only_renamed(document: JSHandle, before: int) -> bool:
    """True for the same document under another address, with nothing to go back to."""
    try:
        return await document.evaluate("document => document.defaultView?.history.length ?? 0") == before
    except PlaywrightError:
        return False  # the document is gone: this was a navigation


def _unmet(expected: Expectation, url: str) -> BlockFailed:
    return BlockFailed(
        f"The act was expected to bring about a {expected}, but {_UNMET[expected]}",
        Diagnosis(
            expected=f"a {expected}",
            found=f"the page stayed at `{url}`",
            advice="Look whether the right element is meant, or leave out `expect`.",
        ),
    )


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
