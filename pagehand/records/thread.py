"""Agent conversations."""

from dataclasses import dataclass


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
