"""Who listens is cached for a moment, and never longer than until a webhook changes."""

import asyncio
import json

import pytest

from pagehand.records import WebhookFormat
from pagehand.storage import Stores
from pagehand.webhooks.stored import WebhookListeners
from support.webhooks import EVENT, WebhookParts

pytestmark = pytest.mark.anyio


class SlowStore:
    """Answers who listens when the test lets it."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, list[str], WebhookFormat]] = []
        self.asked = 0
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def listening(self, organization_id: str) -> list[tuple[str, list[str], WebhookFormat]]:
        assert organization_id == "org_1"
        self.asked += 1
        rows = list(self.rows)
        await self.may_answer.wait()
        return rows


async def test_only_webhooks_of_that_event_get_it(parts: WebhookParts) -> None:
    wanted = await parts.webhook("Test", EVENT, "batch.finished")
    await parts.webhook("Test", "execution.failed")
    await parts.webhook("Another organization")
    make = await parts.listeners.composer(wanted.organization_id, EVENT)
    assert make is not None
    assert [delivery.webhook_id for delivery in make({})] == [wanted.id]
    assert await parts.listeners.composer(wanted.organization_id, "execution.paused") is None


async def test_a_webhook_gets_what_happens_right_after_it_was_made_or_changed(
    stores: Stores, parts: WebhookParts
) -> None:
    organization = (await stores.organizations.ensure("Test")).id
    assert await parts.listeners.composer(organization, EVENT) is None
    webhook = await parts.webhook()
    assert await parts.listeners.composer(organization, EVENT)
    await parts.stored.update(organization, webhook.id, is_active=False)
    assert await parts.listeners.composer(organization, EVENT) is None
    await parts.stored.update(organization, webhook.id, is_active=True)
    assert await parts.listeners.composer(organization, EVENT)
    await parts.stored.delete(organization, webhook.id)
    assert await parts.listeners.composer(organization, EVENT) is None


async def test_the_database_is_asked_once_in_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    store, moment = SlowStore(), [1000.0]
    monkeypatch.setattr("pagehand.webhooks.stored.monotonic", lambda: moment[0])
    listeners = WebhookListeners(store, lambda: None)  # type: ignore[arg-type]
    for _ in range(3):
        assert await listeners.composer("org_1", EVENT) is None
    assert store.asked == 1
    store.rows = [("webhook_1", [EVENT], "pagehand")]  # another process made it
    moment[0] += 5.1
    assert await listeners.composer("org_1", EVENT)
    assert store.asked == 2


async def test_an_answer_from_before_a_change_is_not_remembered() -> None:
    store = SlowStore()
    listeners = WebhookListeners(store, lambda: None)  # type: ignore[arg-type]
    store.may_answer.clear()
    looking = asyncio.create_task(listeners.composer("org_1", EVENT))
    while not store.asked:  # noqa: ASYNC110 - one turn of the loop
        await asyncio.sleep(0)
    store.rows = [("webhook_1", [EVENT], "pagehand")]
    listeners.invalidate("org_1")
    store.may_answer.set()
    await looking
    assert await listeners.composer("org_1", EVENT)


async def test_many_organizations_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pagehand.webhooks.stored._CACHE_SIZE", 3)

    class Nobody:
        asked = 0

        async def listening(self, organization_id: str) -> list[tuple[str, list[str], WebhookFormat]]:
            del organization_id
            self.asked += 1
            return []

    store = Nobody()
    listeners = WebhookListeners(store, lambda: None)  # type: ignore[arg-type]
    for number in [0, 1, 2, 0, 3, 0]:
        await listeners.composer(f"org_{number}", EVENT)
    assert store.asked == 5  # 0 was remembered once, and looked up again after the memory was full


def test_one_message_goes_to_all_webhooks_under_one_id() -> None:
    listeners = WebhookListeners(SlowStore(), lambda: None)  # type: ignore[arg-type]
    targets: dict[str, WebhookFormat] = {"webhook_1": "pagehand", "webhook_2": "pagehand"}
    made = listeners.compose("org_1", targets, EVENT, {"text": "über \U0001f600"})
    assert len({delivery.id for delivery in made}) == 2
    assert len({(delivery.message_id, delivery.body) for delivery in made}) == 1
    body = json.loads(made[0].body)
    assert body["type"] == EVENT
    assert body["data"] == {"text": "über \U0001f600"}
    assert body["timestamp"].endswith("Z")
    assert all(delivery.next_at == delivery.created_at for delivery in made)
