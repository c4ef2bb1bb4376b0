"""One block alone, as a client would send it, against a real browser."""

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from pagehand.blocks import examples, kinds
from pagehand.blocks.base import NOTHING, Outcome
from pagehand.blocks.ports import (
    BlockCache,
    CaptchaSolver,
    Documents,
    FilePlace,
    Found,
    Http,
    Knowledge,
    Mail,
    Model,
    PageSession,
    Purpose,
    Sandbox,
)
from pagehand.browser import BrowserPool, BrowserSession, SessionOptions
from pagehand.errors import BlockFailed
from pagehand.records import FileInfo
from pagehand.sandbox import EgressPolicy, HttpClient
from pagehand.workflow.conditions import Condition
from pagehand.workflow.envelope import Envelope
from pagehand.workflow.locator import Locator
from pagehand.workflow.templates import resolve
from support.site import Site

__all__ = ["BlockContext", "Desk", "Site", "examples_of", "put_out_nothing"]


class KeptFiles:
    """`RunFiles` in memory."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[FileInfo, bytes]] = {}

    async def save(self, name: str, mime_type: str, content: bytes) -> FileInfo:
        file_id = f"file_{len(self._kept) + 1}"
        info = FileInfo(file_id, "org_1", "exec_1", name, mime_type, len(content), f"org_1/{file_id}", 0)
        self._kept[file_id] = (info, content)
        return info

    async def keep(self, content: bytes | Path, name: str, mime_type: str) -> FileInfo:
        if isinstance(content, Path):
            content = await asyncio.to_thread(content.read_bytes)
        return await self.save(name, mime_type, content)

    async def find(self, reference: Any) -> FileInfo:
        file_id = cast("dict[str, str]", reference)["id"] if isinstance(reference, dict) else str(reference)
        if file_id not in self._kept:
            raise BlockFailed(f"There is no file `{file_id}`")
        return self._kept[file_id][0]

    async def read(self, info: FileInfo) -> bytes:
        return self._kept[info.id][1]

    async def choices(self, place: FilePlace, query: str) -> list[FileInfo]:
        raise NotImplementedError(f"{place} {query}")

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


@dataclass
class BlockContext:
    """`RunContext` for a block that stands alone."""

    envelope: Envelope
    locator: Locator | None
    names: Mapping[str, Any]
    page: PageSession
    files: KeptFiles
    ends: float
    search_engine: str | None = None
    captcha_solver: CaptchaSolver | None = None
    secrets: list[str] = field(default_factory=list[str])
    waits: list[str] = field(default_factory=list[str])
    events: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    found: Found | None = None
    http: Http = field(default_factory=lambda: HttpClient(EgressPolicy("127.0.0.1:*")))

    @property
    def knowledge(self) -> Knowledge:
        raise NotImplementedError

    @property
    def remaining_seconds(self) -> float:
        return max(0.05, self.ends - time.monotonic())

    @property
    def sandbox(self) -> Sandbox:
        raise NotImplementedError("page blocks run no user code")

    @property
    def documents(self) -> Documents:
        raise NotImplementedError("page blocks open no documents")

    @property
    def mail(self) -> Mail:
        raise NotImplementedError("page blocks send no mail")

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

    def keep_secret(self, value: str) -> None:
        self.secrets.append(value)

    def waiting_for_person(self, reason: str) -> AbstractAsyncContextManager[asyncio.Event]:
        return self._waiting(reason)

    async def wait_for_word(self, reason: str) -> None:
        self.waits.append(reason)

    def resolve(self, value: Any) -> Any:
        return resolve(value, self.names)

    def note_found(self, found: Found) -> None:
        self.found = found

    def timing(self, phase: str) -> AbstractContextManager[None]:
        del phase
        return nullcontext()

    async def find(self, purpose: Purpose = "act", locator: Locator | None = None) -> Found:
        wanted = locator or self.locator
        assert wanted is not None
        return await self.page.find(wanted, purpose, timeout_seconds=self.remaining_seconds)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def holds(self, condition: Condition) -> bool:
        raise NotImplementedError(str(condition))

    async def run_sequence(self, name: str) -> None:
        raise NotImplementedError(name)

    async def run_round(self, name: str, put_out: dict[str, Any], **names: Any) -> None:
        raise NotImplementedError(f"{name} {put_out} {names}")

    def starts_in(self) -> str | None:
        return None

    def put_out(self, value: Any) -> None:
        raise NotImplementedError(str(value))

    async def sign_in(self, login_id: str | None, *, force: bool) -> None:
        raise NotImplementedError(f"{login_id} {force}")

    def emit(self, type: str, message: str, data: Mapping[str, Any] | None = None) -> None:  # noqa: A002 - the event's own word
        del data
        self.events.append((type, message))

    @asynccontextmanager
    async def _waiting(self, reason: str) -> AsyncGenerator[asyncio.Event]:
        self.waits.append(reason)
        yield asyncio.Event()


class Desk:
    """Runs blocks on one browser session and looks at the page."""

    def __init__(self, session: BrowserSession, files: KeptFiles) -> None:
        self.session = session
        self.files = files
        self.search_engine: str | None = None
        self.captcha_solver: CaptchaSolver | None = None
        self.last: BlockContext | None = None

    async def open(self, html: str) -> None:
        """Show a page that needs no server."""
        await self.session.page.set_content(f"<!doctype html><html lang=en><body>{html}</body></html>")

    async def run(self, kind_name: str, data: dict[str, Any], **locator: Any) -> Outcome:
        """Check, parse and run a block."""
        return await self.run_block({"type": kind_name, "data": data, "locator": locator or None})

    async def run_block(self, block: dict[str, Any], **names: Any) -> Outcome:
        """Run a whole definition; `names` are what its templates speak of."""
        kind = kinds().find(block["type"])
        assert kind is not None
        raw = resolve(block.get("locator"), names)
        locator = Locator.model_validate(raw) if raw else None
        kind.check(block["data"], locator)
        parsed = kind.parse(kind.resolve_data(block["data"], names))
        limit = parsed.timeout_ms / 1000 if parsed.timeout_ms else parsed.default_timeout_seconds or 60
        envelope = Envelope("block_1", kind.title, "one", kind.type, block["data"])
        self.last = BlockContext(
            envelope,
            locator,
            names,
            self.session,
            self.files,
            time.monotonic() + limit,
            self.search_engine,
            self.captcha_solver,
        )
        return await parsed.run(self.last)

    async def value(self, expression: str) -> Any:
        """Ask the page."""
        return await self.session.page.evaluate(expression)


def examples_of(kind_name: str) -> list[dict[str, Any]]:
    """The definitions a kind shows its users."""
    kind = kinds().find(kind_name)
    assert kind is not None
    found = examples(kind)
    assert found
    return found


def put_out_nothing(outcome: Outcome) -> bool:
    return outcome.output is NOTHING


@pytest.fixture
async def desk(pool: BrowserPool) -> AsyncGenerator[Desk]:
    files = KeptFiles()
    session = await pool.take(SessionOptions(save_file=files.keep))
    yield Desk(session, files)
    await session.end()
