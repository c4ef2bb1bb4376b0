"""Wait a fixed time.

Reach for it only when nothing on the page tells that something is ready: a WaitForCondition block goes on as
soon as it may, and a block that needs an element waits for it anyway.
"""

from typing import ClassVar, Final

from pydantic import Field

from pagehand.blocks.agent_tool import AgentTarget, AgentTool
from pagehand.blocks.base import Block
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.records import Json

_LONGEST_OF_AGENT_MS: Final = 5000


class Wait(Block):
    """Do nothing for a while."""

    type: ClassVar[str] = "Wait"
    title: ClassVar[str] = "Wait"
    label: ClassVar[str] = "Wait some time"
    menu_position: ClassVar[int] = 4
    sentences: ClassVar[str] = "pagehand.instructions.grammar.waiting:WAITING"
    also_called: ClassVar[tuple[str, ...]] = ("sleep", "delay", "pause", "timeout")
    key_hints: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("seconds", "ms", "milliseconds", "duration", "time"), "write `durationMs`, in ms"),
        **dict.fromkeys(("until", "condition", "for"), "to wait for something use `WaitForCondition`"),
    }
    default_timeout_seconds: ClassVar[float | None] = 600
    agent_tool: ClassVar[AgentTool | None] = AgentTool(
        "Wait for the page.",
        ("durationMs",),
        required=("durationMs",),
        acts_on_element=False,
        helps_recovery=True,
    )

    duration_ms: int = Field(default=1000, ge=0)
    """How long to wait, in milliseconds."""

    @classmethod
    def agent_data(cls, data: Json, target: AgentTarget | None) -> Json:  # noqa: ARG003 - it has none
        """A model's steps are limited: a wait must not take most of them."""
        wanted = data.get("durationMs")
        return {**data, "durationMs": min(_LONGEST_OF_AGENT_MS, wanted)} if isinstance(wanted, int) else data

    async def run(self, ctx: RunContext) -> Outcome:
        """Sleep; a paused execution does not use its time up."""
        await ctx.sleep(self.duration_ms / 1000)
        return Outcome(message=f"Waited {self.duration_ms} ms.")


EXAMPLES: list[Json] = [
    {"type": "Wait", "data": {"durationMs": 50}},
    {"type": "Wait", "name": "Let the server think", "data": {"durationMs": "{{params.pauseMs}}"}},
]
