"""Workflows, their versions, schedules and threads, and what executions learn: elements, plans and edits."""

from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec
from msgspec import Struct

from pagehand.records.values import Json, ProposalState, Status

Pictured = Literal["all", "acts", "failures", "none"]
"""Which blocks of a workflow get a picture: those that change the page, those that press or enter something,
those that fail, or none."""


class LinkAddress(Struct):
    """Where a link or a form leads, without the host."""

    path: str
    query: str
    fragment: str


class ElementTraits(Struct, rename="camel", kw_only=True):
    """One element, as `browser/healing/describe.js` describes it; never text that people typed.

    Every trait may be absent in what was stored, so that a later description can know more.
    """

    tag: str = ""
    role: str = ""
    name: str = ""
    label: str = ""
    id: str = ""
    classes: list[str] = msgspec.field(default_factory=list[str])
    attributes: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    field: str = ""
    """The `name` of a form field."""
    placeholder: str = ""
    hint: str = ""
    """Title and alternative text."""
    address: LinkAddress | None = None
    image: str = ""
    near: str = ""
    """The words around it, from the nearest circle to the widest."""
    far: str = ""
    wide: str = ""
    row: str = ""
    """The words that distinguish its row from the others."""
    before: str = ""
    after: str = ""
    heading: str = ""
    landmark: str = ""
    ancestors: list[str] = msgspec.field(default_factory=list[str])
    path: list[str] = msgspec.field(default_factory=list[str])
    hosts: list[str] = msgspec.field(default_factory=list[str])
    index: int = 0
    is_control: bool = False
    is_shown: bool = False


class Fingerprint(ElementTraits, kw_only=True):
    """The remembered element, its page, and those of its kind that were most like it."""

    page: str = ""
    frame: str = ""
    format: int = 1
    namesakes: int = 0
    candidates: int = 0
    rivals: list[ElementTraits] = msgspec.field(default_factory=list[ElementTraits])


@dataclass(slots=True, kw_only=True)
class Memory:
    """What the element of a block's locator was like when the block last did its work."""

    organization_id: str
    workflow_id: str
    block_id: str
    key: str
    """A digest of the locator with its templates filled in."""
    written: str
    """A digest of the block's locators as written; an edit ends the memory."""
    version: int
    """The version of the workflow whose run remembered it."""
    remembered_at: int
    healed_locator: Json | None = None
    """The locator that found it when the block's own did not."""
    fingerprint: Fingerprint | None = None
    healed_fingerprint: Fingerprint | None = None


CatchUp = Literal["none", "latest", "all"]
Overlap = Literal["skip", "queue"]
RunOutcome = Literal["started", "skipped", "missed", "failed"]


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
    pictures: Pictured = "all"
    file_digest: str | None = None
    """Of its short form when a file was last applied: it says whether it was changed since."""
    exported_digests: dict[str, str] = field(default_factory=dict[str, str])
    """The same for each who exported or applied it: others may have exported what they have not seen."""
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
    pictures: Pictured = "all"


@dataclass(slots=True, kw_only=True)
class CachedPlan:
    """How a block read or did something, so that the next run needs no model; never data."""

    organization_id: str
    workflow_id: str
    block_id: str
    kind: str
    """`element`, `extraction` or `steps`."""
    key: str
    """A digest of the page and the names of the parameters."""
    written: str
    """A digest of the block and all before it as written; an edit of any of them ends the plan."""
    version: int
    """The version of the workflow whose run made it."""
    page: str
    """Origin and path pattern of the page."""
    made_by: str
    """`model` or `structure`."""
    kept_at: int
    plan: Any


# omit_defaults: stored and shown operations have no null fields
class ProposedOperation(Struct, rename="camel", omit_defaults=True, kw_only=True, frozen=True):
    """One operation on the blocks of a workflow; as JSON it is what `/workflows/blocks/update` takes."""

    type: Literal["create", "update", "delete", "move", "replaceAll"]
    block_id: str | None = None
    block: Json | None = None
    target: Json | None = None
    blocks: list[Json] | None = None


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
    look: bool = False
    """Look for the workflow's elements instead of running it."""
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
