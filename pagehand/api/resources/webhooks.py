"""Webhooks: addresses that are called when something happens, and what was sent to them."""

from typing import Annotated, Final, Literal, get_args

import orjson
from msgspec import Meta

from pagehand.api.attachment import streamed_list
from pagehand.api.fields import Answer, ById, Id, Listing, Moment, Name, Page, Request, View
from pagehand.api.operation import Call, Result, operation
from pagehand.clock import to_optional_iso
from pagehand.records import Delivery, DeliveryStatus, Json, WebhookFormat

EventName = Literal[
    "execution.started",
    "execution.completed",
    "execution.failed",
    "execution.paused",
    "authentication.waiting",
    "batch.finished",
    "execution.healed",
    "schedule.missed",
]
Events = Annotated[list[EventName], Meta(min_length=1, max_length=len(get_args(EventName)))]
Target = Annotated[
    str,
    Meta(
        pattern=r"^(https?://[^\s/?#@]+([/?][!-~]*)?|mailto:[!-~]+)$",
        max_length=2000,
        examples=["https://example.com/hooks"],
        description="Where to POST: http or https, without credentials; redirects are not followed. "
        "With `format` `mail`: `mailto:` and addresses, with commas between.",
    ),
]


class WebhookView(View):
    """A webhook; its secret is shown only when it is made."""

    id: str
    name: str | None
    url: str
    format: WebhookFormat
    events: list[str]
    is_active: bool
    created_at: Moment
    updated_at: Moment


WebhookAnswer = Answer("WebhookAnswer", "webhook", WebhookView, "One webhook.")


class NewSecret(View):
    """A webhook and its new secret, which is not shown again."""

    webhook: WebhookView
    secret: Annotated[str, Meta(description="Signs what is sent; `whsec_` and base64.")]


class CreateWebhook(Request):
    """Where to send, and what to send."""

    url: Target
    events: Events
    name: Name | None = None
    format: Annotated[
        WebhookFormat,
        Meta(
            description="`pagehand`: the signed message; `slack`, `teams`: as their webhooks take it; "
            "`mail`: a mail to people."
        ),
    ] = "pagehand"


@operation(
    "/webhooks/create",
    scope="edit",
    response=NewSecret,
    errors=(409,),
    example={"url": "https://hooks.example.com/pagehand", "events": ["execution.completed"]},
)
async def create(call: Call[CreateWebhook]) -> Result:
    """Send events to an address from now on; only this response holds the secret that signs them."""
    request = call.request
    webhook, secret = await call.services.webhooks.create(
        call.organization_id, request.url, list(request.events), request.name, request.format
    )
    return NewSecret(webhook=WebhookView.of(webhook), secret=secret)


WebhookList = Listing("WebhookList", "webhooks", WebhookView, "Newest first.")


@operation("/webhooks/list", scope="read", response=WebhookList, example={"limit": 20})
async def list_all(call: Call[Page]) -> Result:
    """Webhooks of the organization."""
    found, total = await call.services.webhooks.list(
        call.organization_id, call.request.limit, call.request.offset
    )
    return WebhookList([WebhookView.of(webhook) for webhook in found], total=total)


@operation("/webhooks/get", scope="read", response=WebhookAnswer)
async def get(call: Call[ById]) -> Result:
    """One webhook."""
    return WebhookAnswer(
        WebhookView.of(await call.services.webhooks.get(call.organization_id, call.request.id))
    )


class UpdateWebhook(Request):
    """Which webhook, and what to change; what is left out stays."""

    id: Id
    url: Target | None = None
    events: Events | None = None
    name: Name | None = None
    is_active: Annotated[bool | None, Meta(description="False switches it off.")] = None


