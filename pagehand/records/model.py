"""What is exchanged with a language model that may ask for tools."""

from dataclasses import dataclass

from pagehand.records.json_object import Json


@dataclass(slots=True, frozen=True, kw_only=True)
class Tool:
    """Something a model may ask for in a conversation."""

    name: str
    description: str
    arguments: Json
    """JSON Schema of an object."""


@dataclass(slots=True, frozen=True, kw_only=True)
class ToolCall:
    """A model's wish to use a tool."""

    id: str
    name: str
    arguments: Json


@dataclass(slots=True, frozen=True, kw_only=True)
class Reply:
    """What a model answered in a conversation, and the tools it wants used."""

    text: str
    calls: tuple[ToolCall, ...] = ()
