"""Long work in turns: the event loop sees to everybody else in between."""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from typing import Final, TypeVar

T = TypeVar("T")
AT_ONCE: Final = 250


async def in_turns(items: Iterable[T], at_once: int = AT_ONCE) -> AsyncGenerator[T]:
    """The items one after the other, letting others work after every so many."""
    for position, item in enumerate(items, 1):
        yield item
        if position % at_once == 0:
            await asyncio.sleep(0)
