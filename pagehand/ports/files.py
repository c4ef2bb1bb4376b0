"""Files, documents and knowledge as blocks see them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from pagehand.records import FileInfo, Json, Passage

FilePlace = Literal["downloads", "files", "knowledge"]
"""Where files are: what the execution downloaded, all of the organization's, its knowledge base."""


class RunFiles(Protocol):
    """The files of the execution and its organization."""

    async def save(self, name: str, mime_type: str, content: bytes) -> FileInfo:
        """Keep bytes as a file of this execution."""
        ...

    async def find(self, reference: Any) -> FileInfo:
        """The file meant by a File info, its id or a block's output; `BlockFailed` when there is none."""
        ...

    async def read(self, info: FileInfo) -> bytes:
        """Its bytes."""
        ...

    def describe(self, info: FileInfo) -> Json:
        """File info as the API shows it."""
        ...

    async def choices(self, place: FilePlace, query: str) -> Sequence[FileInfo]:
        """Files to choose from, newest first; those of knowledge by how near they are to the query."""
        ...


KeepFile = Callable[[str, bytes], Awaitable[None]]
"""Takes the name and the bytes of a file that work on a document hands back; the next one waits for it."""


class Documents(Protocol):
    """Opens documents of unknown origin, in limited processes apart from the service."""

    async def perform(
        self,
        task: str,
        content: bytes,
        options: Mapping[str, Any],
        *,
        timeout_seconds: float,
        keep: KeepFile | None = None,
    ) -> Any:
        """Do a task (`pagehand/documents/tasks.py`); its value. `BlockFailed` says what is wrong with it."""
        ...


class Knowledge(Protocol):
    """The organization's documents."""

    async def query(self, query: str, top_k: int, tags: Sequence[str]) -> list[Passage]:
        """The passages that answer best, of documents that carry all of the tags."""
        ...


class FileStore(Protocol):
    """Bytes under keys, kept whole: a key either has all of its bytes or is not there."""

    async def put(self, key: str, content: bytes) -> None:
        """Keep `content` under `key`, durably once this returns; raises Unavailable if it cannot."""
        ...

    async def put_file(self, key: str, path: Path) -> None:
        """Take over the file at `path`, which is gone from there afterwards."""
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
        """Remove a file; one that does not exist is not an error."""
        ...

    async def delete_folder(self, folder: str) -> None:
        """Remove every file whose key begins with `folder` and a slash."""
        ...
