"""ZIP files that are streamed while they are made, so that they need not fit into memory."""

import re
import time
import zipfile
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from typing import IO, Final, cast

from pagehand.errors import NotFound
from pagehand.ports import FileStore
from pagehand.records import FileInfo
from pagehand.storage import Stores

_UNSAFE: Final = re.compile(r"[^\w.()\[\] +-]+|\.{2,}")
_MAX_NAME: Final = 120
_PAGE_SIZE: Final = 1000
_GONE: Final = "This file was deleted before the ZIP was made.\n"


def entry_name(name: str) -> str:
    """A safe name for an entry: no folder, no leading dot, no characters that file systems refuse."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    # the end of a long name is kept: it has the extension
    return _UNSAFE.sub("_", last).strip(" .")[-_MAX_NAME:] or "file"


class _Buffer:
    """Collects what `zipfile` writes; it cannot seek, because the data is sent already."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, piece: bytes) -> int:
        """Add a piece."""
        self._pieces.append(bytes(piece))
        return len(piece)

    def flush(self) -> None:
        """Do nothing: every piece is available at once."""

    def take(self) -> bytes:
        """All pieces since the last call, removed from the buffer."""
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


class ZipStream:
    """A ZIP under construction; every method returns the bytes that are ready to be sent."""

    def __init__(self) -> None:
        self._buffer = _Buffer()
        self._zip = zipfile.ZipFile(cast("IO[bytes]", self._buffer), "w")

    def add(self, name: str, content: bytes) -> bytes:
        """Add a whole entry, compressed."""
        self._zip.writestr(name, content, zipfile.ZIP_DEFLATED)
        return self.take()

    @contextmanager
    def entry(self, name: str, *, is_text: bool = False) -> Generator["ZipEntry"]:
        """An entry that is written in pieces; only text is compressed, because pictures already are."""
        info = zipfile.ZipInfo(name, time.localtime()[:6])
        info.compress_type = zipfile.ZIP_DEFLATED if is_text else zipfile.ZIP_STORED
        # readable by its owner only when unpacked: it may hold personal data
        info.external_attr = 0o600 << 16
        # the size is not known when the header of the entry is written
        with self._zip.open(info, "w", force_zip64=True) as opened:
            yield ZipEntry(opened, self._buffer)

    def take(self) -> bytes:
        """What was written since the last call."""
        return self._buffer.take()

    def close(self) -> bytes:
        """Write the end of the ZIP."""
        self._zip.close()
        return self.take()


class ZipEntry:
    """One entry that is being written."""

    def __init__(self, opened: IO[bytes], buffer: _Buffer) -> None:
        self._opened = opened
        self._buffer = buffer

    def write(self, piece: bytes) -> bytes:
        """Add a piece."""
        self._opened.write(piece)
        return self._buffer.take()


async def files_of(
    stores: Stores, organization_id: str, execution_id: str
) -> AsyncIterator[tuple[int, FileInfo]]:
    """The execution's files, numbered from 1."""
    number = 0
    while True:
        page, total = await stores.files.list(
            organization_id, execution_id=execution_id, limit=_PAGE_SIZE, offset=number
        )
        for info in page:
            number += 1
            yield number, info
        # also at an empty page: files may be deleted meanwhile
        if not page or number >= total:
            return


async def stored_entry(files: FileStore, stream: ZipStream, name: str, key: str) -> AsyncIterator[bytes]:
    """The entry of a stored file; a note instead of a deleted one."""
    try:
        # the first piece shows whether the file still exists, before its entry starts
        content = files.open(key)
        first = await anext(content, b"")
    except NotFound:
        yield stream.add(f"{name}.txt", _GONE.encode())
        return
    with stream.entry(name) as entry:
        yield entry.write(first)
        async for piece in content:
            yield entry.write(piece)
    yield stream.take()
