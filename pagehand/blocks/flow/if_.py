"""Do one thing or another, depending on a condition.

The blocks of `trueSequence` run when the condition holds, those of `falseSequence` when it does not; either
may be empty. Blocks of the branch not taken have no output: it reads as null.
"""

from typing import ClassVar

from pagehand.blocks.base import Block
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.records import Json
from pagehand.workflow.conditions import Condition, describe, looks_at_page


class If(Block):
    """Run one of two sequences."""

    type: ClassVar[str] = "If"
    title: ClassVar[str] = "If"
    label: ClassVar[str] = "If … else"
    menu_position: ClassVar[int] = 2
    sentences: ClassVar[str] = "pagehand.instructions.grammar.flow:BRANCHING"
    changes_by_acting: ClassVar[bool] = True
    also_called: ClassVar[tuple[str, ...]] = ("condition", "branch", "switch", "else", "ifElse", "when")
    sequences: ClassVar[tuple[str, ...]] = ("trueSequence", "falseSequence")
    default_timeout_seconds: ClassVar[float | None] = None

    condition: Condition
    """Decides which sequence runs; judged once."""

    def wants_page(self) -> bool:
        """Only for conditions about the page."""
        return looks_at_page(self.condition)

    async def run(self, ctx: RunContext) -> Outcome:
        """Judge, unless the run begins inside a branch, and run that branch."""
        # a run that starts within a branch has chosen it; the condition may not hold any more
        branch = ctx.starts_in()
        if branch is not None:
            message = f"The run begins in `{branch}`."
        else:
            holds = await ctx.holds(self.condition)
            branch = "trueSequence" if holds else "falseSequence"
            message = f"{'It holds' if holds else 'It does not hold'}: {describe(self.condition)}."
        await ctx.run_sequence(branch)
        return Outcome(message=message, details={"branch": branch})


EXAMPLES: list[Json] = [
    {
        "type": "If",
        "data": {"condition": "params.amount > 100"},
        "sequenceData": {
            "trueSequence": [{"type": "Transform", "data": {"input": "large", "code": "input"}}],
            "falseSequence": [{"type": "Transform", "data": {"input": "small", "code": "input"}}],
        },
    },
    {
        "type": "If",
        "data": {"condition": {"element": {"text": "No results"}, "state": "hidden"}},
        "sequenceData": {"trueSequence": [{"type": "Wait", "data": {"durationMs": 1}}]},
    },
]
