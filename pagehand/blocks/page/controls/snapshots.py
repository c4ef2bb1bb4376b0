"""Snapshots of a page and its frames, one at a time, so that a reader can stop at the first that fits."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from typing import Final

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame, JSHandle
from playwright.async_api import Locator as Element

from pagehand.blocks.page.controls.acting import time_left_ms
from pagehand.blocks.page.controls.long_text import read_long_text
from pagehand.blocks.run_context import RunContext
from pagehand.page.extraction import SCRIPT, Snapshot, read_snapshot

_FRAME_SECONDS: Final = 3.0
"""A frame that answers no script, such as one whose own script is forbidden, has nothing to offer."""
_READ_FRAME: Final = f"() => ({SCRIPT})(null)"


async def snapshots(ctx: RunContext, scope: Element | None) -> AsyncGenerator[Snapshot]:
    """What an element shows, or the page and then each of its frames."""
    if scope is not None:
        async with ctx.page.guard("read the page"):
            yield await _snapshot(scope.evaluate_handle(SCRIPT, timeout=time_left_ms(ctx)))
        return
    main, *others = ctx.page.page.frames
    async with ctx.page.guard("read the page"):
        yield await _snapshot(main.evaluate_handle(_READ_FRAME))
    for found in await asyncio.gather(*(_of_frame(frame) for frame in others)):
        if found is not None:
            yield found


async def _of_frame(frame: Frame) -> Snapshot | None:
    """None for a frame that went away, is loading or does not answer: the next look may see it."""
    try:
        async with asyncio.timeout(_FRAME_SECONDS):
            return await _snapshot(frame.evaluate_handle(_READ_FRAME))
    except (PlaywrightError, TimeoutError):
        return None


async def _snapshot(reading: Awaitable[JSHandle]) -> Snapshot:
    # parsing a long page is slow: other runs go on meanwhile
    return await asyncio.to_thread(read_snapshot, await read_long_text(await reading))
