"""The row of an execution that this process runs: claimed, written to, and put back into the queue."""

from typing import Any

import structlog

from pagehand.clock import now_ms
from pagehand.engine.reporting.traces import logged_trace
from pagehand.engine.reporting.webhook_events import WebhookEvents
from pagehand.engine.services import EngineServices
from pagehand.errors import WorkerLost
from pagehand.ids import new_id
from pagehand.loop import retry_while_unavailable
from pagehand.records import Execution, Json, Requeue, Status, Waiting, WebhookEvent

_log = structlog.get_logger(__name__)


class ExecutionRow:
    """Writes to one execution's row, with the webhook events that report the changes."""

    def __init__(self, execution: Execution, services: EngineServices) -> None:
        self.execution = execution
        self._executions = services.stores.executions
        self._webhook_events = WebhookEvents(services.webhook_listeners)

    async def claim(self) -> bool:
        """Begin a run; False when another worker was first, or the execution has ended."""
        # the token tells whether a claim whose answer was lost was made after all
        at, token, waiting = now_ms(), new_id("claim"), self.execution
        event = await retry_while_unavailable(lambda: self._webhook_events.started(waiting, at))
        claimed = await retry_while_unavailable(
            lambda: self._executions.claim(waiting.id, at=at, token=token, webhook_event=event)
        )
        if event is not None:
            self._webhook_events.wake()
        if claimed is None:
            return False
        self.execution = claimed
        _log.info(
            "execution started",
            execution=claimed.id,
            organization=claimed.organization_id,
            **logged_trace(claimed),
        )
        return True

    async def save(self, **changes: Any) -> None:
        """Write columns; raises WorkerLost, which stops a worker that lost its claim."""
        event = None
        if "authentications" in changes:
            event = await retry_while_unavailable(lambda: self._webhook_events.waiting(self.execution))
        await self._write(changes, event)

    async def set_status(self, status: Status, waiting: Waiting | None) -> None:
        """Show that the run is paused, and what it waits for; or that it continues."""
        event = None
        if waiting is not None:
            event = await retry_while_unavailable(
                lambda: self._webhook_events.paused(self.execution, waiting.reason)
            )
        await self._write({"status": status, "waiting": waiting}, event)

    async def requeue(self, not_before: int | None) -> bool:
        """Put the execution back into the queue; False when another worker owns it by now."""
        execution, token = self.execution, new_id("requeue")
        requeue = Requeue(
            attempts=execution.attempts, metadata=execution.metadata, at=now_ms(), not_before=not_before
        )
        return await retry_while_unavailable(
            lambda: self._executions.requeue(execution.id, execution.fence, requeue, token=token)
        )

    async def _write(self, changes: Json, event: WebhookEvent | None) -> None:
        execution = self.execution
        # other columns may be written twice without harm; a status or a webhook event may not
        token = new_id("write") if event is not None or "status" in changes else None
        kept = await retry_while_unavailable(
            lambda: self._executions.update(
                execution.id, execution.fence, token=token, webhook_event=event, **changes
            )
        )
        if not kept:
            raise WorkerLost("Another worker has taken this execution over.")
        if event is not None:
            self._webhook_events.wake()
