"""Waiting for a store that cannot be reached."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from pagehand.errors import Unavailable

_T = TypeVar("_T")
_MAX_PAUSE_SECONDS = 5.0


async def retry_while_unavailable(call: Callable[[], Awaitable[_T]]) -> _T:
    """Call until the store is reachable: a database that goes away must not strand an execution."""
    pause = 0.1
    while True:
        try:
            return await call()
        except Unavailable:
            await asyncio.sleep(pause)
            pause = min(pause * 2, _MAX_PAUSE_SECONDS)
