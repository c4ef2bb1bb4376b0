"""Rest the mouse on an element, so that menus and tips which open under it come up.

Reach for it before clicking something that shows only while the mouse is over its neighbour.
"""

from typing import ClassVar

from pydantic import Field

from pagehand.blocks.agent_tool import AgentTool
from pagehand.blocks.base import Block, LocatorUse
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.page.controls.acting import acting, time_left_ms
from pagehand.blocks.run_context import RunContext
from pagehand.records import Json


class Hover(Block):
    """Rest the mouse on an element."""

    type: ClassVar[str] = "Hover"
    title: ClassVar[str] = "Hover Block"
    label: ClassVar[str] = "Point at an element"
    verb: ClassVar[str] = "hovers over"
    sentences: ClassVar[str] = "pagehand.instructions.grammar.acting:HOVERING"
    also_called: ClassVar[tuple[str, ...]] = ("mouseOver", "moveTo")
    needs_page: ClassVar[bool] = True
    changes_page: ClassVar[bool] = True
    changes_by_acting: ClassVar[bool] = True
    locator_use: ClassVar[LocatorUse] = "required"
    agent_tool: ClassVar[AgentTool | None] = AgentTool("Move the mouse over an element.", helps_recovery=True)

    duration_ms: int = Field(default=0, ge=0)
    """How long to stay there, in milliseconds."""

    async def run(self, ctx: RunContext) -> Outcome:
        """Go there and stay."""
        found = await ctx.find("see")
        async with acting(ctx, f"hover over {ctx.locator}", is_input=False):
            await found.element.hover(timeout=time_left_ms(ctx))
            if self.duration_ms:
                await ctx.sleep(self.duration_ms / 1000)
        return Outcome(message=f"Hovered over {ctx.locator}", details={"matches": found.matches})


EXAMPLES: list[Json] = [
    {"type": "Hover", "locator": {"role": "button", "text": "Account"}, "data": {"durationMs": 100}},
]
