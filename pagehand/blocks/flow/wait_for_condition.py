"""Wait until something is so: an element appears, the address changes, an expression becomes true.

Reach for it before a block that reads the page at once, and for pages that work on their own for a while.
With `skipIfNotPresent` a condition that never comes true is not a failure.
"""

from typing import ClassVar

from pydantic import Field

from pagehand.blocks.base import Block
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.errors import Diagnosis, NotPresent
from pagehand.records import Json
from pagehand.workflow.conditions import Condition, PromptCondition, describe, looks_at_page

_LAST_LOOK_SECONDS = 0.1
"""With less time than this left, another look is not worth a wait."""
_LEAST_MODEL_SECONDS = 2.0


class WaitForCondition(Block):
    """Look again and again until the condition holds."""

    type: ClassVar[str] = "WaitForCondition"
    title: ClassVar[str] = "WaitForCondition"
    label: ClassVar[str] = "Wait until"
    menu_position: ClassVar[int] = 3
    sentences: ClassVar[str] = "pagehand.instructions.grammar.waiting:WAITING_FOR"
    changes_by_acting: ClassVar[bool] = True
    also_called: ClassVar[tuple[str, ...]] = (
        "waitFor",
        "waitUntil",
        "waitForElement",
        "waitForSelector",
        "waitForText",
        "until",
    )
    key_hints: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("until", "for", "when"), "did you mean `condition`?"),
        "timeout": "did you mean `timeoutMs`?",
        "locator": 'write it as a condition: `{"element": locator, "state": "visible"}`',
    }

    condition: Condition
    """What must come true."""
    poll_ms: int = Field(default=200, ge=20, le=60_000)
    """How long to wait between two looks, in milliseconds."""

    def wants_page(self) -> bool:
        """Only for conditions about the page."""
        return looks_at_page(self.condition)

    async def run(self, ctx: RunContext) -> Outcome:
        """Judge, sleep, judge again, until it holds or the time is over."""
        whole = ctx.remaining_seconds
        while not await ctx.holds(self.condition):
            left = ctx.remaining_seconds - _LAST_LOOK_SECONDS
            if left <= 0:
                raise self._never(whole)
            await ctx.sleep(min(self._pause_seconds, left))
        return Outcome(message=f"It holds: {describe(self.condition)}.")

    @property
    def _pause_seconds(self) -> float:
        """A model is not asked about every flicker of a page."""
        least = _LEAST_MODEL_SECONDS if isinstance(self.condition, PromptCondition) else 0
        return max(self.poll_ms / 1000, least)

    def _never(self, seconds: float) -> NotPresent:
        condition = describe(self.condition)
        return NotPresent(
            f"The condition did not come true within {round(seconds, 1):g} s: {condition}.",
            Diagnosis(
                expected=condition,
                found=f"It did not hold at any look, one every {self.poll_ms} ms.",
                cause="The page is slower than the block allows, or the condition refers to something else.",
                advice="Raise `timeoutMs`, mend the condition, or set `skipIfNotPresent`.",
            ),
        )


EXAMPLES: list[Json] = [
    {
        "type": "WaitForCondition",
        "data": {"condition": {"element": {"role": "status", "text": "Done"}}, "timeoutMs": 60_000},
    },
    {"type": "WaitForCondition", "data": {"condition": {"url": "*/orders/*"}}},
]
