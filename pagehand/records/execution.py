"""Executions: their final state, entries in the queue, interruptions, events, files and batches."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Self

from msgspec import Raw, Struct

from pagehand.records.login import Authentication, ContextAuthentication, ExecutionLogin
from pagehand.records.organization import WebhookEvent
from pagehand.records.values import Json, ProposalState, Status, WaitingKind

DownloadStatus = Literal["pending", "in_progress", "success", "failed"]


class Waiting(Struct, rename="camel", kw_only=True):
    """What a paused execution waits for."""

    kind: WaitingKind
    reason: str
    since: str
    """An ISO moment."""


class Cancellation(Struct, rename="camel", kw_only=True):
    """Who cancelled an execution, and when."""

    by: str
    at: str
    """An ISO moment."""


class ExecutionFailure(Struct, rename="camel", kw_only=True):
    """Why an execution failed, for programs."""

    code: str
    message: str
    block_id: str | None = None
    block_reference_id: str | None = None
    locator: Json | None = None
    """The locator of the failed block, as it was given."""
    cancelled: Cancellation | None = None


RESPONSE_FILE_NAME: Final = "response.json"
"""The file that keeps an execution's response."""


@dataclass(slots=True, frozen=True)
class FileInfo:
    """A stored file; `key` names its bytes in the file store."""

    id: str
    organization_id: str
    execution_id: str | None
    name: str
    mime_type: str
    size_bytes: int
    key: str
    created_at: int


class StoredFile(Struct, rename="camel", kw_only=True, frozen=True):
    """A file in an execution's row; its URL is signed whenever it is shown."""

    id: str
    name: str
    mime_type: str
    size_bytes: int
    key: str

    @classmethod
    def of(cls, info: FileInfo) -> Self:
        """Of a File info."""
        return cls(
            id=info.id, name=info.name, mime_type=info.mime_type, size_bytes=info.size_bytes, key=info.key
        )


