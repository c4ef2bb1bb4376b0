"""What an earlier process left behind is ended or tried again, by the same rule as after any lost worker."""

from pagehand.clock import now_ms
from pagehand.engine import report, retry
from pagehand.engine.failure import Failure
from pagehand.engine.finish import Ending, Finisher, persistently
from pagehand.engine.parts import EngineParts
from pagehand.engine.signing import ended_sign_ins
from pagehand.errors import WorkerLost
from pagehand.records import Event, Execution, Status


class Recovery:
    """Looks through all executions that are not final, once, before work begins."""

    def __init__(self, parts: EngineParts, finisher: Finisher) -> None:
        self._parts = parts
        self._finisher = finisher

    async def recover(self) -> list[Execution]:
        """Executions that wait for a worker now, oldest first."""
        waiting: list[Execution] = []
        for execution in await persistently(self._parts.stores.executions.unfinished):
            if execution.status is Status.ENQUEUED:
                waiting.append(execution)
            elif (again := await self._after_loss(execution)) is not None:
                waiting.append(again)
        return waiting

    async def _after_loss(self, execution: Execution) -> Execution | None:
        """Queue its next attempt, or fail it with everything it had put out."""
        lost = WorkerLost("The worker was lost: the process that ran this execution ended without a word.")
        decision = retry.decide(lost, execution, now=now_ms(), delay_ms=0)
        if _waited_to_sign_in(execution) or retry.goes_back_after_loss(execution):
            await self._note(execution, "execution.requeued", f"{lost.message} It begins again.")
            execution.metadata = retry.counted(execution.metadata, worker_lost=True)
            return await self._again(execution, execution.attempts, None)
        if isinstance(decision, retry.Again):
            await self._note(execution, "execution.retried", f"{lost.message} Another attempt follows.")
            return await self._again(execution, execution.attempts + 1, decision.not_before)
        await self._note(execution, "execution.failed", lost.message)
        failure = Failure(None, lost)
        ending = Ending(
            response=execution.response or {},
            analysis=report.analysis(failure, decision.note),
            failure=failure.to_json(),
            context={"params": execution.params, "blocks": execution.response or {}},
            downloads=execution.downloads,
        )
        await self._finisher.finish(execution, ending, fence=execution.fence)
        return None

    async def _again(self, execution: Execution, attempts: int, not_before: int | None) -> Execution | None:
        executions = self._parts.stores.executions
        await persistently(
            lambda: executions.update(
                execution.id,
                execution.fence,
                authentications=ended_sign_ins(execution),
                context_authentications=execution.context_authentications,
            )
        )
        await persistently(
            lambda: executions.requeue(
                execution.id,
                execution.fence,
                attempts=attempts,
                not_before=not_before,
                at=now_ms(),
                metadata=execution.metadata,
            )
        )
        return await persistently(lambda: executions.find(execution.id))

    async def _note(self, execution: Execution, type: str, message: str) -> None:  # noqa: A002 - the event's own word
        stores = self._parts.stores
        seq = await persistently(lambda: stores.events.last_seq(execution.id)) + 1
        event = Event(execution_id=execution.id, seq=seq, at=now_ms(), type=type, message=message)
        await persistently(lambda: stores.events.add([event]))


def _waited_to_sign_in(execution: Execution) -> bool:
    """Whether it stood still for a code or a person when its worker was lost."""
    waits = any(one["status"].startswith("WaitingFor") for one in execution.authentications)
    return waits and retry.may_repeat(execution)
