"""Webhooks, whose secrets arrive encrypted; deliveries to them: those to send, and those that were sent.

A delivery is written in the transaction of the change it reports. A sender takes it first by moving its next
attempt a little into the future: if the sender dies, another one sends it after that time. Any number of
processes can send; rows that another one is taking are skipped.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.records import Delivery, Status, Webhook, WebhookEvent, WebhookFormat
from pagehand.storage.advisory_locks import lock_organization
from pagehand.storage.counts import count_by_batch
from pagehand.storage.database import uncancellable
from pagehand.storage.pages import Parts, is_row, newest_first
from pagehand.storage.run_claim import Store
from pagehand.storage.tables import batches, deliveries, webhooks

TAKEN_MS = 25_000
"""A delivery whose sender died is due again after this long: more than an attempt takes."""
_OUTCOME = ("status", "next_at", "delivered_at", "response_status", "error", "last_attempt_at")
_CHANGEABLE = {"url", "events", "name", "is_active", "secrets", "updated_at"}


class WebhookStore(Store):
    """An organization's webhooks."""

    @uncancellable
    async def add(self, webhook: Webhook, most: int | None = None) -> bool:
        """Add a webhook; False if its organization has `most` already."""
        return await self._insert_within(webhooks, asdict(webhook), most)

    async def get(self, organization_id: str, webhook_id: str) -> Webhook | None:
        """The webhook with that id."""
        row = await self._database.first(
            select(webhooks).where(is_row(webhooks, organization_id, webhook_id))
        )
        return Webhook(**row) if row else None

    async def listening(self, organization_id: str) -> list[tuple[str, list[str], WebhookFormat]]:
        """Ids, events and formats of the active webhooks."""
        query = select(webhooks.c.id, webhooks.c.events, webhooks.c.format).where(
            webhooks.c.organization_id == organization_id, webhooks.c.is_active
        )
        return [(row["id"], row["events"], row["format"]) for row in await self._database.all(query)]

    @uncancellable
    async def update(self, organization_id: str, webhook_id: str, **changes: Any) -> Webhook | None:
        """Change some fields; the changed webhook."""
        # a bug in the caller: names from a request must never choose a column
        if unknown := changes.keys() - _CHANGEABLE:
            raise ValueError(f"update() cannot write {sorted(unknown)}.")
        change = update(webhooks).values(changes).where(is_row(webhooks, organization_id, webhook_id))
        async with self._database.write() as connection:
            row = (await connection.execute(change.returning(*webhooks.c))).mappings().first()
        return Webhook(**row) if row else None

    @uncancellable
    async def delete(self, organization_id: str, webhook_id: str) -> bool:
        """Delete a webhook and all of its deliveries."""
        remove = delete(webhooks).where(is_row(webhooks, organization_id, webhook_id))
        async with self._database.write() as connection:
            if (await connection.execute(remove)).rowcount == 0:
                return False
            await connection.execute(delete(deliveries).where(deliveries.c.webhook_id == webhook_id))
        return True

    async def list(self, organization_id: str, limit: int, offset: int) -> tuple[list[Webhook], int]:
        """The organization's webhooks, newest first."""
        query = select(webhooks).where(webhooks.c.organization_id == organization_id)
        rows, total = await self._database.page(newest_first(query, webhooks), limit, offset)
        return [Webhook(**row) for row in rows], total


