"""What callers may do with webhooks: everything stays within the organization, and a secret is shown once."""

from collections.abc import Awaitable, Callable

import pytest

from pagehand.errors import Conflict, InvalidRequest, NotFound
from pagehand.records import Webhook
from pagehand.webhooks.secret import open_secrets
from pagehand.webhooks.stored import MAX_WEBHOOKS, StoredWebhooks
from support.webhooks import EVENT, URL, WebhookParts, answer

pytestmark = pytest.mark.anyio


async def test_a_new_webhook_is_on_and_its_secret_encrypted(parts: WebhookParts, webhook: Webhook) -> None:
    made, secret = await parts.stored.create(webhook.organization_id, URL, [EVENT, EVENT], "mine")
    assert made.is_active
    assert made.events == [EVENT]
    assert secret.encode() not in made.secrets
    assert secret not in repr(made)
    assert open_secrets(parts.box, made).current == secret


async def test_another_webhook_cannot_be_given_these_secrets(parts: WebhookParts, webhook: Webhook) -> None:
    other = await parts.webhook()
    other.secrets = webhook.secrets
    with pytest.raises(Exception, match="cannot be decrypted"):
        open_secrets(parts.box, other)


Act = Callable[[StoredWebhooks, str, str], Awaitable[object]]
ACTS: dict[str, Act] = {
    "get": lambda stored, owner, webhook: stored.get(owner, webhook),
    "update": lambda stored, owner, webhook: stored.update(owner, webhook, name="theirs"),
    "delete": lambda stored, owner, webhook: stored.delete(owner, webhook),
    "rotate": lambda stored, owner, webhook: stored.rotate(owner, webhook),
    "test": lambda stored, owner, webhook: stored.test(owner, webhook),
    "redeliver": lambda stored, owner, webhook: stored.redeliver(owner, webhook, "delivery_1"),
    "log": lambda stored, owner, webhook: stored.log(owner, webhook, status=None, limit=1, offset=0),
}


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
async def test_one_of_another_organization_is_as_one_that_is_not_there(
    parts: WebhookParts, webhook: Webhook, act: Act
) -> None:
    stranger = (await parts.stores.organizations.ensure("Stranger")).id
    with pytest.raises(NotFound) as foreign:
        await act(parts.stored, stranger, webhook.id)
    with pytest.raises(NotFound) as missing:
        await act(parts.stored, stranger, "webhook_no")
    assert foreign.value.message == missing.value.message
    assert await parts.stored.get(webhook.organization_id, webhook.id) == webhook
    assert parts.http.sent == []


async def test_an_organization_has_a_limited_number(parts: WebhookParts, webhook: Webhook) -> None:
    owner = webhook.organization_id
    for _ in range(MAX_WEBHOOKS - 1):
        await parts.stored.create(owner, URL, [EVENT], None)
    with pytest.raises(Conflict, match=f"at most {MAX_WEBHOOKS} webhooks"):
        await parts.stored.create(owner, URL, [EVENT], None)
    await parts.stored.delete(owner, webhook.id)
    await parts.stored.create(owner, URL, [EVENT], None)
    await parts.webhook("Another organization")


async def test_a_rotation_keeps_the_old_secret_for_a_day(parts: WebhookParts, webhook: Webhook) -> None:
    before = open_secrets(parts.box, webhook).current
    after, shown = await parts.stored.rotate(webhook.organization_id, webhook.id)
    secrets = open_secrets(parts.box, after)
    assert shown == secrets.current != before
    assert secrets.valid(after.updated_at) == [shown, before]
    assert secrets.valid(after.updated_at + 25 * 3_600_000) == [shown]


@pytest.mark.parametrize("status", [200, 500])
async def test_a_test_message_is_sent_once_and_is_in_the_log(
    parts: WebhookParts, webhook: Webhook, status: int
) -> None:
    parts.http.answers = [answer(status)]
    tried = await parts.stored.test(webhook.organization_id, webhook.id)
    assert (tried.event, tried.response_status, tried.next_at) == ("webhook.test", status, None)
    assert tried.status == ("delivered" if status == 200 else "failed")
    rows, total = await parts.stored.log(webhook.organization_id, webhook.id, status=None, limit=10, offset=0)
    assert (await rows.all(), total) == ([tried], 1)


async def test_a_message_of_the_log_goes_out_again_under_its_own_id(
    parts: WebhookParts, webhook: Webhook
) -> None:
    parts.http.answers = [answer(500)]
    tried = await parts.stored.test(webhook.organization_id, webhook.id)
    redelivered = await parts.stored.redeliver(webhook.organization_id, webhook.id, tried.id)
    assert redelivered.id != tried.id
    assert (redelivered.message_id, redelivered.body, redelivered.status) == (
        tried.message_id,
        tried.body,
        "pending",
    )
    pending, _ = await parts.stored.log(
        webhook.organization_id, webhook.id, status="pending", limit=10, offset=0
    )
    assert [item.id for item in await pending.all()] == [redelivered.id]


async def test_a_delivery_of_another_webhook_is_not_sent_again(parts: WebhookParts, webhook: Webhook) -> None:
    parts.http.answers = [answer(500)]
    tried = await parts.stored.test(webhook.organization_id, webhook.id)
    other = await parts.webhook()
    with pytest.raises(NotFound, match="`deliveryId`"):
        await parts.stored.redeliver(webhook.organization_id, other.id, tried.id)


UNREACHABLE = [
    "http://127.0.0.1/",
    "http://127.0.0.1:8700/x",
    "http://[::1]/",
    "http://169.254.169.254/latest",
    "https://10.0.0.8/",
    "http://[::ffff:127.0.0.1]/",
    "http://192.0.2.1/",
]


@pytest.mark.parametrize("url", UNREACHABLE)
async def test_an_address_that_is_plainly_closed_is_refused(
    parts: WebhookParts, webhook: Webhook, url: str
) -> None:
    for act in (
        parts.stored.create(webhook.organization_id, url, [EVENT], None),
        parts.stored.update(webhook.organization_id, webhook.id, url=url),
    ):
        with pytest.raises(InvalidRequest, match=r"`url`: .*`PAGEHAND_EGRESS_ALLOW`"):
            await act
    assert (await parts.stored.get(webhook.organization_id, webhook.id)).url == URL


@pytest.mark.parametrize(
    "url",
    [
        "ftp://x.example/",
        "https://",
        "https://:80/",
        "http:///x",
        "http://x.example:99999/",
        "hooks.example",
        "http://[::1",
        "https://x.example/\n",
    ],
)
async def test_what_is_not_an_address_is_refused(parts: WebhookParts, url: str) -> None:
    with pytest.raises(InvalidRequest, match="`url`: expected an address such as"):
        await parts.stored.create("org_1", url, [EVENT], None)
