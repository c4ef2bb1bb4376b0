"""A run without a browser or a store: walks blocks in memory, with the real sandbox and the real language."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from pagehand.blocks import Registry, kinds
from pagehand.blocks.base import NOTHING
from pagehand.blocks.ports import (
    BlockCache,
    FilePlace,
    Found,
    Http,
    Knowledge,
    Mail,
    Model,
    PageSession,
    Purpose,
)
from pagehand.documents import DocumentProcess
from pagehand.errors import BlockFailed
from pagehand.records import FileInfo
from pagehand.sandbox.python import PythonSandbox
from pagehand.workflow import templates, tree
from pagehand.workflow.conditions import Condition, ExpressionCondition
from pagehand.workflow.envelope import Envelope
from pagehand.workflow.locator import Locator
from pagehand.workflow.parse import parse_blocks

Json = dict[str, Any]


class MemoryFiles:
    """Files of one run, kept in a dict."""

    def __init__(self) -> None:
        self.content: dict[str, bytes] = {}
        self.infos: dict[str, FileInfo] = {}

    async def save(self, name: str, mime_type: str, content: bytes) -> FileInfo:
        file_id = f"file_{len(self.infos)}"
        info = FileInfo(file_id, "org", "exec", name, mime_type, len(content), file_id, 0)
        self.infos[file_id], self.content[file_id] = info, content
        return info

    async def find(self, reference: Any) -> FileInfo:
        wanted = cast("Json", reference)["id"] if isinstance(reference, dict) else reference
        if wanted not in self.infos:
            raise BlockFailed(f"There is no file `{wanted}`.")
        return self.infos[wanted]

    async def read(self, info: FileInfo) -> bytes:
        return self.content[info.id]

    async def choices(self, place: FilePlace, query: str) -> list[FileInfo]:  # noqa: ARG002 - one place is enough
        return list(reversed(self.infos.values()))

    def describe(self, info: FileInfo) -> Json:
        return {"id": info.id, "name": info.name, "mimeType": info.mime_type, "sizeBytes": info.size_bytes}


@dataclass
class MemoryRun:
    """What one run knows: names, outputs, events, and where it begins."""

    sandbox: PythonSandbox
    documents: DocumentProcess
    registry: Registry
    params: Json
    page: PageSession | None = None
    start: str | None = None
    outputs: Json = field(default_factory=dict[str, Any])
    seen: Json = field(default_factory=dict[str, Any])
    events: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    files: MemoryFiles = field(default_factory=MemoryFiles)
    slept: float = 0
    http: Http | None = None
    mail: Mail | None = None
    login: Json | None = None
    secrets: list[str] = field(default_factory=list[str])
    waits: list[str] = field(default_factory=list[str])

    async def sequence(self, blocks: list[Envelope], put_out: Json, names: Json) -> None:
        for block in blocks:
            if self.start is not None and all(one.block_reference_id != self.start for one in block.walk()):
                continue
            if block.block_reference_id == self.start:
                self.start = None
            await self.block(block, put_out, names)

    async def block(self, envelope: Envelope, put_out: Json, names: Json) -> None:
        context = MemoryContext(self, envelope, put_out, names)
        kind = self.registry[envelope.type]
        data = kind.resolve_data(envelope.data, context.names, self.login)
        block = self.registry.parse(envelope.type, data)
        context.end = asyncio.get_running_loop().time() + (block.timeout_ms or 30_000) / 1000
        outcome = await block.run(context)
        if outcome.output is not NOTHING:
            context.put_out(outcome.output)


class Forgetful:
    """`BlockCache` of a block that has never run."""

    async def recall(self, kind: str) -> Any:
        del kind

    def keep(self, kind: str, plan: Any, *, by_model: bool, page: str | None = None) -> None:
        del kind, plan, by_model, page

    async def drop(self, kind: str) -> None:
        del kind


class MemoryContext:
    """`RunContext` for one block of a `MemoryRun`."""

    def __init__(self, run: MemoryRun, envelope: Envelope, put_out: Json, names: Json) -> None:
        self.run = run
        self.envelope = envelope
        self.locator: Locator | None = None
        self.end = 0.0
        self._put_out = put_out
        self._round = names

    @property
    def names(self) -> Mapping[str, Any]:
        shown = {"login": dict.fromkeys(self.run.login, "***")} if self.run.login else {}
        return {"params": self.run.params, "blocks": self.run.seen, **shown, **self._round}

    @property
    def remaining_seconds(self) -> float:
        return max(0.05, self.end - asyncio.get_running_loop().time())

    @property
    def page(self) -> PageSession:
        assert self.run.page is not None
        return self.run.page

    @property
    def files(self) -> MemoryFiles:
        return self.run.files

    @property
    def documents(self) -> DocumentProcess:
        return self.run.documents

    @property
    def sandbox(self) -> PythonSandbox:
        return self.run.sandbox

    @property
    def http(self) -> Http:
        assert self.run.http is not None
        return self.run.http

    @property
    def mail(self) -> Mail:
        assert self.run.mail is not None
        return self.run.mail

    @property
    def captcha_solver(self) -> None:
        return None

    @property
    def knowledge(self) -> Knowledge:
        raise NotImplementedError

    @property
    def search_engine(self) -> str | None:
        return None

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
        self.run.secrets.append(value)

    def waiting_for_person(self, reason: str) -> AbstractAsyncContextManager[asyncio.Event]:
        return self._waiting(reason)

    async def wait_for_word(self, reason: str) -> None:
        self.run.waits.append(reason)

    async def sign_in(self, login_id: str | None, *, force: bool) -> None:
        raise NotImplementedError

    def resolve(self, value: Any) -> Any:
        return templates.resolve(value, self.names)

    def note_found(self, found: Found) -> None:
        self.found = found

    def timing(self, phase: str) -> AbstractContextManager[None]:
        del phase
        return nullcontext()

    async def find(self, purpose: Purpose = "act", locator: Locator | None = None) -> Found:
        raise NotImplementedError

    async def holds(self, condition: Condition) -> bool:
        expression = condition.expression if isinstance(condition, ExpressionCondition) else condition
        assert isinstance(expression, str)
        return bool(await self.run.sandbox.evaluate(expression, self.names))

    async def sleep(self, seconds: float) -> None:
        self.run.slept += seconds
        await asyncio.sleep(min(seconds, 0.02))

    def put_out(self, value: Any) -> None:
        self._put_out[self.envelope.block_reference_id] = value
        self.run.seen[self.envelope.block_reference_id] = value

    async def run_sequence(self, name: str) -> None:
        await self.run.sequence(self.envelope.sequences[name], self._put_out, self._round)

    async def run_round(self, name: str, put_out: dict[str, Any], **names: Any) -> None:
        await self.run.sequence(self.envelope.sequences[name], put_out, {**self._round, **names})

    def starts_in(self) -> str | None:
        for name, blocks in self.envelope.sequences.items():
            if any(one.block_reference_id == self.run.start for one in tree.walk(blocks)):
                return name
        return None

    def emit(self, type: str, message: str, data: Mapping[str, Any] | None = None) -> None:  # noqa: A002, ARG002 - as the Protocol names them
        self.run.events.append((type, message))

    @asynccontextmanager
    async def _waiting(self, reason: str) -> AsyncGenerator[asyncio.Event]:
        self.run.waits.append(reason)
        yield asyncio.Event()


Perform = Callable[..., Awaitable[MemoryRun]]


@pytest.fixture(scope="module")
async def sandbox() -> AsyncIterator[PythonSandbox]:
    sandbox = PythonSandbox(processes=1, seconds=2)
    yield sandbox
    await sandbox.close()


@pytest.fixture(scope="module")
async def documents() -> AsyncIterator[DocumentProcess]:
    documents = DocumentProcess()
    yield documents
    await documents.close()


@pytest.fixture
def new_run(sandbox: PythonSandbox, documents: DocumentProcess) -> Callable[..., MemoryRun]:
    def make(**more: Any) -> MemoryRun:
        params = more.pop("params", {})
        return MemoryRun(sandbox=sandbox, documents=documents, registry=kinds(), params=params, **more)

    return make


@pytest.fixture
def perform(new_run: Callable[..., MemoryRun]) -> Perform:
    """Run definitions as a workflow; the run with its outputs, or its error."""

    async def run(*definitions: Json, **more: Any) -> MemoryRun:
        run: MemoryRun = more.pop("run", None) or new_run(**more)
        blocks = parse_blocks(list(definitions), kinds())
        run.seen = {one.block_reference_id: None for one in tree.walk(blocks)}
        await run.sequence(blocks, run.outputs, {})
        return run

    return run
