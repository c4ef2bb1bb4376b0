"""Which webhooks listen for an event, and the deliveries that go out to them."""

import json
from collections.abc import Callable
from time import monotonic

from pagehand.clock import now_ms, to_iso
from pagehand.ids import new_id
from pagehand.records import Delivery, Json
from pagehand.storage.webhooks import WebhookStore

_CACHE_SECONDS = 5.0
"""Within this time a webhook that another process made is seen here."""
_CACHE_SIZE = 10_000

Compose = Callable[[Json], list[Delivery]]
"""Makes the deliveries of one event from its data."""


class WebhookListeners:
    """Which webhooks listen for an event, cached so that not every execution asks the database."""

    def __init__(self, store: WebhookStore, wake: Callable[[], None]) -> None:
        """`wake` is called when deliveries were written."""
        self._store = store
        self._cache: dict[str, tuple[float, list[tuple[str, list[str]]]]] = {}
        self._changes = 0
        self.wake = wake

    async def composer(self, organization_id: str, event: str) -> Compose | None:
        """A function that composes the event's deliveries; None when nobody listens for it."""
        webhooks = await self._webhooks(organization_id)
        ids = [webhook_id for webhook_id, events in webhooks if event in events]
        if not ids:
            return None
        return lambda data: compose(organization_id, ids, event, data)

    def invalidate(self, organization_id: str) -> None:
        """Read the organization's webhooks again at the next event: they were changed."""
        self._changes += 1
        self._cache.pop(organization_id, None)

    async def _webhooks(self, organization_id: str) -> list[tuple[str, list[str]]]:
        until, webhooks = self._cache.get(organization_id, (0.0, []))
        if until < monotonic():
            change = self._changes
            webhooks = await self._store.listening(organization_id)
            # emptied as a whole: tracking the order of use would cost more than reading again
            if len(self._cache) >= _CACHE_SIZE:
                self._cache.clear()
            if change == self._changes:  # else the answer may be from before the change
                self._cache[organization_id] = (monotonic() + _CACHE_SECONDS, webhooks)
        return webhooks


def compose(organization_id: str, webhook_ids: list[str], event: str, data: Json) -> list[Delivery]:
    """One message as a delivery to each of the webhooks."""
    now = now_ms()
    message_id = new_id("msg")
    message = {"type": event, "timestamp": to_iso(now), "data": data}
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    return [
        Delivery(
            id=new_id("delivery"),
            organization_id=organization_id,
            webhook_id=webhook_id,
            message_id=message_id,
            event=event,
            body=body,
            created_at=now,
            next_at=now,
        )
        for webhook_id in webhook_ids
    ]
