"""What is on its way to webhooks, and the log of what arrived.

A delivery is written in the transaction of the change it reports. Whoever sends one takes it first: its next
attempt moves a little into the future, so that a sender that dies has lost nothing but that time. Any number
of processes send: each takes what no other is just taking.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Row, Select, delete, func, select, update

from pagehand.records import Delivery, Status, WebhookEvent
from pagehand.storage.counts import batch_progress
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.on_behalf import waits_for_database
from pagehand.storage.pages import read_page
from pagehand.storage.tables import batches, deliveries


@waits_for_database
class DeliveryStore:
    """All deliveries; those of one organization for its callers, any for who sends them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def add(self, added: Sequence[Delivery]) -> None:
        """Keep new deliveries."""
        await self._database.commit(lambda connection: insert_deliveries(connection, added))

    async def get(self, organization_id: str, webhook_id: str, delivery_id: str) -> Delivery | None:
        """One of a webhook's."""
        query = _of(organization_id, webhook_id).where(deliveries.c.id == delivery_id)
        async with self._database.read() as connection:
            row = (await connection.execute(query)).mappings().first()
        return Delivery(**row) if row else None

    async def now(self) -> int:
        """The clock by which deliveries are due; all processes have the same."""
        return await self._database.now()

    @uncancellable
    async def take(
        self, *, now: int, until: int, busy: Sequence[str], per_webhook: int, limit: int
    ) -> list[Delivery]:
        """Take some that are due, at most so many per webhook and none of the `busy` ones.

        They are due again at `until` unless they are settled before; each counts as an attempt.
        """
        # a target with a long queue must not keep the others waiting
        turn = func.row_number().over(partition_by=deliveries.c.webhook_id, order_by=deliveries.c.next_at)
        due = select(deliveries.c.id, turn.label("turn")).where(deliveries.c.next_at <= now)
        if busy:
            due = due.where(deliveries.c.webhook_id.not_in(busy))
        ranked = due.subquery()
        first = select(ranked.c.id).where(ranked.c.turn <= per_webhook).limit(limit)
        free = (
            select(deliveries.c.id)
            .where(deliveries.c.id.in_(first), deliveries.c.next_at <= now)
            .with_for_update(skip_locked=True)
        )
        change = (
            update(deliveries)
            .where(deliveries.c.id.in_(free), deliveries.c.next_at <= now)  # looked at again once it is ours
            .values(next_at=until, attempts=deliveries.c.attempts + 1, last_attempt_at=now)
        )
        async with self._database.write() as connection:
            rows = (await connection.execute(change.returning(*deliveries.c))).mappings().all()
        return [Delivery(**row) for row in rows]

    async def next_due(self, busy: Sequence[str]) -> int | None:
        """When the next one is due, those of the `busy` webhooks left out."""
        query = select(func.min(deliveries.c.next_at)).where(deliveries.c.next_at.is_not(None))
        if busy:
            query = query.where(deliveries.c.webhook_id.not_in(busy))
        async with self._database.read() as connection:
            return (await connection.execute(query)).scalar()

    @uncancellable
    async def settle(self, delivery: Delivery) -> None:
        """Write down how an attempt went, unless a later one has been made meanwhile."""
        outcome = ("status", "next_at", "delivered_at", "response_status", "error", "last_attempt_at")
        change = (
            update(deliveries)
            # whoever was given up on settles nothing: another attempt has been counted since
            .where(deliveries.c.id == delivery.id, deliveries.c.attempts == delivery.attempts)
            .values({name: getattr(delivery, name) for name in outcome})
        )
        async with self._database.write() as connection:
            await connection.execute(change)

    @uncancellable
    async def sweep(self, before: int, limit: int) -> int:
        """Forget some that are done with and were made before then; how many."""
        old = select(deliveries.c.id).where(deliveries.c.next_at.is_(None), deliveries.c.created_at < before)
        remove = delete(deliveries).where(deliveries.c.id.in_(old.limit(limit)))
        async with self._database.write() as connection:
            return (await connection.execute(remove)).rowcount

    async def list(
        self, organization_id: str, webhook_id: str, *, status: str | None, limit: int, offset: int
    ) -> tuple[list[Delivery], int]:
        """A webhook's deliveries, newest first: those of one status, or all."""
        query = _of(organization_id, webhook_id)
        if status is not None:
            query = query.where(deliveries.c.status == status)
        query = query.order_by(deliveries.c.created_at.desc(), deliveries.c.id.desc())
        async with self._database.read() as connection:
            rows, total = await read_page(connection, query, limit, offset)
        return [Delivery(**row) for row in rows], total


def _of(organization_id: str, webhook_id: str) -> Select[Any]:
    return select(deliveries).where(
        deliveries.c.organization_id == organization_id, deliveries.c.webhook_id == webhook_id
    )


def insert_deliveries(connection: Connection, added: Sequence[Delivery]) -> None:
    """Add deliveries within the caller's transaction."""
    if added:
        connection.execute(deliveries.insert(), [asdict(item) for item in added])


def write_webhook_event(connection: Connection, webhook_event: WebhookEvent) -> None:
    """Write what a change has to tell, within its transaction."""
    insert_deliveries(connection, webhook_event.deliveries)
    end = webhook_event.batch_end
    if end is None or not _hold_batch(connection, end.organization_id, end.batch_id):
        return
    progress = batch_progress(connection, end.organization_id, end.batch_id)
    # the last one to end sees all others as ended, because each held the batch in turn
    if any(count for status, count in progress.items() if not Status(status).is_final):
        return
    announced = update(batches).where(batches.c.id == end.batch_id).values(announced_at=end.at)
    connection.execute(announced)
    insert_deliveries(connection, end.compose(progress))


def _hold_batch(connection: Connection, organization_id: str, batch_id: str) -> Row[Any] | None:
    """Make the batch's other executions end after this one: each sees those before it, one is the last."""
    query = select(batches.c.id).where(
        batches.c.id == batch_id,
        batches.c.organization_id == organization_id,
        batches.c.announced_at.is_(None),
    )
    return connection.execute(query.with_for_update()).first()
