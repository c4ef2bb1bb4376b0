"""The webhooks of an organization: which listen for an event; created, changed, tested, and their log."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from pagehand.clock import now_ms, to_iso
from pagehand.egress.policy import EgressPolicy
from pagehand.errors import Conflict, InvalidRequest, NotFound
from pagehand.ids import new_id
from pagehand.records import Delivery, Json, Webhook, WebhookFormat
from pagehand.storage.pages import Parts
from pagehand.storage.webhooks import DeliveryStore, WebhookStore
from pagehand.webhooks.deliverer import Deliverer
from pagehand.webhooks.formats import PREFIX, recipients, render
from pagehand.webhooks.secret import Secrets, WebhookSecrets, new_secret, open_secrets
from pagehand.workflow.allowed_domains import WEB_PORTS

_CACHE_SECONDS = 5.0
"""Within this time a webhook that another process made is seen here."""


_CACHE_SIZE = 10_000


_Listening = tuple[str, list[str], WebhookFormat]
"""A webhook's id, events and format."""
Compose = Callable[[Json], list[Delivery]]
"""Makes the deliveries of one event from its data."""


class WebhookListeners:
    """Which webhooks listen for an event, cached so that not every execution asks the database."""

    def __init__(self, store: WebhookStore, wake: Callable[[], None], console_url: str = "") -> None:
        """`wake` is called when deliveries were written; messages to people link to `console_url`."""
        self._store = store
        self._console_url = console_url
        self._cache: dict[str, tuple[float, list[_Listening]]] = {}
        self._changes = 0
        self.wake = wake

    async def composer(self, organization_id: str, event: str) -> Compose | None:
        """A function that composes the event's deliveries; None when nobody listens for it."""
        webhooks = await self._webhooks(organization_id)
        targets: dict[str, WebhookFormat] = {}
        targets.update((webhook_id, format_) for webhook_id, events, format_ in webhooks if event in events)
        if not targets:
            return None
        return lambda data: self.compose(organization_id, targets, event, data)

    def compose(
        self, organization_id: str, targets: Mapping[str, WebhookFormat], event: str, data: Json
    ) -> list[Delivery]:
        """One message as a delivery to each of the webhooks, in its format."""
        now = now_ms()
        message_id = new_id("msg")
        message = {"type": event, "timestamp": to_iso(now), "data": data}
        bodies = {format_: render(format_, message, self._console_url) for format_ in set(targets.values())}
        return [
            Delivery(
                id=new_id("delivery"),
                organization_id=organization_id,
                webhook_id=webhook_id,
                message_id=message_id,
                event=event,
                body=bodies[format_],
                created_at=now,
                next_at=now,
                topic=_topic(event, data) if format_ == "mail" else None,
            )
            for webhook_id, format_ in targets.items()
        ]

    def invalidate(self, organization_id: str) -> None:
        """Read the organization's webhooks again at the next event: they were changed."""
        self._changes += 1
        self._cache.pop(organization_id, None)

    async def _webhooks(self, organization_id: str) -> "list[_Listening]":
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


def _topic(event: str, data: Json) -> str:
    """What makes two mails the same: what happened, and to which workflow."""
    about: Json = data.get("execution") or data.get("batch") or data.get("schedule") or {}
    return f"{event} {about.get('workflow', {}).get('id', '')}"


TEST_EVENT = "webhook.test"
MAX_WEBHOOKS = 20
"""How many one organization may have."""


