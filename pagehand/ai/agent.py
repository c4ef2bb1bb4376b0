"""A model at work: it sees what is there, asks for one step after the other, and says when it is done.

Each step is asked for anew, with the goal, what was done so far and what is there now: what a page said
earlier does not pile up, and references never go stale.
"""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from pagehand.ai.answers import Shape
from pagehand.errors import BlockFailed, Diagnosis
from pagehand.ports import Achieved, AgentTools
from pagehand.records import Json, Reply, Tool, ToolCall

if TYPE_CHECKING:
    from pagehand.ai.model import RunModel

_DONE: Final = "done"
_GIVE_UP: Final = "give_up"
_MOST_IDLE: Final = 3
_SHOWN_STEPS: Final = 30


class Agent:
    """One pursuit of one goal."""

    def __init__(
        self, model: "RunModel", instructions: str, tools: AgentTools, result: Mapping[str, Any]
    ) -> None:
        self._model = model
        self._instructions = instructions
        self._page_tools = tools
        self._shape = Shape(result)
        self._tools = [*tools.tools, *_ending(self._shape)]
        self._history: list[str] = []
        self._idle = 0

    async def work(self, most_steps: int) -> Achieved:
        """Step after step until it is done; `BlockFailed` when it gives up or takes too long."""
        for _ in range(most_steps):
            reply = await self._ask()
            # one step at a time: what a second call refers to may be gone once the first was made
            call = reply.calls[0] if reply.calls else None
            await self._page_tools.heard("assistant", _shown(reply.text, call))
            if call is not None and call.name == _GIVE_UP:
                raise _gave_up(str(call.arguments.get("reason") or "it did not say why"))
            if call is not None and call.name == _DONE:
                achieved, problem = self._achieved(call)
                if achieved is not None:
                    return achieved
                await self._note(_shown("", call), problem)
            elif call is None:
                await self._stalled(reply.text)
            else:
                await self._note(_shown("", call), await self._page_tools.do(call))
        raise BlockFailed(
            f"The goal was not reached within {most_steps} steps.",
            Diagnosis(
                found="\n".join(self._history[-5:]), advice="Raise `maxSteps`, or ask for less at once."
            ),
        )

    async def _ask(self) -> Reply:
        # a new conversation for every step, so that its length does not grow with the steps
        conversation = self._model.converse(self._instructions, self._tools)
        seen, picture = await self._page_tools.look(), await self._page_tools.picture()
        steps = "\n".join(self._history[-_SHOWN_STEPS:]) or "Nothing yet."
        done, there = self._model.fence(steps), self._model.fence(seen)
        report = f"What was done so far:\n{done}\n\nWhat is there now:\n{there}"
        return await conversation.say(report, [picture] if picture else [])

    async def _note(self, step: str, outcome: str) -> None:
        self._history.append(f"{len(self._history) + 1}. {step} → {outcome}")
        await self._page_tools.heard("tool", outcome)

    async def _stalled(self, text: str) -> None:
        self._idle += 1
        if self._idle >= _MOST_IDLE:
            raise _gave_up(f"it used no tool and said: {text[:300]}")
        await self._note("(no tool)", f"Use one of the tools, or `{_DONE}`, or `{_GIVE_UP}`.")

    def _achieved(self, call: ToolCall) -> tuple[Achieved | None, str]:
        value = self._shape.read(call.arguments.get("result"))
        if problem := self._shape.problems(value):
            return None, f"`result` does not fit what was asked for: {problem}"
        return Achieved(str(call.arguments.get("message") or "The goal was reached"), value), ""


def _ending(shape: Shape) -> list[Tool]:
    sentence = {"type": "string"}
    done: Json = {
        "type": "object",
        "properties": {"message": sentence, "result": shape.plain},
        "required": ["message", "result"],
        **shape.shared,
    }
    reason = {"type": "object", "properties": {"reason": sentence}, "required": ["reason"]}
    return [
        Tool(name=_DONE, description="The goal is achieved; `result` is what was asked for.", arguments=done),
        Tool(name=_GIVE_UP, description="The goal cannot be achieved.", arguments=reason),
    ]


def _shown(text: str, call: ToolCall | None) -> str:
    used = f"{call.name} {json.dumps(call.arguments, ensure_ascii=False)}" if call else ""
    return "\n".join(item for item in (text.strip(), used) if item) or "(nothing)"


def _gave_up(reason: str) -> BlockFailed:
    return BlockFailed(f"The agent gave up: {reason}", Diagnosis(advice="Say the goal more plainly."))
