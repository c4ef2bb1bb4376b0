"""Blocks one at a time through the harness, on one page of a real browser."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from pagehand.blocks import examples, kinds
from pagehand.blocks.outcome import NO_OUTPUT, Outcome
from pagehand.browser import BrowserSession, SessionOptions
from pagehand.browser_session import BrowserRequest
from pagehand.clock import from_iso
from pagehand.egress.http import HttpClient
from pagehand.egress.policy import EgressPolicy
from pagehand.records import Json, Login
from pagehand.testing import Harness, RunResult, Seams
from support.shared_browser import SharedBrowser, refuse_file


class KeptSession(BrowserSession):
    """Stays open when a run ends, so that the next run and the test find its page."""

    async def end(self, *, keep_browser: bool = False) -> None:
        """Report to that run no more."""
        del keep_browser
        await self.bind(SessionOptions(save_file=refuse_file))

    async def close(self) -> None:
        await super().end()


class BlockRunner:
    """Runs blocks on one browser session, each as a workflow of its own, and looks at the page."""

    def __init__(self, harness: Harness, session: KeptSession) -> None:
        self.harness = harness
        self.session = session
        harness.seams.open_browser = self._open_browser

    async def open(self, html: str) -> None:
        """Show a page that needs no server."""
        await self.session.page.set_content(f"<!doctype html><html lang=en><body>{html}</body></html>")

    async def run(self, kind_name: str, data: Json, **locator: Any) -> Outcome:
        """Run a block; how it ended."""
        block = {"type": kind_name, "data": data}
        return await self.run_block({**block, "locator": locator} if locator else block)

    async def run_block(
        self, block: Json, *, params: Json | None = None, login: Login | None = None
    ) -> Outcome:
        """Run a whole definition."""
        named = {**block, "blockReferenceId": "block"}
        return (await self.harness.run(named, params=params, login=login)).outcomes["block"]

    @property
    def result(self) -> RunResult:
        """What the latest block's run left behind, also when it failed."""
        return self.harness.result

    async def value(self, expression: str) -> Any:
        """Ask the page."""
        return await self.session.page.evaluate(expression)

    async def _open_browser(self, request: BrowserRequest) -> BrowserSession:
        await self.session.bind(
            SessionOptions(
                save_file=request.save_file, on_event=request.report, check_room=request.check_room
            )
        )
        return self.session


@asynccontextmanager
async def block_runner(shared: SharedBrowser) -> AsyncGenerator[BlockRunner]:
    """A runner with a page of its own in the shared browser."""
    session = await shared.take(kind=KeptSession)
    http = HttpClient(EgressPolicy("127.0.0.1:*"))
    try:
        async with Harness(Seams(http=http)) as harness:
            # a picture per block takes longer than most blocks do
            harness.settings.screenshots = False
            yield BlockRunner(harness, session)
    finally:
        await http.close()
        await session.close()


def examples_of(kind_name: str) -> list[Json]:
    """The definitions a kind shows its users."""
    kind = kinds().kind_named(kind_name)
    assert kind is not None
    found = examples(kind)
    assert found
    return found


def has_no_output(outcome: Outcome) -> bool:
    return outcome.output is NO_OUTPUT


def set_clock(monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    """Let `now` be `at` for the blocks of a run."""
    monkeypatch.setattr("pagehand.engine.run.scope.now_ms", lambda: from_iso(at))
