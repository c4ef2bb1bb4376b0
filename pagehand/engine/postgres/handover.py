"""Hands waiting executions to the queue and takes them back; the table says what waits, whatever is lost."""

from collections.abc import Sequence
from typing import Final

from pagehand.engine.accepting import ended_early
from pagehand.engine.availability import retry_while_unavailable
from pagehand.engine.postgres.jobs import Job, Jobs
from pagehand.engine.run.finish import Finisher
from pagehand.errors import PagehandError, Unavailable
from pagehand.records import Execution, Status
from pagehand.storage.admission import AdmissionStore
from pagehand.storage.executions import ExecutionStore

_WINDOW: Final = 8
"""How many of an organization's executions are in the queue at most before a worker takes one."""


class Handover:
    """Keeps a few executions of every organization in the queue."""

    def __init__(
        self, admission: AdmissionStore, jobs: Jobs, executions: ExecutionStore, finisher: Finisher
    ) -> None:
        self._admission = admission
        self._jobs = jobs
        self._executions = executions
        self._finisher = finisher

    async def top_up(self, organization_id: str) -> None:
        """Hand over what there is room for; what a database that is away misses, the next look finds."""
        try:
            await self._admission.admit(organization_id, _WINDOW, self._jobs.defer)
        except Unavailable:
            return

    async def top_up_all(self) -> None:
        """The same for every organization whose executions wait."""
        for organization_id in await self._admission.organizations():
            await self._admission.admit(organization_id, _WINDOW, self._jobs.defer)

    async def done(self, job: Job) -> None:
        """An attempt is over: its execution has ended, or waits to be handed over again."""
        await self._admission.done(job.number, job.execution_id)
        await self.top_up(job.organization_id)

    async def end_waiting(self, execution_id: str, reason: PagehandError) -> Execution | None:
        """Finish one that waits; None when it does not."""
        execution = await retry_while_unavailable(lambda: self._executions.find(execution_id))
        if execution is None or execution.status is not Status.ENQUEUED:
            return None
        return await self._finisher.finish(execution, ended_early(reason), fence=None)

    async def forget(self, ended: Sequence[Execution]) -> None:
        """These waited and have ended: they leave the queue and what they held."""
        ids = [execution.id for execution in ended]
        await retry_while_unavailable(lambda: self._admission.release(ids))
        for organization_id in {execution.organization_id for execution in ended}:
            await self.top_up(organization_id)
