"""The gateway: which model serves whom, and all that can be asked of it.

Everything that goes out passes the redactor; what comes off pages stands between marks as untrusted material;
every answer in a shape is checked against it and mended once; what was spent is counted and bounded.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Final

from pagehand.ai.agent import Achieved, Agent, AgentTools
from pagehand.ai.answers import Shape, from_text
from pagehand.ai.prompting import fenced, prompt
from pagehand.ai.usage import Limits, Usage
from pagehand.errors import BlockFailed, Diagnosis
from pagehand.records import Reply, Tool
from pagehand.settings import Settings

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequestPart
    from pydantic_ai.models import Model as Backend

OrganizationName = Callable[[str], Awaitable[str]]
"""The name of an organization by its id."""
Redact = Callable[[str], str]
_ANSWER: Final = "answer"
_NOBODY: Final = "none"


class Gateway:
    """Knows the configured models; opens them when they are first asked."""

    def __init__(self, settings: Settings, organization_name: OrganizationName) -> None:
        self._settings = settings
        self._organization_name = organization_name
        self._limits = Limits.of(settings)
        self._overrides = _pairs(settings.model_organizations)
        self._open: dict[str, Backend] = {}
        self._connections = AsyncExitStack()

    async def close(self) -> None:
        """Let the connections go."""
        self._open.clear()
        await self._connections.aclose()

    async def for_organization(self, organization_id: str, redact: Redact) -> "RunModel | None":
        """The model of an organization, counting from zero; None when none is configured for it."""
        spec = self._settings.model
        if self._overrides:
            spec = self._overrides.get(await self._organization_name(organization_id), spec)
        if not spec or spec == _NOBODY:
            return None
        fallbacks = [
            fallback.strip() for fallback in self._settings.model_fallbacks.split(",") if fallback.strip()
        ]
        return RunModel(lambda: self._backends((spec, *fallbacks)), self._limits, redact)

    async def _backends(self, specs: Sequence[str]) -> "list[Backend]":
        return [await self._backend(spec) for spec in specs]

    async def _backend(self, spec: str) -> "Backend":
        from pagehand.ai.wire import open_model  # noqa: PLC0415 - large, and most services have no model

        if spec not in self._open:
            # address and key are those of the provider that `PAGEHAND_MODEL` names; others have their own
            is_main = _provider_of(spec) == _provider_of(self._settings.model or spec)
            key = self._settings.model_api_key
            self._open[spec] = await self._connections.enter_async_context(
                open_model(
                    spec,
                    self._settings.model_base_url if is_main else None,
                    key.get_secret_value() if key and is_main else None,
                )
            )
        return self._open[spec]


class RunModel:
    """A model in the service of one execution or one conversation."""

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
        """What the instructions ask of the material, in the shape of `schema`; mended once."""
        shape = Shape(schema)
        tool = Tool(name=_ANSWER, description="Give the answer.", arguments=shape.arguments)
        conversation = ModelConversation(self, instructions, [tool], must_call=True)
        reply = await conversation.say(self.fence(material), images)
        for is_last in (False, True):
            value, problem = _read(reply, shape)
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
        """What the instructions ask of the material, in words."""
        reply = await ModelConversation(self, instructions, []).say(self.fence(material), images)
        # a block that puts out an empty text would look as if it had worked
        if not reply.text.strip():
            raise BlockFailed("The model answered nothing.")
        return reply.text.strip()

    def converse(self, instructions: str, tools: Sequence[Tool]) -> "ModelConversation":
        """A conversation in which the model may ask for tools."""
        return ModelConversation(self, instructions, tools)

    async def pursue(
        self, instructions: str, tools: AgentTools, *, most_steps: int, result: Mapping[str, Any]
    ) -> Achieved:
        """Work with `tools` until it is done, putting out what fits the schema `result`."""
        return await Agent(self, instructions, tools, result).work(most_steps)

    def fence(self, material: str) -> str:
        """Untrusted text, marked as such and bounded."""
        return fenced(material, self._limits.material_characters)

    async def ask(
        self, messages: "list[ModelMessage]", tools: Sequence[Tool], *, must_call: bool
    ) -> "tuple[ModelMessage, Reply]":
        """Send a conversation as it stands; the message to keep and what it says."""
        from pagehand.ai.wire import ask, read_reply  # noqa: PLC0415 - large, and most services have no model

        backends = await self._backends()
        response = await ask(backends, messages, tools, self._limits, self.usage, must_call=must_call)
        return response, read_reply(response)

    def hide(self, text: str) -> str:
        """`text` without the execution's secrets."""
        return self._redact(text)


class ModelConversation:
    """A conversation; it keeps all its messages."""

    def __init__(
        self, model: RunModel, instructions: str, tools: Sequence[Tool], *, must_call: bool = False
    ) -> None:
        self._model = model
        self._instructions = model.hide(f"{prompt('rules')}\n\n{instructions}")
        self._tools = tools
        self._must_call = must_call
        self._messages: list[ModelMessage] = []
        self._open: Reply | None = None

    async def say(self, text: str, images: Sequence[bytes] = ()) -> Reply:
        """Say something, answering all that the model asked for with it."""
        return await self.answer([text], images)

    async def answer(self, results: Sequence[str], images: Sequence[bytes] = ()) -> Reply:
        """Hand in what the tools of the last reply gave, in the order they were asked for."""
        from pydantic_ai.messages import ModelRequest  # noqa: PLC0415 - large, and most services have no model

        parts = self._parts([self._model.hide(result) for result in results], images)
        self._messages.append(ModelRequest(parts=parts, instructions=self._instructions))
        message, reply = await self._model.ask(self._messages, self._tools, must_call=self._must_call)
        self._messages.append(message)
        self._open = reply
        return reply

    def _parts(self, results: list[str], images: Sequence[bytes]) -> "list[ModelRequestPart]":
        from pydantic_ai.messages import BinaryContent, ToolReturnPart, UserPromptPart  # noqa: PLC0415 - as above

        pictures = [BinaryContent(image, media_type="image/jpeg") for image in images]
        calls = self._open.calls if self._open else ()
        if not calls:
            return [UserPromptPart(content=[*results, *pictures] if pictures else "\n".join(results))]
        given = [*results, *(results[-1:] * (len(calls) - len(results)))]
        returned = [
            ToolReturnPart(tool_name=call.name, content=item, tool_call_id=call.id)
            for call, item in zip(calls, given, strict=False)
        ]
        return [*returned, UserPromptPart(content=pictures)] if pictures else [*returned]


def _read(reply: Reply, shape: Shape) -> tuple[Any, str]:
    """The answer and what is wrong with it."""
    if reply.calls:
        value = shape.read(reply.calls[0].arguments)
        return value, shape.problems(value)
    try:
        value = shape.read(from_text(reply.text))
    except ValueError:
        return None, "it is not JSON"
    return value, shape.problems(value)


def _pairs(written: str) -> dict[str, str]:
    """`name=provider:model, …` taken apart."""
    pairs = (part.partition("=") for part in written.split(",") if "=" in part)
    return {name.strip(): spec.strip() for name, _, spec in pairs}


def _provider_of(spec: str) -> str:
    return spec.partition(":")[0]
