"""Webhooks; their secrets arrive encrypted."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import delete, func, select, update

from pagehand.records import Webhook
from pagehand.storage.advisory_locks import lock_organization
from pagehand.storage.database import uncancellable
from pagehand.storage.pages import is_row, newest_first
from pagehand.storage.run_claim import Store
from pagehand.storage.tables import deliveries, webhooks

_CHANGEABLE = {"url", "events", "name", "is_active", "secrets", "updated_at"}


class WebhookStore(Store):
    """An organization's webhooks."""

    @uncancellable
    async def add(self, webhook: Webhook, most: int | None = None) -> bool:
        """Add a webhook; False if its organization has `most` already."""
        query = select(func.count()).where(webhooks.c.organization_id == webhook.organization_id)
        async with self._database.write() as connection:
            # counted under a lock: requests at the same time must not exceed the limit together
            await lock_organization(connection, webhook.organization_id, "webhooks")
            if most is not None and (await connection.execute(query)).scalar_one() >= most:
                return False
            await connection.execute(webhooks.insert().values(asdict(webhook)))
            return True

    async def get(self, organization_id: str, webhook_id: str) -> Webhook | None:
        """The webhook with that id."""
        row = await self._database.first(
            select(webhooks).where(is_row(webhooks, organization_id, webhook_id))
        )
        return Webhook(**row) if row else None

    async def listening(self, organization_id: str) -> list[tuple[str, list[str]]]:
        """Ids and events of the active webhooks."""
        query = select(webhooks.c.id, webhooks.c.events).where(
            webhooks.c.organization_id == organization_id, webhooks.c.is_active
        )
        return [(row["id"], row["events"]) for row in await self._database.all(query)]

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
