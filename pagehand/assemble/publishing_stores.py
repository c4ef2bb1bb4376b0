"""Stores that publish every change of executions, events and batches to the watchers of the organization.

Publishing where things are written means that no caller can forget it.
"""

from collections.abc import Sequence
from typing import Any

from pagehand.engine.changes import Changes
from pagehand.records import Batch, Event, Execution, FinalState, Requeue, WebhookEvent
from pagehand.storage import AcceptLimits, Database, Stores
from pagehand.storage.accepting import IdempotencyKey
from pagehand.storage.batches import BatchStore
from pagehand.storage.events import EventStore
from pagehand.storage.executions import ExecutionStore


class PublishingStores(Stores):
    """All stores; changes of executions, events and batches are published."""

    def __init__(self, database: Database, limits: AcceptLimits, changes: Changes | None = None) -> None:
        """`changes` is where they are published; by default only within this process."""
        super().__init__(database, limits)
        self.changes = changes or Changes()
        publisher = _ExecutionPublisher(self.changes, self.executions)
        self.executions = _PublishingExecutions(database, limits, publisher)
        self.events = _PublishingEvents(database, publisher)
        self.batches = _PublishingBatches(database, limits, self.changes)


class _ExecutionPublisher:
    """Publishes changes of executions; remembers the organization of each that runs."""

    def __init__(self, changes: Changes, executions: ExecutionStore) -> None:
        self._changes = changes
        self._executions = executions
        self._organizations: dict[str, str] = {}

    def publish_start(self, execution: Execution) -> None:
        self._organizations[execution.id] = execution.organization_id
        self._changes.publish(execution.organization_id, "execution", execution.id)

    def publish_accepted(self, execution: Execution) -> None:
        self._changes.publish(execution.organization_id, "execution", execution.id)

    async def publish(self, execution_id: str, *nouns: str) -> None:
        """Publish a change under these nouns, if anybody watches."""
        if not self._changes.is_watched:
            return
        # looked up only if it does not run here: a run writes often, and look-ups would double the reads
        organization_id = self._organizations.get(execution_id)
        if organization_id is None:
            found = await self._executions.without_values([execution_id])
            if not found:
                return
            organization_id = found[0].organization_id
        for noun in nouns:
            self._changes.publish(organization_id, noun, execution_id)

    async def publish_ends(self, ids: Sequence[str]) -> None:
        """Publish the ends of executions that did not run, with one look-up for all."""
        if self._changes.is_watched and ids:
            for execution in await self._executions.without_values(ids):
                for noun in ("execution", "attention"):
                    self._changes.publish(execution.organization_id, noun, execution.id)

    async def publish_end(self, execution_id: str) -> None:
        await self.publish(execution_id, "execution", "attention")
        # otherwise memory would grow with every execution
        self._organizations.pop(execution_id, None)


class _PublishingExecutions(ExecutionStore):
    """Publishes every change of state."""

    def __init__(self, database: Database, limits: AcceptLimits, publisher: _ExecutionPublisher) -> None:
        super().__init__(database, limits)
        self._publisher = publisher

    async def add(self, execution: Execution, idempotency_key: IdempotencyKey | None = None) -> Execution:
        added = await super().add(execution, idempotency_key)
        self._publisher.publish_accepted(added)
        return added

    async def claim(
        self,
        execution_id: str,
        *,
        at: int,
        token: str | None = None,
        webhook_event: WebhookEvent | None = None,
    ) -> Execution | None:
        claimed = await super().claim(execution_id, at=at, token=token, webhook_event=webhook_event)
        if claimed is not None:
            self._publisher.publish_start(claimed)
        return claimed

    async def update(
        self,
        execution_id: str,
        fence: int,
        *,
        token: str | None = None,
        webhook_event: WebhookEvent | None = None,
        **values: Any,
    ) -> bool:
        is_changed = await super().update(
            execution_id, fence, token=token, webhook_event=webhook_event, **values
        )
        is_attention = not values.keys().isdisjoint({"status", "authentications"})
        await self._publisher.publish(execution_id, "execution", *(["attention"] if is_attention else []))
        return is_changed

    async def finish(
        self, end: FinalState, fence: int | None, *, token: str | None = None
    ) -> Execution | None:
        ended = await super().finish(end, fence, token=token)
        await self._publisher.publish_end(end.execution_id)
        return ended

    async def finish_waiting(self, ends: Sequence[FinalState], *, token: str) -> Sequence[str]:
        ended = await super().finish_waiting(ends, token=token)
        await self._publisher.publish_ends(ended)
        return ended

    async def requeue(
        self, execution_id: str, fence: int, requeue: Requeue, *, token: str | None = None
    ) -> bool:
        is_queued = await super().requeue(execution_id, fence, requeue, token=token)
        await self._publisher.publish_end(execution_id)
        return is_queued


class _PublishingEvents(EventStore):
    """Publishes new events under `event`, so that lists of executions are not read again for them."""

    def __init__(self, database: Database, publisher: _ExecutionPublisher) -> None:
        super().__init__(database)
        self._publisher = publisher

    async def add(self, added: Sequence[Event], fence: int | None = None) -> bool:
        is_kept = await super().add(added, fence)
        for execution_id in {event.execution_id for event in added}:
            await self._publisher.publish(execution_id, "event")
        return is_kept


class _PublishingBatches(BatchStore):
    """Publishes new, paused and resumed batches; a new batch also counts as one change of executions."""

    def __init__(self, database: Database, limits: AcceptLimits, changes: Changes) -> None:
        super().__init__(database, limits)
        self._changes = changes

    async def add(self, batch: Batch, executions: Sequence[Execution]) -> None:
        await super().add(batch, executions)
        self._changes.publish(batch.organization_id, "batch", batch.id)
        self._changes.publish(batch.organization_id, "execution")

    async def set_paused(self, organization_id: str, batch_id: str, at: int | None) -> None:
        await super().set_paused(organization_id, batch_id, at)
        self._changes.publish(organization_id, "batch", batch_id)
