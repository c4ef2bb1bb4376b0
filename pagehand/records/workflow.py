"""Workflows and their versions."""

from dataclasses import dataclass, field
from typing import Any

from pagehand.records.json_object import Json


@dataclass(slots=True, kw_only=True)
class Tag:
    """A label of workflows."""

    id: str
    name: str


@dataclass(slots=True, kw_only=True)
class Workflow:
    """A workflow in its current version; `blocks` is the JSON of its envelopes, nested."""

    id: str
    organization_id: str
    name: str
    version: int
    blocks: list[Json]
    output: Any = None
    parameters: list[Json] = field(default_factory=list[Json])
    retry_safe: bool = False
    tags: list[Tag] = field(default_factory=list[Tag])
    created_at: int = 0
    updated_at: int = 0


@dataclass(slots=True, kw_only=True)
class WorkflowVersion:
    """One version of a workflow; never changes."""

    workflow_id: str
    version: int
    name: str
    blocks: list[Json]
    output: Any
    parameters: list[Json]
    created_at: int
    retry_safe: bool = False
