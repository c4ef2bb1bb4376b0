"""The model of one execution or conversation, and the agent that works with it.

Everything sent is redacted; text from pages is fenced as untrusted material; an answer that has to match a
schema is validated and may be corrected once; usage is counted and limited.

Each step of an agent is a new conversation with the goal, the steps so far and the current page: what earlier
pages showed does not pile up, and references never go stale.
"""

import asyncio
import json
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pagehand.ai.answers import AnswerSchema, parse_json
from pagehand.ai.usage import Limits, Usage
from pagehand.errors import BlockFailed, Diagnosis, OurFault
from pagehand.loop import import_in_thread
from pagehand.ports import AgentResult, AgentTools, Model
from pagehand.records import Json, Reply, Tool, ToolCall

_DONE: Final = "done"
_GIVE_UP: Final = "give_up"
_MAX_IDLE: Final = 3
"""Replies without a tool call before the agent is stopped."""
_MAX_HISTORY: Final = 30
_FOLDER: Final = Path(__file__).with_name("prompts")
_PLACEHOLDER: Final = re.compile(r"\[\[(\w+)\]\]")
Redact = Callable[[str], str]
_ANSWER: Final = "answer"


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


if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequestPart
    from pydantic_ai.models import Model as Backend


class RunModel:
    """A model for one execution or one conversation."""

    def __init__(
        self, backends: "Callable[[], Awaitable[list[Backend]]]", limits: Limits, redact: Redact
    ) -> None:
        self._backends = backends
        self._limits = limits
        self._redact = redact
        self.usage = Usage()

    def prompt(self, name: str, **words: str) -> str:
        """The instructions of a task from `prompts/<name>.md`; `words` are the workflow author's own."""
        return prompt(name, **words)

    async def data(
        self, instructions: str, material: str, schema: Mapping[str, Any], images: Sequence[bytes] = ()
    ) -> Any:
        """An answer that is valid against `schema`; the model may correct it once."""
        answers = AnswerSchema(schema)
        tool = Tool(name=_ANSWER, description="Give the answer.", arguments=answers.arguments)
        conversation = ModelConversation(self, instructions, [tool], must_call=True)
        reply = await conversation.say(self.fence(material), images)
        for is_last in (False, True):
            value, problem = _read_answer(reply, answers)
            if not problem:
                return value
            if is_last:
                break
            reply = await conversation.say(f"That does not fit the schema: {problem}. Answer again, whole.")
        raise BlockFailed(
            f"The model's answer does not fit the schema: {problem}",
            Diagnosis(
                expected="An answer that validates against `schema`.",
                found=problem,
                cause="the material does not hold it, or the model is not up to it.",
                advice="Make the schema's required fields fewer, the prompt plainer, or set another model.",
            ),
        )

    async def text(self, instructions: str, material: str, images: Sequence[bytes] = ()) -> str:
        """An answer in words."""
        reply = await ModelConversation(self, instructions, []).say(self.fence(material), images)
        # a block with an empty text as its output would look as if it had worked
        if not reply.text.strip():
            raise BlockFailed("The model answered nothing.")
        return reply.text.strip()

    def converse(self, instructions: str, tools: Sequence[Tool]) -> "ModelConversation":
        """A conversation in which the model may call tools."""
        return ModelConversation(self, instructions, tools)

    async def run_agent(
        self, instructions: str, tools: AgentTools, *, most_steps: int, result: Mapping[str, Any]
    ) -> AgentResult:
        """Let the model work with `tools` until it reports a result that matches the schema `result`."""
        # in a thread: the schemas of its tools take long
        agent = await asyncio.to_thread(Agent, self, instructions, tools, result)
        return await agent.work(most_steps)

    def fence(self, material: str) -> str:
        """Untrusted text, marked as such and limited in length."""
        return fence(material, self._limits.material_characters)

    async def ask(
        self, messages: "list[ModelMessage]", tools: Sequence[Tool], *, must_call: bool
    ) -> "tuple[ModelMessage, Reply]":
        """Send a conversation; the message to keep, and the reply in it."""
        from pagehand.ai.wire import call_models, read_reply  # noqa: PLC0415 - large, and most services have no model

        backends = await self._backends()
        response = await call_models(backends, messages, tools, self._limits, self.usage, must_call=must_call)
        return response, read_reply(response)

    def hide(self, text: str) -> str:
        """`text` without the execution's secrets."""
        return self._redact(text)


