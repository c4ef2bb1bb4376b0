"""Signals of a run in a test: sleeping takes no time, and approvals come at once."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from pagehand.engine.signals import Signals
from pagehand.records import Status, WaitingKind

_LONGEST_SECONDS = 0.02


class InstantSignals(Signals):
    """Notes how long blocks sleep and what they wait for."""

    def __init__(self, set_status: Callable[[Status, str], Awaitable[None]]) -> None:
        super().__init__(set_status)
        self.slept_seconds = 0.0
        self.waits: list[str] = []

    async def sleep(self, seconds: float) -> None:
        """Let others have their turn, and count."""
        self.slept_seconds += seconds
        # not skipped: a block that polls must let the others have their turn
        await asyncio.sleep(min(seconds, _LONGEST_SECONDS))

    async def wait_for_approval(self, reason: str) -> None:
        """Paused as always, and resumed as soon as it is."""
        asyncio.get_running_loop().call_later(_LONGEST_SECONDS, self.resume)
        await super().wait_for_approval(reason)

    @asynccontextmanager
    async def waiting_for_person(
        self, reason: str, kind: WaitingKind = "person"
    ) -> AsyncGenerator[asyncio.Event]:
        """Paused as always; the test sees what for."""
        self.waits.append(reason)
        async with super().waiting_for_person(reason, kind) as done:
            yield done
