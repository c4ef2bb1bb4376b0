"""The model of one execution or conversation.

Everything sent is redacted; text from pages is fenced as untrusted material; an answer that has to match a
schema is validated and may be corrected once; usage is counted and limited.
"""

import asyncio
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pagehand.ai.agent import Agent
from pagehand.ai.answers import AnswerSchema, parse_json
from pagehand.ai.usage import Limits, Usage
from pagehand.cooperative import import_in_thread
from pagehand.errors import BlockFailed, Diagnosis, OurFault
from pagehand.ports import AgentResult, AgentTools
from pagehand.records import Reply, Tool

_FOLDER: Final = Path(__file__).with_name("prompts")
_PLACEHOLDER: Final = re.compile(r"\[\[(\w+)\]\]")


if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequestPart
    from pydantic_ai.models import Model as Backend


Redact = Callable[[str], str]
_ANSWER: Final = "answer"


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
