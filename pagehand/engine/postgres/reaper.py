"""A loop on every worker that mends what others left: lost workers, executions that nobody has, late ones.

Any number of workers may do this at once: every change is guarded by the execution's row.
"""

import asyncio
import time
from typing import Final

import structlog

from pagehand.clock import now_ms
from pagehand.engine.postgres.handover import Handover
from pagehand.engine.postgres.jobs import Jobs
from pagehand.engine.postgres.lease import LOST_AFTER_SECONDS
from pagehand.engine.recovery import Recovery
from pagehand.errors import OutOfTime, Unavailable
from pagehand.records import QueueEntry
from pagehand.storage import Stores

_log = structlog.get_logger(__name__)
_PAUSE_SECONDS: Final = 1.0
_LONGEST_ROUND_SECONDS: Final = 60.0
_GAP_SECONDS: Final = 10.0
"""A longer time between two rounds means that this process stood still, or the database did."""
_AT_ONCE: Final = 100
_MESSAGES_KEPT_MS: Final = 3_600_000


class Reaper:
    """Looks, mends, waits a moment, for ever."""

    def __init__(self, stores: Stores, jobs: Jobs, handover: Handover, recovery: Recovery) -> None:
        self._stores = stores
        self._jobs = jobs
        self._handover = handover
        self._recovery = recovery
        self._reachable_since = self._looked_at = time.monotonic()
        self._looking: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look."""
        self._looking = asyncio.create_task(self._look_for_ever(), name="reaper")

    async def stop(self) -> None:
        """Look no more."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait([self._looking])

    async def _look_for_ever(self) -> None:
        while True:
            try:
                async with asyncio.timeout(_LONGEST_ROUND_SECONDS):
                    await self._look()
            except (Unavailable, TimeoutError):
                self._reachable_since = time.monotonic()
            except Exception:  # noqa: BLE001 - a bug here must not end the loop that mends what others break
                _log.exception("mending failed")
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _look(self) -> None:
        now = time.monotonic()
        if now - self._looked_at > _GAP_SECONDS:
            self._reachable_since = now
        await self._stores.run_messages.sweep(_MESSAGES_KEPT_MS)
        # after an outage of the database the time of a heartbeat proves nothing: all have their time anew
        if now - self._reachable_since > LOST_AFTER_SECONDS:
            await self._end_lost_workers()
        await self._end_late_ones()
        await self._recover_unattended()
        await self._stores.admission.release_orphans()
        await self._handover.top_up_all()
        self._looked_at = time.monotonic()

    async def _end_lost_workers(self) -> None:
        for job in await self._stores.admission.stalled(LOST_AFTER_SECONDS):
            _log.warning("a worker was lost", execution=job.execution_id)
            await self._recover(job.execution_id, job.fence)
            await self._handover.done(job.number, job.execution_id, job.organization_id)
        await self._jobs.forget_lost_workers(LOST_AFTER_SECONDS)

    async def _recover_unattended(self) -> None:
        for execution_id, fence in await self._stores.admission.unattended(_AT_ONCE):
            await self._recover(execution_id, fence)

    async def _recover(self, execution_id: str, fence: int) -> None:
        """Queue its next attempt, or end it; trouble with one row is no other row's trouble."""
        try:
            await self._recovery.recover(execution_id, fence)
        except Unavailable:
            raise
        except Exception:  # noqa: BLE001 - as said above
            _log.exception("an execution could not be recovered", execution=execution_id)

    async def _end_late_ones(self) -> None:
        for entry in await self._stores.executions.waiting_past(now_ms(), _AT_ONCE):
            ended = await self._handover.end_waiting(entry.id, _out_of_time(entry))
            if ended is not None:
                await self._handover.forget([ended])


def _out_of_time(entry: QueueEntry) -> OutOfTime:
    seconds = (entry.deadline_at - entry.accepted_at) / 1000
    return OutOfTime(f"The execution's time of {seconds:g} s (`timeout`) was over before it began.")
