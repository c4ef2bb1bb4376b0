"""Webhooks and the deliveries to them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pagehand.records.values import Status

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
