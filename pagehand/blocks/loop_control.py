"""What the kinds share that end a loop or a round of it, always or when a condition holds."""

from collections.abc import Mapping
from typing import Any, ClassVar

from pagehand.blocks.base import Block
from pagehand.blocks.outcome import LoopBreak, LoopContinue, Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.workflow.conditions import Condition, describe, looks_at_page

Signal = type[LoopBreak] | type[LoopContinue]
"""What a loop understands."""


class LoopControl(Block):
    """Judges its condition once and then raises the kind's signal to the loop."""

    needs_loop: ClassVar[bool] = True
    changes_by_acting: ClassVar[bool] = True
    signal: ClassVar[Signal]

    condition: Condition | None = None
    """Only if this holds."""

    @classmethod
    def ends_sequence(cls, data: Mapping[str, Any]) -> bool:
        """Without a condition it always does."""
        return data.get("condition") is None

    def wants_page(self) -> bool:
        """Only for conditions about the page."""
        return looks_at_page(self.condition)

    async def run(self, ctx: RunContext) -> Outcome:
        """Judge once, then go."""
        if self.condition is not None and not await ctx.holds(self.condition):
            return Outcome(message=f"It does not hold: {describe(self.condition)}.")
        raise self.signal
