"""Long work beside the event loop: loops that give way to others, and work in a thread."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")
BATCH_SIZE: Final = 250


async def iterate_cooperatively(items: Iterable[T], batch_size: int = BATCH_SIZE) -> AsyncGenerator[T]:
    """The items in order, giving way to other tasks after each batch of them."""
    for position, item in enumerate(items, 1):
        yield item
        if position % batch_size == 0:
            await asyncio.sleep(0)


class OneThread:
    """A thread for work that keeps the interpreter busy: with several, the event loop had little time."""

    def __init__(self, name: str) -> None:
        self._executor = ThreadPoolExecutor(1, name)

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of `function`, which limits its own processor time; others wait until it is done."""
        return await asyncio.get_running_loop().run_in_executor(
            self._executor, partial(function, *args, **kwargs)
        )
