"""Acting on the page within a block's time."""

from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager
from typing import Any, Literal

from playwright.async_api import Locator as Element

from pagehand.blocks.base import RunContext
from pagehand.blocks.ports import Action
from pagehand.workflow.wire import Text, WireModel

_LONGEST_SECONDS = 86_400


class DialogAnswer(WireModel):
    """How dialogs that open meanwhile are answered."""

    action: Literal["accept", "dismiss"]
    """accept presses OK, dismiss presses Cancel."""
    text: Text | None = None
    """What to answer a prompt."""


def time_left_ms(ctx: RunContext) -> float:
    """What is left of the block's time as Playwright wants it: never 0, which would mean "for ever"."""
    return min(max(ctx.remaining_seconds, 0.001), _LONGEST_SECONDS) * 1000


async def address_of(element: Element, timeout_ms: float) -> str:
    """The address of the document an element is in; a frame without one of its own has its parent's."""
    handle = await element.element_handle(timeout=timeout_ms)
    try:
        frame = await handle.owner_frame()
    finally:
        await handle.dispose()
    while frame is not None and frame.url.startswith("about:") and frame.parent_frame is not None:
        frame = frame.parent_frame
    return frame.url if frame is not None else ""


async def ask(element: Element, function: str, argument: Any = None) -> Any:
    """What a JavaScript function of the element answers; one message instead of `evaluate`'s three."""
    present = "if (!el) throw new Error('the element went away meanwhile');"
    return await element.evaluate_all(
        f"([el], given) => {{ {present} return ({function})(el, given) }}", argument
    )


@asynccontextmanager
async def acting(
    ctx: RunContext, doing: str, dialog: DialogAnswer | None = None, sets_off: str | None = None
) -> AsyncGenerator[Action]:
    """Do something to the page; `doing` names it in failures, such as "click css `#save`".

    `sets_off` is what the page says, before the press, that it may send.
    """
    answer = dialog.model_dump(by_alias=True, exclude_none=True) if dialog else None
    with ExitStack() as settling:
        async with ctx.intending_effect(sets_off), ctx.page.guard(doing), ctx.page.acting(answer) as action:
            with ctx.timing("act"):
                yield action
            settling.enter_context(ctx.timing("settle"))


def dialog_output(action: Action, dialog: DialogAnswer | None) -> dict[str, Any]:
    """What a block puts out about dialogs: nothing unless it was told how to answer them."""
    if dialog is None:
        return {}
    last = action.dialogs[-1] if action.dialogs else None
    return {"dialog": {"type": last.type, "message": last.message} if last else None}
