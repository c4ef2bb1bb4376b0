"""What Pagehand keeps, as plain data: the words that storage, engine and API share.

Moments are milliseconds since 1970 (UTC) and end in `_at`, or are named as the API names them.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

Json = dict[str, Any]


class Status(StrEnum):
    """Where an execution is in its life."""

    ENQUEUED = "Enqueued"
    IN_PROGRESS = "InProgress"
    PAUSED = "Paused"
    COMPLETED = "Completed"
    FAILED = "Failed"

    @property
    def is_final(self) -> bool:
        """Nothing ever changes a final status."""
        return self in (Status.COMPLETED, Status.FAILED)


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
    params: Json = field(default_factory=dict[str, Any])
    secret_params: str | None = field(default=None, repr=False)
    """The values of parameters declared secret, encrypted; `params` has a mask in their place."""
    metadata: Json = field(default_factory=dict[str, Any])
    name: str | None = None
    batch_id: str | None = None
    batch_name: str | None = None
    login_id: str | None = None
    exclusive_logins: list[str] = field(default_factory=list[str])
    """Logins it names that no other execution may use meanwhile; it waits until all of them are free."""
    batch_concurrency: int | None = None
    """How many executions of its batch may run at once; None for any number."""
    logins: list[Json] = field(default_factory=list[Json])
    authentications: list[Json] = field(default_factory=list[Json])
    context_authentications: list[Json] = field(default_factory=list[Json])
    thread_id: str | None = None
    parent_execution_id: str | None = None
    start_block_id: str | None = None
    start_block: Json | None = None
    is_test: bool = False
    use_proxy: bool = False
    priority: int = 0
    attempts: int = 1
    total_attempts: int = 1
    not_before: int | None = None
    fence: int = 0
    commit_block: str | None = None
    retry_safe: bool = False
    """The workflow says that it may be repeated although it had effects."""
    session_id: str | None = None
    vendor_id: str | None = None
    live_view_url: str | None = None
    downloads: Json | None = None
    end_time: int | None = None
    duration_ms: int | None = None
    response: Json | None = None
    response_file: Json | None = None
    summary: str | None = None
    error_analysis: str | None = None
    failure: Json | None = None
    """Why it failed, for programs: code, message, block, locator and who cancelled it."""
    context: Json | None = None


@dataclass(slots=True, frozen=True, kw_only=True)
class Owner:
    """The process that runs a database's executions."""

    token: str
    installation: str
    """Names its data folder, which only one process uses at a time."""
    description: str
    beat_at: int = 0
    """Its latest heartbeat, by the database's clock."""
    silent_ms: int = 0
    """How long that is ago, by the same clock."""


@dataclass(slots=True, frozen=True, kw_only=True)
class OutputPiece:
    """Something a run put out: where it belongs in the response, and what it is."""

    path: Sequence[str | int]
    """References of blocks and numbers of rounds; empty for the whole response."""
    value: Any


@dataclass(slots=True, frozen=True, kw_only=True)
class FinalState:
    """How an execution ends: what its row gets, and what is written together with it."""

    execution_id: str
    final: Json
    """The row's columns."""
    file: FileInfo | None = None
    """The record of its response file, whose bytes are the row's response."""
    news: "News | None" = None


@dataclass(slots=True, frozen=True, kw_only=True)
class QueueEntry:
    """What the queue knows of an execution: enough to choose the next one, nothing large."""

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
    number: int = 0
    """Its place in the order of acceptance; 0 where nobody asked the table."""

    @classmethod
    def of(cls, execution: Execution) -> "QueueEntry":
        """The entry of an execution."""
        fields = (one for one in cls.__dataclass_fields__ if one != "number")
        return cls(**{name: getattr(execution, name) for name in fields})


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
    data: Json = field(default_factory=dict[str, Any])
    screenshot_key: str | None = None


@dataclass(slots=True, kw_only=True)
class Tag:
    """A label that workflows carry."""

    id: str
    name: str


@dataclass(slots=True, kw_only=True)
class Workflow:
    """A workflow as it is today; `blocks` is the JSON of its envelopes, nested."""

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
    """A workflow as it was at one version; never changes."""

    workflow_id: str
    version: int
    name: str
    blocks: list[Json]
    output: Any
    parameters: list[Json]
    created_at: int
    retry_safe: bool = False


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
    cancelled_at: int | None = None
    announced_at: int | None = None
    """When webhooks were told that all of its executions are final."""


@dataclass(slots=True, kw_only=True)
class ApiKey:
    """A key of an organization; the key itself is not kept, only `digest`."""

    id: str
    organization_id: str
    name: str | None
    digest: bytes
    scopes: list[str]
    created_at: int
    last_used_at: int | None = None
    revoked_at: int | None = None


@dataclass(slots=True, kw_only=True)
class Organization:
    """Whom a workflow, an execution, a login belongs to."""

    id: str
    name: str
    created_at: int


@dataclass(slots=True, kw_only=True)
class Login:
    """A stored login; `secrets` is encrypted and never leaves the vault as text."""

    id: str
    organization_id: str
    name: str
    username: str
    fields: Json
    secrets: bytes
    created_at: int
    updated_at: int


