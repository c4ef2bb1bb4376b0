"""When a failed block gets help: only where it wants it, before any effect, and on a page."""

from typing import Any, ClassVar, cast

import pytest

from pagehand.blocks import Registry, kinds
from pagehand.blocks.base import Block
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.browser import BrowserSession
from pagehand.browser_session import BrowserRequest
from pagehand.errors import BlockFailed, PagehandError, SiteDown
from pagehand.records import Json
from pagehand.testing import BlankBrowser, Harness
from support.attempts import DO, ScriptedRunModel

pytestmark = pytest.mark.anyio
HELPED: Json = {**DO, "useWorkflowRecoveryAgent": True}


class Overlay:
    """A page with something over it, which one kind closes and which keeps another from its work."""

    def __init__(self, harness: Harness) -> None:
        self.is_there = True
        self.tries = 0
        self.closed = 0
        self.error: PagehandError = BlockFailed("A dialog covers the button.")
        self.before: Any = None
        harness.seams.kinds = self._kinds()
        harness.seams.open_browser = self._opened

    async def _opened(self, _: BrowserRequest) -> BrowserSession:
        return cast("BrowserSession", BlankBrowser())

    def _kinds(self) -> Registry:
        page = self

        class Do(Block):
            type: ClassVar[str] = "Do"
            title: ClassVar[str] = "Do"
            needs_page: ClassVar[bool] = True
            pays: bool = False

            @property
            def commits(self) -> bool:
                return self.pays

            async def run(self, ctx: RunContext) -> Outcome:
                page.tries += 1
                if page.before is not None:
                    await page.before(ctx)
                if page.is_there:
                    raise page.error
                return Outcome(output="done")

        class Close(Block):
            type: ClassVar[str] = "Close"
            title: ClassVar[str] = "Close"
            clears_overlay: ClassVar[bool] = True

            async def run(self, ctx: RunContext) -> Outcome:
                del ctx
                page.closed += 1
                page.is_there = False
                return Outcome(details={"closed": ["dialog"]})

        own = [kind for kind in kinds() if not kind.clears_overlay]
        return Registry([*own, Do, Close])


@pytest.fixture
def overlay(harness: Harness) -> Overlay:
    return Overlay(harness)


async def test_what_lies_over_the_page_is_closed_and_the_block_runs_again(
    harness: Harness, overlay: Overlay
) -> None:
    result = await harness.run(HELPED)
    assert (result.outputs, overlay.tries, overlay.closed) == ({"do": "done"}, 2, 1)
    assert result.events_of("recovery.succeeded") == ["Do it succeeded after closing what covered it"]
    assert result.events_of("block.failed") == []


@pytest.mark.parametrize(
    "block",
    [
        DO,
        {**HELPED, "skipIfNotPresent": True},
        {**HELPED, "data": {"pays": True}},
    ],
    ids=["not wanted", "may be skipped", "a commit point"],
)
async def test_a_block_that_does_not_want_help_or_must_not_run_twice_fails_as_it_is(
    harness: Harness, overlay: Overlay, block: Json
) -> None:
    with pytest.raises(BlockFailed, match="covers the button"):
        await harness.run(block)
    assert (overlay.tries, overlay.closed) == (1, 0)


async def test_a_block_that_had_an_effect_is_not_tried_again(harness: Harness, overlay: Overlay) -> None:
    async def sends(context: RunContext) -> None:
        async with context.beginning_effect("POST /orders"):
            pass

    overlay.before = sends
    with pytest.raises(BlockFailed):
        await harness.run(HELPED)
    assert (overlay.tries, overlay.closed) == (1, 0)


async def test_a_site_that_is_down_is_nothing_to_repair(harness: Harness, overlay: Overlay) -> None:
    overlay.error = SiteDown("502")
    with pytest.raises(SiteDown):
        await harness.run(HELPED)
    assert overlay.closed == 0


async def test_a_second_try_that_had_an_effect_is_the_last(harness: Harness, overlay: Overlay) -> None:
    async def sends_and_breaks(context: RunContext) -> None:
        if not overlay.is_there:
            async with context.beginning_effect("POST /orders"):
                pass
            raise BlockFailed("It was sent, and then the page broke.")

    overlay.before = sends_and_breaks
    harness.seams.models = model = ScriptedRunModel()
    with pytest.raises(BlockFailed, match="then the page broke"):
        await harness.run(HELPED)
    assert (overlay.tries, overlay.closed, model.prompts) == (2, 1, [])
