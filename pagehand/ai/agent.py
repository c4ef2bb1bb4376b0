"""An agent: the model sees the page, calls one tool after the other, and reports when it is done.

Each step is a new conversation with the goal, the steps so far and the current page: what earlier pages
showed does not pile up, and references never go stale.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from pagehand.ai.answers import AnswerSchema
from pagehand.errors import BlockFailed, Diagnosis
from pagehand.ports import AgentResult, AgentTools, Model
from pagehand.records import Json, Reply, Tool, ToolCall

_DONE: Final = "done"
_GIVE_UP: Final = "give_up"
_MAX_IDLE: Final = 3
"""Replies without a tool call before the agent is stopped."""
_MAX_HISTORY: Final = 30


class Agent:
    """Works towards one goal."""

    def __init__(self, model: Model, instructions: str, tools: AgentTools, result: Mapping[str, Any]) -> None:
        self._model = model
        self._instructions = instructions
        self._page_tools = tools
        self._result_schema = AnswerSchema(result)
        self._tools = [*tools.tools, *_ending_tools(self._result_schema)]
        self._history: list[str] = []
        self._idle = 0

    async def work(self, most_steps: int) -> AgentResult:
        """The result once the agent reports one; `BlockFailed` when it gives up or takes too many steps."""
        for _ in range(most_steps):
            reply = await self._ask()
            # one step at a time: the element of a second call may be gone after the first
            call = reply.calls[0] if reply.calls else None
            await self._page_tools.record_message("assistant", _describe(reply.text, call))
            if call is not None and call.name == _GIVE_UP:
                raise _gave_up(str(call.arguments.get("reason") or "it did not say why"))
            if call is not None and call.name == _DONE:
                achieved, problem = self._achieved(call)
                if achieved is not None:
                    return achieved
                await self._note(_describe("", call), problem)
            elif call is None:
                await self._note_idle(reply.text)
            else:
                await self._note(_describe("", call), await self._page_tools.do(call))
        raise BlockFailed(
            f"The goal was not reached within {most_steps} steps.",
            Diagnosis(
                found="\n".join(self._history[-5:]), advice="Raise `maxSteps`, or ask for less at once."
            ),
        )

    async def _ask(self) -> Reply:
        # a new conversation for every step, so that its length does not grow
        conversation = self._model.converse(self._instructions, self._tools)
        seen, picture = await self._page_tools.look(), await self._page_tools.picture()
        steps = "\n".join(self._history[-_MAX_HISTORY:]) or "Nothing yet."
        done, there = self._model.fence(steps), self._model.fence(seen)
        report = f"What was done so far:\n{done}\n\nWhat is there now:\n{there}"
        return await conversation.say(report, [picture] if picture else [])

    async def _note(self, step: str, outcome: str) -> None:
        self._history.append(f"{len(self._history) + 1}. {step} → {outcome}")
        await self._page_tools.record_message("tool", outcome)

    async def _note_idle(self, text: str) -> None:
        self._idle += 1
        if self._idle >= _MAX_IDLE:
            raise _gave_up(f"it used no tool and said: {text[:300]}")
        await self._note("(no tool)", f"Use one of the tools, or `{_DONE}`, or `{_GIVE_UP}`.")

    def _achieved(self, call: ToolCall) -> tuple[AgentResult | None, str]:
        value = self._result_schema.read(call.arguments.get("result"))
        if problem := self._result_schema.problems(value):
            return None, f"`result` does not fit what was asked for: {problem}"
        return AgentResult(str(call.arguments.get("message") or "The goal was reached"), value), ""


def _ending_tools(result: AnswerSchema) -> list[Tool]:
    text = {"type": "string"}
    done: Json = {
        "type": "object",
        "properties": {"message": text, "result": result.without_definitions},
        "required": ["message", "result"],
        **result.definitions,
    }
    reason = {"type": "object", "properties": {"reason": text}, "required": ["reason"]}
    return [
        Tool(name=_DONE, description="The goal is achieved; `result` is what was asked for.", arguments=done),
        Tool(name=_GIVE_UP, description="The goal cannot be achieved.", arguments=reason),
    ]


def _describe(text: str, call: ToolCall | None) -> str:
    called = f"{call.name} {json.dumps(call.arguments, ensure_ascii=False)}" if call else ""
    return "\n".join(item for item in (text.strip(), called) if item) or "(nothing)"


def _gave_up(reason: str) -> BlockFailed:
    return BlockFailed(f"The agent gave up: {reason}", Diagnosis(advice="Say the goal more plainly."))
