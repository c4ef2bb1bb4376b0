"""The files of one execution: what blocks save, find and read, and the execution's `downloads`."""

import asyncio
import mimetypes
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from pagehand.clock import now_ms
from pagehand.engine.services import CheckRoom, DescribeFile
from pagehand.errors import BadData, BlockFailed, TooLarge, WorkerLost
from pagehand.ids import new_id
from pagehand.knowledge import KnowledgeBase
from pagehand.ports import FilePlace, FileStore
from pagehand.records import (
    RESPONSE_FILE_NAME,
    Document,
    DownloadState,
    DownloadStatus,
    Execution,
    FileInfo,
    Json,
    StoredFile,
    is_array,
    is_object,
)
from pagehand.storage.files import FileInfoStore
from pagehand.storage.run_claim import RunClaim, use_claim

MAX_PICTURE_BYTES = 200_000_000
_MAX_CHOICES = 1000
_MAX_PASSAGES = 50
_STATUSES: dict[str, DownloadStatus] = {
    "download.expected": "pending",
    "download.began": "in_progress",
    "download.failed": "failed",
}


class ExecutionFiles:
    """Implements `RunFiles` for one execution."""

    def __init__(
        self,
        execution: Execution,
        records: FileInfoStore,
        content: FileStore,
        describe: DescribeFile,
        downloads: "Downloads | None" = None,
        knowledge: KnowledgeBase | None = None,
        check_room: CheckRoom | None = None,
    ) -> None:
        """`check_room` refuses a file that the organization has no room for."""
        self._execution = execution
        self._downloads = downloads
        self._knowledge = knowledge
        self._records = records
        self._bytes = content
        self._describe = describe
        self._check_room = check_room
        self._picture_bytes = 0

    async def save(self, name: str, mime_type: str, content: bytes) -> FileInfo:
        """Store bytes as a file of this execution."""
        await self.check_room(len(content))
        info = self._new(name, mime_type, len(content))
        await self._bytes.put(info.key, content)
        return await self._record(info)

    async def take_over(self, name: str, mime_type: str, path: Path) -> FileInfo:
        """Store a file that something else has finished writing."""
        # disks may be slow or remote: never in the event loop
        size = (await asyncio.to_thread(path.stat)).st_size
        await self.check_room(size)
        info = self._new(name, mime_type, size)
        await self._bytes.put_file(info.key, path)
        return await self._record(info)

    async def put_picture(self, name: str, content: bytes) -> str:
        """Store a screenshot; its key. Pictures belong to events, not to the list of files.

        `TooLarge` when the organization has no room left, or the run has kept very many already.
        """
        key = self.picture_key(name)
        # pictures are not in the list of files, so the quota cannot count them by itself
        self._picture_bytes += len(content)
        if self._picture_bytes > MAX_PICTURE_BYTES:
            raise TooLarge(f"The pictures of one execution may take {MAX_PICTURE_BYTES // 1_000_000} MB.")
        await self.check_room(self._picture_bytes)
        await self._bytes.put(key, content)
        return key

    def picture_key(self, name: str) -> str:
        """The key of a screenshot of that name."""
        return f"{self._execution.organization_id}/{self._execution.id}/{name}"

    async def find(self, reference: Any) -> FileInfo:
        """The file of a File info, its id, or an array with one of them."""
        wanted: Any = reference
        # blocks that find files return lists; a list of one is not ambiguous
        if is_array(wanted) and len(wanted) == 1:
            wanted = wanted[0]
        if is_object(wanted):
            wanted = _file_id(wanted)
        if not isinstance(wanted, str) or not wanted:
            raise BadData(
                "A file was expected: a File info, its id, or a template that yields one, "
                f"such as `{{{{blocks.download}}}}`. Got {str(reference)[:80]!r}."
            )
        info = await self._records.get(self._execution.organization_id, wanted)
        if info is None:
            raise BadData(f"There is no file `{wanted[:80]}` in this organization.")
        return info

    async def read(self, info: FileInfo) -> bytes:
        """Its bytes."""
        return await self._bytes.read(info.key)

    def describe(self, info: FileInfo) -> Json:
        """File info as the API shows it."""
        return self._describe(info)

    async def choices(self, place: FilePlace, query: str) -> list[FileInfo]:
        """Files of the execution's downloads, of the organization, or of its knowledge base."""
        organization = self._execution.organization_id
        if place == "files":
            found, _ = await self._records.list(
                organization, execution_id=None, without_responses=True, limit=_MAX_CHOICES, offset=0
            )
            return found
        if place == "knowledge":
            ids = await self._knowledge_files(organization, query)
        else:
            state = self._downloads.state if self._downloads else None
            # the newest first: where several fit, the latest download is meant
            ids = [file.id for file in reversed(state.files)] if state else []
        infos = [await self._records.get(organization, file_id) for file_id in ids]
        return [info for info in infos if info is not None]

    async def _knowledge_files(self, organization: str, query: str) -> list[str]:
        """Ids of the files in the knowledge base whose passages answer best; without a query all of them."""
        if self._knowledge is None:
            raise BlockFailed("There is no knowledge base to look in.")
        if query:
            passages = await self._knowledge.query(organization, query, _MAX_PASSAGES, ())
            # in the order of their best passages, each document once
            ids = dict.fromkeys(passage.document_id for passage in passages)
            found: Sequence[Document] = [await self._knowledge.get(organization, file_id) for file_id in ids]
        else:
            found, _ = await self._knowledge.list(organization, tags=(), limit=_MAX_CHOICES, offset=0)
        return [document.file_id for document in found if document.file_id is not None]

    async def check_room(self, size: int) -> None:
        """Raise when the organization has no room for so many bytes more."""
        if self._check_room is not None:
            await self._check_room(self._execution.organization_id, size)

    async def _record(self, info: FileInfo) -> FileInfo:
        """Record a file whose bytes are stored; deletes them when it is refused."""
        execution = self._execution
        try:
            # set here too: downloads are saved in tasks of the browser, which have no claim
            with use_claim(RunClaim(execution.id, execution.fence)):
                await self._records.add(info)
        except (WorkerLost, TooLarge):
            await self._bytes.delete(info.key)
            raise
        return info

    def _new(self, name: str, mime_type: str, size: int) -> FileInfo:
        return _new_file(self._execution, name, mime_type, size)


