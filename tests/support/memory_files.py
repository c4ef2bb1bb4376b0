"""The files of a run in memory, for what takes `RunFiles` alone."""

from typing import Any, cast

from pagehand.errors import BlockFailed
from pagehand.ports import FilePlace
from pagehand.records import FileInfo


class MemoryFiles:
    """`RunFiles` in memory."""

    def __init__(self) -> None:
        self.content: dict[str, bytes] = {}
        self.infos: dict[str, FileInfo] = {}

    async def save(self, name: str, mime_type: str, content: bytes) -> FileInfo:
        file_id = f"file_{len(self.infos)}"
        info = FileInfo(file_id, "org_1", "exec_1", name, mime_type, len(content), f"org_1/{file_id}", 0)
        self.infos[file_id], self.content[file_id] = info, content
        return info

    async def find(self, reference: Any) -> FileInfo:
        wanted = cast("dict[str, str]", reference)["id"] if isinstance(reference, dict) else str(reference)
        if wanted not in self.infos:
            raise BlockFailed(f"There is no file `{wanted}`.")
        return self.infos[wanted]

    async def read(self, info: FileInfo) -> bytes:
        return self.content[info.id]

    async def choices(self, place: FilePlace, query: str) -> list[FileInfo]:  # noqa: ARG002 - one place is enough
        return list(reversed(self.infos.values()))

    def describe(self, info: FileInfo) -> dict[str, Any]:
        return {"id": info.id, "name": info.name, "mimeType": info.mime_type, "sizeBytes": info.size_bytes}
