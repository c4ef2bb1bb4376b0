"""Files, documents and knowledge as blocks see them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from pagehand.records import FileInfo, Json, Passage

FilePlace = Literal["downloads", "files", "knowledge"]
"""The execution's downloads, all files of the organization, or its knowledge base."""


class RunFiles(Protocol):
    """The files of the execution and its organization."""

    async def save(self, name: str, mime_type: str, content: bytes) -> FileInfo:
        """Store bytes as a file of this execution."""
        ...

    async def find(self, reference: Any) -> FileInfo:
        """The file of a File info, an id or a block's output; `BlockFailed` if there is none."""
        ...

    async def read(self, info: FileInfo) -> bytes:
        """Its bytes."""
        ...

    def describe(self, info: FileInfo) -> Json:
        """File info as the API shows it."""
        ...

    async def choices(self, place: FilePlace, query: str) -> Sequence[FileInfo]:
        """Files to choose from, newest first; those of the knowledge base by relevance to the query."""
        ...


KeepFile = Callable[[str, bytes], Awaitable[None]]
"""Stores a file, by name and bytes, that a task on a document produced."""


class Documents(Protocol):
    """Runs tasks on documents of unknown origin, in isolated processes."""

    async def perform(
        self,
        task: str,
        content: bytes,
        options: Mapping[str, Any],
        *,
        timeout_seconds: float,
        keep: KeepFile | None = None,
    ) -> Any:
        """Run a task (`pagehand/documents/tasks.py`); its value. `BlockFailed` says what is wrong."""
        ...


class Knowledge(Protocol):
    """The organization's knowledge base."""

    async def query(self, query: str, top_k: int, tags: Sequence[str]) -> list[Passage]:
        """The best passages, of documents with all of the tags."""
        ...


class FileStore(Protocol):
    """Bytes by key; writes are atomic."""

    async def put(self, key: str, content: bytes) -> None:
        """Store `content` under `key`, durably when this returns; raises Unavailable."""
        ...

    async def put_file(self, key: str, path: Path) -> None:
        """Move the file at `path` to `key`."""
        ...

    async def read(self, key: str) -> bytes:
        """All bytes; raises NotFound."""
        ...

    def open(self, key: str) -> AsyncIterator[bytes]:
        """The bytes in chunks, for `async for`; raises NotFound at the first one."""
        ...

    async def size(self, key: str) -> int:
        """How many bytes there are; raises NotFound."""
        ...

    async def delete(self, key: str) -> None:
        """Delete a file if it exists."""
        ...

    async def delete_folder(self, folder: str) -> None:
        """Delete every file whose key begins with `folder` and a slash."""
        ...
