"""Waiting for what no event announces."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import TypeVar

T = TypeVar("T")


def wait_until(look: Callable[[], T | None], seconds: float = 120) -> T:
    """What `look` finds, as soon as it finds something."""
    end = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < end, f"not so after {seconds} s"
        time.sleep(0.03)
    return found


async def until(holds: Callable[[], Awaitable[object] | object], seconds: float = 20) -> None:
    """The same in an event loop; `holds` may be a coroutine function."""
    async with asyncio.timeout(seconds):
        while True:
            found = holds()
            if await found if isawaitable(found) else found:
                return
            await asyncio.sleep(0.005)
