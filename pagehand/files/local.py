"""Files in a local folder."""

import asyncio
import errno
import math
import os
import re
import secrets
import shutil
import time
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from pagehand.errors import InvalidRequest, NotFound, Unavailable

_CHUNK_BYTES = 64 * 1024
# not a valid key: parts of a key begin with a letter, digit or `_`
_INCOMING = ".incoming"
_ORPHAN_SECONDS = 24 * 3600.0
"""Older incoming files belong to processes that were killed."""
# each part begins with a letter, digit or `_`: no `..`, no hidden file
_KEY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}(?:/[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}){0,7}")


class LocalFiles:
    """Stores each file at `<folder>/<key>`: written elsewhere, flushed to disk, then moved into place."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._orphans_removed_at = -math.inf
        # the disk's cache answers at once: more readers would only keep the event loop from other work
        self._reading = asyncio.Semaphore(2)

    async def put(self, key: str, content: bytes) -> None:
        """Store `content` under `key`, replacing any other."""
        target = self._path(key)
        await asyncio.to_thread(self._put, target, content)

    async def put_file(self, key: str, path: Path) -> None:
        """Move the file at `path` to `key`."""
        target = self._path(key)
        await asyncio.to_thread(self._put_file, target, path)

    async def read(self, key: str) -> bytes:
        """All bytes of a file."""
        path = self._path(key)
        with _translate_missing(key):
            return await asyncio.to_thread(path.read_bytes)

    async def open(self, key: str) -> AsyncIterator[bytes]:
        """The bytes of a file in chunks, which are read one or two at a time for all that are open."""
        path = self._path(key)
        with _translate_missing(key):
            file = await asyncio.to_thread(path.open, "rb")
        try:
            while chunk := await self._read_chunk(file):
                yield chunk
        finally:
            file.close()

    async def _read_chunk(self, file: BinaryIO) -> bytes:
        async with self._reading:
            return await asyncio.to_thread(file.read, _CHUNK_BYTES)

    async def size(self, key: str) -> int:
        """How many bytes a file has."""
        path = self._path(key)
        with _translate_missing(key):
            return (await asyncio.to_thread(path.stat)).st_size

    async def delete(self, key: str) -> None:
        """Delete a file if it exists; raises Unavailable if the disk fails."""
        with _translate_refusal("deleted"):
            await asyncio.to_thread(self._path(key).unlink, missing_ok=True)

    async def delete_folder(self, folder: str) -> None:
        """Delete every file whose key begins with `folder` and a slash."""
        with _translate_refusal("deleted"):
            await asyncio.to_thread(_remove_folder, self._path(folder))

    def _path(self, key: str) -> Path:
        return self._folder / checked_key(key)

    def _put(self, target: Path, content: bytes) -> None:
        with self._incoming() as incoming:
            with incoming.open("xb") as file:
                file.write(content)
                file.flush()
                # a committed row that names the file is durable, so the bytes must be durable before
                os.fsync(file.fileno())
            self._move_into_place(incoming, target)

    def _put_file(self, target: Path, source: Path) -> None:
        with self._incoming() as incoming:
            try:
                source.replace(incoming)
            except OSError as error:
                if error.errno != errno.EXDEV:  # another file system: copied below
                    raise
                # following a link could expose any file of this machine
                shutil.copyfile(source, incoming, follow_symlinks=False)
                source.unlink()
            _flush(incoming)
            self._move_into_place(incoming, target)

    @contextmanager
    def _incoming(self) -> Generator[Path]:
        """A path to write to; deleted if writing fails."""
        folder = self._folder / _INCOMING
        incoming = folder / secrets.token_hex(16)
        with _translate_refusal("stored"):
            try:
                folder.mkdir(parents=True, exist_ok=True)
                self._remove_orphans(folder)
                yield incoming
            except OSError:
                with suppress(OSError):  # a read-only disk refuses this too
                    incoming.unlink(missing_ok=True)
                raise

    def _remove_orphans(self, folder: Path) -> None:
        """Delete what killed processes were writing; processes on other machines may still write here."""
        now = time.monotonic()
        if now - self._orphans_removed_at < _ORPHAN_SECONDS:
            return
        self._orphans_removed_at = now
        for path in folder.iterdir():
            with suppress(FileNotFoundError):  # moved into place, or removed by another process
                if time.time() - path.stat().st_ctime > _ORPHAN_SECONDS:
                    path.unlink()

    def _move_into_place(self, incoming: Path, target: Path) -> None:
        missing = [parent for parent in target.parents if not parent.exists()]
        target.parent.mkdir(parents=True, exist_ok=True)
        incoming.replace(target)
        _flush(target.parent)
        for made in missing:  # a new folder is durable once its parent is flushed
            _flush(made.parent)


@contextmanager
def _translate_missing(key: str) -> Generator[None]:
    try:
        yield
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        raise NotFound(f"`key`: there is no stored file `{key}`.") from error


@contextmanager
def _translate_refusal(participle: str) -> Generator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or "the disk failed"
        raise Unavailable(f"The file could not be {participle}: {reason}.") from error


def _remove_folder(path: Path) -> None:
    with suppress(FileNotFoundError):
        shutil.rmtree(path)


def _flush(path: Path) -> None:
    # a download may be a link to a file outside: refuse it
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def checked_key(key: str) -> str:
    """The key, if it is valid; raises InvalidRequest for paths outside the store and hidden files."""
    if not _KEY.fullmatch(key):
        raise InvalidRequest(f"`key`: {key[:100]!r} cannot name a stored file.")
    return key
