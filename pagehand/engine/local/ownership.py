"""Owning a database: exactly one process runs its executions, because two would fail each other's runs."""

import asyncio
import os
import socket
from collections.abc import Callable

import structlog

from pagehand.errors import Conflict, Unavailable
from pagehand.ids import new_id
from pagehand.loop import Loop, retry_while_unavailable
from pagehand.records import LOST_AFTER_SECONDS, Owner
from pagehand.storage.owner import OwnerStore

_log = structlog.get_logger(__name__)
_BEAT_SECONDS = 5.0
_WATCHED_SECONDS = 2 * _BEAT_SECONDS
"""How long an owner is watched before it counts as dead: after an outage of the database its last heartbeat
proves nothing."""
_LEAVE_SECONDS = 2.0


class Ownership:
    """Taken before work begins, renewed by heartbeats, and released at the end."""

    def __init__(self, owners: OwnerStore, installation: str, on_lost: Callable[[str], None]) -> None:
        """`on_lost` is called when another process has taken over, as after this one stood still."""
        self._owners = owners
        self._on_lost = on_lost
        self._owner = Owner(
            token=new_id("owner"),
            installation=installation,
            description=f"process {os.getpid()} on {socket.gethostname()}",
        )
        self._beating: Loop | None = None

    async def take(self) -> None:
        """Become the owner; raises Conflict while another lives, waits for one that seems dead."""
        other = await self._try(None)
        if other is not None:
            _log.info("another process owns the database; checking if it is alive", owner=other.description)
            await self._wait_until_dead(other)
        self._beating = Loop("ownership", self._beat, _BEAT_SECONDS)
        self._beating.start()

    async def leave(self) -> None:
        """Release the database, so that the next owner need not wait."""
        if self._beating is not None:
            await self._beating.stop()
            try:
                async with asyncio.timeout(_LEAVE_SECONDS):
                    await self._owners.leave(self._owner.token)
            except (Unavailable, TimeoutError):
                _log.warning("the database cannot be reached: the next start has to wait for half a minute")

    async def _try(self, instead_of: Owner | None) -> Owner | None:
        return await retry_while_unavailable(lambda: self._owners.take(self._owner, instead_of))

    async def _wait_until_dead(self, other: Owner) -> None:
        watched = 0.0
        while True:
            # more often than it beats, so that no heartbeat is missed
            await asyncio.sleep(_BEAT_SECONDS / 5)
            watched += _BEAT_SECONDS / 5
            # both: it is silent (or the clock was set back since), and we have watched it long enough
            is_dead = watched > _WATCHED_SECONDS and abs(other.silent_ms) > LOST_AFTER_SECONDS * 1000
            present = await self._try(other if is_dead else None)
            if present is None:
                return
            # it beats, or a third process was quicker
            if (present.token, present.beat_at) != (other.token, other.beat_at):
                raise Conflict(
                    f"another Pagehand service ({present.description}) runs this database's executions, and "
                    "only one may. Stop it, give one of them another `--database`, or start this one with "
                    "`--no-worker`."
                )
            other = present

    async def _beat(self) -> None:
        if not await retry_while_unavailable(lambda: self._owners.beat(self._owner.token)):
            self._on_lost("another Pagehand service has taken over this database's executions.")
            if self._beating is not None:
                self._beating.end()
