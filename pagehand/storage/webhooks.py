"""Webhooks; their secrets arrive encrypted."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import delete, func, select, update

from pagehand.records import Webhook
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.on_behalf import waits_for_database
from pagehand.storage.pages import read_page
from pagehand.storage.tables import deliveries, webhooks

_CHANGEABLE = {"url", "events", "name", "is_active", "secrets", "updated_at"}


@waits_for_database
class WebhookStore:
    """An organization's webhooks."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def add(self, webhook: Webhook) -> None:
        """Keep a new webhook."""
        async with self._database.write() as connection:
            await connection.execute(webhooks.insert().values(asdict(webhook)))

    async def get(self, organization_id: str, webhook_id: str) -> Webhook | None:
        """The webhook with that id."""
        query = select(webhooks).where(
            webhooks.c.id == webhook_id, webhooks.c.organization_id == organization_id
        )
        async with self._database.read() as connection:
            row = (await connection.execute(query)).mappings().first()
        return Webhook(**row) if row else None

    async def count(self, organization_id: str) -> int:
        """How many the organization has."""
        query = select(func.count()).where(webhooks.c.organization_id == organization_id)
        async with self._database.read() as connection:
            return (await connection.execute(query)).scalar_one()

    async def listening(self, organization_id: str) -> list[tuple[str, list[str]]]:
        """Ids and events of the webhooks that are switched on."""
        query = select(webhooks.c.id, webhooks.c.events).where(
            webhooks.c.organization_id == organization_id, webhooks.c.is_active
        )
        async with self._database.read() as connection:
            return [(row.id, row.events) for row in await connection.execute(query)]

    @uncancellable
    async def update(self, organization_id: str, webhook_id: str, **changes: Any) -> Webhook | None:
        """Change some of its fields; the webhook as it is then."""
        if unknown := changes.keys() - _CHANGEABLE:
            raise ValueError(f"update() cannot write {sorted(unknown)}.")
        change = update(webhooks).values(changes)
        change = change.where(webhooks.c.id == webhook_id, webhooks.c.organization_id == organization_id)
        async with self._database.write() as connection:
            row = (await connection.execute(change.returning(*webhooks.c))).mappings().first()
        return Webhook(**row) if row else None

    @uncancellable
    async def delete(self, organization_id: str, webhook_id: str) -> bool:
        """Forget a webhook and everything that was on its way to it."""
        own = (webhooks.c.id == webhook_id) & (webhooks.c.organization_id == organization_id)
        async with self._database.write() as connection:
            if (await connection.execute(delete(webhooks).where(own))).rowcount == 0:
                return False
            await connection.execute(delete(deliveries).where(deliveries.c.webhook_id == webhook_id))
        return True

    async def list(self, organization_id: str, limit: int, offset: int) -> tuple[list[Webhook], int]:
        """The organization's webhooks, newest first."""
        query = select(webhooks).where(webhooks.c.organization_id == organization_id)
        query = query.order_by(webhooks.c.created_at.desc(), webhooks.c.id.desc())
        async with self._database.read() as connection:
            rows, total = await read_page(connection, query, limit, offset)
        return [Webhook(**row) for row in rows], total
