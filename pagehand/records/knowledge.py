"""Documents of the knowledge base and their passages."""

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
