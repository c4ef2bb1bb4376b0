"""Stored files, and what an execution's row has of them."""

from dataclasses import dataclass
from typing import Literal, Self

from msgspec import Struct


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


DownloadStatus = Literal["pending", "in_progress", "success", "failed"]


class DownloadState(Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """The downloads of an execution, and the status of the newest."""

    status: DownloadStatus
    files: list[StoredFile]
    message: str | None = None
    """Why it failed."""