@dataclass(slots=True, kw_only=True)
class LoginFacts:
    """What a run may know of a login: what templates show and what must be hidden."""

    id: str
    name: str
    is_manual: bool
    is_exclusive: bool
    uses_proxy: bool
    retries: int
    retry_delay_ms: int
    shown: Json
    """What `{{login.…}}` reads in most blocks; secrets stand there as `***`."""
    secret_values: dict[str, str] = field(repr=False)
    """What `{{login.…}}` means for the secrets among them, where they are typed or sent as auth."""
    secrets: list[str] = field(repr=False)
    site: str
    """The login's own addresses, in words."""
    is_own_url: Callable[[str], bool] = field(repr=False)
    """Whether its secrets may be typed or sent there."""


@dataclass(slots=True, kw_only=True)
class LoginHealth:
    """How a login fares."""

    login_id: str
    organization_id: str
    last_success_at: int | None = None
    last_failure_at: int | None = None
    last_failure: str | None = None
    held_version: int | None = None
    """`updated_at` of the login that no run may try again, because the site refused it."""
    held_at: int | None = None


@dataclass(slots=True, kw_only=True)
class SavedSession:
    """What a site knows a browser by, encrypted; belongs to one version of one login."""

    login_id: str
    organization_id: str
    generation: str
    """Names the sign-in it came from."""
    login_version: int
    sealed: bytes
    saved_at: int


@dataclass(slots=True, kw_only=True)
class ReceivedMail:
    """A mail that came to a login's own address, encrypted."""

    id: str
    organization_id: str
    login_id: str
    received_at: int
    sealed: bytes


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


@dataclass(slots=True, kw_only=True)
class Memory:
    """What the element of a block's locator was like when the block last did its work."""

    organization_id: str
    workflow_id: str
    block_id: str
    key: str
    """Stands for the locator with its templates filled in."""
    written: str
    """Stands for the block's locators as written; editing them ends the memory."""
    version: int
    """The workflow's version by which it was remembered."""
    remembered_at: int
    healed_locator: Json | None = None
    """The locator that found it when the block's own did not."""
    fingerprint: Json | None = None
    healed_fingerprint: Json | None = None


@dataclass(slots=True, kw_only=True)
class CachedPlan:
    """How a block read or did something last time, so that nobody has to be asked again; never data."""

    organization_id: str
    workflow_id: str
    block_id: str
    kind: str
    """`element`, `extraction` or `steps`."""
    key: str
    """Stands for the page and the names of the parameters."""
    written: str
    """Stands for the block and all before it as written; editing any of them ends the plan."""
    version: int
    """The workflow's version by which it was made."""
    page: str
    """Origin and path pattern of the page."""
    made_by: str
    """`model` or `structure`."""
    kept_at: int
    plan: Any


@dataclass(slots=True, frozen=True, kw_only=True)
class Tool:
    """Something a model may ask for in a conversation."""

    name: str
    description: str
    arguments: Json
    """JSON Schema of an object."""


@dataclass(slots=True, frozen=True, kw_only=True)
class ToolCall:
    """A model's wish to use a tool."""

    id: str
    name: str
    arguments: Json


@dataclass(slots=True, frozen=True, kw_only=True)
class Reply:
    """What a model said in a conversation, and the tools it wants used."""

    text: str
    calls: tuple[ToolCall, ...] = ()


@dataclass(slots=True, kw_only=True)
class Webhook:
    """An address that wants to hear of events; `secrets` is encrypted."""

    id: str
    organization_id: str
    url: str
    events: list[str]
    name: str | None
    is_active: bool
    secrets: bytes = field(repr=False)
    created_at: int
    updated_at: int


DeliveryStatus = Literal["pending", "delivered", "failed"]


@dataclass(slots=True, kw_only=True)
class Delivery:
    """One message on its way to one webhook."""

    id: str
    organization_id: str
    webhook_id: str
    message_id: str
    """The same for every attempt, every webhook and every replay of one event."""
    event: str
    body: str
    created_at: int
    status: DeliveryStatus = "pending"
    attempts: int = 0
    next_at: int | None = None
    """When it is tried next; None when it is done with."""
    last_attempt_at: int | None = None
    delivered_at: int | None = None
    response_status: int | None = None
    error: str | None = None


@dataclass(slots=True, kw_only=True)
class BatchEnd:
    """What to tell when a change ends the last execution of a batch."""

    batch_id: str
    organization_id: str
    at: int
    compose: Callable[[Mapping[Status, int]], Sequence[Delivery]]


@dataclass(slots=True, kw_only=True)
class News:
    """What webhooks are told of a change; written with the change or not at all."""

    deliveries: Sequence[Delivery] = ()
    batch_end: BatchEnd | None = None


@dataclass(slots=True, kw_only=True)
class Document:
    """A text of the knowledge base."""

    id: str
    organization_id: str
    name: str
    tags: list[str]
    file_id: str | None
    characters: int
    passages: int
    words: int
    created_at: int


@dataclass(slots=True, kw_only=True)
class PassageDraft:
    """A passage that is to be kept, with what it is found by."""

    text: str
    words: Counter[str]
    embedding: bytes | None = None


@dataclass(slots=True, kw_only=True)
class Passage:
    """A piece of a document, short enough to be read at a glance."""

    document_id: str
    document_name: str
    position: int
    text: str
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Captcha:
    """A challenge that waits for an answer."""

    kind: str
    """reCAPTCHA, hCaptcha or Turnstile."""
    site_key: str
    """The site's public key, as its widget carries it; empty when it does not show one."""
    url: str
    """The page or frame it stands in."""
