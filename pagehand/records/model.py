"""Tools and replies in a conversation with a language model."""

from dataclasses import dataclass

from pagehand.records.json_object import Json


@dataclass(slots=True, frozen=True, kw_only=True)
class Tool:
    """A tool that a model may call."""

    name: str
    description: str
    arguments: Json
    """JSON Schema of an object."""


@dataclass(slots=True, frozen=True, kw_only=True)
class ToolCall:
    """A model's call of a tool."""

    id: str
    name: str
    arguments: Json


@dataclass(slots=True, frozen=True, kw_only=True)
class Reply:
    """A model's answer, and the tools it calls."""

    text: str
    calls: tuple[ToolCall, ...] = ()
