"""Webhooks; their secrets arrive encrypted."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import delete, func, select, update

from pagehand.records import Webhook
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.on_behalf import waits_for_database
from pagehand.storage.organization_turn import take_turn
from pagehand.storage.pages import read_page
from pagehand.storage.tables import deliveries, webhooks

_CHANGEABLE = {"url", "events", "name", "is_active", "secrets", "updated_at"}


@waits_for_database
class WebhookStore:
    """An organization's webhooks."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def add(self, webhook: Webhook, most: int | None = None) -> bool:
        """Keep a new webhook; False when its organization has `most` already."""
        query = select(func.count()).where(webhooks.c.organization_id == webhook.organization_id)
        async with self._database.write() as connection:
            # counted in the same turn: of several that come at once no more than fit are kept
            await take_turn(connection, webhook.organization_id, "webhooks")
            if most is not None and (await connection.execute(query)).scalar_one() >= most:
                return False
            await connection.execute(webhooks.insert().values(asdict(webhook)))
            return True

    async def get(self, organization_id: str, webhook_id: str) -> Webhook | None:
        """The webhook with that id."""
        query = select(webhooks).where(
            webhooks.c.id == webhook_id, webhooks.c.organization_id == organization_id
        )
        async with self._database.read() as connection:
            row = (await connection.execute(query)).mappings().first()
        return Webhook(**row) if row else None

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
        # a slip of the code, never of a caller: no name from outside may choose a column
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
