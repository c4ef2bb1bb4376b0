"""A tool that is there beside the workflows."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from mcp.types import CallToolResult, Tool, ToolAnnotations

from pagehand.client.plans import Json
from pagehand.mcp.catalog import Catalog
from pagehand.mcp.connection import Connection
from pagehand.mcp.results import Report

TEXT: Json = {"type": "string"}


@dataclass(slots=True, frozen=True)
class ToolCall:
    """One call of a tool."""

    connection: Connection
    catalog: Catalog
    arguments: Json
    report: Report | None
    """Set if the agent wants to hear of progress."""

    async def ask(self, path: str, **fields: Any) -> Json:
        """Post to an operation; fields that are None are left out."""
        given = {name: value for name, value in fields.items() if value is not None}
        return await self.connection.call(path, given)


@dataclass(slots=True, frozen=True, kw_only=True)
class BuiltInTool:
    """What agents are told of it, which scopes it needs, and what it does."""

    name: str
    description: str
    run: Callable[[ToolCall], Awaitable[CallToolResult]]
    needs: frozenset[str]
    properties: Json = field(default_factory=Json)
    required: tuple[str, ...] = ()
    is_read_only: bool = False
    is_destructive: bool = False
    is_idempotent: bool = False
    is_open_world: bool = False

    @property
    def input_schema(self) -> Json:
        """What it takes; anything else is refused, so that a misspelled argument is noticed."""
        return {
            "type": "object",
            "properties": self.properties,
            "required": list(self.required),
            "additionalProperties": False,
        }

    def as_tool(self) -> Tool:
        """What agents are told of it."""
        return Tool(
            name=self.name,
            description=self.description,
            input_schema=self.input_schema,
            annotations=ToolAnnotations(
                read_only_hint=self.is_read_only,
                destructive_hint=self.is_destructive,
                idempotent_hint=self.is_idempotent or self.is_read_only,
                open_world_hint=self.is_open_world,
            ),
        )
