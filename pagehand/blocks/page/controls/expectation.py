"""What an act on the page must bring about, waited for and checked."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Final, Literal

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import JSHandle, Page
from playwright.async_api import TimeoutError as PlaywrightTimeout

from pagehand.blocks.page.controls.acting import time_left_ms
from pagehand.blocks.run_context import RunContext
from pagehand.errors import BlockFailed, Diagnosis

Expectation = Literal["navigation", "popup"]

_MOVING_ON_MS: Final = 2000
_UNMET: Final = {"navigation": "no navigation began", "popup": "no tab or window opened"}


@asynccontextmanager
async def expecting(ctx: RunContext, what: Expectation | None) -> AsyncGenerator[None]:
    """Around an act: `BlockFailed` unless it brings that about in the block's time."""
    if what is None:
        yield
        return
    page, has_acted = ctx.page.page, False
    try:
        async with _awaiting(page, what, time_left_ms(ctx)):
            yield
            has_acted = True
    except PlaywrightTimeout as error:
        if not has_acted:
            raise
        raise _unmet(what, page.url) from error


@asynccontextmanager
async def _awaiting(page: Page, what: Expectation, timeout: float) -> AsyncGenerator[None]:  # noqa: ASYNC109 - handed to Playwright
    if what == "popup":
        async with page.expect_popup(timeout=timeout):
            yield
        return
    before = await page.evaluate("history.length")
    document = await page.evaluate_handle("document")
    async with page.expect_event("framenavigated", lambda frame: frame == page.main_frame, timeout=timeout):
        yield
    if await _only_renamed(document, before):
        # a page that saves its draft puts another address over itself just before it moves on
        with suppress(PlaywrightTimeout):
            await page.wait_for_event(
                "framenavigated", lambda frame: frame == page.main_frame, timeout=min(timeout, _MOVING_ON_MS)
            )
    await page.wait_for_load_state("domcontentloaded", timeout=timeout)


async def _only_renamed(document: JSHandle, before: int) -> bool:
    """True for the same document under another address, with nothing to go back to."""
    try:
        return await document.evaluate("document => document.defaultView?.history.length ?? 0") == before
    except PlaywrightError:
        return False  # the document is gone: this was a navigation


def _unmet(expected: Expectation, url: str) -> BlockFailed:
    return BlockFailed(
        f"The act was expected to bring about a {expected}, but {_UNMET[expected]}",
        Diagnosis(
            expected=f"a {expected}",
            found=f"the page stayed at `{url}`",
            advice="Look whether the right element is meant, or leave out `expect`.",
        ),
    )
