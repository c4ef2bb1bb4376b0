"""Long work beside the event loop: loops that give way to others, and texts that are read in a thread."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")
BATCH_SIZE: Final = 250
_TEXT_THREAD: Final = ThreadPoolExecutor(1, "text")
"""A single one: it keeps the interpreter busy, and several would leave little time for the event loop."""


async def iterate_cooperatively(items: Iterable[T], batch_size: int = BATCH_SIZE) -> AsyncGenerator[T]:
    """The items in order, giving way to other tasks after each batch of them."""
    for position, item in enumerate(items, 1):
        yield item
        if position % batch_size == 0:
            await asyncio.sleep(0)


async def run_in_text_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Read a text beside the event loop; `function` limits its own processor time."""
    return await asyncio.get_running_loop().run_in_executor(_TEXT_THREAD, partial(function, *args, **kwargs))
