"""Organizations: keys, console sessions and knowledge base; and the process that owns the executions."""

from collections import Counter
from dataclasses import dataclass
from typing import Final


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
