"""Webhooks and their deliveries: written with the change they tell of, taken once, kept apart."""

import asyncio
from typing import Any

import pytest

from pagehand.clock import now_ms
from pagehand.records import Batch, BatchEnd, Delivery, Execution, Status, Webhook, WebhookEvent
from pagehand.storage import Database, Stores
from support.database import whole
from support.ending import final_state

from .conftest import MakeExecution

pytestmark = pytest.mark.anyio


def webhook(webhook_id: str = "webhook_1", **fields: Any) -> Webhook:
    values: dict[str, Any] = {
        "id": webhook_id,
        "organization_id": "org_a",
        "url": "https://hooks.example/x",
        "events": ["execution.completed"],
        "name": None,
        "is_active": True,
        "secrets": b"sealed",
        "created_at": 1,
        "updated_at": 1,
    }
    return Webhook(**values | fields)


def delivery(delivery_id: str = "delivery_1", **fields: Any) -> Delivery:
    values: dict[str, Any] = {
        "id": delivery_id,
        "organization_id": "org_a",
        "webhook_id": "webhook_1",
        "message_id": "msg_1",
        "event": "execution.completed",
        "body": "{}",
        "created_at": 1,
        "next_at": 10,
    }
    return Delivery(**values | fields)


async def taken(stores: Stores, **more: Any) -> list[str]:
    options: dict[str, Any] = {"now": 100, "until": 1000, "busy": [], "per_webhook": 4, "limit": 100}
    return sorted(item.id for item in await stores.deliveries.take(**options | more))


async def test_a_webhook_comes_back_and_changes_field_by_field(stores: Stores) -> None:
    await stores.webhooks.add(webhook())
    assert await stores.webhooks.get("org_a", "webhook_1") == webhook()
    changed = await stores.webhooks.update("org_a", "webhook_1", is_active=False, updated_at=7)
    assert changed == webhook(is_active=False, updated_at=7)
    assert await stores.webhooks.listening("org_a") == []
    with pytest.raises(ValueError, match="created_at"):
        await stores.webhooks.update("org_a", "webhook_1", created_at=9)


async def test_only_active_webhooks_listen(stores: Stores) -> None:
    await stores.webhooks.add(webhook())
    await stores.webhooks.add(webhook("webhook_2", is_active=False))
    assert await stores.webhooks.listening("org_a") == [("webhook_1", ["execution.completed"], "pagehand")]


async def test_deleting_a_webhook_takes_its_deliveries_along(stores: Stores) -> None:
    await stores.webhooks.add(webhook())
    await stores.deliveries.add([delivery(), delivery("delivery_2", webhook_id="webhook_2")])
    assert await stores.webhooks.delete("org_a", "webhook_1")
    assert await stores.deliveries.get("org_a", "webhook_1", "delivery_1") is None
    assert await stores.deliveries.get("org_a", "webhook_2", "delivery_2") is not None


async def test_news_is_written_with_the_change_or_not_at_all(
    stores: Stores, make_execution: MakeExecution
) -> None:
    execution = await stores.executions.add(make_execution())
    claimed = await stores.executions.claim(
        execution.id, at=1, webhook_event=WebhookEvent(deliveries=[delivery("started")])
    )
    assert claimed is not None
    assert (
        await stores.executions.claim(
            execution.id, at=1, webhook_event=WebhookEvent(deliveries=[delivery("never")])
        )
        is None
    )
    paused = WebhookEvent(deliveries=[delivery("paused")])
    assert await stores.executions.update(
        execution.id, claimed.fence, webhook_event=paused, status=Status.PAUSED
    )
    stale = WebhookEvent(deliveries=[delivery("stale")])
    assert not await stores.executions.update(
        execution.id, claimed.fence - 1, webhook_event=stale, session_id="s"
    )
    done = WebhookEvent(deliveries=[delivery("done")])
    assert await stores.executions.finish(
        final_state(execution.id, webhook_event=done),
        claimed.fence,
    )
    twice = WebhookEvent(deliveries=[delivery("twice")])
    assert not await stores.executions.finish(
        final_state(execution.id, Status.FAILED, webhook_event=twice),
        claimed.fence,
    )
    found, total = await whole(stores.deliveries.list("org_a", "webhook_1", status=None, limit=10, offset=0))
    assert ({item.id for item in found}, total) == ({"started", "paused", "done"}, 3)


async def test_deliveries_are_taken_once_and_are_due_again_later(stores: Stores) -> None:
    await stores.deliveries.add([delivery(), delivery("delivery_2", next_at=200)])
    assert await taken(stores) == ["delivery_1"]
    assert await taken(stores) == []
    assert await stores.deliveries.next_due([]) == 200
    assert await taken(stores, now=1000, until=2000) == ["delivery_1", "delivery_2"]
    retried = await stores.deliveries.get("org_a", "webhook_1", "delivery_1")
    assert retried is not None
    assert (retried.attempts, retried.next_at, retried.last_attempt_at) == (2, 2000, 1000)


