"""A place for bytes, named by keys `<organization>/<execution or "uploads">/<id>`."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol

from pagehand.errors import InvalidRequest

# each part begins with a letter, digit or `_`: no `..`, no hidden file
_KEY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}(?:/[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}){0,7}")


def checked_key(key: str) -> str:
    """The key, if it can name a stored file: nothing outside the store, nothing hidden."""
    if not _KEY.fullmatch(key):
        raise InvalidRequest(f"`key`: {key[:100]!r} cannot name a stored file.")
    return key


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
