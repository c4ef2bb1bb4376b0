"""Where bytes and documents are, for the engine."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from pagehand.records import (
    Document,
    Passage,
)


class FileBytes(Protocol):
    """Where the bytes of files are."""

    async def put(self, key: str, content: bytes, /) -> None:
        """Write, all or nothing."""
        ...

    async def put_file(self, key: str, path: Path, /) -> None:
        """Take a finished file over."""
        ...

    async def read(self, key: str, /) -> bytes:
        """The whole content."""
        ...


class KnowledgeBase(Protocol):
    """Documents of organizations."""

    async def query(
        self, organization_id: str, query: str, top_k: int, tags: Sequence[str], /
    ) -> list[Passage]:
        """The passages that answer best."""
        ...

    async def get(self, organization_id: str, document_id: str, /) -> Document:
        """One of the organization's."""
        ...

    async def list(
        self, organization_id: str, /, *, tags: Sequence[str], limit: int, offset: int
    ) -> tuple[Sequence[Document], int]:
        """Newest first, and how many there are in all."""
        ...
