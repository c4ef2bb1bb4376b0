"""Schedules and their runs."""

from dataclasses import dataclass, field
from typing import Literal

from pagehand.records.json_object import Json
from pagehand.records.status import Status

CatchUp = Literal["none", "latest", "all"]
Overlap = Literal["skip", "queue"]
RunOutcome = Literal["started", "skipped", "missed", "failed"]


@dataclass(slots=True, kw_only=True)
class Schedule:
    """When to start a workflow, and with what."""

    id: str
    organization_id: str
    workflow_id: str
    cron: str
    time_zone: str
    params: Json
    secret_params: str | None = field(default=None, repr=False)
    """The values of parameters declared secret, encrypted; `params` has a mask in their place."""
    login_id: str | None = None
    name: str | None = None
    is_enabled: bool = True
    catch_up: CatchUp = "none"
    """What happens to moments that passed while no service ran."""
    overlap: Overlap = "skip"
    """What happens at a moment at which an earlier execution of the schedule still runs."""
    next_at: int = 0
    """The moment that is due next; the process that advances it has claimed it."""
    created_at: int = 0
    updated_at: int = 0
    workflow_name: str = ""
    """The workflow's name when the schedule is read."""


@dataclass(slots=True, kw_only=True)
class ScheduleRun:
    """What happened at one moment of a schedule."""

    id: str
    schedule_id: str
    scheduled_for: int
    at: int
    outcome: RunOutcome
    is_manual: bool = False
    execution_id: str | None = None
    message: str | None = None
    status: Status | None = None
    """The status of its execution when it is read."""
