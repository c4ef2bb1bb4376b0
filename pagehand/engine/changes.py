"""Which things of an organization changed, for those who watch.

A change names a thing and says nothing of its content: whoever may see the thing reads it again.
"""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass

_UNREAD_CHANGES = 256
"""A watcher that lags behind by more is told to read everything anew."""


@dataclass(slots=True, frozen=True)
class Change:
    """A thing that changed: its noun, as the API spells it in the singular, and its id."""

    noun: str
    id: str


EVERYTHING = Change("*", "")
"""For a watcher that missed something."""


class Changes:
    """Hands changes to every watcher of the organization, within one process."""

    def __init__(self) -> None:
        self._watchers: dict[str, set[asyncio.Queue[Change]]] = {}

    def publish(self, organization_id: str, noun: str, id: str = "") -> None:  # noqa: A002 - the API's own word
        """Something changed; costs nothing where nobody watches."""
        for queue in self._watchers.get(organization_id, ()):
            if queue.full():
                _start_over(queue)
            else:
                queue.put_nowait(Change(noun, id))

    async def watch(self, organization_id: str) -> AsyncGenerator[Change]:
        """Changes from now on, until the watcher leaves."""
        queue: asyncio.Queue[Change] = asyncio.Queue(_UNREAD_CHANGES)
        self._watchers.setdefault(organization_id, set()).add(queue)
        try:
            while True:
                yield await queue.get()
        finally:
            watchers = self._watchers[organization_id]
            watchers.discard(queue)
            if not watchers:
                del self._watchers[organization_id]


def _start_over(queue: "asyncio.Queue[Change]") -> None:
    while not queue.empty():
        queue.get_nowait()
    queue.put_nowait(EVERYTHING)