async def test_of_many_takers_at_once_each_delivery_has_one(stores: Stores, database: Database) -> None:
    await stores.deliveries.add([delivery(f"delivery_{n}", webhook_id=f"webhook_{n}") for n in range(40)])
    others = [stores, *(Stores(database) for _ in range(3))]
    found = await asyncio.gather(*(taken(other, limit=15) for other in others for _ in range(3)))
    ids = [item for part in found for item in part]
    assert len(ids) == len(set(ids))
    assert sorted(ids + await taken(stores)) == sorted(f"delivery_{n}" for n in range(40))


async def test_a_webhook_with_a_long_queue_leaves_room_for_others(stores: Stores) -> None:
    await stores.deliveries.add([delivery(f"many_{n}") for n in range(30)])
    await stores.deliveries.add([delivery("other", webhook_id="webhook_2", next_at=50)])
    first = await taken(stores, per_webhook=3, limit=10)
    assert len(first) == 4
    assert "other" in first
    assert await taken(stores, busy=["webhook_1"]) == []
    assert await stores.deliveries.next_due(["webhook_1"]) == 1000


async def test_a_settled_delivery_is_not_taken_again(stores: Stores) -> None:
    await stores.deliveries.add([delivery()])
    [mine] = await stores.deliveries.take(now=100, until=1000, busy=[], per_webhook=1, limit=1)
    mine.status, mine.next_at, mine.delivered_at, mine.response_status = "delivered", None, 120, 204
    await stores.deliveries.settle(mine)
    assert await taken(stores, now=5000) == []
    assert await stores.deliveries.get("org_a", "webhook_1", "delivery_1") == mine
    listed, total = await whole(
        stores.deliveries.list("org_a", "webhook_1", status="pending", limit=5, offset=0)
    )
    assert (listed, total) == ([], 0)


async def test_a_sender_that_was_given_up_on_changes_nothing(stores: Stores) -> None:
    await stores.deliveries.add([delivery()])
    [late] = await stores.deliveries.take(now=100, until=200, busy=[], per_webhook=1, limit=1)
    [now] = await stores.deliveries.take(now=300, until=900, busy=[], per_webhook=1, limit=1)
    late.status, late.next_at = "failed", None
    await stores.deliveries.settle(late)
    assert await stores.deliveries.get("org_a", "webhook_1", "delivery_1") == now


async def test_only_old_deliveries_that_are_done_with_are_swept(stores: Stores) -> None:
    await stores.deliveries.add(
        [
            delivery("old", status="delivered", next_at=None),
            delivery("new", status="delivered", next_at=None, created_at=50),
            delivery("waiting"),
        ]
    )
    assert await stores.deliveries.sweep(40, 10) == 1
    found, _ = await whole(stores.deliveries.list("org_a", "webhook_1", status=None, limit=10, offset=0))
    assert {item.id for item in found} == {"new", "waiting"}


async def batch_of(stores: Stores, make_execution: MakeExecution, count: int) -> list[Execution]:
    batch = Batch(
        id="batch_1",
        organization_id="org_a",
        name="B",
        workflow_id="wf_1",
        workflow_name="W",
        total=count,
        created_at=1,
    )
    executions = [make_execution(batch_id="batch_1") for _ in range(count)]
    await stores.batches.add(batch, executions)
    return executions


def ending() -> WebhookEvent:
    """What each execution of a batch brings along when it ends."""
    return WebhookEvent(
        batch_end=BatchEnd(
            batch_id="batch_1",
            organization_id="org_a",
            at=now_ms(),
            compose=lambda counts: [delivery(f"end_{counts[Status.FAILED]}", event="batch.finished")],
        )
    )


async def test_the_end_of_a_batch_is_announced_once_however_its_executions_end(
    stores: Stores, make_execution: MakeExecution
) -> None:
    executions = await batch_of(stores, make_execution, 12)
    ended = await asyncio.gather(
        *(
            stores.executions.finish(
                final_state(execution.id, Status.FAILED, webhook_event=ending()),
                None,
            )
            for execution in executions
        )
    )
    assert all(ended)
    found, _ = await whole(stores.deliveries.list("org_a", "webhook_1", status=None, limit=10, offset=0))
    assert [item.id for item in found] == ["end_12"]
    batch = await stores.batches.get("org_a", "batch_1")
    assert batch is not None
    assert batch.announced_at is not None


async def test_a_batch_that_ends_again_after_a_retry_is_not_announced_again(
    stores: Stores, make_execution: MakeExecution
) -> None:
    for item in await batch_of(stores, make_execution, 1):
        await stores.executions.finish(final_state(item.id, Status.FAILED, webhook_event=ending()), None)
    added = await stores.executions.add(make_execution(batch_id="batch_1"))
    await stores.executions.finish(final_state(added.id, Status.FAILED, webhook_event=ending()), None)
    found, _ = await whole(stores.deliveries.list("org_a", "webhook_1", status=None, limit=10, offset=0))
    assert [item.id for item in found] == ["end_1"]


async def test_a_batch_of_another_organization_is_never_announced(
    stores: Stores, make_execution: MakeExecution
) -> None:
    [member] = await batch_of(stores, make_execution, 1)
    foreign = ending()
    assert foreign.batch_end is not None
    foreign.batch_end.organization_id = "org_b"
    await stores.executions.finish(final_state(member.id, Status.FAILED, webhook_event=foreign), None)
    assert await stores.deliveries.next_due([]) is None
