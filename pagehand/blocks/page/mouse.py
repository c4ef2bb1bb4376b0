"""Click, double-click, right-click, drag, scroll or move the mouse.

Reach for it to press a button or follow a link. The element is waited for until it can be clicked;
nothing is ever clicked through what covers it. Without a locator it acts at the point `x`, `y` of the
window. `expect` says what the act must bring about (a navigation, a new tab or window, a download) and
fails the block when it does not. Mark it `isCommit` when doing it twice would do harm.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal

from playwright.async_api import Locator as Element
from playwright.async_api import Position
from pydantic import Field

from pagehand.blocks.agent_tool import AgentTarget, AgentTool
from pagehand.blocks.base import ACT_IN_DOUBT, CommittingBlock, LocatorUse, RecordingRule
from pagehand.blocks.outcome import NO_OUTPUT, Outcome
from pagehand.blocks.page.controls.acting import (
    DialogAnswer,
    acting,
    dialog_output,
    drag_by,
    drag_onto,
    expecting,
    time_left_ms,
)
from pagehand.blocks.run_context import RunContext
from pagehand.browser import Press
from pagehand.errors import BlockFailed
from pagehand.records import Json
from pagehand.workflow.effect_words import promises_effect
from pagehand.workflow.locator import Locator
from pagehand.workflow.recorded import ActKind, RecordedAct
from pagehand.workflow.templates import is_template

_PRESSES = frozenset(("click", "doubleClick"))
_SEEN = frozenset(("scroll", "move"))
_DONE = {
    "click": "Clicked",
    "doubleClick": "Double-clicked",
    "rightClick": "Right-clicked",
    "drag": "Dragged",
    "scroll": "Scrolled",
    "move": "Moved the mouse to",
}


class Mouse(CommittingBlock):
    """Do something with the mouse."""

    type: ClassVar[str] = "Mouse"
    title: ClassVar[str] = "Mouse Block"
    label: ClassVar[str] = "Click"
    menu_position: ClassVar[int] = 2
    verb: ClassVar[str] = "clicks"
    sentences: ClassVar[str] = "pagehand.instructions.grammar.acting:POINTING"
    recorded_as: ClassVar[Mapping[ActKind, RecordingRule]] = {
        "click": RecordingRule("Click", lambda act: _pressed(act, None)),
        "double click": RecordingRule("Double-click", lambda act: _pressed(act, "doubleClick")),
        "right click": RecordingRule("Right-click", lambda act: _pressed(act, "rightClick")),
        "drag": RecordingRule("Drag", lambda act: {"action": "drag", **_dropped(act)}),
    }
    also_called: ClassVar[tuple[str, ...]] = (
        "click",
        "tap",
        "press",
        "doubleClick",
        "rightClick",
        "drag",
        "scroll",
        "button",
        "clickElement",
        "submit",
    )
    needs_page: ClassVar[bool] = True
    changes_page: ClassVar[bool] = True
    changes_by_acting: ClassVar[bool] = True
    locator_use: ClassVar[LocatorUse] = "optional"
    agent_tool: ClassVar[AgentTool | None] = AgentTool(
        "Click an element (or doubleClick, rightClick, scroll).", ("action", "count"), helps_recovery=True
    )

    action: Literal["click", "doubleClick", "rightClick", "drag", "scroll", "move"] = "click"
    """What to do."""
    to_locator: Locator | None = None
    """drag: the element to drop on."""
    x: float | None = None
    """Offset in the element (without a locator: in the window); drag: by how far; scroll: wheel delta."""
    y: float | None = None
    """The same, from the top."""
    modifiers: list[Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]] = Field(
        default_factory=list[Any]
    )
    """Keys held down meanwhile."""
    count: int = Field(default=1, ge=1, le=100)
    """How many times to click."""
    expect: Literal["navigation", "popup", "download"] | None = None
    """What the act must bring about; the output of a download is a file."""
    dialog: DialogAnswer | None = None
    """How to answer a dialog that opens meanwhile; the block then outputs its message."""

    @classmethod
    def what_prevents_running(cls, data: Json, locator: Locator | None) -> str | None:
        """Nothing says what to act on, or where to drag it."""
        action, has_point = data.get("action") or "click", _is_given(data, "x") and _is_given(data, "y")
        if locator is None and action == "drag":
            return "`locator` is missing: it says what to drag."
        # a template may yield `scroll`, which needs neither
        needs_point = action != "scroll" and not is_template(action)
        if locator is None and needs_point and not has_point:
            return "`locator` is missing: give one, or a point of the window as `data.x` and `data.y`."
        if action == "drag" and not any(_is_given(data, name) for name in ("toLocator", "x", "y")):
            return "`data.toLocator` is missing: give it, or how far to drag as `data.x` and `data.y`."
        return None

    @classmethod
    def warnings(
        cls, data: Mapping[str, Any], locator: Mapping[str, Any] | None
    ) -> Iterator[tuple[str, str]]:
        """A click that promises an effect, and nothing keeps it from happening twice."""
        label = " ".join(str((locator or {}).get(key) or "") for key in ("text", "words", "title")).strip()
        is_press = data.get("action", "click") in _PRESSES
        if is_press and label and not data.get("isCommit") and promises_effect(label):
            warning = f"“{label[:80]}” promises an effect; set `isCommit` if it must never happen twice"
            yield "data.isCommit", warning

    @classmethod
    def agent_presses(cls, data: Mapping[str, Any], target: AgentTarget) -> Sequence[str]:
        """What is clicked; scrolling and the context menu set nothing off."""
        return target.says if data.get("action", "click") in _PRESSES else ()

    async def run(self, ctx: RunContext) -> Outcome:
        """Find the element, act on it, wait for what is expected."""
        element, matches = None, 0
        if ctx.locator is not None:
            found = await ctx.find("see" if self.action in _SEEN else "act")
            element, matches = found.element, found.matches
        name = self._target_name(ctx.locator)
        output: Json = {}
        try:
            press = await self._before_press(ctx, element)
            is_input = self.action not in _SEEN
            async with acting(ctx, f"{self.action} {name}", self.dialog, press, is_input=is_input) as action:
                if self.expect == "download":
                    output = await self._download(ctx, element)
                else:
                    async with expecting(ctx, self.expect):
                        await self._act(ctx, element)
        except ACT_IN_DOUBT as error:
            return await self.settle_doubt(ctx, error)
        output |= dialog_output(action, self.dialog)
        details = {"action": self.action, "matches": matches}
        return Outcome(output or NO_OUTPUT, f"{_DONE[self.action]} {name}", details)

    @property
    def has_point(self) -> bool:
        """True when both offsets are given."""
        return self.x is not None and self.y is not None

    def _target_name(self, locator: Locator | None) -> str:
        if locator is not None:
            return str(locator)
        return f"the point {self.x:g}, {self.y:g}" if self.has_point else "the page"

    async def _before_press(self, ctx: RunContext, element: Element | None) -> Press | None:
        if self.action not in _PRESSES:
            return None
        if element is not None:
            return await ctx.page.before_press(element)
        return await ctx.page.before_press_at(self.x or 0, self.y or 0) if self.has_point else None

    async def _act(self, ctx: RunContext, element: Element | None) -> None:
        if element is None:
            await self._act_on_window(ctx)
        elif self.action == "drag":
            await self._drag(ctx, element)
        elif self.action == "scroll":
            await self._scroll(ctx, element)
        elif self.action == "move":
            await element.hover(
                position=self._position(), modifiers=self.modifiers, timeout=time_left_ms(ctx)
            )
        else:
            await self._click(ctx, element)

    async def _click(self, ctx: RunContext, element: Element) -> None:
        if self.action == "doubleClick":
            await element.dblclick(
                position=self._position(), modifiers=self.modifiers, timeout=time_left_ms(ctx)
            )
            return
        await element.click(
            button="right" if self.action == "rightClick" else "left",
            click_count=self.count,
            position=self._position(),
            modifiers=self.modifiers,
            timeout=time_left_ms(ctx),
        )

    async def _drag(self, ctx: RunContext, element: Element) -> None:
        if self.to_locator is not None:
            target = await ctx.find("see", self.to_locator)
            await drag_onto(ctx, element, target.element)
        elif self.x is not None or self.y is not None:
            await drag_by(ctx, element, self.x or 0, self.y or 0)
        else:
            raise BlockFailed("Nothing says where to drag to: give `toLocator`, or `x` and `y`")

    async def _scroll(self, ctx: RunContext, element: Element) -> None:
        if self.x is None and self.y is None:
            await element.scroll_into_view_if_needed(timeout=time_left_ms(ctx))
            return
        await element.hover(timeout=time_left_ms(ctx))
        await ctx.page.page.mouse.wheel(self.x or 0, self.y or 0)

    async def _act_on_window(self, ctx: RunContext) -> None:
        """Without an element: x and y are a point in the window, or how far to scroll the page."""
        mouse = ctx.page.page.mouse
        if self.action == "scroll":
            await mouse.wheel(self.x or 0, self.y or 0)
            return
        if self.action == "drag" or self.x is None or self.y is None:
            raise BlockFailed(f"Nothing says what to {self.action}: give the block a locator")
        if self.action == "move":
            await mouse.move(self.x, self.y)
        elif self.action == "doubleClick":
            await mouse.dblclick(self.x, self.y)
        else:
            button = "right" if self.action == "rightClick" else "left"
            await mouse.click(self.x, self.y, button=button, click_count=self.count)

    def _position(self) -> Position | None:
        if self.x is None and self.y is None:
            return None
        return {"x": self.x or 0, "y": self.y or 0}

    async def _download(self, ctx: RunContext, element: Element | None) -> Json:
        info = await ctx.page.download(
            lambda: self._act(ctx, element), timeout_seconds=ctx.remaining_seconds, file_name=None
        )
        return ctx.files.describe(info)


def _is_given(data: Json, name: str) -> bool:
    return data.get(name) is not None


def _pressed(act: RecordedAct, action: str | None) -> Json:
    """A press of the mouse; one that opened a tab waits for it, since what follows was done there."""
    named = {"action": action} if action else {}
    return {**named, "expect": "popup"} if act.opens_tab else named


def _dropped(act: RecordedAct) -> Json:
    if act.to_locator is not None:
        return {"toLocator": act.to_locator.as_given()}
    right, down = act.moved_by
    return {"x": right, "y": down}


EXAMPLES: list[Json] = [
    {"type": "Mouse", "locator": {"role": "button", "text": "Save"}, "data": {"action": "click"}},
    {
        "type": "Mouse",
        "locator": {"role": "link", "text": "Delete"},
        "data": {"dialog": {"action": "accept"}, "isCommit": True},
    },
    {"type": "Mouse", "locator": {"css": "#card"}, "data": {"action": "drag", "toLocator": {"css": "#done"}}},
]
