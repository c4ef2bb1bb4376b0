"""Long work beside the event loop: loops that give way to others, and work in a thread."""

import asyncio
import importlib
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final, ParamSpec, TypeVar, cast

T = TypeVar("T")
R = TypeVar("R")
P = ParamSpec("P")
BATCH_SIZE: Final = 250
_MANY_PARTS: Final = 5_000
_TEXT_PER_PART: Final = 64
LARGE_BYTES: Final = _MANY_PARTS * _TEXT_PER_PART
"""Parsing or searching more than this takes so long that it is done in a thread."""


_imported: Final = set[str]()


async def import_in_thread(*modules: str) -> None:
    """Load modules that take long; the `import` that follows finds them there."""
    for name in modules:
        if name not in _imported:
            await asyncio.to_thread(importlib.import_module, name)
            _imported.add(name)


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

    async def without_blocking(self, work: Callable[[T], R], value: T) -> R:
        """`work(value)`; in the thread if the value is so large that it would block the event loop."""
        return await self.run(work, value) if is_large(value) else work(value)


LARGE_VALUES: Final = OneThread("large values")
"""For values of blocks: several threads that parse megabytes at once would leave the loop no time."""


async def without_blocking(work: Callable[[T], R], value: T) -> R:
    """`work(value)`; in a thread if the value is so large that it would block the event loop."""
    return await LARGE_VALUES.without_blocking(work, value)


def is_large(value: Any) -> bool:
    """Whether it takes long to look at everything in a value: it has many parts or long texts."""
    left = _MANY_PARTS
    remaining = [value]
    while remaining and left >= 0:
        item = remaining.pop()
        left -= 1
        if isinstance(item, str | bytes):
            left -= len(item) // _TEXT_PER_PART
        elif isinstance(item, list | tuple | Mapping):
            inner = cast("list[Any] | Mapping[Any, Any]", item)
            if len(inner) > left:
                return True
            remaining += inner.values() if isinstance(inner, Mapping) else inner
    return left < 0