@operation("/webhooks/update", scope="edit", response=WebhookAnswer, example={"isActive": False})
async def update(call: Call[UpdateWebhook]) -> Result:
    """Change a webhook; while it is switched off, events are not sent, nor sent later."""
    request = call.request
    given = {
        "url": request.url,
        "events": request.events,
        "name": request.name,
        "is_active": request.is_active,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    changed = await call.services.webhooks.update(call.organization_id, request.id, **changes)
    return WebhookAnswer(WebhookView.of(changed))


class DeletedWebhook(View):
    """The id of a webhook that is gone."""

    id: str


DeletedWebhookAnswer = Answer("DeletedWebhookAnswer", "webhook", DeletedWebhook, "A webhook that is gone.")


@operation("/webhooks/delete", scope="edit", response=DeletedWebhookAnswer)
async def delete(call: Call[ById]) -> Result:
    """Delete a webhook, its log, and its pending deliveries."""
    await call.services.webhooks.delete(call.organization_id, call.request.id)
    return DeletedWebhookAnswer(DeletedWebhook(id=call.request.id))


@operation("/webhooks/rotateSecret", scope="edit", response=NewSecret)
async def rotate_secret(call: Call[ById]) -> Result:
    """Give a webhook a new secret; for 24 hours messages carry a signature of the old one as well."""
    webhook, secret = await call.services.webhooks.rotate(call.organization_id, call.request.id)
    return NewSecret(webhook=WebhookView.of(webhook), secret=secret)


_EXAMPLE_DELIVERY: Final = "delivery_01k3v8c2m4e6g8j0n2q4s6t8w0"


class DeliveryView(View):
    """One message on its way to one webhook."""

    id: str
    webhook_id: str
    message_id: Annotated[str, Meta(description="What the target sees as `webhook-id`; a replay keeps it.")]
    event: str
    status: DeliveryStatus
    attempts: int
    created_at: Moment
    last_attempt_at: Moment | None
    next_attempt_at: Moment | None
    delivered_at: Moment | None
    response_status: Annotated[int | None, Meta(description="HTTP status of the last answer.")]
    error: Annotated[str | None, Meta(description="What was wrong with the last attempt.")]
    payload: Annotated[Json, Meta(description="What was sent.")]


def _view(delivery: Delivery) -> DeliveryView:
    return DeliveryView.of(
        delivery,
        next_attempt_at=to_optional_iso(delivery.next_at),
        # stored as the bytes that were signed and sent
        payload=orjson.loads(delivery.body),
    )


DeliveryAnswer = Answer("DeliveryAnswer", "delivery", DeliveryView, "One delivery.")


@operation("/webhooks/test", scope="edit", response=DeliveryAnswer)
async def test(call: Call[ById]) -> Result:
    """Send a message of type `webhook.test` now and say how it went; it is not tried again."""
    return DeliveryAnswer(_view(await call.services.webhooks.test(call.organization_id, call.request.id)))


class ListDeliveries(Page, kw_only=True):
    """Whose deliveries."""

    id: Id
    status: DeliveryStatus | None = None


DeliveryList = Listing("DeliveryList", "deliveries", DeliveryView, "Newest first.")


@operation(
    "/webhooks/deliveries", scope="read", response=DeliveryList, example={"status": "failed", "limit": 20}
)
async def deliveries(call: Call[ListDeliveries]) -> Result:
    """The log of a webhook: every message, its attempts and what the target answered."""
    request = call.request
    found, total = await call.services.webhooks.log(
        call.organization_id, request.id, status=request.status, limit=request.limit, offset=request.offset
    )
    return await streamed_list("deliveries", (map(_view, part) async for part in found), total=total)


class Redeliver(Request):
    """Which message of which webhook."""

    id: Id
    delivery_id: str


@operation(
    "/webhooks/redeliver", scope="edit", response=DeliveryAnswer, example={"deliveryId": _EXAMPLE_DELIVERY}
)
async def redeliver(call: Call[Redeliver]) -> Result:
    """Send a message of the log again, whether or not it arrived; the target sees the same `webhook-id`."""
    request = call.request
    return DeliveryAnswer(
        _view(await call.services.webhooks.redeliver(call.organization_id, request.id, request.delivery_id))
    )
