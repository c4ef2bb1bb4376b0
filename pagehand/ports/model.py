"""The language model as blocks see it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pagehand.records import Json, Reply, Tool, ToolCall


class ModelConversation(Protocol):
    """A conversation with the model in which it may ask for tools."""

    async def say(self, text: str, images: Sequence[bytes] = ()) -> Reply:
        """Send a message; the model's answer and tool calls."""
        ...

    async def answer(self, results: Sequence[str], images: Sequence[bytes] = ()) -> Reply:
        """Send the results of the last reply's tool calls, in the order of the calls."""
        ...


@dataclass(slots=True, frozen=True)
class AgentResult:
    """What an agent reports at the end."""

    message: str
    """What it did, in words."""
    result: Any
    """The result, valid against the schema that was asked for."""


class AgentTools(Protocol):
    """What an agent sees and may do."""

    @property
    def tools(self) -> Sequence[Tool]:
        """The tools it may call."""
        ...

    async def look(self) -> str:
        """The current page as text; untrusted."""
        ...

    async def picture(self) -> bytes | None:
        """A screenshot of the page, if the model takes images."""
        ...

    async def do(self, call: ToolCall) -> str:
        """Execute a tool call; the outcome in words, also if it was refused."""
        ...

    async def record_message(self, role: str, text: str) -> None:
        """Record a message of the conversation."""
        ...


class Model(Protocol):
    """The language model; prompts are redacted, answers checked, usage counted and limited."""

    def prompt(self, name: str, **words: str) -> str:
        """The instructions of a task (`pagehand/ai/prompts/<name>.md`), with `words` filled in."""
        ...

    async def data(
        self, instructions: str, material: str, schema: Mapping[str, Any], images: Sequence[bytes] = ()
    ) -> Any:
        """The answer to the instructions about `material`, valid against `schema`; else `BlockFailed`.

        `material` is untrusted: it is fenced, and the call has no tools.
        """
        ...

    async def text(self, instructions: str, material: str, images: Sequence[bytes] = ()) -> str:
        """The answer as text."""
        ...

    def converse(self, instructions: str, tools: Sequence[Tool]) -> ModelConversation:
        """Begin a conversation with tools."""
        ...

    def fence(self, material: str) -> str:
        """Untrusted text, marked as such for the model."""
        ...

    async def run_agent(
        self, instructions: str, tools: AgentTools, *, most_steps: int, result: Mapping[str, Any]
    ) -> AgentResult:
        """Let the model work with `tools` until it reports the goal as reached; `BlockFailed` if it cannot.

        `result` is the JSON Schema of the result it has to report.
        """
        ...


class ModelUsage(Protocol):
    """Usage of the model."""

    @property
    def calls(self) -> int:
        """The number of calls."""
        ...

    def as_json(self) -> Json:
        """The value of `metadata.modelUsage`."""
        ...


class RunModel(Model, Protocol):
    """The model of one execution."""

    @property
    def usage(self) -> ModelUsage:
        """The usage so far."""
        ...


class Models(Protocol):
    """The models of organizations."""

    async def for_organization(
        self, organization_id: str, redact: Callable[[str], str], /
    ) -> RunModel | None:
        """Its model, with `redact` applied to every prompt; None if none is configured."""
        ...
