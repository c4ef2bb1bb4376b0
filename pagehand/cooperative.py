"""Long loops that let the event loop serve others in between."""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from typing import Final, TypeVar

T = TypeVar("T")
BATCH_SIZE: Final = 250


async def iterate_cooperatively(items: Iterable[T], batch_size: int = BATCH_SIZE) -> AsyncGenerator[T]:
    """The items in order, giving way to other tasks after each batch of them."""
    for position, item in enumerate(items, 1):
        yield item
        if position % batch_size == 0:
            await asyncio.sleep(0)
