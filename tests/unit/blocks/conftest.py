"""A run without a browser or a store: walks blocks in memory, with the real sandbox and the real language."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from pagehand.blocks import Registry, kinds
from pagehand.blocks.base import NOTHING
from pagehand.documents import DocumentProcess
from pagehand.page.phrases import Kind
from pagehand.ports import Found, Http, Mail, PageSession, Purpose
from pagehand.sandbox.python import PythonSandbox
from pagehand.workflow import templates, tree
from pagehand.workflow.conditions import Condition, ExpressionCondition
from pagehand.workflow.envelope import Envelope
from pagehand.workflow.locator import Locator
from pagehand.workflow.parse import parse_blocks
from support.context import BareContext, MemoryFiles

Json = dict[str, Any]


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


class MemoryContext(BareContext):
    """`RunContext` for one block of a `MemoryRun`."""

    def __init__(self, run: MemoryRun, envelope: Envelope, put_out: Json, names: Json) -> None:
        self.run = run
        self.envelope = envelope
        self.locator: Locator | None = None
        self.end = 0.0
        self.secrets, self.waits, self.events = run.secrets, run.waits, run.events
        self.effects = []
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
    def search_engine(self) -> str | None:
        return None

    def resolve(self, value: Any) -> Any:
        return templates.resolve(value, self.names)

    async def find(
        self, purpose: Purpose = "act", locator: Locator | None = None, *, kind: Kind = "anything"
    ) -> Found:
        raise NotImplementedError

    async def holds(self, condition: Condition, **names: Any) -> bool:
        expression = condition.expression if isinstance(condition, ExpressionCondition) else condition
        assert isinstance(expression, str)
        return bool(await self.run.sandbox.evaluate(expression, {**self.names, **names}))

    async def sleep(self, seconds: float) -> None:
        self.run.slept += seconds
        await asyncio.sleep(min(seconds, 0.02))

    def put_out(self, rounds: Any) -> None:
        self._put_out[self.envelope.block_reference_id] = rounds
        self.run.seen[self.envelope.block_reference_id] = rounds

    def replace_round(self, position: int, value: Any) -> None:
        self._put_out[self.envelope.block_reference_id][position] = value

    async def run_sequence(self, name: str) -> None:
        await self.run.sequence(self.envelope.sequences[name], self._put_out, self._round)

    async def run_round(self, name: str, put_out: dict[str, Any], **names: Any) -> None:
        await self.run.sequence(self.envelope.sequences[name], put_out, {**self._round, **names})

    def starts_in(self) -> str | None:
        for name, blocks in self.envelope.sequences.items():
            if any(one.block_reference_id == self.run.start for one in tree.walk(blocks)):
                return name
        return None


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
