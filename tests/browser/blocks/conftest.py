"""One block alone, as a client would send it, against a real browser."""

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from pagehand.blocks import examples, kinds
from pagehand.blocks.base import NOTHING, Outcome
from pagehand.browser import BrowserSession, SessionOptions
from pagehand.browser_session import FoundElement, PageSession, Purpose
from pagehand.egress.http import HttpClient
from pagehand.egress.policy import EgressPolicy
from pagehand.page.phrases import TargetKind
from pagehand.ports import CaptchaSolver, Documents, Http, Mail, Sandbox
from pagehand.workflow.conditions import Condition
from pagehand.workflow.envelope import Envelope
from pagehand.workflow.locator import BlockLocator, Locator
from pagehand.workflow.templates import resolve
from support.context import BareContext, MemoryFiles
from support.shared_browser import SharedBrowser
from support.site import Site

__all__ = ["BlockContext", "BlockRunner", "Site", "examples_of", "put_out_nothing"]


@dataclass
class BlockContext(BareContext):
    """`RunContext` for a block that stands alone."""

    envelope: Envelope
    locator: Locator | None
    names: Mapping[str, Any]
    page: PageSession
    files: MemoryFiles
    ends: float
    search_engine: str | None = None
    captcha_solver: CaptchaSolver | None = None
    secrets: list[str] = field(default_factory=list[str])
    waits: list[str] = field(default_factory=list[str])
    events: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    effects: list[str] = field(default_factory=list[str])
    found: FoundElement | None = None
    http: Http = field(default_factory=lambda: HttpClient(EgressPolicy("127.0.0.1:*")))

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

    def resolve(self, value: Any) -> Any:
        return resolve(value, self.names)

    async def find(
        self, purpose: Purpose = "act", locator: Locator | None = None, *, kind: TargetKind = "anything"
    ) -> FoundElement:
        wanted = locator or self.locator
        assert wanted is not None
        return await self.page.find(wanted, purpose, kind=kind, timeout_seconds=self.remaining_seconds)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def holds(self, condition: Condition, **names: Any) -> bool:
        raise NotImplementedError(str((condition, names)))

    async def run_sequence(self, name: str) -> None:
        raise NotImplementedError(name)

    async def run_round(self, name: str, put_out: dict[str, Any], **names: Any) -> None:
        raise NotImplementedError(f"{name} {put_out} {names}")

    def starts_in(self) -> str | None:
        return None

    def put_out(self, rounds: list[Any]) -> None:
        raise NotImplementedError(str(rounds))

    def replace_round(self, position: int, value: Any) -> None:
        raise NotImplementedError(f"{position}: {value}")


class BlockRunner:
    """Runs blocks on one browser session and looks at the page."""

    def __init__(self, session: BrowserSession, files: MemoryFiles) -> None:
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
        locator = BlockLocator.model_validate(raw) if raw else None
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
async def runner(shared: SharedBrowser) -> AsyncGenerator[BlockRunner]:
    files = MemoryFiles()
    session = await shared.take(SessionOptions(save_file=files.keep))
    yield BlockRunner(session, files)
    await session.end()