class StoredWebhooks:
    """The operations on webhooks; a secret is shown once, when it is made."""

    def __init__(
        self,
        store: WebhookStore,
        deliveries: DeliveryStore,
        box: WebhookSecrets,
        listeners: WebhookListeners,
        deliverer: Deliverer,
        check_target: Callable[[str, WebhookFormat], None],
    ) -> None:
        """`check_target` raises InvalidRequest for a target that can never be reached."""
        self._store = store
        self._deliveries = deliveries
        self._box = box
        self._listeners = listeners
        self._deliverer = deliverer
        self._check_target = check_target

    async def create(
        self,
        organization_id: str,
        url: str,
        events: list[str],
        name: str | None,
        format: WebhookFormat = "pagehand",  # noqa: A002 - the field's own word
    ) -> tuple[Webhook, str]:
        """A new webhook and its secret."""
        self._check_target(url, format)
        webhook_id, now, secrets = new_id("webhook"), now_ms(), Secrets(current=new_secret())
        webhook = Webhook(
            id=webhook_id,
            organization_id=organization_id,
            url=url,
            events=list(dict.fromkeys(events)),
            name=name,
            is_active=True,
            secrets=secrets.sealed(self._box, organization_id, webhook_id),
            created_at=now,
            updated_at=now,
            format=format,
        )
        if not await self._store.add(webhook, MAX_WEBHOOKS):
            raise Conflict(f"An organization has at most {MAX_WEBHOOKS} webhooks; delete one first")
        self._listeners.invalidate(organization_id)
        return webhook, secrets.current

    async def get(self, organization_id: str, webhook_id: str) -> Webhook:
        """One webhook; `NotFound` when the organization has none of that id."""
        return _found(await self._store.get(organization_id, webhook_id))

    async def update(self, organization_id: str, webhook_id: str, **changes: Any) -> Webhook:
        """Change the fields that are given."""
        if "url" in changes:
            self._check_target(changes["url"], (await self.get(organization_id, webhook_id)).format)
        changed = await self._store.update(organization_id, webhook_id, **changes, updated_at=now_ms())
        self._listeners.invalidate(organization_id)
        return _found(changed)

    async def delete(self, organization_id: str, webhook_id: str) -> None:
        """Delete a webhook and its pending deliveries."""
        if not await self._store.delete(organization_id, webhook_id):
            raise _not_found()
        self._listeners.invalidate(organization_id)

    async def rotate(self, organization_id: str, webhook_id: str) -> tuple[Webhook, str]:
        """Make a new secret; the old one signs too for a day."""
        webhook = await self.get(organization_id, webhook_id)
        secrets = open_secrets(self._box, webhook).rotated(now_ms())
        sealed = secrets.sealed(self._box, organization_id, webhook_id)
        return await self.update(organization_id, webhook_id, secrets=sealed), secrets.current

    async def test(self, organization_id: str, webhook_id: str) -> Delivery:
        """Send a test message once; the delivery with its result."""
        webhook = await self.get(organization_id, webhook_id)
        data: Json = {"webhook": {"id": webhook.id, "name": webhook.name, "events": webhook.events}}
        [fresh] = self._listeners.compose(organization_id, {webhook_id: webhook.format}, TEST_EVENT, data)
        delivery = replace(fresh, attempts=1, next_at=None, topic=None)
        await self._deliveries.add([delivery])
        return await self._deliverer.attempt(delivery)

    async def redeliver(self, organization_id: str, webhook_id: str, delivery_id: str) -> Delivery:
        """Send a message of the log again: the same message id, a new delivery."""
        await self.get(organization_id, webhook_id)
        earlier = await self._deliveries.get(organization_id, webhook_id, delivery_id)
        if earlier is None:
            raise NotFound("There is no delivery with this `deliveryId` for this webhook")
        now = now_ms()
        repeated = Delivery(
            id=new_id("delivery"),
            organization_id=organization_id,
            webhook_id=webhook_id,
            message_id=earlier.message_id,
            event=earlier.event,
            body=earlier.body,
            created_at=now,
            next_at=now,
        )
        await self._deliveries.add([repeated])
        self._listeners.wake()
        return repeated

    async def log(
        self, organization_id: str, webhook_id: str, *, status: str | None, limit: int, offset: int
    ) -> tuple[Parts[Delivery], int]:
        """A webhook's deliveries, newest first, and how many there are."""
        await self.get(organization_id, webhook_id)
        return await self._deliveries.list(
            organization_id, webhook_id, status=status, limit=limit, offset=offset
        )

    async def list(self, organization_id: str, limit: int, offset: int) -> tuple[list[Webhook], int]:
        """Newest first, and how many there are."""
        return await self._store.list(organization_id, limit, offset)


def _found(webhook: Webhook | None) -> Webhook:
    if webhook is None:
        raise _not_found()
    return webhook


def _not_found() -> NotFound:
    return NotFound("There is no webhook with this `id` in this organization")


def check_target(
    policy: EgressPolicy,
    url: str,
    format: WebhookFormat = "pagehand",  # noqa: A002 - the field's own word
    *,
    can_mail: bool = False,
) -> None:
    """Raise InvalidRequest for an address that the policy denies; names are resolved only for a delivery."""
    if format == "mail":
        recipients(url)
        if not can_mail:
            raise InvalidRequest(
                "`format`: no mail can be sent, because the operator set no `PAGEHAND_SMTP_HOST`"
            )
        return
    if url.startswith(PREFIX):
        raise InvalidRequest("`url`: mail addresses need `format` to be `mail`")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or WEB_PORTS[parts.scheme]
    except (ValueError, KeyError):
        raise _not_an_address() from None
    # urlsplit drops line ends, which the pattern of the API lets pass at the very end
    if not host or url != url.strip():
        raise _not_an_address()
    refusal = policy.refusal_of_address(host, port)
    if refusal is not None:
        raise InvalidRequest(f"`url`: {refusal.message}")


def _not_an_address() -> InvalidRequest:
    return InvalidRequest("`url`: expected an address such as `https://hooks.example.com/pagehand`")
