"""Moves waiting executions from their table to the job queue, and back."""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Final

import structlog

from pagehand.engine.postgres.jobs import Jobs
from pagehand.engine.run.finish import Finisher, ending_without_run
from pagehand.errors import PagehandError, Unavailable
from pagehand.loop import retry_while_unavailable
from pagehand.records import Execution, Status
from pagehand.storage import Stores

_log = structlog.get_logger(__name__)
_WINDOW: Final = 8
"""How many of an organization's executions are in the queue at most before a worker takes one."""
LOW: Final = _WINDOW // 2
"""With fewer left, more are handed over: several at a time cost little more than one."""


class Handover:
    """Keeps a few executions of every organization in the queue; the table has all that wait."""

    def __init__(self, stores: Stores, jobs: Jobs, finisher: Finisher) -> None:
        self._admission = stores.admission
        self._queue = stores.job_queue
        self._jobs = jobs
        self._executions = stores.executions
        self._finisher = finisher
        self._topping_up: dict[str, asyncio.Task[None]] = {}
        self._asked_again: set[str] = set()

    def top_up_soon(self, organization_id: str) -> None:
        """Hand over what there is room for, in a task; requests that come meanwhile are combined."""
        if organization_id in self._topping_up:
            self._asked_again.add(organization_id)
        else:
            self._begin(organization_id, self._top_up_all_asked(organization_id))

    def refill_soon(self, organization_id: str) -> None:
        """Hand over more where few are left in the queue, unless this or another process is doing so.

        Of several workers that see the queue run low one tops it up; the others would wait and find it full.
        """
        if organization_id not in self._topping_up:
            self._begin(organization_id, self.top_up(organization_id, unless_others_do=True))

    def _begin(self, organization_id: str, work: Coroutine[None, None, None]) -> None:
        task = self._topping_up[organization_id] = asyncio.create_task(work)
        task.add_done_callback(lambda done: self._topped_up(organization_id, done))

    async def settle(self) -> None:
        """Wait for the tasks that were started."""
        if self._topping_up:
            await asyncio.wait(self._topping_up.values())

    async def _top_up_all_asked(self, organization_id: str) -> None:
        self._asked_again.add(organization_id)
        while organization_id in self._asked_again:
            self._asked_again.discard(organization_id)
            await self.top_up(organization_id)

    def _topped_up(self, organization_id: str, done: "asyncio.Task[None]") -> None:
        del self._topping_up[organization_id]
        if not done.cancelled() and (bug := done.exception()) is not None:
            _log.error("executions could not be handed over", organization=organization_id, exc_info=bug)
        elif organization_id in self._asked_again:  # while the queue was refilled
            self.top_up_soon(organization_id)

    async def top_up(self, organization_id: str, *, unless_others_do: bool = False) -> None:
        """Hand over what there is room for; a database that is away is tried again by the reaper."""
        try:
            await self._admission.admit(
                organization_id, _WINDOW, self._jobs.defer, unless_others_do=unless_others_do
            )
        except Unavailable:
            return

    async def top_up_all(self) -> None:
        """Hand over what there is room for, for every organization whose executions wait."""
        for organization_id in await self._admission.organizations():
            await self._admission.admit(organization_id, _WINDOW, self._jobs.defer)

    async def done(self, number: int, execution_id: str, organization_id: str) -> None:
        """An attempt is over: its execution has ended, or waits to be handed over again."""
        if await self._queue.end(number, execution_id):
            self.top_up_soon(organization_id)

    async def end_waiting(self, execution_id: str, reason: PagehandError) -> Execution | None:
        """Finish one that waits; None when it does not."""
        execution = await retry_while_unavailable(lambda: self._executions.find(execution_id))
        if execution is None or execution.status is not Status.ENQUEUED:
            return None
        return await self._finisher.finish(execution, ending_without_run(reason), fence=None)

    async def forget(self, ended: Sequence[Execution]) -> None:
        """Remove executions from the queue that ended while they waited, with their locks on logins."""
        ids = [execution.id for execution in ended]
        await retry_while_unavailable(lambda: self._admission.release(ids))
        for organization_id in {execution.organization_id for execution in ended}:
            await self.top_up(organization_id)
