"""Agent conversations."""

from dataclasses import dataclass

from pagehand.records.json_object import Json
from pagehand.records.status import ProposalState


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
