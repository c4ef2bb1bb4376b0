"""What can be said to a running execution: pause, resume, cancel."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
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
        self._task: asyncio.Task[Any] | None = None
        self.stop: Stop | None = None

    @property
    def is_paused(self) -> bool:
        """True while it is asked to hold, or waits for a person."""
        return self._pause_asked.is_set() or self._holds > 0

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

    async def hold_if_asked(self) -> float:
        """Wait out a pause; how long it took, in seconds."""
        if not self._pause_asked.is_set():
            return 0.0
        started = asyncio.get_running_loop().time()
        async with self.holding("Paused on request"):
            await self._go_on.wait()
        return asyncio.get_running_loop().time() - started

    async def sleep(self, seconds: float) -> float:
        """Sleep; a pause stops the clock. How long it was paused, in seconds."""
        loop, paused = asyncio.get_running_loop(), 0.0
        end = loop.time() + seconds
        while (left := end - loop.time()) > 0:
            try:
                async with asyncio.timeout(left):
                    await self._pause_asked.wait()
            except TimeoutError:
                break
            held = await self.hold_if_asked()
            paused += held
            end += held
        return paused

    @asynccontextmanager
    async def holding(self, reason: str) -> AsyncGenerator[None]:
        """The execution is Paused within, for `reason`."""
        self._holds += 1
        if self._holds == 1:
            await self._set_status(Status.PAUSED, reason)
        try:
            yield
        finally:
            self._holds -= 1
        if self._holds == 0:
            await self._set_status(Status.IN_PROGRESS, "Goes on")
