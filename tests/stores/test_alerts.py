"""Alerts by mail over real stores: one at once, a digest after it, none twice and none lost."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from pagehand.errors import SiteDown
from pagehand.records import Delivery, Webhook
from pagehand.storage import Stores
from support.waiting import until
from support.webhooks import CONSOLE, PICTURE, WebhookParts

pytestmark = pytest.mark.anyio
EVENT = "execution.failed"
QUIET_MS = 600_000
TAKEN_MS = 25_000


@pytest.fixture
async def parts(stores: Stores) -> AsyncIterator[WebhookParts]:
    made = WebhookParts(stores)
    yield made
    await made.deliverer.stop()


@pytest.fixture
async def alerts(parts: WebhookParts) -> Webhook:
    owner = await parts.stores.organizations.ensure("Test")
    target = "mailto:ann@example.com,bob@example.com"
    return (await parts.stored.create(owner.id, target, [EVENT, "execution.paused"], None, "mail"))[0]


async def happen(
    parts: WebhookParts,
    webhook: Webhook,
    times: int = 1,
    event: str = EVENT,
    workflow: str = "wf_1",
    **more: Any,
) -> list[Delivery]:
    """Write the deliveries of failures, as the end of an execution does."""
    compose = await parts.listeners.composer(webhook.organization_id, event)
    assert compose is not None
    about = {"id": workflow, "name": more.pop("name", "Headline")}
    made: list[Delivery] = []
    for number in range(times):
        execution = {"id": f"exec_{number}", "workflow": about, "errorAnalysis": f"Reason {number}.", **more}
        made += compose({"execution": execution, "reason": "Approve."})
    await parts.stores.deliveries.add(made)
    return made


async def take(parts: WebhookParts, *, later_ms: int = 0) -> list[Delivery]:
    now = await parts.stores.deliveries.now() + later_ms
    return await parts.stores.deliveries.take(now=now, until=now + TAKEN_MS, per_webhook=4, limit=10)


async def statuses(parts: WebhookParts, made: list[Delivery]) -> list[tuple[str, str | None]]:
    found = [
        await parts.stores.deliveries.get(delivery.organization_id, delivery.webhook_id, delivery.id)
        for delivery in made
    ]
    return [(delivery.status, delivery.digest_id) for delivery in found if delivery]


async def test_a_failure_is_mailed_at_once_with_its_picture_and_a_link(
    parts: WebhookParts, alerts: Webhook
) -> None:
    hostile = "<script>alert(1)</script>\r\nBcc: eve@evil.example"
    await happen(parts, alerts, name=hostile, errorAnalysis="<b>bold</b> & more")
    parts.deliverer.start()
    await until(lambda: parts.mail.sent)
    [(mail, recipients)] = parts.mail.sent
    assert recipients == ["ann@example.com", "bob@example.com"]
    assert mail["Bcc"] is None
    assert mail["Subject"].startswith("[Pagehand] “<script>alert(1)</script> Bcc: eve@evil.example” failed")
    raw = mail.as_bytes()
    assert b"\nBcc:" not in raw.replace(b"\r", b"")
    html = mail.get_body(("html",))
    plain = mail.get_body(("plain",))
    assert html is not None
    assert plain is not None
    assert "<script>" not in html.get_content()
    assert "&lt;b&gt;bold&lt;/b&gt; &amp; more" in html.get_content()
    assert f'href="{CONSOLE}/executions/exec_0"' in html.get_content()
    assert f"{CONSOLE}/executions/exec_0" in plain.get_content()
    [picture] = [part for part in mail.walk() if part.get_content_maintype() == "image"]
    assert picture.get_payload(decode=True) == PICTURE


async def test_a_storm_is_one_mail_at_once_and_one_digest_later(parts: WebhookParts, alerts: Webhook) -> None:
    first = await happen(parts, alerts)
    [taken] = await take(parts)
    await parts.deliverer.attempt(taken)
    storm = await happen(parts, alerts, 30)
    for delivery in await take(parts):
        await parts.deliverer.attempt(delivery)
    assert len(parts.mail.sent) == 1
    later = await take(parts, later_ms=QUIET_MS + 60_000)
    await asyncio.gather(*map(parts.deliverer.attempt, later))
    assert len(parts.mail.sent) == 2
    digest = parts.mail.sent[1][0]
    assert digest["Subject"] == "[Pagehand] “Headline” failed (30 times)"
    text = digest.get_body(("plain",))
    assert text is not None
    assert "Reason 19." in text.get_content()
    assert "Reason 20." not in text.get_content()
    assert "And 10 more." in text.get_content()
    assert set(await statuses(parts, [*first, *storm])) == {("delivered", None)}


async def test_ten_thousand_failures_are_two_mails_and_little_work(
    parts: WebhookParts, alerts: Webhook
) -> None:
    await happen(parts, alerts)
    [taken] = await take(parts)
    await parts.deliverer.attempt(taken)
    await happen(parts, alerts, 10_000)
    attempts = 0
    while storm := await take(parts):
        for delivery in storm:
            await parts.deliverer.attempt(delivery)
        attempts += len(storm)
    assert (attempts, len(parts.mail.sent)) == (4, 1)
    later = await take(parts, later_ms=QUIET_MS + 60_000)
    await asyncio.gather(*map(parts.deliverer.attempt, later))
    [_, (digest, _)] = parts.mail.sent
    assert digest["Subject"] == "[Pagehand] “Headline” failed (10000 times)"
    assert len(digest.as_bytes()) < 100_000
    assert await take(parts, later_ms=2 * QUIET_MS) == []


async def test_other_workflows_and_other_events_do_not_wait(parts: WebhookParts, alerts: Webhook) -> None:
    await happen(parts, alerts)
    await happen(parts, alerts, workflow="wf_2", name="Another")
    await happen(parts, alerts, event="execution.paused")
    for delivery in await take(parts):
        await parts.deliverer.attempt(delivery)
    assert sorted(mail["Subject"] for mail, _ in parts.mail.sent) == [
        "[Pagehand] “Another” failed",
        "[Pagehand] “Headline” failed",
        "[Pagehand] “Headline” waits for a person",
    ]


async def test_many_at_the_same_time_are_one_mail(parts: WebhookParts, alerts: Webhook) -> None:
    made = await happen(parts, alerts, 8)
    taken = await take(parts)
    assert len(taken) == 4
    await asyncio.gather(*map(parts.deliverer.attempt, taken))
    assert [mail["Subject"] for mail, _ in parts.mail.sent] == ["[Pagehand] “Headline” failed (8 times)"]
    assert set(await statuses(parts, made)) == {("delivered", None)}


async def test_a_process_that_dies_while_it_sends_leaves_everything_for_another(
    parts: WebhookParts, alerts: Webhook
) -> None:
    made = await happen(parts, alerts, 3)
    lead, *_ = await take(parts)
    shown, total = await parts.stores.deliveries.gather(lead, quiet_ms=QUIET_MS, most=20)
    assert (len(shown), total) == (3, 3)
    # it dies here; what comes meanwhile waits for it
    late = await happen(parts, alerts)
    for delivery in await take(parts):
        await parts.deliverer.attempt(delivery)
    assert parts.mail.sent == []
    retaken = await take(parts, later_ms=TAKEN_MS + 1000)
    await asyncio.gather(*map(parts.deliverer.attempt, retaken))
    assert [mail["Subject"] for mail, _ in parts.mail.sent] == ["[Pagehand] “Headline” failed (4 times)"]
    assert set(await statuses(parts, [*made, *late])) == {("delivered", None)}


async def test_a_mail_server_that_is_down_is_tried_again_with_all_of_them(
    parts: WebhookParts, alerts: Webhook
) -> None:
    made = await happen(parts, alerts, 2)
    parts.mail.problem = SiteDown("The mail server is away.")
    lead, *_ = await take(parts)
    after = await parts.deliverer.attempt(lead)
    assert (after.status, after.error) == ("pending", "The mail server is away.")
    assert await statuses(parts, made) == [("pending", None)] * 2
    parts.mail.problem = None
    for delivery in await take(parts, later_ms=60_000):
        await parts.deliverer.attempt(delivery)
    [(mail, _)] = parts.mail.sent
    assert mail["Subject"].endswith("failed (2 times)")


async def test_a_test_and_what_a_person_sends_again_go_out_at_once(
    parts: WebhookParts, alerts: Webhook
) -> None:
    [made] = await happen(parts, alerts)
    [taken] = await take(parts)
    await parts.deliverer.attempt(taken)
    assert (await parts.stored.test(alerts.organization_id, alerts.id)).status == "delivered"
    redelivered = await parts.stored.redeliver(alerts.organization_id, alerts.id, made.id)
    await parts.deliverer.attempt(replace(redelivered, attempts=0))
    assert [mail["Subject"] for mail, _ in parts.mail.sent] == [
        "[Pagehand] “Headline” failed",
        "[Pagehand] Test message",
        "[Pagehand] “Headline” failed",
    ]