class DownloadState(Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """The downloads of an execution, and the status of the newest."""

    status: DownloadStatus
    files: list[StoredFile]
    message: str | None = None
    """Why it failed."""


@dataclass(slots=True, kw_only=True)
class Execution:
    """One run of a workflow, from acceptance to its final state."""

    id: str
    organization_id: str
    workflow_id: str
    workflow_name: str
    workflow_version: int
    browser_session_id: str
    accepted_at: int
    start_time: int
    deadline_at: int
    status: Status = Status.ENQUEUED
    params: Json = field(default_factory=Json)
    secret_params: str | None = field(default=None, repr=False)
    """The values of parameters declared secret, encrypted; `params` has a mask in their place."""
    metadata: Json = field(default_factory=Json)
    name: str | None = None
    batch_id: str | None = None
    batch_name: str | None = None
    login_id: str | None = None
    exclusive_logins: list[str] = field(default_factory=list[str])
    """Ids that no other execution may use meanwhile: of logins it names, and of its schedule.
    It waits until all of them are free."""
    batch_concurrency: int | None = None
    """How many executions of its batch may run at once; None for any number."""
    logins: list[ExecutionLogin] = field(default_factory=list[ExecutionLogin])
    authentications: list[Authentication] = field(default_factory=list[Authentication])
    context_authentications: list[ContextAuthentication] = field(default_factory=list[ContextAuthentication])
    thread_id: str | None = None
    parent_execution_id: str | None = None
    start_block_id: str | None = None
    start_block: Json | None = None
    is_test: bool = False
    use_proxy: bool = False
    needs_browser: bool = True
    """False if none of its blocks can need a page."""
    priority: int = 0
    attempts: int = 1
    total_attempts: int = 1
    not_before: int | None = None
    fence: int = 0
    commit_block: str | None = None
    retry_safe: bool = False
    """The workflow may be repeated although it had effects."""
    session_id: str | None = None
    vendor_id: str | None = None
    live_view_url: str | None = None
    downloads: DownloadState | None = None
    end_time: int | None = None
    duration_ms: int | None = None
    response: Raw | None = None
    """JSON text as it is stored: it may have many megabytes, and most readers only pass it on."""
    response_file: StoredFile | None = None
    summary: str | None = None
    error_analysis: str | None = None
    failure: ExecutionFailure | None = None
    context: Raw | None = None
    """JSON text, like `response`."""
    waiting: Waiting | None = None
    """What it waits for while it is Paused."""
    proposal: ProposalState | None = None
    """Whether the edit in `metadata.proposedOperations` was applied."""
    proposal_version: int | None = None
    """The version that applying the proposal made."""

    @property
    def is_look(self) -> bool:
        """True when it looks for the elements of its workflow and does nothing with them."""
        return "look" in self.metadata

    @property
    def continues_id(self) -> str | None:
        """The earlier run with whose outputs, address and cookies it starts."""
        return self.metadata.get("continues")

    @property
    def is_live_session(self) -> bool:
        """True when it keeps a browser open and runs blocks as they are asked for."""
        return bool(self.metadata.get("liveSession"))


@dataclass(slots=True, frozen=True, kw_only=True)
class FinalState:
    """How an execution ends: the columns of its row, and what is written in the same transaction."""

    execution_id: str
    final: Json
    """The row's columns."""
    file: FileInfo | None = None
    """The record of its response file, whose bytes are the row's response."""
    webhook_event: WebhookEvent | None = None


@dataclass(slots=True, frozen=True, kw_only=True)
class Requeue:
    """The columns of an execution that goes back to the queue."""

    attempts: int
    metadata: Json
    at: int
    not_before: int | None = None
    fields: Json = field(default_factory=Json)
    """More columns, set in the same step."""


@dataclass(slots=True, frozen=True, kw_only=True)
class QueueEntry:
    """What the queue needs of an execution to choose the next one; nothing large."""

    id: str
    organization_id: str
    status: Status
    priority: int
    exclusive_logins: list[str]
    batch_id: str | None
    batch_concurrency: int | None
    accepted_at: int
    deadline_at: int
    not_before: int | None
    needs_browser: bool = True
    number: int = 0
    """Its place in the order of acceptance; 0 where it was not read from the table."""

    @classmethod
    def of(cls, execution: Execution) -> "QueueEntry":
        """The entry of an execution."""
        fields = (item for item in cls.__dataclass_fields__ if item != "number")
        return cls(**{name: getattr(execution, name) for name in fields})


@dataclass(slots=True, frozen=True, kw_only=True)
class OutputPiece:
    """Part of an execution's response, and its place there."""

    path: Sequence[str | int]
    """References of blocks and numbers of rounds; empty for the whole response."""
    value: Any


@dataclass(slots=True, kw_only=True)
class Batch:
    """Executions started together, one per row of params."""

    id: str
    organization_id: str
    name: str
    workflow_id: str
    workflow_name: str
    total: int
    created_at: int
    concurrency: int | None = None
    """How many of its executions may run at once; None for any number."""
    paused_at: int | None = None
    """Since when it is paused; None while it is not."""
    cancelled_at: int | None = None
    announced_at: int | None = None
    """When `batch.finished` was sent to webhooks."""
    skipped: int = 0
    """How many rows of its sheet were left out because the workflow would have refused them."""


@dataclass(slots=True, frozen=True, kw_only=True)
class SkippedRow:
    """A row of a sheet that has no execution."""

    number: int
    params: Json
    """Without the secret ones."""
    problem: str
    """Why the workflow would have refused it."""


@dataclass(slots=True, kw_only=True)
class Event:
    """Something that happened during an execution."""

    execution_id: str
    seq: int
    at: int
    type: str
    message: str
    block_id: str | None = None
    block_reference_id: str | None = None
    data: Json = field(default_factory=Json)
    screenshot_key: str | None = None
