"""Executions whose worker was lost are tried again or failed, by the rule in `retry`."""

from pagehand.clock import now_ms
from pagehand.engine import retry
from pagehand.engine.reporting import report
from pagehand.engine.reporting.report import Failure
from pagehand.engine.run.finish import Ending, Finisher
from pagehand.engine.run.outputs import assemble_response
from pagehand.engine.services import EngineServices
from pagehand.engine.signing_in.authentications import ended_sign_ins
from pagehand.errors import WorkerLost
from pagehand.ids import new_id
from pagehand.loop import retry_while_unavailable
from pagehand.records import Event, Execution, QueueEntry, Requeue, Status


class Recovery:
    """Requeues or ends executions whose worker was lost."""

    def __init__(self, services: EngineServices, finisher: Finisher) -> None:
        self._services = services
        self._finisher = finisher

    async def recover(self, execution_id: str, fence: int | None = None) -> QueueEntry | None:
        """Queue its next attempt, or end it; None when it does not wait for a worker now.

        With the fence of the run that was lost, one that another worker has begun since is left alone.
        """
        execution = await self._services.stores.executions.find_in_any_organization(execution_id)
        if execution is None or execution.status.is_final or fence not in (None, execution.fence):
            return None
        if execution.status is Status.ENQUEUED:
            return QueueEntry.of(execution)
        vendor_id = execution.vendor_id
        requeued = await self._requeue_or_fail(execution)
        if vendor_id is not None:
            self._services.end_lost_browser(vendor_id)
        return QueueEntry.of(requeued) if requeued is not None else None

    async def _requeue_or_fail(self, execution: Execution) -> Execution | None:
        """Queue its next attempt, or fail it with the outputs it had."""
        lost = WorkerLost("The worker was lost: the process that ran this execution ended without reporting.")
        # without the login's delay: our own worker was lost, the site was not down
        decision = retry.decide(lost, execution, now=now_ms(), delay_ms=0)
        # waiting for a code may take hours, so it may outlive any number of workers
        if _waited_to_sign_in(execution) or retry.goes_back_after_loss(execution):
            await self._add_event(execution, "execution.requeued", f"{lost.message} It begins again.")
            execution.metadata = retry.count_requeue(execution.metadata, worker_lost=True)
            return await self._requeue(execution, execution.attempts, None)
        if isinstance(decision, retry.RetryAt):
            await self._add_event(execution, "execution.retried", f"{lost.message} Another attempt follows.")
            return await self._requeue(execution, execution.attempts + 1, decision.not_before)
        await self._add_event(execution, "execution.failed", lost.message)
        # which block ran is not on the row; the last events show it
        failure, stores = Failure(None, lost), self._services.stores
        response = assemble_response(
            await retry_while_unavailable(lambda: stores.outputs.of_execution(execution.id))
        )
        ending = Ending(
            response=response,
            analysis=report.analysis(failure, decision.note),
            failure=failure.to_record(),
            context={"params": execution.params, "blocks": response},
            downloads=execution.downloads,
        )
        await self._finisher.finish(execution, ending, fence=execution.fence)
        return None

    async def _requeue(self, execution: Execution, attempts: int, not_before: int | None) -> Execution | None:
        executions, token = self._services.stores.executions, new_id("requeue")
        sign_ins = ended_sign_ins(execution)
        requeue = Requeue(
            attempts=attempts,
            metadata=execution.metadata,
            at=now_ms(),
            not_before=not_before,
            # with the status, so that both always agree
            fields={
                "authentications": sign_ins,
                "context_authentications": execution.context_authentications,
            },
        )
        await retry_while_unavailable(
            lambda: executions.requeue(execution.id, execution.fence, requeue, token=token)
        )
        return await retry_while_unavailable(lambda: executions.find_in_any_organization(execution.id))

    async def _add_event(self, execution: Execution, type: str, message: str) -> None:  # noqa: A002 - the event's own word
        stores = self._services.stores
        # the run, which numbered its events, is lost
        seq = await retry_while_unavailable(lambda: stores.events.last_seq(execution.id)) + 1
        event = Event(execution_id=execution.id, seq=seq, at=now_ms(), type=type, message=message)
        await retry_while_unavailable(lambda: stores.events.add([event]))


def _waited_to_sign_in(execution: Execution) -> bool:
    """Whether it waited for a code or a person when its worker was lost."""
    waits = any(sign_in.status.is_waiting for sign_in in execution.authentications)
    return waits and retry.may_repeat(execution)
