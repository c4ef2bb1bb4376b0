"""Pausing, resuming and interrupting a running execution; its time limits stop while it is paused."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, Final

from pagehand.errors import PagehandError
from pagehand.records import Status, WaitingKind


@dataclass(slots=True, frozen=True)
class Stop:
    """Why a run is interrupted from outside."""

    reason: str
    goes_back_to_queue: bool = False
    error: PagehandError | None = None
    """The error the execution fails with; None makes one from `reason`."""


@dataclass(slots=True, frozen=True)
class Pause:
    """Why a run is paused: a kind for programs, and a reason for people."""

    kind: WaitingKind
    reason: str


ON_REQUEST: Final = "Paused on request"
BY_PERSON: Final = "A person drives the browser"


@dataclass(slots=True, frozen=True)
class PersonTask:
    """Something that only a person can do, which the run waits for."""

    reason: str
    done: asyncio.Event
    """Set when the person reports that it is done."""


class Signals:
    """Pauses, resumes and ends one running execution."""

    def __init__(
        self,
        set_status: Callable[[Status, str], Awaitable[None]],
        before_resume: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`before_resume` is awaited at the end of a pause, while all time limits are still stopped."""
        self._set_status = set_status
        self._before_resume = before_resume
        self._pause_requested = asyncio.Event()
        self._resumed = asyncio.Event()
        self._resumed.set()
        self._pause_reasons: set[str] = set()
        self._pauses: list[Pause] = []
        self._is_shown_paused = False
        self._stopped_clocks = 0
        self._paused_since: float | None = None
        self._paused_before = 0.0
        self._limits: dict[asyncio.Timeout, float | None] = {}
        self._task: asyncio.Task[Any] | None = None
        self.stop: Stop | None = None
        self.person_task: PersonTask | None = None
        """What the run waits for a person to do; None while it does not."""
        self.before_action: Callable[[], Awaitable[None]] | None = None
        """Awaited before every action; returns once the run may surely still act."""
        self.on_change: Callable[[], None] = _nothing
        """Called when a pause or a task for a person begins or ends."""

    @property
    def is_paused(self) -> bool:
        """True while a pause is requested, or the run waits for a person."""
        return self._pause_requested.is_set() or bool(self._pauses)

    @property
    def is_pause_requested(self) -> bool:
        """True from a call of `pause` until it is resumed."""
        return self._pause_requested.is_set()

    @property
    def pause_reason(self) -> str:
        """The reason of the innermost pause; empty while the run is not paused."""
        return self._pauses[-1].reason if self._pauses else ""

    @property
    def first_pause(self) -> Pause | None:
        """The outermost pause, which the execution's row shows; pauses within it do not change that."""
        return self._pauses[0] if self._pauses else None

    @property
    def paused_seconds(self) -> float:
        """How long the execution has been paused in all, for callers that measure time without pauses."""
        now = asyncio.get_running_loop().time()
        return self._paused_before + (now - self._paused_since if self._paused_since is not None else 0.0)

    def attach(self, task: "asyncio.Task[Any]") -> None:
        """Set the task that `end` interrupts; it is interrupted at once when `end` was called before."""
        self._task = task
        if self.stop is not None:
            task.cancel()

    def pause(self, reason: str = ON_REQUEST) -> None:
        """Pause at the next step."""
        self._pause_reasons.add(reason)
        self._resumed.clear()
        self._pause_requested.set()

    def resume(self, reason: str | None = None) -> None:
        """Withdraw a reason to pause, or all of them; the run resumes when none is left."""
        # a person who gives the browser back must not end a pause that was asked for
        self._pause_reasons -= self._pause_reasons if reason is None else {reason}
        if not self._pause_reasons:
            self._pause_requested.clear()
            self._resumed.set()

    def drive(self) -> None:
        """A person takes control: pause at the next step and stop the time limits now."""
        if BY_PERSON not in self._pause_reasons:
            self.pause(BY_PERSON)
            self._stop_clocks()

    def stop_driving(self) -> None:
        """The run has control again."""
        if BY_PERSON in self._pause_reasons:
            self._start_clocks()
            self.resume(BY_PERSON)

    def end(self, stop: Stop) -> None:
        """Interrupt the run wherever it is; later calls change nothing."""
        if self.stop is None:
            self.stop = stop
            if self._task is not None:
                self._task.cancel()

    async def wait_while_paused(self) -> None:
        """Return at once, or when the requested pause is over."""
        await self.confirm()
        await self.finish_resuming()
        if self._pause_requested.is_set():
            # any of them, but the same one each time
            reason = min(self._pause_reasons)
            async with self.paused(reason, "driving" if reason == BY_PERSON else "request"):
                await self._resumed.wait()

    async def confirm(self) -> None:
        """Return once the run may surely still act: no other worker has taken it over."""
        if self.before_action is not None:
            await self.before_action()

    async def wait_for_approval(self, reason: str) -> None:
        """Pause for `reason` until somebody approves or resumes."""
        self.pause()
        try:
            async with self.waiting_for_person(reason, "approval") as done:
                # the answer comes from the live view (done) or through `executions/resume`
                approved = asyncio.ensure_future(done.wait())
                resumed = asyncio.ensure_future(self._resumed.wait())
                try:
                    await asyncio.wait({approved, resumed}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    approved.cancel()
                    resumed.cancel()
        finally:
            # also when it is interrupted: the next block of a live session must not wait for this answer
            self.resume(ON_REQUEST)

    async def sleep(self, seconds: float) -> None:
        """Sleep so many seconds, pauses not counted."""
        loop = asyncio.get_running_loop()
        # by a clock without pauses, those before the sleep included
        end = loop.time() - self.paused_seconds + seconds
        while (left := end + self.paused_seconds - loop.time()) > 0:
            try:
                async with asyncio.timeout(left):
                    await self._pause_requested.wait()
            except TimeoutError:
                return
            await self.wait_while_paused()

    async def wait_for(self, awaited: "asyncio.Future[Any]") -> None:
        """Wait until the future is done; a pause that is requested meanwhile takes effect."""
        while not awaited.done():
            # `asyncio.wait` does not cancel `awaited` when this is cancelled: its owner does
            requested = asyncio.ensure_future(self._pause_requested.wait())
            try:
                await asyncio.wait({awaited, requested}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                requested.cancel()
            await self.wait_while_paused()

    @contextmanager
    def limiting(self, limit: asyncio.Timeout) -> Generator[None]:
        """Stop the time limit too while the execution is paused."""
        self._limits[limit] = None
        if self._stopped_clocks:
            self._suspend(limit)
        try:
            yield
        finally:
            del self._limits[limit]

    @contextmanager
    def stopped_clocks(self) -> Generator[None]:
        """All time limits stand still within: for work that has a limit of its own."""
        self._stop_clocks()
        try:
            yield
        finally:
            self._start_clocks()

    @asynccontextmanager
    async def waiting_for_person(
        self, reason: str, kind: WaitingKind = "person"
    ) -> AsyncGenerator[asyncio.Event]:
        """Paused within, for what only a person can do; the event is set when they report it done."""
        async with self.paused(reason, kind):
            before, self.person_task = self.person_task, PersonTask(reason, asyncio.Event())
            self.on_change()
            try:
                yield self.person_task.done
            finally:
                self.person_task = before
                self.on_change()

    @asynccontextmanager
    async def paused(self, reason: str, kind: WaitingKind = "request") -> AsyncGenerator[None]:
        """The execution is Paused within, for `reason`."""
        self._pauses.append(Pause(kind, reason))
        self._stop_clocks()
        try:
            self.on_change()
            if len(self._pauses) == 1:
                await self._show_paused(reason)
            yield
            if len(self._pauses) == 1 and self._before_resume is not None:
                await self._before_resume()
        finally:
            self._start_clocks()
            self._pauses.pop()
            self.on_change()
        if not self._pauses:
            await self._show_resumed()

    async def finish_resuming(self) -> None:
        """Resume a run whose row still shows Paused, before its next step.

        A pause that ends with an error (nobody solved the captcha in time) may end the run too, so `paused`
        leaves the row alone then: waiting for a slot would delay the failure. A run that continues after it,
        as in a loop with `continueOnError`, takes its slot here.
        """
        if self._is_shown_paused and not self._pauses:
            if self._before_resume is not None:
                self._stop_clocks()
                try:
                    await self._before_resume()
                finally:
                    self._start_clocks()
            await self._show_resumed()

    async def _show_paused(self, reason: str) -> None:
        was_shown, self._is_shown_paused = self._is_shown_paused, True
        try:
            await self._set_status(Status.PAUSED, reason)
        except PagehandError:
            self._is_shown_paused = was_shown  # too many are paused, or the claim is lost
            raise

    async def _show_resumed(self) -> None:
        await self._set_status(Status.IN_PROGRESS, "Goes on")
        self._is_shown_paused = False

    def _stop_clocks(self) -> None:
        self._stopped_clocks += 1
        if self._stopped_clocks == 1:
            self._paused_since = asyncio.get_running_loop().time()
            for limit in self._limits:
                self._suspend(limit)

    def _start_clocks(self) -> None:
        self._stopped_clocks -= 1
        if self._stopped_clocks or self._paused_since is None:
            return
        now = asyncio.get_running_loop().time()
        self._paused_before += now - self._paused_since
        self._paused_since = None
        # limits that had run out in the meantime stay expired
        for limit, left in self._limits.items():
            if left is not None and not limit.expired():
                limit.reschedule(now + left)
            self._limits[limit] = None

    def _suspend(self, limit: asyncio.Timeout) -> None:
        """Stop the limit and note how much time it had left."""
        when = limit.when()
        if when is not None and not limit.expired():
            self._limits[limit] = when - asyncio.get_running_loop().time()
            limit.reschedule(None)


def _nothing() -> None:
    """The default `on_change`."""
