"""Stores that publish what they wrote: whoever watches an organization is notified of its executions at once.

Publishing happens where things are written, so that no part of the engine has to remember it.
"""

from collections.abc import Sequence
from typing import Any

from pagehand.engine.changes import Changes
from pagehand.records import Batch, Event, Execution, FinalState, News, Requeue
from pagehand.storage import AcceptLimits, Database, Stores
from pagehand.storage.batches import BatchStore
from pagehand.storage.events import EventStore
from pagehand.storage.executions import ExecutionStore


class PublishedStores(Stores):
    """All stores; executions, their events and batches are published."""

    def __init__(self, database: Database, limits: AcceptLimits, changes: Changes | None = None) -> None:
        """`changes` is where they are published; within this process unless given."""
        super().__init__(database, limits)
        self.changes = changes or Changes()
        owners = _Owners(self.changes, self.executions)
        self.executions = _Executions(database, limits, owners)
        self.events = _Events(database, owners)
        self.batches = _Batches(database, limits, self.changes)


class _Owners:
    """Publishes changes of executions; remembers which organization the running ones belong to."""

    def __init__(self, changes: Changes, executions: ExecutionStore) -> None:
        self._changes = changes
        self._executions = executions
        self._of_running: dict[str, str] = {}

    def started(self, execution: Execution) -> None:
        self._of_running[execution.id] = execution.organization_id
        self._changes.publish(execution.organization_id, "execution", execution.id)

    def accepted(self, execution: Execution) -> None:
        self._changes.publish(execution.organization_id, "execution", execution.id)

    async def changed(self, execution_id: str, *nouns: str) -> None:
        """Publish under these nouns, if anybody watches; only one that does not run here is looked up."""
        if not self._changes.is_watched:
            return
        # a run writes often: a look-up for each write would double the reads
        organization_id = self._of_running.get(execution_id)
        if organization_id is None:
            found = await self._executions.without_values([execution_id])
            if not found:
                return
            organization_id = found[0].organization_id
        for noun in nouns:
            self._changes.publish(organization_id, noun, execution_id)

    async def ended_together(self, ids: Sequence[str]) -> None:
        """Publish the ends of many that did not run, looked up in one go."""
        if self._changes.is_watched and ids:
            for execution in await self._executions.without_values(ids):
                for noun in ("execution", "attention"):
                    self._changes.publish(execution.organization_id, noun, execution.id)

    async def ended(self, execution_id: str) -> None:
        await self.changed(execution_id, "execution", "attention")
        # or a service that runs for months would remember every execution
        self._of_running.pop(execution_id, None)


class _Executions(ExecutionStore):
    """Publishes every change of state."""

    def __init__(self, database: Database, limits: AcceptLimits, owners: _Owners) -> None:
        super().__init__(database, limits)
        self._owners = owners

    async def add(self, execution: Execution, repeat: tuple[str, bytes] | None = None) -> Execution:
        added = await super().add(execution, repeat)
        self._owners.accepted(added)
        return added

    async def claim(
        self, execution_id: str, *, at: int, token: str | None = None, news: News | None = None
    ) -> Execution | None:
        claimed = await super().claim(execution_id, at=at, token=token, news=news)
        if claimed is not None:
            self._owners.started(claimed)
        return claimed

    async def update(
        self,
        execution_id: str,
        fence: int,
        *,
        token: str | None = None,
        news: News | None = None,
        **values: Any,
    ) -> bool:
        is_changed = await super().update(execution_id, fence, token=token, news=news, **values)
        is_attention = not values.keys().isdisjoint({"status", "authentications"})
        await self._owners.changed(execution_id, "execution", *(["attention"] if is_attention else []))
        return is_changed

    async def finish(
        self, end: FinalState, fence: int | None, *, token: str | None = None
    ) -> Execution | None:
        ended = await super().finish(end, fence, token=token)
        await self._owners.ended(end.execution_id)
        return ended

    async def finish_waiting(self, ends: Sequence[FinalState], *, token: str) -> Sequence[str]:
        ended = await super().finish_waiting(ends, token=token)
        await self._owners.ended_together(ended)
        return ended

    async def requeue(
        self, execution_id: str, fence: int, requeue: Requeue, *, token: str | None = None
    ) -> bool:
        is_queued = await super().requeue(execution_id, fence, requeue, token=token)
        await self._owners.ended(execution_id)
        return is_queued


class _Events(EventStore):
    """Publishes under `event` that an execution has new ones; its list does not have to be read again."""

    def __init__(self, database: Database, owners: _Owners) -> None:
        super().__init__(database)
        self._owners = owners

    async def add(self, added: Sequence[Event], fence: int | None = None) -> bool:
        is_kept = await super().add(added, fence)
        for execution_id in {event.execution_id for event in added}:
            await self._owners.changed(execution_id, "event")
        return is_kept


class _Batches(BatchStore):
    """Publishes batches that are new, paused or resumed, and once that there are more executions."""

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
