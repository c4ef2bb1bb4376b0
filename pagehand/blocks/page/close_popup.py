"""Close what lies over the page: dialogs, modal boxes, cookie banners, pop-up windows.

Reach for it after opening a page that greets its visitors with such things. It waits up to two seconds
for one to come up, closes at most three, and having nothing to close is not an error. A cookie banner is
rejected or closed; it is accepted only if there is no other way. With a locator only that control is
clicked, if it is there. Where something still covers most of the page, a configured language model is asked
which control closes it.
"""

import asyncio
import time
from dataclasses import dataclass
from typing import ClassVar, Literal

from playwright.async_api import ElementHandle, Frame, Page
from playwright.async_api import Error as PlaywrightError
from pydantic import Field

from pagehand.blocks.agent_tool import AgentTool
from pagehand.blocks.base import Block, LocatorUse
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.page.controls.acting import acting, time_left_ms
from pagehand.blocks.page.controls.model_finding import find_by_model
from pagehand.blocks.run_context import RunContext
from pagehand.browser import RiskyElement
from pagehand.errors import NotPresent, TimedOut
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom, on_dom_core
from pagehand.records import Json
from pagehand.workflow.effect_words import is_risky

Kind = Literal["dialog", "modal", "cookieBanner", "window"]

_WAIT_SECONDS = 2.0
_MOST = 3
_CLICK_MS = 2000
_GONE_SECONDS = 1.0

_FIND = on_dom(load_script(__file__, "popups"))
_COVERS = on_dom_core(load_script(__file__, "covers"))
_LOOK_SECONDS = 2.0
_WAY_OUT = "the control that closes or puts away what lies over the page, without agreeing to anything"
_IS_GONE = on_dom_core("(dom, el) => !el.isConnected || !dom.isVisible(el) || !dom.isOpaque(el)")
_IS_POPUP = "() => !window.menubar.visible || !window.toolbar.visible"


@dataclass(frozen=True, slots=True)
class _Popup:
    kind: str
    box: ElementHandle
    button: ElementHandle | None


class ClosePopup(Block):
    """Close what lies over the page."""

    type: ClassVar[str] = "ClosePopup"
    title: ClassVar[str] = "Close Popup"
    label: ClassVar[str] = "Close a pop-up"
    sentences: ClassVar[str] = "pagehand.instructions.grammar.closing:CLOSING_POPUPS"
    also_called: ClassVar[tuple[str, ...]] = (
        "popup",
        "dismiss",
        "cookie",
        "acceptCookies",
        "closeDialog",
        "closeModal",
    )
    needs_page: ClassVar[bool] = True
    changes_page: ClassVar[bool] = True
    locator_use: ClassVar[LocatorUse] = "optional"
    clears_overlay: ClassVar[bool] = True
    agent_tool: ClassVar[AgentTool | None] = AgentTool(
        "Close what lies over the page.", acts_on_element=False, helps_recovery=True
    )

    kinds: list[Kind] = Field(default=["dialog", "modal", "cookieBanner", "window"], min_length=1)
    """What counts."""

    async def run(self, ctx: RunContext) -> Outcome:
        """Close one after the other until nothing is left."""
        closed = await (self._click_control(ctx) if ctx.locator is not None else self._close_all(ctx))
        message = f"Closed {', '.join(closed)}" if closed else "There was nothing to close"
        return Outcome(message=message, details={"closed": closed})

    async def _click_control(self, ctx: RunContext) -> list[str]:
        if ctx.locator is None:
            return []
        patience = min(ctx.remaining_seconds, _WAIT_SECONDS)
        try:
            found = await ctx.page.find(ctx.locator, "act", timeout_seconds=patience)
        except NotPresent:  # nothing to close is not an error
            return []
        async with acting(ctx, f"close with {ctx.locator}"):
            await found.element.click(timeout=time_left_ms(ctx))
        return [str(ctx.locator)]

    async def _close_all(self, ctx: RunContext) -> list[str]:
        closed: list[str] = []
        end = time.monotonic() + min(ctx.remaining_seconds, _WAIT_SECONDS)
        while len(closed) < _MOST:
            kind = await self._close_one(ctx)
            if kind is not None:
                closed.append(kind)
            elif closed or time.monotonic() > end:
                break
            else:
                await asyncio.sleep(0.1)
        if len(closed) < _MOST and ctx.has_model and await self._closed_by_model(ctx):
            closed.append("overlay")
        return closed

    async def _closed_by_model(self, ctx: RunContext) -> bool:
        """Press what the model takes for the way out of what covers the page; true once that is gone."""
        if not set(self.kinds) & {"dialog", "modal"} or not await _is_covered(ctx):
            return False
        try:
            found = await find_by_model(ctx, _WAY_OUT, "act", NotPresent("Nothing closes what is there."))
        except (NotPresent, RiskyElement):
            return False
        words = await found.element.inner_text(timeout=time_left_ms(ctx))
        # a model may take `Delete` for the way out; such a control is never pressed on its word
        if is_risky(words):
            return False
        async with acting(ctx, "close what covers the page"):
            await found.element.click(timeout=min(time_left_ms(ctx), _CLICK_MS))
        end = time.monotonic() + _GONE_SECONDS
        while await _is_covered(ctx):
            if time.monotonic() > end:
                return False
            await asyncio.sleep(0.05)
        return True

    async def _close_one(self, ctx: RunContext) -> str | None:
        """Close the topmost thing; its kind, or nothing."""
        if "window" in self.kinds and await self._close_window(ctx):
            return "window"
        for frame in ctx.page.page.frames:
            popup = await _look(frame, [kind for kind in self.kinds if kind != "window"])
            if popup is not None and await _close(ctx, popup):
                return popup.kind
        return None

    async def _close_window(self, ctx: RunContext) -> bool:
        """A window opened by a page; a tab opened by a link is one only if windows alone are asked for."""
        before = ctx.page.page
        for tab in reversed(ctx.page.tabs.all):
            if await tab.opener() is None or not (self.kinds == ["window"] or await _is_popup(tab)):
                continue
            await ctx.page.tabs.switch_to(tab)
            await ctx.page.tabs.close("current")
            # closing a tab makes its opener current, which need not be where the block began
            if before in ctx.page.tabs.all:
                await ctx.page.tabs.switch_to(before)
            return True
        return False


