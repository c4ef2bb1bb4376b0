"""Agent conversations, and what a model answers in them."""

from dataclasses import dataclass

from pagehand.records.values import Json, ProposalState


@dataclass(slots=True, kw_only=True)
class Message:
    """One message of an agent conversation thread."""

    thread_id: str
    seq: int
    role: str
    text: str
    created_at: int


@dataclass(slots=True, kw_only=True)
class Thread:
    """An agent conversation."""

    id: str
    organization_id: str
    name: str
    workflow_id: str | None
    created_at: int
    workflow_version: int | None = None
    """The workflow's version that its proposal was made for."""
    proposed_operations: list[Json] | None = None
    """The change to the workflow's blocks that it proposes, as `/workflows/blocks/update` takes it."""
    proposal: ProposalState | None = None
    """Whether the proposal was applied."""
    proposal_version: int | None = None
    """The version that applying the proposal made."""


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
