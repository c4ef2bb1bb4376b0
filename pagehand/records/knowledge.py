"""The knowledge base."""

from collections import Counter
from dataclasses import dataclass


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
