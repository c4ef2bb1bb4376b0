"""End the run as failed when something is so: an error message on the page, a total that cannot be right.

Reach for it where going on would do harm, and say in `message` what a person should know.
"""

from typing import ClassVar

from pagehand.blocks.base import Block
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.errors import ConditionMet, Diagnosis
from pagehand.records import Json
from pagehand.workflow.conditions import Condition, describe, looks_at_page
from pagehand.workflow.wire import Text


class FailOnCondition(Block):
    """Fail if the condition holds; judged once."""

    type: ClassVar[str] = "FailOnCondition"
    title: ClassVar[str] = "FailOnCondition"
    label: ClassVar[str] = "Fail if"
    sentences: ClassVar[str] = "pagehand.instructions.grammar.flow:FAILING"
    changes_by_acting: ClassVar[bool] = True
    also_called: ClassVar[tuple[str, ...]] = (
        "assert",
        "fail",
        "verify",
        "throw",
        "assertion",
        "raise",
        "abort",
        "expect",
    )
    key_hints: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("error", "reason", "text"), "did you mean `message`?"),
        **dict.fromkeys(("if", "when"), "did you mean `condition`?"),
    }

    condition: Condition
    """What must not be so."""
    message: Text = ""
    """What the failure says; by default the condition."""

    def wants_page(self) -> bool:
        """Only for conditions about the page."""
        return looks_at_page(self.condition)

    async def run(self, ctx: RunContext) -> Outcome:
        """Judge once."""
        condition = describe(self.condition)
        if not await ctx.holds(self.condition):
            return Outcome(message=f"It does not hold: {condition}.")
        raise ConditionMet(
            self.message or f"The condition that must not hold does: {condition}.",
            Diagnosis(
                expected=f"This not to hold: {condition}.",
                found="It holds.",
                cause="The workflow says that the run must end as failed here.",
                advice="Look at the page at this point of the run, or change the condition.",
            ),
        )


EXAMPLES: list[Json] = [
    {
        "type": "FailOnCondition",
        "data": {
            "condition": {"element": {"role": "alert"}},
            "message": "Order {{params.order}} was refused.",
        },
    },
    {"type": "FailOnCondition", "data": {"condition": "params.amount > 1000", "message": "Too much to pay."}},
]
