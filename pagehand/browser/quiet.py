"""Waiting until a page is quiet: no request is open, and the document has stopped changing."""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from pagehand.browser.navigation import Navigations
from pagehand.javascript import load_script
from pagehand.page.page_loss import is_page_lost

_WAIT_FOR_STILLNESS: Final = load_script(__file__, "wait_for_stillness")
_ANSWER_SECONDS: Final = 5.0
_PAUSE_SECONDS: Final = 0.05


async def wait_until_quiet(
    current: Callable[[], Page], navigations: Navigations, still_seconds: float, *, timeout_seconds: float
) -> bool:
    """True once the current tab is quiet for `still_seconds`; False when the time is over first."""
    deadline = time.monotonic() + timeout_seconds
    while (left := deadline - time.monotonic()) > 0:
        await navigations.wait_until_idle(left)
        is_still = await wait_until_still(current(), still_seconds, deadline - time.monotonic())
        if is_still and not navigations.is_busy:
            return True
        await asyncio.sleep(_PAUSE_SECONDS)
    return False


async def wait_until_still(page: Page, still_seconds: float, timeout_seconds: float) -> bool:
    """True once the document has not changed for `still_seconds`; False when it keeps changing."""
    limits = [still_seconds * 1000, max(0.0, timeout_seconds) * 1000]
    try:
        async with asyncio.timeout(max(0.0, timeout_seconds) + _ANSWER_SECONDS):
            return bool(await page.evaluate(_WAIT_FOR_STILLNESS, limits))
    except TimeoutError:
        return False
    except PlaywrightError as error:
        if is_page_lost(error):
            raise
        return False  # the page is being exchanged for another one
