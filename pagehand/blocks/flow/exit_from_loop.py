"""Leave the innermost loop, always or when a condition holds.

The outputs of the round until then are kept; the run goes on after the loop.
"""

from typing import ClassVar

from pagehand.blocks.loop_control import LoopControl, Signal
from pagehand.blocks.outcome import LoopBreak
from pagehand.records import Json


class ExitFromLoop(LoopControl):
    """End the loop this block stands in."""

    type: ClassVar[str] = "ExitFromLoop"
    title: ClassVar[str] = "Exit From Loop"
    label: ClassVar[str] = "Leave the loop"
    sentences: ClassVar[str] = "pagehand.instructions.grammar.flow:LEAVING_LOOP"
    also_called: ClassVar[tuple[str, ...]] = ("break", "exitLoop", "exit", "stop", "leave")
    signal: ClassVar[Signal] = LoopBreak


EXAMPLES: list[Json] = [
    {
        "type": "Loop",
        "data": {"over": {"items": [1, 2, 3]}},
        "sequenceData": {"sequence": [{"type": "ExitFromLoop", "data": {"condition": "item == 2"}}]},
    },
]