class DeliveryStore(Store):
    """All deliveries: one organization's for the API, all for the senders."""

    @uncancellable
    async def add(self, added: Sequence[Delivery]) -> None:
        """Add deliveries."""
        await self._database.commit(lambda connection: insert_deliveries(connection, added))

    async def get(self, organization_id: str, webhook_id: str, delivery_id: str) -> Delivery | None:
        """One delivery of a webhook."""
        query = _of_webhook(organization_id, webhook_id).where(deliveries.c.id == delivery_id)
        row = await self._database.first(query)
        return Delivery(**row) if row else None

    async def now(self) -> int:
        """The time on the clock that decides what is due; the same for all processes."""
        return await self._database.now()

    @uncancellable
    async def take(
        self,
        *,
        now: int,
        until: int,
        busy: Sequence[str] = (),
        only: Sequence[str] = (),
        per_webhook: int,
        limit: int,
    ) -> list[Delivery]:
        """Take some due deliveries, at most `per_webhook` of each webhook and none of the `busy` webhooks.

        `only` are the webhooks to look at; all without any.

        Each counts as an attempt and is due again at `until`, unless `settle` is called before.
        """
        # ranked per webhook: one with a long queue must not delay the others
        rank = func.row_number().over(partition_by=deliveries.c.webhook_id, order_by=deliveries.c.next_at)
        due = select(deliveries.c.id, rank.label("rank")).where(deliveries.c.next_at <= now)
        if busy:
            due = due.where(deliveries.c.webhook_id.not_in(busy))
        if only:
            due = due.where(deliveries.c.webhook_id.in_(only))
        ranked = due.subquery()
        first = select(ranked.c.id).where(ranked.c.rank <= per_webhook).order_by(ranked.c.rank).limit(limit)
        free = (
            select(deliveries.c.id)
            .where(deliveries.c.id.in_(first), deliveries.c.next_at <= now)
            .with_for_update(skip_locked=True)
        )
        change = (
            update(deliveries)
            .where(deliveries.c.id.in_(free), deliveries.c.next_at <= now)  # checked again under the lock
            .values(next_at=until, attempts=deliveries.c.attempts + 1, last_attempt_at=now, digest_id=None)
        )
        async with self._database.write() as connection:
            rows = (await connection.execute(change.returning(*deliveries.c))).mappings().all()
        return [Delivery(**row) for row in rows]

    async def next_due(self, busy: Sequence[str]) -> int | None:
        """When the next delivery is due, not counting the `busy` webhooks."""
        query = select(func.min(deliveries.c.next_at)).where(deliveries.c.next_at.is_not(None))
        if busy:
            query = query.where(deliveries.c.webhook_id.not_in(busy))
        async with self._database.read() as connection:
            return (await connection.execute(query)).scalar()

    @uncancellable
    async def settle(self, delivery: Delivery) -> None:
        """Record the outcome of an attempt, unless a later attempt has been counted."""
        change = (
            update(deliveries)
            # a sender that was given up on must not overwrite the later attempt
            .where(deliveries.c.id == delivery.id, deliveries.c.attempts == delivery.attempts)
            .values({name: getattr(delivery, name) for name in _OUTCOME})
        )
        await self._database.execute(change)

    @uncancellable
    async def gather(self, first: Delivery, *, quiet_ms: int, most: int) -> tuple[list[Delivery], int]:
        """Take everything that waits about the same topic, to be sent as one with `first`, which was taken.

        The oldest `most` of them, and how many there are. None when one was sent within `quiet_ms` or is
        being sent, so that `first` waits; nor when another has taken `first` into its own.
        """
        own = update(deliveries).where(deliveries.c.id == first.id, deliveries.c.attempts == first.attempts)
        now = first.last_attempt_at or 0
        async with self._database.write() as connection:
            # several are sent at the same time, by several processes
            await lock_organization(connection, first.organization_id, "alerts")
            free_at = await _free_at(connection, first, now, quiet_ms)
            if free_at > now:
                wait = own.values(next_at=free_at, attempts=deliveries.c.attempts - 1)
                await connection.execute(wait)
                # the others that are due wait with it: ten thousand would be taken and put back one by one
                due = deliveries.c.digest_id.is_(None) & (deliveries.c.next_at <= now)
                others = update(deliveries).where(_about_the_same(first), due)
                await connection.execute(others.values(next_at=free_at))
                return [], 0
            if (await connection.execute(own.values(digest_id=first.id))).rowcount == 0:
                return [], 0
            waiting = _about_the_same(first) & deliveries.c.next_at.is_not(None)
            # counted as `take` does: an attempt of its own, if one has begun, is over
            counted = {"attempts": deliveries.c.attempts + 1, "last_attempt_at": now}
            join = update(deliveries).where(waiting, deliveries.c.id != first.id)
            join = join.values(digest_id=first.id, next_at=now + TAKEN_MS, **counted)
            joined = (await connection.execute(join)).rowcount
            rows = select(deliveries).where(_about_the_same(first), deliveries.c.digest_id == first.id)
            oldest = rows.order_by(deliveries.c.created_at, deliveries.c.id).limit(most)
            found = (await connection.execute(oldest)).mappings().all()
        return [Delivery(**row) for row in found], joined + 1

    @uncancellable
    async def settle_all(self, delivery: Delivery) -> None:
        """Record the outcome of an attempt for everything that was sent with it."""
        values = {name: getattr(delivery, name) for name in _OUTCOME}
        change = update(deliveries).where(
            deliveries.c.webhook_id == delivery.webhook_id, deliveries.c.digest_id == delivery.id
        )
        await self._database.execute(change.values(values | {"digest_id": None}))

    @uncancellable
    async def give_up(self, webhook_ids: Sequence[str], before: int, reason: str) -> None:
        """Fail the pending deliveries of these webhooks that were created before then."""
        change = update(deliveries).values(status="failed", next_at=None, error=reason)
        is_late = deliveries.c.next_at.is_not(None) & (deliveries.c.created_at < before)
        await self._database.execute(change.where(deliveries.c.webhook_id.in_(webhook_ids), is_late))

    @uncancellable
    async def sweep(self, before: int, limit: int) -> int:
        """Delete some finished deliveries created before then; how many."""
        old = select(deliveries.c.id).where(deliveries.c.next_at.is_(None), deliveries.c.created_at < before)
        oldest = old.order_by(deliveries.c.created_at).limit(limit)
        remove = delete(deliveries).where(deliveries.c.id.in_(oldest))
        return await self._database.execute(remove)

    async def list(
        self, organization_id: str, webhook_id: str, *, status: str | None, limit: int, offset: int
    ) -> tuple[Parts[Delivery], int]:
        """A webhook's deliveries, newest first, optionally of one status."""
        query = _of_webhook(organization_id, webhook_id)
        if status is not None:
            query = query.where(deliveries.c.status == status)
        query, read = newest_first(query, deliveries), self._database.reader(Delivery)
        return await self._database.parts(query, deliveries.c.id, [deliveries.c.body], read, (limit, offset))


