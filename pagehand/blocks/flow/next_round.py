"""Go on with the innermost loop's next round, always or when a condition holds.

The blocks after it are left out for this round; what the round put out until then is kept.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from pagehand.blocks.base import Block, NextRound, Outcome, RunContext
from pagehand.workflow.conditions import Condition, describe, looks_at_page


class Next(Block):
    """Cut this round short."""

    type: ClassVar[str] = "Next"
    title: ClassVar[str] = "Next"
    also_called: ClassVar[tuple[str, ...]] = ("continue", "nextRound", "skip")
    needs_loop: ClassVar[bool] = True

    condition: Condition | None = None
    """Go on only if this holds."""

    @classmethod
    def ends_sequence(cls, data: Mapping[str, Any]) -> bool:
        """Without a condition it always does."""
        return data.get("condition") is None

    def wants_page(self) -> bool:
        """Only for conditions about the page."""
        return looks_at_page(self.condition)

    async def run(self, ctx: RunContext) -> Outcome:
        """Judge once, then go on."""
        if self.condition is not None and not await ctx.holds(self.condition):
            return Outcome(message=f"It does not hold: {describe(self.condition)}.")
        raise NextRound


EXAMPLES: list[dict[str, Any]] = [
    {
        "type": "Loop",
        "data": {"over": {"items": ["", "a"]}},
        "sequenceData": {
            "sequence": [
                {"type": "Next", "data": {"condition": "item == ''"}},
                {"type": "Transform", "data": {"input": "{{item}}", "code": "input.upper()"}},
            ]
        },
    },
]
