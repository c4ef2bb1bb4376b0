"""How many executions run at once, and how many browsers may be kept open besides by those that wait."""

import asyncio
from collections import Counter, deque
from collections.abc import Callable
from typing import Final

from pagehand.errors import LimitReached
from pagehand.storage.shared_queue import Room

_SPARE: Final = 4
"""One slot in so many, and at least one, is added for organizations of which nothing runs."""


class Slots:
    """Slots for running executions; a paused one gives its slot back and takes another to resume.

    Executions with a browser have slots, and those without have as many of their own. Paused executions and
    idle live sessions have their own limits, of which one organization may use half, so that it cannot keep
    others from running or pausing.
    """

    def __init__(self, running: int, paused: int, on_free: Callable[[], None]) -> None:
        """`on_free` is called when a new execution may begin."""
        self._pools = {True: _Pool(running), False: _Pool(running)}
        self._on_free = on_free
        self.paused = _Waiting(paused)
        self.idle = _Waiting(running)
        """Live sessions that nobody uses."""

    def room(self, *, needs_browser: bool = True) -> Room:
        """Of which organizations executions may begin; those that resume come first."""
        return self._pools[needs_browser].room()

    def may_begin(self, organization_id: str, *, needs_browser: bool = True) -> bool:
        """True when a new execution of the organization may begin."""
        room = self.room(needs_browser=needs_browser)
        return room.of_any or (room.of_others and organization_id not in room.present)

    def take(self, organization_id: str, *, needs_browser: bool) -> None:
        """Take a slot for a run."""
        self._pools[needs_browser].held[organization_id] += 1

    def release(self, organization_id: str, *, needs_browser: bool) -> None:
        """Free the slot of a run that ended or waits."""
        self._pools[needs_browser].release(organization_id)
        self._on_free()

    async def retake(self, organization_id: str, *, needs_browser: bool) -> None:
        """Wait for a slot to resume with, ahead of executions that have not begun."""
        if self.may_begin(organization_id, needs_browser=needs_browser):
            self.take(organization_id, needs_browser=needs_browser)
            return
        returning: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pools[needs_browser].returning.append((organization_id, returning))
        try:
            await returning
        except asyncio.CancelledError:
            if returning.done() and not returning.cancelled():
                # it was handed over just before
                self.release(organization_id, needs_browser=needs_browser)
            raise


class _Pool:
    """Slots of one sort, and the runs that wait for one to resume."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._spare = max(1, size // _SPARE)
        self.held = Counter[str]()
        self.returning: deque[tuple[str, asyncio.Future[None]]] = deque()

    def room(self) -> Room:
        total = self.held.total()
        is_awaited = any(not returning.done() for _, returning in self.returning)
        # whoever holds all slots for hours must not keep an organization waiting of which nothing runs
        has_spare = self._size <= total < self._size + self._spare
        return Room(
            of_any=total < self._size and not is_awaited, of_others=has_spare, present=list(self.held)
        )

    def release(self, organization_id: str) -> None:
        self.held[organization_id] -= 1
        self.held += Counter()  # drops organizations of which nothing runs any more
        # those that resume have a browser and a page, so they come before new ones
        for waiting, returning in self.returning:
            if not returning.done() and self._fits(waiting):
                self.held[waiting] += 1
                returning.set_result(None)
        self.returning = deque(item for item in self.returning if not item[1].done())

    def _fits(self, organization_id: str) -> bool:
        total = self.held.total()
        return total < self._size or (total < self._size + self._spare and not self.held[organization_id])


class _Waiting:
    """Executions that wait without a slot, each with its browser; one organization may have half of them."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        # at least one, so that an organization can pause where the operator allows one
        self._share = max(1, limit // 2)
        self._counts = Counter[str]()

    def check(self, organization_id: str) -> None:
        """Raise LimitReached when no more may wait."""
        if self._counts[organization_id] >= self._share:
            raise LimitReached(
                f"{self._share} executions of this organization are paused already, each with its browser. "
                "Resume or cancel some, or have the operator raise `PAGEHAND_MAX_PAUSED`."
            )
        if self._counts.total() >= self._limit:
            raise LimitReached(
                f"{self._limit} executions are paused already, each with its browser. "
                "Try again when some have gone on, or have the operator raise `PAGEHAND_MAX_PAUSED`."
            )

    def add(self, organization_id: str) -> None:
        """Count one that begins to wait; raises LimitReached."""
        self.check(organization_id)
        self._counts[organization_id] += 1

    def remove(self, organization_id: str) -> None:
        """It resumed, or has ended."""
        self._counts[organization_id] -= 1


class Slot:
    """The slot of one attempt: held while it runs, given back while it is paused."""

    def __init__(self, slots: Slots, organization_id: str, *, needs_browser: bool = True) -> None:
        """Takes a slot; one must be free."""
        self._slots = slots
        self._organization_id = organization_id
        self._needs_browser = needs_browser
        self._is_held = False
        self._waits_among: _Waiting | None = None
        self._take()

    @property
    def is_held(self) -> bool:
        """Whether it may run; False while others run in its place."""
        return self._is_held

    def check_pause(self) -> None:
        """Raise LimitReached when too many are paused."""
        if self._waits_among is not self._slots.paused:
            self._slots.paused.check(self._organization_id)

    def pause(self) -> None:
        """Let another run begin; raises LimitReached when too many are paused, and then keeps its slot."""
        self._wait_among(self._slots.paused)

    def rest(self) -> bool:
        """Let another run begin while nobody uses this live session; False when too many are idle."""
        try:
            self._wait_among(self._slots.idle)
        except LimitReached:
            return False
        return True

    async def resume(self) -> None:
        """Return once the run has a slot again."""
        if not self._is_held:
            await self._slots.retake(self._organization_id, needs_browser=self._needs_browser)
            self._is_held = True
            self._end_wait()

    async def use_browser(self) -> None:
        """Return once the run has a slot with a browser, also one that seemed to need none."""
        if not self._needs_browser:
            self._give_back()
            self._needs_browser = True
            await self.resume()

    def release(self) -> None:
        """The attempt is over."""
        self._end_wait()
        self._give_back()

    def _take(self) -> None:
        self._slots.take(self._organization_id, needs_browser=self._needs_browser)
        self._is_held = True

    def _give_back(self) -> None:
        if self._is_held:
            self._is_held = False
            self._slots.release(self._organization_id, needs_browser=self._needs_browser)

    def _wait_among(self, waiting: _Waiting) -> None:
        if self._is_held:
            waiting.add(self._organization_id)
            self._waits_among = waiting
            self._give_back()

    def _end_wait(self) -> None:
        if self._waits_among is not None:
            self._waits_among.remove(self._organization_id)
            self._waits_among = None
