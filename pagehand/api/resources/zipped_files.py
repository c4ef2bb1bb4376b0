"""The files of executions as entries of a streamed ZIP."""

from collections.abc import AsyncIterator
from typing import Final

from pagehand.api.zip_stream import ZipStream
from pagehand.errors import NotFound
from pagehand.ports import FileStore
from pagehand.records import FileInfo
from pagehand.storage import Stores

_PAGE_SIZE: Final = 1000
_GONE: Final = "This file was deleted before the ZIP was made.\n"


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