async def _is_popup(tab: Page) -> bool:
    return bool(await tab.evaluate(_IS_POPUP))


async def _look(frame: Frame, kinds: list[str]) -> _Popup | None:
    try:
        found = await frame.evaluate_handle(_FIND, kinds)
        parts = await found.get_properties()
    except PlaywrightError:
        return None  # the frame went away or is loading: nothing to close in it now
    if "box" not in parts or (box := parts["box"].as_element()) is None:
        return None
    return _Popup(str(await parts["kind"].json_value()), box, parts["button"].as_element())


async def _close(ctx: RunContext, popup: _Popup) -> bool:
    """Click its control, or press Escape when it has none; true once it is gone."""
    # what a visitor agrees to is asked again anyway
    async with acting(ctx, f"close a {popup.kind}", is_input=popup.kind != "cookieBanner"):
        if popup.button is not None:
            await popup.button.click(timeout=min(time_left_ms(ctx), _CLICK_MS))
        else:
            # dialogs without a close button close on Escape, as the platform defines it
            await ctx.page.page.keyboard.press("Escape")
        end = time.monotonic() + _GONE_SECONDS
        while not await _is_gone(popup.box):
            if time.monotonic() > end:
                return False
            await asyncio.sleep(0.05)
    return True


async def _is_covered(ctx: RunContext) -> bool:
    try:
        async with ctx.page.guard("look for a popup"), asyncio.timeout(_LOOK_SECONDS):
            return bool(await ctx.page.page.evaluate(_COVERS))
    except TimeoutError:
        raise TimedOut(f"The page did not answer within {_LOOK_SECONDS:g} s.") from None


async def _is_gone(box: ElementHandle) -> bool:
    try:
        return bool(await box.evaluate(_IS_GONE))
    except PlaywrightError:
        return True  # its page is gone, and so is it


EXAMPLES: list[Json] = [
    {"type": "ClosePopup", "data": {"kinds": ["cookieBanner"]}},
    {"type": "ClosePopup", "locator": {"role": "button", "text": "No thanks"}, "data": {}},
]
