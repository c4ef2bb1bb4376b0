"""One attempt and what is written down of it; the loop survives whatever the stores and targets do."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, cast

import pytest
from standardwebhooks.webhooks import Webhook as Verifier

from pagehand.clock import now_ms
from pagehand.errors import SiteDown, TimedOut
from pagehand.ports import HttpAnswer
from pagehand.records import Delivery, Webhook, WebhookFormat
from pagehand.storage import Stores
from pagehand.storage.webhooks import WebhookStore
from pagehand.testing import ScriptedHttp
from pagehand.webhooks import Deliverer
from pagehand.webhooks.deliverer import KEPT_TRYING_MS
from pagehand.webhooks.stored import WebhookListeners
from support.waiting import until
from support.webhooks import EVENT, URL, WebhookParts, answer

pytestmark = pytest.mark.anyio
LISTENERS = WebhookListeners(cast("WebhookStore", None), lambda: None)


@pytest.fixture
async def running(parts: WebhookParts) -> AsyncIterator[WebhookParts]:
    parts.deliverer.start()
    yield parts
    await parts.deliverer.stop()


def message(webhook: Webhook, *, made_ms_ago: int = 0) -> Delivery:
    targets: dict[str, WebhookFormat] = {webhook.id: "pagehand"}
    [made] = LISTENERS.compose(webhook.organization_id, targets, EVENT, {"name": "ünï \u2028 ✓"})
    created = made.created_at - made_ms_ago
    return replace(made, created_at=created, next_at=created)


async def attempted(parts: WebhookParts, webhook: Webhook, **more: int) -> Delivery:
    """Take a delivery as the loop does, and try it once."""
    await parts.stores.deliveries.add([message(webhook, **more)])
    now = await parts.stores.deliveries.now()
    [taken] = await parts.stores.deliveries.take(
        now=now, until=now + 60_000, busy=[], per_webhook=4, limit=10
    )
    return await parts.deliverer.attempt(taken)


async def stored(parts: WebhookParts, delivery: Delivery) -> Delivery:
    found = await parts.stores.deliveries.get(delivery.organization_id, delivery.webhook_id, delivery.id)
    assert found is not None
    return found


@pytest.mark.parametrize("status", [200, 201, 204, 299])
async def test_an_answer_of_success_delivers(parts: WebhookParts, webhook: Webhook, status: int) -> None:
    parts.http.answers = [answer(status)]
    after = await attempted(parts, webhook)
    assert (after.status, after.response_status, after.error, after.next_at) == (
        "delivered",
        status,
        None,
        None,
    )
    assert await stored(parts, after) == after
    assert parts.attempts == [None]


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (199, "expected 200 to 299"),
        (301, "redirects are not followed"),
        (399, "redirects are not followed"),
        (400, "answered 400; expected 200 to 299"),
        (503, "answered 503; expected 200 to 299"),
    ],
)
async def test_any_other_answer_is_tried_again(
    parts: WebhookParts, webhook: Webhook, status: int, words: str
) -> None:
    parts.http.answers = [answer(status)]
    after = await attempted(parts, webhook)
    assert (after.status, after.response_status, after.delivered_at) == ("pending", status, None)
    assert words in (after.error or "")
    assert after.next_at is not None
    assert after.next_at > now_ms()
    assert await stored(parts, after) == after


@pytest.mark.parametrize(
    "trouble", [SiteDown("The host `x` is down."), TimedOut("It took 15 s."), SiteDown("long " * 1000)]
)
async def test_a_target_that_cannot_be_reached_is_tried_again(
    parts: WebhookParts, webhook: Webhook, trouble: Exception
) -> None:
    parts.http.answers = [trouble]
    after = await attempted(parts, webhook)
    assert after.status == "pending"
    assert after.response_status is None
    assert after.error == str(trouble)[:500]


async def test_after_a_day_a_message_has_failed_for_good(parts: WebhookParts, webhook: Webhook) -> None:
    parts.http.answers = [answer(500)]
    after = await attempted(parts, webhook, made_ms_ago=KEPT_TRYING_MS + 1)
    assert (after.status, after.next_at) == ("failed", None)
    assert (await stored(parts, after)).next_at is None


@pytest.mark.slow
async def test_a_target_that_is_gone_gets_nothing_more(parts: WebhookParts, webhook: Webhook) -> None:
    parts.http.answers = [answer(410)]
    after = await attempted(parts, webhook)
    assert (after.status, after.next_at) == ("failed", None)
    kept = await parts.stored.get(webhook.organization_id, webhook.id)
    assert not kept.is_active


async def test_what_waits_for_a_webhook_that_is_off_fails_unsent(
    parts: WebhookParts, webhook: Webhook
) -> None:
    await parts.stored.update(webhook.organization_id, webhook.id, is_active=False)
    after = await attempted(parts, webhook)
    assert (after.status, after.error) == ("failed", "The webhook is switched off.")
    assert parts.http.sent == []


async def test_a_message_is_signed_and_sent_as_it_was_written(parts: WebhookParts, webhook: Webhook) -> None:
    _, secret = await parts.stored.rotate(webhook.organization_id, webhook.id)
    parts.http.answers = [answer(200)]
    after = await attempted(parts, webhook)
    [sent] = parts.http.sent
    assert (sent.method, sent.url, sent.body) == ("POST", URL, after.body.encode())
    assert Verifier(secret).verify(sent.body, dict(sent.headers))["data"] == {"name": "ünï \u2028 ✓"}


async def test_what_is_due_goes_out_by_itself_and_after_a_wake(running: WebhookParts) -> None:
    webhook = await running.webhook()
    running.http.answers = [answer(200), answer(200)]
    for expected in (1, 2):
        await running.stores.deliveries.add([message(webhook)])
        running.deliverer.wake()
        await settled(running, expected)


async def test_a_bug_with_one_delivery_does_not_stop_the_others(
    running: WebhookParts, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, good = await running.webhook(), await running.webhook()
    get = running.stores.webhooks.get

    async def get_or_break(organization_id: str, webhook_id: str) -> Webhook | None:
        if webhook_id == broken.id:
            raise ValueError("a bug")
        return await get(organization_id, webhook_id)

    monkeypatch.setattr(running.stores.webhooks, "get", get_or_break)
    running.http.answers = [answer(200)]
    await running.stores.deliveries.add([message(broken), message(good)])
    running.deliverer.wake()
    await settled(running, 1)


async def settled(parts: WebhookParts, count: int) -> None:
    """Wait for so many attempts."""
    async with asyncio.timeout(10):
        while len(parts.attempts) < count:  # noqa: ASYNC110 - the loop tells nobody
            await asyncio.sleep(0.001)
    assert parts.attempts == [None] * count


class SlowTargets(ScriptedHttp):
    """Targets of webhooks; all but one hang until the test lets them answer."""

    def __init__(self, good: str) -> None:
        super().__init__()
        self.good = good
        self.may_answer = asyncio.Event()
        self.waiting = 0
        self.most_waiting = 0
        self.delivered = asyncio.Event()

    async def send(self, method: str, url: str, **options: Any) -> HttpAnswer:
        del method, options
        if url == self.good:
            self.delivered.set()
            return answer(200)
        self.waiting += 1
        self.most_waiting = max(self.most_waiting, self.waiting)
        try:
            await self.may_answer.wait()
        finally:
            self.waiting -= 1
        raise TimedOut("It took too long.")


async def test_any_number_of_slow_targets_leaves_room_for_the_others(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagehand.webhooks.deliverer._AT_ONCE", 12)
    monkeypatch.setattr("pagehand.webhooks.deliverer._SLOW_AT_ONCE", 6)
    monkeypatch.setattr("pagehand.webhooks.deliverer._SLOW_SECONDS", -1)
    parts = WebhookParts(stores)
    good = await parts.webhook("Other")
    await stores.webhooks.update(good.organization_id, good.id, url="https://hooks.example/good")
    slow = [await parts.webhook(f"Slow {number}") for number in range(12)]
    targets = SlowTargets("https://hooks.example/good")
    deliverer = Deliverer(stores.deliveries, stores.webhooks, parts.box, targets)
    await stores.deliveries.add([message(webhook) for webhook in slow for _ in range(5)])
    targets.may_answer.set()
    now = now_ms()
    for delivery in await stores.deliveries.take(now=now + 1000, until=now, per_webhook=1, limit=12):
        await deliverer.attempt(delivery)  # now all of them are known to be slow
    targets.may_answer.clear()
    targets.most_waiting = 0
    deliverer.start()
    await until(lambda: targets.waiting)
    await stores.deliveries.add([message(good)])
    deliverer.wake()
    async with asyncio.timeout(20):
        await targets.delivered.wait()
    await until(lambda: targets.waiting == 6)  # on a busy machine the last of them may start later
    assert targets.most_waiting == 6
    targets.may_answer.set()
    await deliverer.stop()


async def test_what_a_slow_target_was_not_sent_within_a_day_has_failed(
    parts: WebhookParts, webhook: Webhook
) -> None:
    old, new = message(webhook, made_ms_ago=KEPT_TRYING_MS + 1), message(webhook)
    await parts.stores.deliveries.add([old, new])
    await parts.stores.deliveries.give_up([webhook.id], now_ms() - KEPT_TRYING_MS, "too slow")
    assert [(await stored(parts, delivery)).status for delivery in (old, new)] == ["failed", "pending"]
