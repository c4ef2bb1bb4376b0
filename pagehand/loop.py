"""What the event loop does: repeated steps, calls tried again, and long work that must not block it."""

import asyncio
import faulthandler
import importlib
import math
import re
import tempfile
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO, Any, Final, ParamSpec, TypeVar, cast

import structlog

from pagehand.errors import Unavailable

_log = structlog.get_logger(__name__)
T = TypeVar("T")

Step = Callable[[], Awaitable[float | None]]
"""One round; returns the seconds until the next one if they are not the usual pause."""
Wait = Callable[[asyncio.Event, float], Awaitable[None]]
"""Waits for an event, at most so many seconds."""
R = TypeVar("R")
P = ParamSpec("P")
BATCH_SIZE: Final = 250
_MANY_PARTS: Final = 5_000
_TEXT_PER_PART: Final = 64
LARGE_BYTES: Final = _MANY_PARTS * _TEXT_PER_PART
"""Parsing or searching more than this takes so long that it is done in a thread."""
_imported: Final = set[str]()
# shorter than what is reported: a loop that is busy with many small things is not blocked
_TICK_SECONDS: Final = 0.01
_BLOCKED_SECONDS: Final = 0.05
_FRAMES: Final = 3
_FRAME: Final = re.compile(rf'File "{re.escape(str(Path(__file__).parent))}/([^"]*+)", line (\d+) in (.*)')
"""A frame of our own code, as `faulthandler` writes it."""


def spawn(tasks: set[asyncio.Task[T]], work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Run `work` in a task that stays in `tasks` until it is done; the event loop itself would lose it."""
    task = asyncio.create_task(work)
    tasks.add(task)
    task.add_done_callback(tasks.discard)
    return task


async def wait_at_most(event: asyncio.Event, seconds: float) -> None:
    """Return once the event is set or the time is over; other tasks run in between in any case."""
    if seconds <= 0:
        await asyncio.sleep(0)
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


async def retry_while_unavailable(
    call: Callable[[], Awaitable[T]],
    *,
    give_up_after: float = math.inf,
    pause_seconds: float = 0.1,
    longest_pause_seconds: float = 5.0,
) -> T:
    """Call until the store is reachable; with a limit, the last error is raised before that is over.

    Without one by default: a database that goes away must not strand an execution.
    """
    give_up_at, pause = time.monotonic() + give_up_after, pause_seconds
    while True:
        try:
            return await call()
        except Unavailable:
            if time.monotonic() + pause > give_up_at:
                raise
        await asyncio.sleep(pause)
        pause = min(pause * 2, longest_pause_seconds)


class Loop:
    """Repeats a step until it is stopped; a step that fails is logged and tried again after the pause."""

    def __init__(
        self,
        name: str,
        step: Step,
        pause_seconds: float,
        *,
        max_step_seconds: float | None = None,
        wait: Wait = wait_at_most,
    ) -> None:
        """A step that takes longer than `max_step_seconds` is interrupted and has failed."""
        self._name = name
        self._step = step
        self._pause_seconds = pause_seconds
        self._max_step_seconds = max_step_seconds
        self._wait = wait
        self._woken = asyncio.Event()
        self._is_ending = False
        self._is_unavailable = False
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin with the first round."""
        self._is_ending = False
        self._task = asyncio.create_task(self._run(), name=self._name)

    def wake(self) -> None:
        """Begin the next round without a pause."""
        self._woken.set()

    def end(self) -> None:
        """Let the current round be the last one."""
        self._is_ending = True
        self.wake()

    async def stop(self, grace_seconds: float = 0.0) -> None:
        """End the loop and wait until it has ended; a round may take so long to finish."""
        if self._task is None:
            return
        self.end()
        if grace_seconds:
            await asyncio.wait([self._task], timeout=grace_seconds)
        self._task.cancel()
        await asyncio.wait([self._task])

    async def _run(self) -> None:
        while not self._is_ending:
            self._woken.clear()  # before the step: what happens meanwhile begins another round
            pause = await self._try_step()
            if not self._is_ending:
                await self._wait(self._woken, self._pause_seconds if pause is None else pause)

    async def _try_step(self) -> float | None:
        try:
            async with asyncio.timeout(self._max_step_seconds):
                pause = await self._step()
        except (Unavailable, TimeoutError) as trouble:
            if not self._is_unavailable:  # once: an outage may last for hours
                _log.warning("a repeated task waits for what it needs", task=self._name, reason=str(trouble))
            self._is_unavailable = True
            return None
        except Exception:  # noqa: BLE001 - the outermost loop: the next round must still run
            _log.exception("a repeated task failed; it is tried again", task=self._name)
            return None
        self._is_unavailable = False
        return pause


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


class LoopWatch:
    """Watches the loop it is started on, until it is stopped."""

    def __init__(self) -> None:
        self._thread = threading.Thread(target=self._watch_stack, name="loop watch", daemon=True)
        self._loop_thread = 0
        self._stopped = threading.Event()
        self._ticked_at = 0.0
        self._spent = 0.0
        self._stack = ""
        self._next: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Start to watch the running loop."""
        self._loop_thread = threading.get_ident()
        self._spent = time.thread_time()
        self._tick()
        self._thread.start()

    def stop(self) -> None:
        """Stop to watch."""
        self._stopped.set()
        if self._next is not None:
            self._next.cancel()

    def _tick(self) -> None:
        spent, self._spent = self._spent, time.thread_time()
        blocked = self._spent - spent
        if blocked > _BLOCKED_SECONDS:
            _log.warning(
                "something held the event loop", seconds=round(blocked, 3), at=self._stack or "unknown"
            )
        self._stack = ""
        self._ticked_at = time.monotonic()
        self._next = asyncio.get_running_loop().call_later(_TICK_SECONDS, self._tick)

    def _watch_stack(self) -> None:
        with tempfile.TemporaryFile(buffering=0) as stacks:
            while not self._stopped.wait(_BLOCKED_SECONDS / 2):
                if time.monotonic() - self._ticked_at > _BLOCKED_SECONDS / 2 and not self._stack:
                    self._stack = self._innermost_frames(stacks)

    def _innermost_frames(self, stacks: IO[bytes]) -> str:
        """The innermost frames of our own code in the loop's thread.

        Written by the interpreter in one step: reading frames that another thread goes on running, as with
        `sys._current_frames`, has crashed it.
        """
        stacks.seek(0)
        stacks.truncate()
        faulthandler.dump_traceback(stacks)
        stacks.seek(0)
        for thread in stacks.read().decode(errors="replace").split("\n\n"):
            header, _, frames = thread.partition("\n")
            if f" {self._loop_thread:#018x} " in header:
                own = [f"{file}:{line} {name}" for file, line, name in _FRAME.findall(frames)]
                return " < ".join(own[:_FRAMES])
        return ""