def _file_id(output: Json) -> Any:
    """The id in a File info, or in the one that a block's output has as its `data` or `file`."""
    for inner in (output, output.get("data"), output.get("file")):
        if is_object(inner) and "id" in inner:
            return inner["id"]
    return None


def response_file(execution: Execution, size: int) -> FileInfo:
    """The File info of an execution's response, whose bytes are in the row."""
    return _new_file(execution, RESPONSE_FILE_NAME, "application/json", size)


def _new_file(execution: Execution, name: str, mime_type: str, size: int) -> FileInfo:
    file_id = new_id("file")
    return FileInfo(
        id=file_id,
        organization_id=execution.organization_id,
        execution_id=execution.id,
        name=name,
        mime_type=mime_type or mimetypes.guess_type(name)[0] or "application/octet-stream",
        size_bytes=size,
        key=f"{execution.organization_id}/{execution.id}/{file_id}",
        created_at=now_ms(),
    )


class Downloads:
    """The execution's `downloads`: pending while one is waited for, in progress, then success or failed."""

    def __init__(self, changed: Callable[[DownloadState], Awaitable[None]]) -> None:
        self._changed = changed
        self._files: list[StoredFile] = []
        self._state: DownloadState | None = None
        self._saving: asyncio.Task[None] | None = None
        self._is_saved = True

    @property
    def state(self) -> DownloadState | None:
        """What the row shows; None while nothing was downloaded."""
        return self._state

    def on_browser_event(self, type: str, message: str) -> None:  # noqa: A002 - the event's own word
        """Follow the browser's events about downloads; others are ignored."""
        if type in _STATUSES:
            self._set(_STATUSES[type], message if type == "download.failed" else None)

    async def add(self, info: FileInfo) -> None:
        """A download is complete."""
        self._files.append(StoredFile.of(info))
        self._set("success")
        # the next block must find the download on the row
        if self._saving is not None:
            await self._saving

    def _set(self, status: DownloadStatus, message: str | None = None) -> None:
        self._state = DownloadState(status=status, files=list(self._files), message=message or None)
        self._is_saved = False
        if self._saving is None or self._saving.done():
            self._saving = asyncio.create_task(self._save())

    async def _save(self) -> None:
        """Write the newest state, one write after the other; those in between may be left out."""
        while not self._is_saved and self._state is not None:
            self._is_saved = True
            try:
                await self._changed(self._state)
            except WorkerLost:
                return  # another worker has the execution: the next step of this run fails too


def ended_downloads(state: DownloadState | None) -> DownloadState | None:
    """The downloads of an execution that ends, perhaps in the middle of one."""
    if state is None or state.status in ("success", "failed"):
        return state
    return replace(state, status="failed", message="The execution ended before the download did.")