class ModelConversation:
    """A conversation with all its messages."""

    def __init__(
        self, model: RunModel, instructions: str, tools: Sequence[Tool], *, must_call: bool = False
    ) -> None:
        self._model = model
        self._instructions = model.hide(f"{prompt('rules')}\n\n{instructions}")
        self._tools = tools
        self._must_call = must_call
        self._messages: list[ModelMessage] = []
        self._last_reply: Reply | None = None

    async def say(self, text: str, images: Sequence[bytes] = ()) -> Reply:
        """Send a text, which also answers all tool calls of the last reply."""
        return await self.answer([text], images)

    async def answer(self, results: Sequence[str], images: Sequence[bytes] = ()) -> Reply:
        """Send the results of the tool calls in the last reply, in their order."""
        await _load_library()
        from pydantic_ai.messages import ModelRequest  # noqa: PLC0415 - large, and most services have no model

        parts = self._parts([self._model.hide(result) for result in results], images)
        self._messages.append(ModelRequest(parts=parts, instructions=self._instructions))
        message, reply = await self._model.ask(self._messages, self._tools, must_call=self._must_call)
        self._messages.append(message)
        self._last_reply = reply
        return reply

    def _parts(self, results: list[str], images: Sequence[bytes]) -> "list[ModelRequestPart]":
        from pydantic_ai.messages import BinaryContent, ToolReturnPart, UserPromptPart  # noqa: PLC0415 - as above

        pictures = [BinaryContent(image, media_type="image/jpeg") for image in images]
        calls = self._last_reply.calls if self._last_reply else ()
        if not calls:
            return [UserPromptPart(content=[*results, *pictures] if pictures else "\n".join(results))]
        # every call needs an answer: missing ones repeat the last result
        given = [*results, *(results[-1:] * (len(calls) - len(results)))]
        returned = [
            ToolReturnPart(tool_name=call.name, content=item, tool_call_id=call.id)
            for call, item in zip(calls, given, strict=False)
        ]
        return [*returned, UserPromptPart(content=pictures)] if pictures else [*returned]


async def _load_library() -> None:
    try:
        await import_in_thread("pagehand.ai.wire")
    except ModuleNotFoundError as missing:
        raise BlockFailed(
            "The language model cannot be used: its library is missing.",
            Diagnosis(
                cause="`PAGEHAND_MODEL` is set, and the extra `models` of Pagehand is not installed.",
                advice="Install it with `pip install 'pagehand[models]'` and start the service again.",
            ),
        ) from missing


def _read_answer(reply: Reply, schema: AnswerSchema) -> tuple[Any, str]:
    """The answer, and what is wrong with it."""
    try:
        answer = reply.calls[0].arguments if reply.calls else parse_json(reply.text)
    except ValueError:
        return None, "it is not JSON"
    value = schema.read(answer)
    return value, schema.problems(value)


def prompt(name: str, **words: str) -> str:
    """The text of `prompts/<name>.md` with its `[[placeholders]]` filled in, once."""
    return _PLACEHOLDER.sub(lambda found: _value(name, found[1], words), _text(name)).strip()


def fence(material: str, longest: int) -> str:
    """`material` between marks that it cannot contain, cut to `longest` characters."""
    mark = secrets.token_hex(6)
    cut = material[:longest]
    if len(material) > longest:
        cut += f"\n[{len(material) - longest} more characters are not shown]"
    return f"<<<material {mark}>>>\n{cut}\n<<<end of material {mark}>>>"


@cache
def _text(name: str) -> str:
    return (_FOLDER / f"{name}.md").read_text(encoding="utf-8")


def _value(name: str, placeholder: str, words: dict[str, str]) -> str:
    if placeholder not in words:
        raise OurFault(f"The prompt `{name}` needs `{placeholder}`, which is missing.")
    return words[placeholder]
