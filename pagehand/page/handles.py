"""Giving handles of things in a page back to it."""

import asyncio
import contextlib
from typing import Final

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import JSHandle

_SECONDS: Final = 1.0


async def give_back(*handles: JSHandle) -> None:
    """Let the page free what the handles keep alive, unless it is gone or does not answer.

    A page that hangs would otherwise hold whoever cleans up, long after their time is over.
    """
    with contextlib.suppress(PlaywrightError, TimeoutError):
        async with asyncio.timeout(_SECONDS):
            await asyncio.gather(*(handle.dispose() for handle in handles))
