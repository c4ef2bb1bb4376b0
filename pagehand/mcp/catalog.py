"""The tools that agents see: one for each workflow of the organization, and those beside them."""

import asyncio
import re
import unicodedata
from collections import defaultdict
from collections.abc import Awaitable, Callable, Container, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, cast

import msgspec
from mcp.types import CallToolResult, Tool, ToolAnnotations

from pagehand.client import ApiError
from pagehand.client.plans import Json
from pagehand.mcp.connection import Connection
from pagehand.mcp.results import UNTRUSTED, Report

_NOT_IN_SLUG: Final = re.compile(r"[^a-z0-9]+")
_LONGEST_SLUG: Final = 56
"""Some clients refuse tools with more than 64 characters; a number and the client's prefix need room."""
_LOGIN_TEST: Final = "Test of a login"
_MOST_TOOLS: Final = 1000
"""More than an agent can choose from."""
_SCHEMA_BYTES: Final = 2_000_000
"""For the schemas of all tools together."""
_NOT_FOUND: Final = 404


@dataclass(slots=True, frozen=True)
class WorkflowTool:
    """A workflow as `/workflows/tools` shows it, and the name that its tool has."""

    slug: str
    workflow: Json

    def as_tool(self) -> Tool:
        """What agents are told of it."""
        return Tool(
            name=self.slug,
            title=self.workflow["name"],
            description=self._description(),
            input_schema=self.workflow["inputSchema"],
            output_schema=self.output_schema,
            annotations=ToolAnnotations(
                title=self.workflow["name"],
                # what blocks do on a site is not known before they do it
                read_only_hint=False,
                destructive_hint=True,
                idempotent_hint=self.workflow["retrySafe"],
                open_world_hint=True,
            ),
        )

    @property
    def output_schema(self) -> Json:
        """What is known of the response."""
        known: Json = self.workflow["outputSchema"].get("properties", {})
        return {"type": "object", "properties": {name: _lenient(part) for name, part in known.items()}}

    def _description(self) -> str:
        names = self.workflow["steps"]
        steps = "; ".join(names) + ("; …" if self.workflow["blockCount"] > len(names) else "")
        repeated = (
            "Its author says that repeating it does no harm."
            if self.workflow["retrySafe"]
            else "Do not repeat a run that may have had its effect."
        )
        return (
            f"Runs the workflow “{self.workflow['name']}” in a browser and waits for its end. "
            f"Its steps: {steps or 'none yet'}. What it changes on the sites it uses is not known: it may "
            f"send forms, orders or mail that cannot be undone. {repeated} {UNTRUSTED}"
        )


class Catalog:
    """Finds workflows by the names of their tools."""

    def __init__(self, taken: Container[str]) -> None:
        """`taken` are names that no workflow gets."""
        self._taken = taken
        self._ids: dict[str, tuple[str, str]] = {}
        """Id and name of each tool's workflow, as of the last list."""
        self._listing = asyncio.Lock()
        """One list at a time: each may have megabytes."""

    async def all(self, connection: Connection) -> list[WorkflowTool]:
        """The newest of them, oldest first."""
        async with self._listing:
            found = await connection.all_of("tools", "/workflows/tools", _MOST_TOOLS)
        tools = named(found[::-1], self._taken)
        _limit_schemas(tools)
        self._ids = {tool.slug: (tool.workflow["id"], tool.workflow["name"]) for tool in tools}
        return tools

    async def find(self, connection: Connection, slug: str) -> WorkflowTool | None:
        """The workflow of a tool; None if no tool has that name."""
        known_id, known_name = self._ids.get(slug, ("", ""))
        if known_id:
            try:
                [workflow] = (await connection.call("/workflows/tools", {"id": known_id}))["tools"]
            except ApiError as error:
                if error.status != _NOT_FOUND:
                    raise
            else:
                # one that was renamed has another slug now, which only the whole list shows
                if workflow["name"] == known_name:
                    return WorkflowTool(slug, workflow)
        return next((tool for tool in await self.all(connection) if tool.slug == slug), None)


def named(workflows: Iterable[Json], taken: Container[str]) -> list[WorkflowTool]:
    """Workflows with their slugs; the second of a name gets `_2`."""
    tools: dict[str, WorkflowTool] = {}
    numbers = defaultdict[str, int](lambda: 1)
    for workflow in workflows:
        if not _is_login_test(workflow):
            base = slug = slug_of(workflow["name"])
            while slug in tools or slug in taken:
                numbers[base] += 1
                slug = f"{base}_{numbers[base]}"
            tools[slug] = WorkflowTool(slug, workflow)
    return list(tools.values())


def _limit_schemas(tools: Iterable[WorkflowTool]) -> None:
    """Leave out what the tools take and give from where it would be too much for a list."""
    left = _SCHEMA_BYTES
    for tool in tools:
        schemas = {name: tool.workflow[name] for name in ("inputSchema", "outputSchema")}
        left -= len(msgspec.json.encode(schemas))
        if left < 0:
            tool.workflow.update({name: {"type": "object"} for name in schemas})


def _lenient(schema: Any) -> Json:
    """The shape that a block's schema describes, where anything may be missing.

    A strict client refuses an answer that does not fit, although the run has happened: a block that did not
    run has no output. Patterns are left out, because they could keep whoever checks them busy for hours.
    """
    if not isinstance(schema, dict):
        return {}
    given = cast("Json", schema)
    made = {name: given[name] for name in ("title", "description") if name in given}
    if isinstance(kind := given.get("type"), str | list):
        made["type"] = [*([kind] if isinstance(kind, str) else cast("list[str]", kind)), "null"]
    if isinstance(parts := given.get("properties"), dict):
        made["properties"] = {name: _lenient(part) for name, part in cast("Json", parts).items()}
    return made | ({"items": _lenient(given["items"])} if "items" in given else {})


def slug_of(name: str) -> str:
    """`collect_claims` for `Collect claims`; letters of other scripts are left out."""
    ascii_name = unicodedata.normalize("NFKD", name.casefold()).encode("ascii", "ignore").decode()
    return _NOT_IN_SLUG.sub("_", ascii_name).strip("_")[:_LONGEST_SLUG].strip("_") or "workflow"


def _is_login_test(workflow: Json) -> bool:
    """Whether the service made it to test logins; somebody's own of that name does more than one thing."""
    takes, gives = (workflow[name].get("properties") for name in ("inputSchema", "outputSchema"))
    return workflow["name"] == _LOGIN_TEST and workflow["blockCount"] == 1 and not takes and gives == {}


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
