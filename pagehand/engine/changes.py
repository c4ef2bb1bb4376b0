"""Which things of an organization changed, for its watchers, such as open consoles.

A change names a thing without its content: a watcher that may see the thing reads it again.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from dataclasses import dataclass

_UNREAD_CHANGES = 256
"""A watcher that lags behind by more has to read everything again."""
_GATHER_SECONDS = 0.2
"""How long changes are gathered after the first: a burst becomes one change per thing."""


@dataclass(slots=True, frozen=True)
class Change:
    """A thing that changed: its noun, as the API spells it in the singular, and its id."""

    noun: str
    id: str


EVERYTHING = Change("*", "")
"""Sent to a watcher that missed something."""


class Changes:
    """Hands changes to every watcher of the organization, within one process."""

    def __init__(self) -> None:
        self._watchers: dict[str, set[_Watcher]] = {}
        self._is_closed = False

    @property
    def is_watched(self) -> bool:
        """Whether anybody watches at all."""
        return bool(self._watchers)

    def publish(self, organization_id: str, noun: str, id: str = "") -> None:  # noqa: A002 - the API's own word
        """Report a change; costs nothing where nobody watches."""
        for watcher in self._watchers.get(organization_id, ()):
            watcher.note(Change(noun, id))

    def publish_everything(self) -> None:
        """Have every watcher read everything again, because changes may have been missed."""
        for watchers in self._watchers.values():
            for watcher in watchers:
                watcher.note(EVERYTHING)

    def close(self) -> None:
        """End every watch: the service stops, and would wait for open streams."""
        self._is_closed = True
        self.publish_everything()

    async def watch(self, organization_id: str, quiet_seconds: float) -> AsyncGenerator[Sequence[Change]]:
        """Changes from now on, those of a burst together; nothing after so many seconds without any."""
        watcher = _Watcher()
        self._watchers.setdefault(organization_id, set()).add(watcher)
        try:
            while not self._is_closed:
                yield await watcher.unread(quiet_seconds)
                # after the first change, not before it: a single change is seen at once
                await asyncio.sleep(_GATHER_SECONDS)
        finally:
            watchers = self._watchers[organization_id]
            watchers.discard(watcher)
            if not watchers:
                del self._watchers[organization_id]


class _Watcher:
    """What one watcher has not read yet, every thing once."""

    def __init__(self) -> None:
        self._unread: dict[Change, None] = {}
        self._has_unread = asyncio.Event()

    def note(self, change: Change) -> None:
        if EVERYTHING in self._unread:
            return
        # a watcher that does not read must not cost memory
        if len(self._unread) >= _UNREAD_CHANGES and change not in self._unread:
            self._unread.clear()
            change = EVERYTHING
        self._unread[change] = None
        self._has_unread.set()

    async def unread(self, quiet_seconds: float) -> Sequence[Change]:
        with suppress(TimeoutError):
            async with asyncio.timeout(quiet_seconds):
                await self._has_unread.wait()
        self._has_unread.clear()
        changes, self._unread = list(self._unread), {}
        return changes
