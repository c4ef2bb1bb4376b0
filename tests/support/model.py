"""A model service on loopback that answers by a script.

It speaks OpenAI's protocol over a real socket, so that everything between a block and the wire is the real
thing: the provider's library, retries, time limits, tool calls. A script is a function of the request; it
says what a model would say, and the requests it was sent are kept for the test to look at.
"""

import json
import re
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

from support.http_server import HttpReply, HttpRequest, HttpServer

Json = dict[str, Any]


@dataclass(frozen=True)
class ModelReply:
    """A model's answer: words, tools it wants used, or a refusal of the service with a status."""

    text: str = ""
    calls: tuple[tuple[str, Json], ...] = ()
    status: int = 200
    after_seconds: float = 0


def structured_reply(value: Any) -> ModelReply:
    """A reply with structured data; a value that is not an object becomes `{"answer": value}`."""
    given = cast("Json", value) if isinstance(value, dict) else {"answer": value}
    return ModelReply(calls=(("answer", given),))


def tool_call(name: str, **arguments: Any) -> ModelReply:
    return ModelReply(calls=((name, arguments),))


@dataclass
class ModelRequest:
    """One request as it came over the wire."""

    body: Json

    @property
    def messages(self) -> list[Json]:
        return self.body["messages"]

    @property
    def instructions(self) -> str:
        return "\n".join(
            _text(message) for message in self.messages if message["role"] in ("system", "developer")
        )

    @property
    def last(self) -> str:
        """The text of the last message."""
        return _text(self.messages[-1])

    @property
    def prompt(self) -> str:
        """The text of all messages."""
        return "\n".join(_text(message) for message in self.messages)

    @property
    def images(self) -> int:
        parts = [part for message in self.messages for part in _parts(message)]
        return sum(part.get("type") == "image_url" for part in parts)

    @property
    def tools(self) -> list[str]:
        return [tool["function"]["name"] for tool in self.body.get("tools", [])]


Script = Callable[[ModelRequest], ModelReply]


@dataclass
class ScriptedModel:
    """The running service; set `script` before the first request."""

    url: str
    script: Script | None = None
    requests: list[ModelRequest] = field(default_factory=list[ModelRequest])

    def reply_with(self, *answers: ModelReply) -> None:
        """Give these answers, one after the other; a further request fails with status 400."""
        left = list(answers)

        def script(request: ModelRequest) -> ModelReply:
            if is_report(request):
                return ModelReply("The model has seen it.")
            return left.pop(0) if left else ModelReply(status=400)

        self.script = script

    @property
    def block_requests(self) -> list[ModelRequest]:
        """The requests of blocks, without those for reports."""
        return [request for request in self.requests if not is_report(request)]

    @property
    def env(self) -> Mapping[str, str]:
        """The settings that make a service use it."""
        return {
            "PAGEHAND_MODEL": "openai:scripted",
            "PAGEHAND_MODEL_BASE_URL": self.url,
            "PAGEHAND_MODEL_API_KEY": "key-of-the-scripted-model",
        }


@contextmanager
def scripted_model() -> Generator[ScriptedModel]:
    """Run a scripted model within the context."""
    model = ScriptedModel("")

    def respond(request: HttpRequest) -> HttpReply:
        body = json.loads(request.body)
        asked = ModelRequest(body)
        model.requests.append(asked)
        scripted = model.script(asked) if model.script else ModelReply(status=400)
        content = json.dumps(_completion(body, scripted, len(model.requests))).encode()
        headers = {"Content-Type": "application/json"}
        return HttpReply(content, scripted.status, headers, delay=scripted.after_seconds)

    with HttpServer(respond, keeps_alive=True) as server:
        model.url = f"{server.url}/v1"
        yield model


def _completion(body: Json, scripted: ModelReply, number: int) -> Json:
    if scripted.status != 200:
        return {"error": {"message": f"refused by the script with {scripted.status}", "type": "scripted"}}
    message: Json = {"role": "assistant", "content": scripted.text or None}
    if scripted.calls:
        message["tool_calls"] = [
            {
                "id": f"call_{number}_{place}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for place, (name, arguments) in enumerate(scripted.calls)
        ]
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": body["model"],
        "choices": [
            {"index": 0, "message": message, "finish_reason": "tool_calls" if scripted.calls else "stop"}
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }


def _parts(message: Json) -> list[Json]:
    content = message.get("content")
    return cast("list[Json]", content) if isinstance(content, list) else []


def _text(message: Json) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in _parts(message))


def ref(request: ModelRequest, name: str) -> str:
    """The reference of an element in the page description, by its name."""
    found = re.search(rf'"{re.escape(name)}"[^\n]*?\[ref=(\w+)\]', request.last)
    assert found is not None, f"{name} is not in: {request.last}"
    return found[1]


def is_report(request: ModelRequest) -> bool:
    """Whether the model is asked to add to a report, which no block asks for."""
    return (
        "automation on a web page has failed" in request.instructions or "has ended" in request.instructions
    )
