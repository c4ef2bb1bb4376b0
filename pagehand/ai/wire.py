"""Calls to models through pydantic-ai; imported when a model is first used, because it is large."""

import asyncio
import json
import os
import time
from collections.abc import Sequence
from typing import Any, Final

from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import (
    AgentRunError,
    FallbackExceptionGroup,
    ModelAPIError,
    ModelConnectionError,
    ModelRateLimitError,
    ModelServerError,
    ModelUnavailableError,
    UserError,
)
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model, ModelRequestParameters, infer_model
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.providers import Provider, infer_provider_class
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from pagehand.ai.usage import Limits, Usage
from pagehand.errors import BlockFailed, Diagnosis
from pagehand.records import Reply, Tool, ToolCall

_TEMPORARY: Final = (ModelRateLimitError, ModelUnavailableError, ModelServerError, ModelConnectionError)
_FIRST_PAUSE_SECONDS: Final = 0.5
_OLLAMA_URL: Final = "http://localhost:11434/v1"
_NO_KEY: Final = "none"


def open_model(spec: str, base_url: str | None, api_key: str | None) -> Model:
    """The model named `provider:model`; at `base_url` any service that speaks OpenAI's protocol."""
    provider, _, name = spec.partition(":")
    if not provider or not name:
        raise _unusable(spec, "it has to be `provider:model`, such as `openai:gpt-5-mini`")
    if provider == "ollama" and base_url is None:
        base_url = os.environ.get("OLLAMA_BASE_URL", _OLLAMA_URL)
    try:
        if base_url is not None:
            return _compatible(provider, name, base_url, api_key)
        return infer_model(spec, lambda known: _provider(known, api_key))
    except ImportError as missing:
        raise _unusable(spec, "its library is missing: `pip install 'pagehand[models]'`") from missing
    except (UserError, ValueError) as refused:
        raise _unusable(spec, str(refused)) from refused


async def call_models(
    models: Sequence[Model],
    messages: list[ModelMessage],
    tools: Sequence[Tool],
    limits: Limits,
    usage: Usage,
    *,
    must_call: bool,
) -> ModelResponse:
    """The first answer of the models; each is retried while its error may be temporary."""
    limits.check(usage)
    # not pydantic-ai's FallbackModel: each model is retried within our limits before the next one is called,
    # its usage is counted, and the failure names the error of every model
    errors: list[str] = []
    for model in models:
        try:
            parameters = _parameters(tools, must_call=must_call, by_schema=limits.by_schema)
            return await _call_model(model, messages, parameters, limits, usage)
        except (AgentRunError, UserError, FallbackExceptionGroup, TimeoutError) as error:
            errors.append(f"`{model.model_name}`: {_reason(error, limits)}")
    raise BlockFailed(
        f"The model did not answer: {'; '.join(errors)}.",
        Diagnosis(
            cause="the model's provider could not or would not answer.",
            advice="look at `PAGEHAND_MODEL` and its key; `PAGEHAND_MODEL_FALLBACKS` names others to ask.",
        ),
    )


def read_reply(response: ModelResponse) -> Reply:
    """The text and the tool calls of a response."""
    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
    return Reply(text=text, calls=tuple(_call(part) for part in calls))


async def _call_model(
    model: Model,
    messages: list[ModelMessage],
    parameters: ModelRequestParameters,
    limits: Limits,
    usage: Usage,
) -> ModelResponse:
    settings = ModelSettings(max_tokens=limits.answer_tokens, timeout=limits.call_seconds, max_retries=0)
    began, pause = time.monotonic(), _FIRST_PAUSE_SECONDS
    try:
        # around all tries: the limit is how long a block waits, however often the provider is called
        async with asyncio.timeout(limits.call_seconds):
            for retries_left in range(limits.retries, -1, -1):
                # counted before the answer: a call that times out may be charged all the same
                usage.calls += 1
                try:
                    response = await model_request(
                        model, messages, model_settings=settings, model_request_parameters=parameters
                    )
                except _TEMPORARY:
                    if not retries_left:
                        raise
                    await asyncio.sleep(pause)
                    # an overloaded provider needs longer pauses, not more questions
                    pause *= 2
                else:
                    _count(response, usage)
                    return response
    finally:
        usage.seconds += time.monotonic() - began
    raise AssertionError("the last try returns or raises")


def _count(response: ModelResponse, usage: Usage) -> None:
    usage.input_tokens += response.usage.input_tokens
    usage.output_tokens += response.usage.output_tokens
    try:
        usage.cost_usd += float(response.cost().total_price)
    except (AssertionError, LookupError, ValueError):
        return  # the price of this model is not known; tokens and time are still limited


def _parameters(tools: Sequence[Tool], *, must_call: bool, by_schema: bool) -> ModelRequestParameters:
    if must_call and by_schema:
        [answer] = tools
        output = OutputObjectDefinition(json_schema=answer.arguments, name=answer.name, strict=False)
        return ModelRequestParameters(output_mode="native", output_object=output)
    definitions = [
        ToolDefinition(
            name=tool.name, description=tool.description, parameters_json_schema=tool.arguments, strict=False
        )
        for tool in tools
    ]
    if must_call:
        return ModelRequestParameters(output_mode="tool", output_tools=definitions, allow_text_output=False)
    return ModelRequestParameters(function_tools=definitions)


def _call(part: ToolCallPart) -> ToolCall:
    try:
        arguments = part.args_as_dict()
    except (ValueError, AssertionError):
        # not JSON: without arguments the call is reported to the model as invalid
        arguments = {}
    return ToolCall(id=part.tool_call_id, name=part.tool_name, arguments=arguments)


def _compatible(provider: str, name: str, base_url: str, api_key: str | None) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415 - needs the extra `models`
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider  # noqa: PLC0415 - as above

    endpoint = OpenAICompatibleProvider(provider, base_url=base_url, api_key=api_key or _NO_KEY)
    return OpenAIChatModel(name, provider=endpoint)


def _provider(name: str, api_key: str | None) -> Provider[Any]:
    kind: Any = infer_provider_class(name)
    return kind(api_key=api_key) if api_key else kind()


def _unusable(spec: str, why: str) -> BlockFailed:
    return BlockFailed(
        f"The model `{spec}` cannot be used: {why}.",
        Diagnosis(cause="`PAGEHAND_MODEL` or its neighbours are not right.", advice="Set `PAGEHAND_MODEL`."),
    )


def _reason(error: BaseException, limits: Limits) -> str:
    if isinstance(error, TimeoutError):
        return f"no answer within {limits.call_seconds:g} s"
    if isinstance(error, ModelAPIError) and error.body is not None:
        return f"{error.message} {json.dumps(error.body, default=str)[:300]}".strip()
    return str(error).splitlines()[0][:300] if str(error) else type(error).__name__
