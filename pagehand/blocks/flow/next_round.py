"""Go on with the innermost loop's next round, always or when a condition holds.

The blocks after it are left out for this round; the outputs of the round until then are kept.
"""

from typing import ClassVar

from pagehand.blocks.loop_control import LoopControl, Signal
from pagehand.blocks.outcome import LoopContinue
from pagehand.records import Json


class NextRound(LoopControl):
    """Cut this round short."""

    type: ClassVar[str] = "Next"
    title: ClassVar[str] = "Next"
    label: ClassVar[str] = "Next round"
    sentences: ClassVar[str] = "pagehand.instructions.grammar.flow:SKIPPING"
    also_called: ClassVar[tuple[str, ...]] = ("continue", "nextRound", "skip")
    signal: ClassVar[Signal] = LoopContinue


EXAMPLES: list[Json] = [
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
