"""Organizations: keys, console sessions, knowledge base, webhooks; the process that owns executions."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from pagehand.records.values import Status


@dataclass(slots=True, kw_only=True)
class ApiKey:
    """A key of an organization; only its digest is stored."""

    id: str
    organization_id: str
    name: str | None
    digest: bytes
    scopes: list[str]
    created_at: int
    last_used_at: int | None = None
    revoked_at: int | None = None


@dataclass(slots=True, kw_only=True)
class ConsoleSession:
    """A person's session in the console; it ends with its key, at sign-out or when it expires."""

    id: str
    key_id: str
    created_at: int
    expires_at: int


@dataclass(slots=True, kw_only=True)
class Organization:
    """The owner of workflows, executions and logins."""

    id: str
    name: str
    created_at: int


LOST_AFTER_SECONDS: Final = 30.0
"""A process that runs executions and sends no heartbeat for longer counts as lost; others take over."""


@dataclass(slots=True, frozen=True, kw_only=True)
class Owner:
    """The process that runs a database's executions."""

    token: str
    installation: str
    """Identifies its data folder, which only one process uses at a time."""
    description: str
    beat_at: int = 0
    """Its latest heartbeat, by the database's clock."""
    silent_ms: int = 0
    """How long ago that was, by the same clock."""


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
    """A passage to be stored, with the words and the embedding it is found by."""

    text: str
    words: Counter[str]
    embedding: bytes | None = None


@dataclass(slots=True, kw_only=True)
class Passage:
    """A short part of a document."""

    document_id: str
    document_name: str
    position: int
    text: str
    score: float = 0.0


WebhookFormat = Literal["pagehand", "slack", "teams", "mail"]
"""What is sent: the signed message, what a chat takes, or a mail."""


@dataclass(slots=True, kw_only=True)
class Webhook:
    """An address that events are sent to; `secrets` is encrypted."""

    id: str
    organization_id: str
    url: str
    events: list[str]
    name: str | None
    is_active: bool
    secrets: bytes = field(repr=False)
    created_at: int
    updated_at: int
    format: WebhookFormat = "pagehand"


DeliveryStatus = Literal["pending", "delivered", "failed", "unsent"]
"""`unsent`: the database was restored while it waited, so it may have been sent already."""


@dataclass(slots=True, kw_only=True)
class Delivery:
    """One message to one webhook, with its attempts."""

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
    """When it is tried next; None when it is delivered or given up."""
    last_attempt_at: int | None = None
    delivered_at: int | None = None
    response_status: int | None = None
    error: str | None = None
    topic: str | None = None
    """What a mail is about: those about the same are sent as one if many come; None for other formats."""
    digest_id: str | None = None
    """The delivery whose mail this one is part of, while it is being sent."""


@dataclass(slots=True, kw_only=True)
class BatchEnd:
    """Composes `batch.finished`, sent only when the change ends the last execution of the batch."""

    batch_id: str
    organization_id: str
    at: int
    compose: Callable[[Mapping[Status, int]], Sequence[Delivery]]


@dataclass(slots=True, kw_only=True)
class WebhookEvent:
    """Deliveries that report a change, written in the same transaction as the change."""

    deliveries: Sequence[Delivery] = ()
    batch_end: BatchEnd | None = None
