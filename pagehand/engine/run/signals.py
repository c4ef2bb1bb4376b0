"""Signals to a running execution: pause, resume, cancel. Its clocks stop while it is paused."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, Final

from pagehand.errors import PagehandError
from pagehand.records import Status, WaitingKind


@dataclass(slots=True, frozen=True)
class Stop:
    """Why a run is ended from outside."""

    reason: str
    goes_back_to_queue: bool = False
    error: PagehandError | None = None
    """What the execution fails with, where the reason alone does not say it."""


@dataclass(slots=True, frozen=True)
class Hold:
    """Why a run is paused: in words for people, and as a kind for programs."""

    kind: WaitingKind
    reason: str


ON_REQUEST: Final = "Paused on request"
BY_PERSON: Final = "A person drives the browser"


@dataclass(slots=True, frozen=True)
class Waiting:
    """What a run waits for that only a person can do."""

    reason: str
    done: asyncio.Event
    """Set when the person says that it is done."""


class Signals:
    """Pauses, resumes and ends one running execution."""

    def __init__(
        self,
        set_status: Callable[[Status, str], Awaitable[None]],
        before_going_on: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`before_going_on` is waited for at the end of a pause, while all clocks still stand."""
        self._set_status = set_status
        self._before_going_on = before_going_on
        self._pause_asked = asyncio.Event()
        self._go_on = asyncio.Event()
        self._go_on.set()
        self._pausing: set[str] = set()
        self._holds: list[Hold] = []
        self._is_shown_paused = False
        self._stills = 0
        self._held_since: float | None = None
        self._held_before = 0.0
        self._limits: dict[asyncio.Timeout, float | None] = {}
        self._task: asyncio.Task[Any] | None = None
        self.stop: Stop | None = None
        self.waiting: Waiting | None = None
        """What it waits for a person to do, if it does."""
        self.before_step: Callable[[], Awaitable[None]] | None = None
        """Waited for before every step: whether the run may still act."""
        self.on_change: Callable[[], None] = _nothing
        """Called when it is held, goes on, or begins or ends to wait for a person."""

    @property
    def is_paused(self) -> bool:
        """True while it is asked to hold, or waits for a person."""
        return self._pause_asked.is_set() or bool(self._holds)

    @property
    def is_asked_to_hold(self) -> bool:
        """True while it is to hold at its next step, or does."""
        return self._pause_asked.is_set()

    @property
    def held_for(self) -> str:
        """Why it stands still; empty while it goes on."""
        return self._holds[-1].reason if self._holds else ""

    @property
    def hold(self) -> Hold | None:
        """What it was paused for; what happens during that pause does not change it."""
        return self._holds[0] if self._holds else None

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

    def pause(self, reason: str = ON_REQUEST) -> None:
        """Hold at the next step."""
        self._pausing.add(reason)
        self._go_on.clear()
        self._pause_asked.set()

    def resume(self, reason: str | None = None) -> None:
        """Go on; with a reason only if nothing else holds it."""
        # a person who gives the browser back must not end a pause that was asked for
        self._pausing -= self._pausing if reason is None else {reason}
        if not self._pausing:
            self._pause_asked.clear()
            self._go_on.set()

    def drive(self) -> None:
        """A person takes control: hold at the next step, and let no clock run meanwhile."""
        if BY_PERSON not in self._pausing:
            self.pause(BY_PERSON)
            self._stop_clocks()

    def stop_driving(self) -> None:
        """The run has control again."""
        if BY_PERSON in self._pausing:
            self._start_clocks()
            self.resume(BY_PERSON)

    def end(self, stop: Stop) -> None:
        """Interrupt the run wherever it is; the first reason stands."""
        if self.stop is None:
            self.stop = stop
            if self._task is not None:
                self._task.cancel()

    async def hold_if_asked(self) -> None:
        """Wait out a pause."""
        await self.confirm()
        await self.go_on()
        if self._pause_asked.is_set():
            # any of them, but the same one each time
            reason = min(self._pausing)
            async with self.holding(reason, "driving" if reason == BY_PERSON else "request"):
                await self._go_on.wait()

    async def confirm(self) -> None:
        """Return once it is sure that the run may still act."""
        if self.before_step is not None:
            await self.before_step()

    async def wait_for_word(self, reason: str) -> None:
        """Paused for `reason` until somebody resumes."""
        self.pause()
        try:
            async with self.waiting_for_person(reason, "approval") as done:
                # the answer comes from the live view (done) or through `executions/resume`
                word = asyncio.ensure_future(done.wait())
                resumed = asyncio.ensure_future(self._go_on.wait())
                try:
                    await asyncio.wait({word, resumed}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    word.cancel()
                    resumed.cancel()
        finally:
            # also when it is interrupted: the next block of a live session must not wait for this answer
            self.resume(ON_REQUEST)

    async def sleep(self, seconds: float) -> None:
        """Sleep; a pause stops the clock."""
        loop = asyncio.get_running_loop()
        # counted on a clock that leaves pauses out, also those before the sleep
        end = loop.time() - self.held_seconds + seconds
        while (left := end + self.held_seconds - loop.time()) > 0:
            try:
                async with asyncio.timeout(left):
                    await self._pause_asked.wait()
            except TimeoutError:
                return
            await self.hold_if_asked()

    async def wait_for(self, awaited: "asyncio.Future[Any]") -> None:
        """Wait until the future is done; a pause meanwhile is shown and waited out."""
        while not awaited.done():
            # `asyncio.wait` leaves `awaited` as it is when this is cancelled: its owner gives it up
            asked = asyncio.ensure_future(self._pause_asked.wait())
            try:
                await asyncio.wait({awaited, asked}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                asked.cancel()
            await self.hold_if_asked()

    @contextmanager
    def limiting(self, limit: asyncio.Timeout) -> Generator[None]:
        """Stop the clock of `limit` too while the execution is paused."""
        self._limits[limit] = None
        if self._stills:
            self._freeze(limit)
        try:
            yield
        finally:
            del self._limits[limit]

    @asynccontextmanager
    async def waiting_for_person(
        self, reason: str, kind: WaitingKind = "person"
    ) -> AsyncGenerator[asyncio.Event]:
        """Paused within, for what only a person can do; the event is set when they say it is done."""
        async with self.holding(reason, kind):
            before, self.waiting = self.waiting, Waiting(reason, asyncio.Event())
            self.on_change()
            try:
                yield self.waiting.done
            finally:
                self.waiting = before
                self.on_change()

    @asynccontextmanager
    async def holding(self, reason: str, kind: WaitingKind = "request") -> AsyncGenerator[None]:
        """The execution is Paused within, for `reason`."""
        self._holds.append(Hold(kind, reason))
        self._stop_clocks()
        try:
            self.on_change()
            if len(self._holds) == 1:
                await self._show_paused(reason)
            yield
            if len(self._holds) == 1 and self._before_going_on is not None:
                await self._before_going_on()
        finally:
            self._start_clocks()
            self._holds.pop()
            self.on_change()
        if not self._holds:
            await self._show_resumed()

    async def go_on(self) -> None:
        """Show that the run goes on where its row still says Paused.

        A pause that ends with an error (nobody solved the captcha in time) may end the run too, so nothing is
        done then: waiting for a slot would delay the failure. If the run goes on all the same, as in a loop
        with `continueOnError`, it does so here, before its next step.
        """
        if self._is_shown_paused and not self._holds:
            if self._before_going_on is not None:
                self._stop_clocks()
                try:
                    await self._before_going_on()
                finally:
                    self._start_clocks()
            await self._show_resumed()

    async def _show_paused(self, reason: str) -> None:
        was_shown, self._is_shown_paused = self._is_shown_paused, True
        try:
            await self._set_status(Status.PAUSED, reason)
        except PagehandError:
            self._is_shown_paused = was_shown  # refused: too many are paused, or the claim is lost
            raise

    async def _show_resumed(self) -> None:
        await self._set_status(Status.IN_PROGRESS, "Goes on")
        self._is_shown_paused = False

    def _stop_clocks(self) -> None:
        self._stills += 1
        if self._stills == 1:
            self._held_since = asyncio.get_running_loop().time()
            for limit in self._limits:
                self._freeze(limit)

    def _start_clocks(self) -> None:
        self._stills -= 1
        if self._stills or self._held_since is None:
            return
        now = asyncio.get_running_loop().time()
        self._held_before += now - self._held_since
        self._held_since = None
        # limits that had run out in the meantime stay expired
        for limit, left in self._limits.items():
            if left is not None and not limit.expired():
                limit.reschedule(now + left)
            self._limits[limit] = None

    def _freeze(self, limit: asyncio.Timeout) -> None:
        """Take its alarm away and note how much time it had left."""
        when = limit.when()
        if when is not None and not limit.expired():
            self._limits[limit] = when - asyncio.get_running_loop().time()
            limit.reschedule(None)


def _nothing() -> None:
    """The default `on_change`."""