def _about_the_same(delivery: Delivery) -> ColumnElement[bool]:
    return (deliveries.c.webhook_id == delivery.webhook_id) & (deliveries.c.topic == delivery.topic)


async def _free_at(connection: AsyncConnection, delivery: Delivery, now: int, quiet_ms: int) -> int:
    """When a mail about the same may be sent: some time after the last, and not while one is being sent."""
    same = _about_the_same(delivery)
    sent = select(func.max(deliveries.c.delivered_at)).where(same)
    sending = select(func.max(deliveries.c.next_at)).where(
        same, deliveries.c.digest_id.is_not(None), deliveries.c.next_at > now
    )
    ends = (await connection.execute(sending)).scalar() or 0
    return max(ends, ((await connection.execute(sent)).scalar() or -quiet_ms) + quiet_ms)


def _of_webhook(organization_id: str, webhook_id: str) -> Select[Any]:
    return select(deliveries).where(
        deliveries.c.organization_id == organization_id, deliveries.c.webhook_id == webhook_id
    )


def insert_deliveries(connection: Connection, added: Sequence[Delivery]) -> None:
    """Add deliveries within the caller's transaction."""
    if added:
        connection.execute(deliveries.insert(), [asdict(item) for item in added])


def keep_unsent(connection: Connection, reason: str) -> int:
    """Send none of the deliveries that wait, within the caller's transaction; how many."""
    change = update(deliveries).where(deliveries.c.next_at.is_not(None))
    return connection.execute(change.values(status="unsent", next_at=None, error=reason)).rowcount


def write_webhook_event(connection: Connection, webhook_event: WebhookEvent) -> None:
    """Write the deliveries of a change, within its transaction."""
    insert_deliveries(connection, webhook_event.deliveries)
    end = webhook_event.batch_end
    if end is None or not _lock_batch(connection, end.organization_id, end.batch_id):
        return
    progress = count_by_batch(connection, end.organization_id, [end.batch_id])[end.batch_id]
    # each end locks the batch, so the last one sees all others as ended
    if any(count for status, count in progress.items() if not Status(status).is_final):
        return
    announced = update(batches).where(batches.c.id == end.batch_id).values(announced_at=end.at)
    connection.execute(announced)
    insert_deliveries(connection, end.compose(progress))


def _lock_batch(connection: Connection, organization_id: str, batch_id: str) -> Row[Any] | None:
    """Lock a batch whose end is not announced yet, so that its executions end one after the other."""
    query = select(batches.c.id).where(
        batches.c.id == batch_id,
        batches.c.organization_id == organization_id,
        batches.c.announced_at.is_(None),
    )
    return connection.execute(query.with_for_update()).first()
