"""How many executions run at once, and how many may be paused besides, with their browsers open."""

import asyncio
from collections import Counter, deque
from collections.abc import Callable

from pagehand.errors import LimitReached


class Slots:
    """Slots for running executions; a paused one gives its slot back and takes another to resume.

    Paused executions have their own limit, of which one organization may use half, so that it cannot keep
    others from running or pausing.
    """

    def __init__(self, running: int, paused: int, on_free: Callable[[], None]) -> None:
        """`on_free` is called when a new execution may begin."""
        self._free = running
        self._max_paused = paused
        # at least one, so that an organization can pause where the operator allows one
        self._share = max(1, paused // 2)
        self._paused: Counter[str] = Counter()
        self._returning: deque[asyncio.Future[None]] = deque()
        self._on_free = on_free

    @property
    def has_free(self) -> bool:
        """True when a new execution may begin; those that resume come first."""
        return self._free > 0 and not self._returning

    def take(self) -> None:
        """Take a slot for a run."""
        self._free -= 1

    def release(self) -> None:
        """Free the slot of a run that ended or paused."""
        # those that resume have a browser and a page, so they come before new ones
        while self._returning:
            returning = self._returning.popleft()
            if not returning.done():
                returning.set_result(None)
                return
        self._free += 1
        self._on_free()

    def check_pause(self, organization_id: str) -> None:
        """Raise LimitReached when no more executions may be paused."""
        if self._paused[organization_id] >= self._share:
            raise LimitReached(
                f"{self._share} executions of this organization are paused already, each with its browser. "
                "Resume or cancel some, or have the operator raise `PAGEHAND_MAX_PAUSED`."
            )
        if self._paused.total() >= self._max_paused:
            raise LimitReached(
                f"{self._max_paused} executions are paused already, each with its browser. "
                "Try again when some have gone on, or have the operator raise `PAGEHAND_MAX_PAUSED`."
            )

    def pause(self, organization_id: str) -> None:
        """Pause a run: its slot is free for another."""
        self.check_pause(organization_id)
        self._paused[organization_id] += 1
        self.release()

    def end_pause(self, organization_id: str) -> None:
        """A paused run resumed, or has ended."""
        self._paused[organization_id] -= 1

    async def retake(self) -> None:
        """Wait for a slot to resume with, ahead of executions that have not begun."""
        if self.has_free:
            self._free -= 1
            return
        returning: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._returning.append(returning)
        try:
            await returning
        except asyncio.CancelledError:
            if returning.done() and not returning.cancelled():
                self.release()  # it was handed over just before
            raise


class Slot:
    """The slot of one attempt: held while it runs, given back while it is paused."""

    def __init__(self, slots: Slots, organization_id: str) -> None:
        """Takes a slot; one must be free."""
        self._slots = slots
        self._organization_id = organization_id
        self._is_held = True
        self._is_paused = False
        slots.take()

    def check_pause(self) -> None:
        """Raise LimitReached when too many are paused."""
        if not self._is_paused:
            self._slots.check_pause(self._organization_id)

    def pause(self) -> None:
        """Let another run begin; raises LimitReached when too many are paused."""
        if self._is_held:
            # raises when too many are paused, and then it keeps its slot
            self._slots.pause(self._organization_id)
            self._is_held, self._is_paused = False, True

    async def resume(self) -> None:
        """Return once the run has a slot again."""
        if not self._is_held:
            await self._slots.retake()
            self._is_held = True
            self._end_pause()

    def release(self) -> None:
        """The attempt is over."""
        self._end_pause()
        if self._is_held:
            self._is_held = False
            self._slots.release()

    def _end_pause(self) -> None:
        if self._is_paused:
            self._is_paused = False
            self._slots.end_pause(self._organization_id)
