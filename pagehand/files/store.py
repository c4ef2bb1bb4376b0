"""A place for bytes, named by keys `<organization>/<execution or "uploads">/<id>`."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol


class FileStore(Protocol):
    """Keeps files whole: a key either has all of its bytes or is not there."""

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
        """Remove a file; one that is not there is no error."""
        ...
