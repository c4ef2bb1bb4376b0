"""Which things of an organization changed, for its watchers, such as open consoles.

A change names a thing without its content: a watcher that may see the thing reads it again.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from pagehand.records import Execution

_UNREAD_CHANGES = 256
"""A watcher that lags behind by more has to read everything again."""
_KNOWN_ORGANIZATIONS = 10_000
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
    def is_closed(self) -> bool:
        """Whether the service stops."""
        return self._is_closed

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


class ChangePublisher:
    """Publishes what the stores write, which know of a running execution only its id."""

    def __init__(
        self, changes: Changes, find: Callable[[Sequence[str]], Awaitable[Sequence[Execution]]]
    ) -> None:
        """`find` reads executions by their ids."""
        self._changes = changes
        self._find = find
        self._organizations: dict[str, str] = {}

    async def __call__(self, nouns: Sequence[str], ids: Sequence[str], organization_id: str | None) -> None:
        """Publish things under each noun; looks up their organization if that was never given."""
        if organization_id is not None:
            self._remember(dict.fromkeys(ids, organization_id))
        elif not self._changes.is_watched:
            return
        # a run writes often: a look-up each time would double the reads
        elif unknown := [changed_id for changed_id in ids if changed_id not in self._organizations]:
            self._remember({found.id: found.organization_id for found in await self._find(unknown)})
        for changed_id in ids:
            if owner := organization_id or self._organizations.get(changed_id):
                for noun in nouns:
                    self._changes.publish(owner, noun, changed_id)

    def _remember(self, organizations: dict[str, str]) -> None:
        self._organizations |= organizations
        while len(self._organizations) > _KNOWN_ORGANIZATIONS:
            del self._organizations[next(iter(self._organizations))]


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
