"""Response files: their bytes are read from the execution's row, so a full disk cannot lose them."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

from pagehand.errors import NotFound
from pagehand.ports import FileStore
from pagehand.records import Execution

_CHUNK_BYTES = 256 * 1024
_PARTS_OF_KEY = 3
FindExecution = Callable[[str, str], Awaitable[Execution | None]]


class FilesAndResponses:
    """A file store that also serves the response files of executions."""

    def __init__(self, files: FileStore, find_execution: FindExecution) -> None:
        """`find_execution` takes an organization's id and an execution's."""
        self._files = files
        self._find = find_execution

    async def put(self, key: str, content: bytes) -> None:
        """Store `content` under `key`."""
        await self._files.put(key, content)

    async def put_file(self, key: str, path: Path) -> None:
        """Move the file at `path` to `key`."""
        await self._files.put_file(key, path)

    async def read(self, key: str) -> bytes:
        """All bytes; raises NotFound."""
        try:
            return await self._files.read(key)
        except NotFound:
            return bytes(await self._response(key))

    async def open(self, key: str) -> AsyncIterator[bytes]:
        """The bytes in chunks; raises NotFound at the first one."""
        try:
            async for chunk in self._files.open(key):
                yield chunk
        except NotFound:
            content = await self._response(key)
            for start in range(0, len(content), _CHUNK_BYTES):
                yield bytes(content[start : start + _CHUNK_BYTES])

    async def size(self, key: str) -> int:
        """How many bytes there are; raises NotFound."""
        try:
            return await self._files.size(key)
        except NotFound:
            return len(await self._response(key))

    async def delete(self, key: str) -> None:
        """Delete a file if it exists."""
        await self._files.delete(key)

    async def delete_folder(self, folder: str) -> None:
        """Delete every file whose key begins with `folder` and a slash."""
        await self._files.delete_folder(folder)

    async def _response(self, key: str) -> memoryview:
        parts = key.split("/")
        # keys are `<organization>/<execution>/<id>`
        execution = await self._find(parts[0], parts[1]) if len(parts) == _PARTS_OF_KEY else None
        if execution is None or execution.response_file is None or execution.response_file.key != key:
            raise NotFound(f"`key`: there is no stored file `{key}`.")
        return memoryview(execution.response or b"null")
