"""What can be said to a running execution: pause, resume, cancel. Time stands still while it is paused."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

from pagehand.records import Status


@dataclass(slots=True, frozen=True)
class Stop:
    """Why a run is ended from outside."""

    reason: str
    goes_back_to_queue: bool = False


class Signals:
    """The switchboard of one running execution."""

    def __init__(self, set_status: Callable[[Status, str], Awaitable[None]]) -> None:
        self._set_status = set_status
        self._pause_asked = asyncio.Event()
        self._go_on = asyncio.Event()
        self._go_on.set()
        self._holds = 0
        self._held_since: float | None = None
        self._held_before = 0.0
        self._limits: list[asyncio.Timeout] = []
        self._task: asyncio.Task[Any] | None = None
        self.stop: Stop | None = None

    @property
    def is_paused(self) -> bool:
        """True while it is asked to hold, or waits for a person."""
        return self._pause_asked.is_set() or self._holds > 0

    @property
    def held_seconds(self) -> float:
        """How long the execution has been paused in all; whoever counts time leaves it out."""
        now = asyncio.get_running_loop().time()
        return self._held_before + (now - self._held_since if self._held_since is not None else 0.0)

    def attach(self, task: "asyncio.Task[Any]") -> None:
        """Name the task that `end` interrupts; at once when it was already asked to end."""
        self._task = task
        if self.stop is not None:
            task.cancel()

    def pause(self) -> None:
        """Hold at the next step."""
        self._go_on.clear()
        self._pause_asked.set()

    def resume(self) -> None:
        """Go on."""
        self._pause_asked.clear()
        self._go_on.set()

    def end(self, stop: Stop) -> None:
        """Interrupt the run wherever it is; the first reason stands."""
        if self.stop is None:
            self.stop = stop
            if self._task is not None:
                self._task.cancel()

    async def hold_if_asked(self) -> None:
        """Wait out a pause."""
        if self._pause_asked.is_set():
            async with self.holding("Paused on request"):
                await self._go_on.wait()

    async def wait_for_word(self, reason: str) -> None:
        """Paused for `reason` until somebody resumes."""
        self.pause()
        async with self.holding(reason):
            await self._go_on.wait()

    async def sleep(self, seconds: float) -> None:
        """Sleep; a pause stops the clock."""
        loop = asyncio.get_running_loop()
        end = loop.time() - self.held_seconds + seconds
        while (left := end + self.held_seconds - loop.time()) > 0:
            try:
                async with asyncio.timeout(left):
                    await self._pause_asked.wait()
            except TimeoutError:
                return
            await self.hold_if_asked()

    @contextmanager
    def limiting(self, limit: asyncio.Timeout) -> Generator[None]:
        """Stop the clock of `limit` too while the execution is paused."""
        self._limits.append(limit)
        try:
            yield
        finally:
            self._limits.remove(limit)

    @asynccontextmanager
    async def holding(self, reason: str) -> AsyncGenerator[None]:
        """The execution is Paused within, for `reason`."""
        self._holds += 1
        if self._holds == 1:
            await self._set_status(Status.PAUSED, reason)
        try:
            with self._time_standing_still():
                yield
        finally:
            self._holds -= 1
        if self._holds == 0:
            await self._set_status(Status.IN_PROGRESS, "Goes on")

    @contextmanager
    def _time_standing_still(self) -> Generator[None]:
        if self._held_since is not None:  # it stands still already
            yield
            return
        loop = asyncio.get_running_loop()
        self._held_since = loop.time()
        frozen = [(limit, when) for limit in self._limits if (when := limit.when()) is not None]
        for limit, _ in frozen:
            limit.reschedule(None)
        try:
            yield
        finally:
            held = loop.time() - self._held_since
            self._held_before += held
            self._held_since = None
            for limit, when in frozen:
                if not limit.expired():
                    limit.reschedule(when + held)
