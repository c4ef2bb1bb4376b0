"""Stored files."""

from dataclasses import dataclass


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
