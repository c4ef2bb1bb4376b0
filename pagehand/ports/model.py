"""The language model as blocks see it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pagehand.records import Json, Reply, Tool, ToolCall


class ModelConversation(Protocol):
    """A conversation with the model in which it may ask for tools."""

    async def say(self, text: str, images: Sequence[bytes] = ()) -> Reply:
        """Say something; what the model answers and asks for."""
        ...

    async def answer(self, results: Sequence[str], images: Sequence[bytes] = ()) -> Reply:
        """Hand in what the tools of the last reply gave, in the order they were asked for."""
        ...


@dataclass(slots=True, frozen=True)
class Achieved:
    """What a model that worked on the page says at the end."""

    message: str
    """What it did, in words."""
    result: Any
    """What it was to put out."""


class AgentTools(Protocol):
    """What a model may do while it pursues something, and what it sees."""

    @property
    def tools(self) -> Sequence[Tool]:
        """What it may ask for."""
        ...

    async def look(self) -> str:
        """What is there now; untrusted."""
        ...

    async def picture(self) -> bytes | None:
        """The same as a picture, where one is wanted."""
        ...

    async def do(self, call: ToolCall) -> str:
        """Do what is asked, or say why not; what came of it, in words."""
        ...

    async def heard(self, role: str, text: str) -> None:
        """Record a message of the conversation."""
        ...


class Model(Protocol):
    """The language model: its prompts are redacted, its answers checked, its use counted and bounded."""

    def prompt(self, name: str, **words: str) -> str:
        """The instructions of a task (`pagehand/ai/prompts/<name>.md`); `words` are the author's own."""
        ...

    async def data(
        self, instructions: str, material: str, schema: Mapping[str, Any], images: Sequence[bytes] = ()
    ) -> Any:
        """What the instructions ask of the material, valid against `schema`; `BlockFailed` with the reason.

        `material` is untrusted: it goes in fenced, and the call holds no tools.
        """
        ...

    async def text(self, instructions: str, material: str, images: Sequence[bytes] = ()) -> str:
        """The same in words."""
        ...

    def converse(self, instructions: str, tools: Sequence[Tool]) -> ModelConversation:
        """Begin a conversation with tools."""
        ...

    def fence(self, material: str) -> str:
        """Untrusted text, marked as such, for a conversation."""
        ...

    async def pursue(
        self, instructions: str, tools: AgentTools, *, most_steps: int, result: Mapping[str, Any]
    ) -> Achieved:
        """Let the model work with `tools` until it says that it is done; `BlockFailed` when it cannot be.

        `result` is the JSON Schema of what it has to put out at the end.
        """
        ...


class ModelUsage(Protocol):
    """What was spent on the model."""

    @property
    def calls(self) -> int:
        """How often it was asked."""
        ...

    def as_json(self) -> Json:
        """As `metadata.modelUsage` shows it."""
        ...


class RunModel(Model, Protocol):
    """The model in the service of one execution."""

    @property
    def usage(self) -> ModelUsage:
        """What it has cost so far."""
        ...


class Models(Protocol):
    """Knows which model serves which organization."""

    async def for_organization(
        self, organization_id: str, redact: Callable[[str], str], /
    ) -> RunModel | None:
        """Its model, every prompt passing `redact`; None when none is configured."""
        ...
