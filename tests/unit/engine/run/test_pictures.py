"""Pictures are taken while nothing changes the page, and are stored before the execution ends."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, ClassVar, cast

import pytest

from pagehand.blocks import Registry, kinds
from pagehand.blocks.base import Block
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.page.controls.acting import acting
from pagehand.blocks.run_context import RunContext
from pagehand.browser import BrowserSession, Press
from pagehand.browser_session import Action, BrowserRequest, DialogRule
from pagehand.engine.signals import Stop
from pagehand.errors import BlockFailed
from pagehand.records import Event, Status
from pagehand.testing import BlankBrowser, Harness
from support.attempts import (
    accept_execution,
    events_of,
    new_attempt,
    reload_execution,
    run_attempt,
)
from support.waiting import until

pytestmark = pytest.mark.anyio


class Page(BlankBrowser):
    """A page of one colour; the picture of it takes as long as a test says."""

    def __init__(self) -> None:
        super().__init__()
        self.look = "blank"
        self.draw = asyncio.Event()
        self.draw.set()
        self.begun: list[str] = []
        """What blocks have begun to do, in order."""

    async def screenshot(self) -> bytes | None:
        await self.draw.wait()
        return self.look.encode()

    def begin_press(self, press: Press | None) -> None:
        """Nothing is sent."""

    @asynccontextmanager
    async def acting(self, dialog_rule: DialogRule | None, press: Press | None) -> AsyncGenerator[Action]:
        """Nothing comes of it."""
        del dialog_rule, press
        yield Action()


class Paint(Block):
    """Changes how the page looks."""

    type: ClassVar[str] = "Paint"
    title: ClassVar[str] = "Paint"
    needs_page: ClassVar[bool] = True
    changes_page: ClassVar[bool] = True
    colour: str

    async def run(self, ctx: RunContext) -> Outcome:
        page = cast("Page", ctx.page)
        page.begun.append(self.colour)
        page.look = self.colour
        if self.colour == "broken":
            raise BlockFailed("There is no such colour.")
        return Outcome()


class PaintByActing(Paint):
    """The same within `acting`, after a look at the page."""

    type: ClassVar[str] = "PaintByActing"
    title: ClassVar[str] = "Paint by acting"
    changes_by_acting: ClassVar[bool] = True

    async def run(self, ctx: RunContext) -> Outcome:
        cast("Page", ctx.page).begun.append(f"looks for {self.colour}")
        async with acting(ctx, "paint"):
            return await super().run(ctx)


@pytest.fixture
async def page(harness: Harness) -> Page:
    page = Page()

    async def opened(_: BrowserRequest) -> BrowserSession:
        return cast("BrowserSession", page)

    harness.seams.open_browser = opened

    class Think(Block):
        """Uses no page."""

        type: ClassVar[str] = "Think"
        title: ClassVar[str] = "Think"

        async def run(self, ctx: RunContext) -> Outcome:
            del ctx
            page.begun.append("thought")
            return Outcome()

    harness.seams.kinds = Registry([*kinds(), Paint, PaintByActing, Think])
    return page


def paint(colour: str, kind: str = "Paint") -> dict[str, Any]:
    return {"type": kind, "blockReferenceId": colour, "data": {"colour": colour}}


async def pictures(harness: Harness, events: list[Event]) -> dict[str | None, str]:
    """What the pictures of blocks show."""
    return {
        event.block_reference_id: (await harness.file_store.read(event.screenshot_key)).decode()
        for event in events
        if event.screenshot_key is not None
    }


@pytest.mark.parametrize("kind", ["Paint", "PaintByActing"])
async def test_each_picture_shows_the_page_as_its_block_left_it(
    harness: Harness, page: Page, kind: str
) -> None:
    async def slowly() -> bytes | None:
        await asyncio.sleep(0.02)
        return page.look.encode()

    page.screenshot = slowly
    _, done = await run_attempt(harness, *(paint(colour, kind) for colour in ("red", "green", "blue")))
    assert await pictures(harness, list(await events_of(harness, done))) == {
        "red": "red",
        "green": "green",
        "blue": "blue",
    }


async def test_a_block_looks_at_the_page_while_a_picture_is_taken_and_acts_afterwards(
    harness: Harness, page: Page
) -> None:
    page.draw.clear()
    running = asyncio.ensure_future(run_attempt(harness, paint("red"), paint("blue", "PaintByActing")))
    await until(lambda: "looks for blue" in page.begun)
    await asyncio.sleep(0.05)
    assert page.begun == ["red", "looks for blue"]
    page.draw.set()
    await running
    assert page.begun == ["red", "looks for blue", "blue"]


async def test_a_block_that_may_change_the_page_anywhere_begins_after_the_picture(
    harness: Harness, page: Page
) -> None:
    page.draw.clear()
    running = asyncio.ensure_future(run_attempt(harness, paint("red"), paint("blue")))
    await until(lambda: "red" in page.begun)
    await asyncio.sleep(0.05)
    assert page.begun == ["red"]
    page.draw.set()
    await running


async def test_a_block_without_a_page_does_not_wait_for_a_picture(harness: Harness, page: Page) -> None:
    page.draw.clear()
    running = asyncio.ensure_future(
        run_attempt(harness, paint("red"), {"type": "Think", "data": {}}, paint("blue"))
    )
    await until(lambda: "thought" in page.begun)
    assert page.begun == ["red", "thought"]
    page.draw.set()
    await running


async def test_the_picture_of_a_failure_shows_the_page_at_the_failure(harness: Harness, page: Page) -> None:
    assert page.look == "blank"
    _, done = await run_attempt(harness, paint("red"), paint("broken"))
    assert await pictures(harness, list(await events_of(harness, done))) == {"red": "red", "broken": "broken"}


@pytest.mark.parametrize("ends", ["completes", "is stopped"])
async def test_pictures_are_stored_before_the_execution_ends(
    harness: Harness, page: Page, monkeypatch: pytest.MonkeyPatch, ends: str
) -> None:
    store, may_store = harness.file_store.put, asyncio.Event()

    async def put(key: str, content: bytes) -> None:
        await may_store.wait()
        await store(key, content)

    monkeypatch.setattr(harness.file_store, "put", put)
    page.draw.clear()
    wait = {"type": "Wait", "data": {"durationMs": 60_000 if ends == "is stopped" else 1}}
    execution = await accept_execution(harness, paint("red"), wait)
    attempt = new_attempt(harness, execution)
    running = asyncio.ensure_future(attempt.perform(lambda _: None))
    await until(lambda: page.begun)
    if ends == "is stopped":
        attempt.signals.end(Stop("It was cancelled."))
    page.draw.set()
    await asyncio.sleep(0.1)
    assert (await reload_execution(harness, execution)).status is Status.IN_PROGRESS
    may_store.set()
    await running
    assert (await reload_execution(harness, execution)).status is not Status.IN_PROGRESS
    assert await pictures(harness, list(await events_of(harness, execution))) == {"red": "red"}
