"""Leave the innermost loop, always or when a condition holds.

What the round put out until then is kept; the run goes on after the loop.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from pagehand.blocks.base import Block, LeaveLoop, Outcome, RunContext
from pagehand.workflow.conditions import Condition, describe, looks_at_page


class ExitFromLoop(Block):
    """End the loop this block stands in."""

    type: ClassVar[str] = "ExitFromLoop"
    title: ClassVar[str] = "Exit From Loop"
    sentences: ClassVar[str] = "pagehand.instructions.grammar.other_steps:LEAVING_LOOP"
    also_called: ClassVar[tuple[str, ...]] = ("break", "exitLoop", "exit", "stop", "leave")
    needs_loop: ClassVar[bool] = True

    condition: Condition | None = None
    """Leave only if this holds."""

    @classmethod
    def ends_sequence(cls, data: Mapping[str, Any]) -> bool:
        """Without a condition it always does."""
        return data.get("condition") is None

    def wants_page(self) -> bool:
        """Only for conditions about the page."""
        return looks_at_page(self.condition)

    async def run(self, ctx: RunContext) -> Outcome:
        """Judge once, then leave."""
        if self.condition is not None and not await ctx.holds(self.condition):
            return Outcome(message=f"It does not hold: {describe(self.condition)}.")
        raise LeaveLoop


EXAMPLES: list[dict[str, Any]] = [
    {
        "type": "Loop",
        "data": {"over": {"items": [1, 2, 3]}},
        "sequenceData": {"sequence": [{"type": "ExitFromLoop", "data": {"condition": "item == 2"}}]},
    },
]
