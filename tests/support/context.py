"""What the contexts of blocks that are tested alone have in common: no model, no cache, files in memory."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any, cast

from pagehand.browser_session import FoundElement
from pagehand.errors import BlockFailed
from pagehand.ports import BlockCache, FilePlace, Knowledge, Model
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

    async def keep(self, content: bytes | Path, name: str, mime_type: str) -> FileInfo:
        """Take over what a browser downloaded."""
        if isinstance(content, Path):
            content = await asyncio.to_thread(content.read_bytes)
        return await self.save(name, mime_type, content)

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


class Forgetful:
    """`BlockCache` of a block that has never run."""

    async def recall(self, kind: str) -> Any:
        del kind

    def keep(self, kind: str, plan: Any, *, by_model: bool, page: str | None = None) -> None:
        del kind, plan, by_model, page

    async def drop(self, kind: str) -> None:
        del kind


class BareContext:
    """The part of `RunContext` that is the same for every block tested alone; notes what it is told."""

    secrets: list[str]
    waits: list[str]
    events: list[tuple[str, str]]
    effects: list[str]
    found: FoundElement | None

    def holds_secret(self, text: str) -> bool:
        del text
        return False  # what `login` has here is filled in as it is

    def reveal(self, text: str, url: str) -> str:
        del url
        return text

    @property
    def knowledge(self) -> Knowledge:
        raise NotImplementedError

    @property
    def model(self) -> Model:
        raise BlockFailed("This needs a language model, and none is configured: set `PAGEHAND_MODEL`.")

    @property
    def has_model(self) -> bool:
        return False

    @property
    def cache(self) -> BlockCache:
        return Forgetful()

    async def run_step(self, definition: Mapping[str, Any]) -> Any:
        raise NotImplementedError(str(definition))

    async def say(self, role: str, text: str) -> None:
        raise NotImplementedError(f"{role} {text}")

    async def sign_in(self, login_id: str | None, *, force: bool) -> None:
        raise NotImplementedError(f"{login_id} {force}")

    def keep_secret(self, value: str) -> None:
        self.secrets.append(value)

    def waiting_for_person(self, reason: str) -> AbstractAsyncContextManager[asyncio.Event]:
        return self._waiting(reason)

    async def wait_for_word(self, reason: str) -> None:
        self.waits.append(reason)

    def note_found(self, found: FoundElement) -> None:
        self.found = found

    def timing(self, phase: str) -> AbstractContextManager[None]:
        del phase
        return nullcontext()

    def beginning_effect(self, what: str) -> AbstractAsyncContextManager[None]:
        self.effects.append(what)
        return nullcontext()

    def intending_effect(self, what: str | None) -> AbstractAsyncContextManager[None]:
        return self.beginning_effect(what) if what is not None else nullcontext()

    def emit(self, type: str, message: str, data: Mapping[str, Any] | None = None) -> None:  # noqa: A002 - the event's own word
        del data
        self.events.append((type, message))

    @asynccontextmanager
    async def _waiting(self, reason: str) -> AsyncGenerator[asyncio.Event]:
        self.waits.append(reason)
        yield asyncio.Event()
