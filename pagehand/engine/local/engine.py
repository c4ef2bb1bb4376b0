"""The engine in one process, with an in-memory queue over the executions table."""

from collections.abc import Sequence

from pagehand.cooperative import iterate_cooperatively
from pagehand.engine.attempts import pause, resume
from pagehand.engine.base import Engine
from pagehand.engine.live.control import LiveSessionControl
from pagehand.engine.local.dispatcher import Dispatcher
from pagehand.engine.reconciler import Reconciler
from pagehand.engine.recovery import Recovery
from pagehand.engine.run.finish import ending_without_run
from pagehand.engine.services import EngineServices
from pagehand.engine.signing_in.codes import CodeTarget, CodeVerdict, select_request
from pagehand.errors import Cancelled, Conflict, PagehandError
from pagehand.records import Batch, Execution, QueueEntry, Status


class LocalEngine(Engine):
    """The engine of a process that owns its database."""

    def __init__(self, services: EngineServices) -> None:
        super().__init__(services)
        self._is_worker = services.settings.worker
        self._dispatcher = Dispatcher(services, self._finisher, self._waiters, self._attempts)
        self._reconciler = Reconciler(
            self._executions,
            Recovery(services, self._finisher),
            self._waiters,
            is_known=self._dispatcher.knows,
            enqueue=self._dispatcher.enqueue,
            is_worker=self._is_worker,
            prepare=self._dispatch if self._is_worker else None,
        )

    def start(self) -> None:
        """Begin to work; the reconciler finds what an earlier process left behind."""
        self._reconciler.loop.start()

    async def _dispatch(self) -> None:
        # before anything starts: which batches are paused was forgotten with the last process
        for batch_id in await self._services.stores.batches.paused():
            self._dispatcher.queue.pause_batch(batch_id)
        self._dispatcher.start()

    async def stop(self) -> None:
        """Take nothing new, let running ones finish for a while, put the rest back into the queue."""
        self._is_stopping = True
        # first, so that it does not queue what is being put back
        await self._reconciler.loop.stop()
        await self._dispatcher.stop()

    async def _end(self, execution: Execution, reason: Cancelled) -> None:
        if not await self._dispatcher.end(execution, reason):
            await self._end_unattended(execution, reason)

    async def _end_unattended(self, execution: Execution, reason: PagehandError) -> None:
        """End one that runs by its row, but not in this process."""
        if not self._is_worker:
            raise Conflict("The execution runs in another process of the service; ask that one to cancel it.")
        if not self._dispatcher.knows(execution.id):  # its worker was lost, and it is not recovered yet
            finished = await self._finisher.finish(
                execution, ending_without_run(reason), fence=execution.fence
            )
            if finished is not None:
                self._waiters.wake(finished)

    async def pause_batch(self, organization_id: str, batch_id: str) -> Batch:
        """Let no more of a batch begin; refused where another process starts its executions."""
        self._refuse_without_worker()
        return await super().pause_batch(organization_id, batch_id)

    async def resume_batch(self, organization_id: str, batch_id: str) -> Batch:
        """Let the rest of a batch begin; refused where another process starts its executions."""
        self._refuse_without_worker()
        return await super().resume_batch(organization_id, batch_id)

    def _refuse_without_worker(self) -> None:
        if not self._is_worker:
            raise Conflict("The batch runs in another process of the service; ask that one.")

    async def _pause_in_queue(self, batch: Batch) -> None:
        self._dispatcher.queue.pause_batch(batch.id)

    async def _resume_in_queue(self, batch: Batch) -> None:
        self._dispatcher.queue.resume_batch(batch.id)

    async def _cancel_all(self, entries: Sequence[QueueEntry], reason: Cancelled) -> list[str]:
        """End those that wait in one transaction and interrupt the others; the ids of the latter."""
        for entry in entries:
            self._dispatcher.remove(entry.id)
        waiting = [entry.id for entry in entries if entry.id not in self._attempts.running]
        # thousands of rows of params and outputs would be read to be thrown away
        rows = await self._executions.without_values(waiting)
        ended = await self._finisher.finish_waiting(rows, ending_without_run(reason))
        # a caller that begins to wait from now on finds the end in the table
        for execution_id in set(self._waiters.ids).intersection(ended):
            finished = await self._executions.find_in_any_organization(execution_id)
            if finished is not None:
                self._wake_waiters(finished)
        return [entry.id for entry in entries if self._attempts.interrupt(entry.id, reason)]

    async def pause(self, organization_id: str, execution_id: str) -> Execution:
        """Pause a running execution before its next step."""
        execution = await self._get(organization_id, execution_id)
        if execution.status is not Status.IN_PROGRESS:
            raise Conflict(f"Only a running execution can be paused; this one is {execution.status}.")
        pause(self._attempts.running.get(execution_id))
        return execution

    async def resume(self, organization_id: str, execution_id: str) -> Execution:
        """Resume a paused execution."""
        execution = await self._get(organization_id, execution_id)
        if execution.status.is_final or execution.status is Status.ENQUEUED:
            raise Conflict(f"Only a paused execution can be resumed; this one is {execution.status}.")
        resume(self._attempts.running.get(execution_id))
        return execution

    async def live_session(self, organization_id: str, execution_id: str) -> LiveSessionControl:
        """A live session, once its execution has begun."""
        execution = await self._get_live_session(organization_id, execution_id)
        return await self._attempts.sessions.wait_for(execution_id, self.wait(execution))

    async def submit_code(self, organization_id: str, wanted: CodeTarget, code: str) -> CodeVerdict:
        """Submit a code that an authentication waits for."""
        waiting = [
            attempt
            for attempt in self._attempts.running.values()
            if attempt.codes.is_waiting
            and attempt.execution.organization_id == organization_id
            and wanted.execution_id in (None, attempt.execution.id)
            and wanted.browser_session_id in (None, attempt.execution.browser_session_id)
            and (
                wanted.login_id is None or (attempt.codes.login and attempt.codes.login.id == wanted.login_id)
            )
        ]
        request = select_request([(attempt.execution.id, attempt.codes) for attempt in waiting])
        verdict = await request.submit(code)
        execution = waiting[0].execution
        return CodeVerdict(
            execution.id, execution.browser_session_id, verdict.success, verdict.message, verdict.status
        )

    async def _enqueue(self, executions: Sequence[Execution]) -> None:
        if self._is_worker:
            async for execution in iterate_cooperatively(executions):
                self._dispatcher.enqueue(QueueEntry.of(execution))

    def _withdraw(self, execution: Execution) -> None:
        self._dispatcher.withdraw(execution)

    def _wake_waiters(self, execution: Execution) -> None:
        self._waiters.wake(execution)
