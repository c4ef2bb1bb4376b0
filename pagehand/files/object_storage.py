"""Files in object storage: S3 and compatible stores, Google Cloud Storage, Azure.

The URL names the bucket (`s3://bucket/prefix`, `gs://…`, `az://…`); credentials, region and endpoint come
from the environment variables that the vendors' own tools read. These services write objects atomically.
"""

import asyncio
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pagehand.errors import NotFound, Unavailable, UserMistake
from pagehand.files.local import checked_key

if TYPE_CHECKING:
    from obstore.store import ObjectStore

_CHUNK_BYTES = 256 * 1024
_SCHEMES = ("s3", "s3a", "gs", "az", "azure", "abfs", "abfss", "adl")
_INSTALL = "pip install 'pagehand[cloud]'"


class ObjectStorage:
    """Stores each file as one object with its key as name."""

    def __init__(self, url: str, **options: Any) -> None:
        """`options` such as `client_options` go to the store; raises `UserMistake` for a wrong URL."""
        if url.partition("://")[0] not in _SCHEMES:
            raise UserMistake(f"`PAGEHAND_FILES`: expected a URL such as `s3://bucket/prefix`, not `{url}`.")
        try:
            from obstore.store import from_url  # noqa: PLC0415 - an extra that most services do not have
        except ImportError as error:
            raise UserMistake(f"`PAGEHAND_FILES` names object storage, which needs `{_INSTALL}`.") from error
        try:
            self._store: ObjectStore = from_url(url, **options)
        except Exception as error:  # each vendor's library has errors of its own
            raise UserMistake(f"`PAGEHAND_FILES`: `{url}` cannot be used: {error}") from error

    async def put(self, key: str, content: bytes) -> None:
        """Store `content` under `key`, replacing any other."""
        with _translate_errors(key):
            await self._store.put_async(checked_key(key), content)

    async def put_file(self, key: str, path: Path) -> None:
        """Upload the file at `path`, in parts if it is large, and delete it."""
        if await asyncio.to_thread(path.is_symlink):
            raise Unavailable("The file could not be stored: it is a link.")
        with _translate_errors(key):
            await self._store.put_async(checked_key(key), path)
        await asyncio.to_thread(path.unlink)

    async def read(self, key: str) -> bytes:
        """All bytes of a file."""
        with _translate_errors(key):
            answer = await self._store.get_async(checked_key(key))
            return bytes(await answer.bytes_async())

    async def open(self, key: str) -> AsyncIterator[bytes]:
        """The bytes of a file, a quarter of a megabyte at a time."""
        with _translate_errors(key):
            answer = await self._store.get_async(checked_key(key))
            async for chunk in answer.stream(min_chunk_size=_CHUNK_BYTES):
                yield bytes(chunk)

    async def size(self, key: str) -> int:
        """How many bytes a file has."""
        with _translate_errors(key):
            return (await self._store.head_async(checked_key(key)))["size"]

    async def delete(self, key: str) -> None:
        """Delete a file if it exists."""
        with _translate_errors(key):
            try:
                await self._store.delete_async(checked_key(key))
            except FileNotFoundError:
                return

    async def delete_folder(self, folder: str) -> None:
        """Delete every object whose key begins with `folder` and a slash."""
        with _translate_errors(folder):
            async for page in self._store.list(f"{checked_key(folder)}/"):  # pyright: ignore[reportUnknownMemberType] - of pyarrow, which is not here
                await self._store.delete_async([item["path"] for item in page])


@contextmanager
def _translate_errors(key: str) -> Generator[None]:
    from obstore.exceptions import BaseError  # noqa: PLC0415 - as above

    try:
        yield
    except FileNotFoundError as error:
        raise NotFound(f"`key`: there is no stored file `{key}`.") from error
    except (BaseError, OSError) as error:
        raise Unavailable("The object storage cannot be used right now; try again shortly.") from error
