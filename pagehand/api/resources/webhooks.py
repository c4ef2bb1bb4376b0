"""Webhooks: addresses that are told when something happens."""

from typing import Annotated, Final, Literal, get_args

import orjson
from msgspec import Meta

from pagehand.api.fields import ById, Id, Limit, Moment, Name, Offset, Page, Request, View
from pagehand.api.operation import Call, Result, operation
from pagehand.clock import to_iso
from pagehand.records import Delivery, DeliveryStatus, Json, Webhook

_EXAMPLE_ID: Final = "webhook_01k3v8c2m4e6g8j0n2q4s6t8w0"
_EXAMPLE_DELIVERY: Final = "delivery_01k3v8c2m4e6g8j0n2q4s6t8w0"

EventName = Literal[
    "execution.started",
    "execution.completed",
    "execution.failed",
    "execution.paused",
    "authentication.waiting",
    "batch.finished",
]
Events = Annotated[list[EventName], Meta(min_length=1, max_length=len(get_args(EventName)))]
Target = Annotated[
    str,
    Meta(
        pattern=r"^https?://[^\s/?#@]+([/?][!-~]*)?$",
        max_length=2000,
        description="Where to POST: http or https, without credentials; redirects are not followed.",
    ),
]


class WebhookView(View):
    """A webhook; its secret is shown only when it is made."""

    id: str
    name: str | None
    url: str
    events: list[str]
    is_active: bool
    created_at: Moment
    updated_at: Moment


def _view(webhook: Webhook) -> WebhookView:
    return WebhookView(
        id=webhook.id,
        name=webhook.name,
        url=webhook.url,
        events=webhook.events,
        is_active=webhook.is_active,
        created_at=to_iso(webhook.created_at),
        updated_at=to_iso(webhook.updated_at),
    )


class WebhookAnswer(View):
    """One webhook."""

    webhook: WebhookView


class NewSecret(View):
    """A webhook and its new secret, which is not shown again."""

    webhook: WebhookView
    secret: Annotated[str, Meta(description="Signs what is sent; `whsec_` and base64.")]


class CreateWebhook(Request):
    """Where to send, and what to send."""

    url: Target
    events: Events
    name: Name | None = None


@operation(
    "/webhooks/create",
    needs="edit",
    takes=CreateWebhook,
    answers=NewSecret,
    errors=(409,),
    example={"url": "https://hooks.example.com/pagehand", "events": ["execution.completed"]},
)
async def create(call: Call[CreateWebhook]) -> Result:
    """Tell an address about events from now on; the answer holds the secret that signs, this once."""
    asked = call.request
    webhook, secret = await call.parts.webhooks.create(
        call.organization_id, asked.url, list(asked.events), asked.name
    )
    return NewSecret(webhook=_view(webhook), secret=secret)


class WebhookList(View):
    """Newest first."""

    webhooks: list[WebhookView]
    total: int


@operation("/webhooks/list", needs="read", takes=Page, answers=WebhookList, example={"limit": 20})
async def list_all(call: Call[Page]) -> Result:
    """Webhooks of the organization."""
    found, total = await call.parts.webhooks.list(
        call.organization_id, call.request.limit, call.request.offset
    )
    return WebhookList(webhooks=[_view(one) for one in found], total=total)


@operation(
    "/webhooks/get",
    needs="read",
    takes=ById,
    answers=WebhookAnswer,
    errors=(404,),
    example={"id": _EXAMPLE_ID},
)
async def get(call: Call[ById]) -> Result:
    """One webhook."""
    return WebhookAnswer(webhook=_view(await call.parts.webhooks.get(call.organization_id, call.request.id)))


class UpdateWebhook(Request):
    """Which webhook, and what to change; what is left out stays."""

    id: Id
    url: Target | None = None
    events: Events | None = None
    name: Name | None = None
    is_active: Annotated[bool | None, Meta(description="False switches it off.")] = None


@operation(
    "/webhooks/update",
    needs="edit",
    takes=UpdateWebhook,
    answers=WebhookAnswer,
    errors=(404,),
    example={"id": _EXAMPLE_ID, "isActive": False},
)
async def update(call: Call[UpdateWebhook]) -> Result:
    """Change a webhook; switched off, it is told nothing, and what happens meanwhile is not made up for."""
    asked = call.request
    given = {"url": asked.url, "events": asked.events, "name": asked.name, "is_active": asked.is_active}
    changes = {name: value for name, value in given.items() if value is not None}
    changed = await call.parts.webhooks.update(call.organization_id, asked.id, **changes)
    return WebhookAnswer(webhook=_view(changed))


class DeletedWebhook(View):
    """The id of a webhook that is gone."""

    id: str


class DeletedWebhookAnswer(View):
    """A webhook that is gone."""

    webhook: DeletedWebhook


@operation(
    "/webhooks/delete",
    needs="edit",
    takes=ById,
    answers=DeletedWebhookAnswer,
    errors=(404,),
    example={"id": _EXAMPLE_ID},
)
async def delete(call: Call[ById]) -> Result:
    """Delete a webhook, its log, and what was on its way to it."""
    await call.parts.webhooks.delete(call.organization_id, call.request.id)
    return DeletedWebhookAnswer(webhook=DeletedWebhook(id=call.request.id))


@operation(
    "/webhooks/rotateSecret",
    needs="edit",
    takes=ById,
    answers=NewSecret,
    errors=(404,),
    example={"id": _EXAMPLE_ID},
)
async def rotate_secret(call: Call[ById]) -> Result:
    """Give a webhook a new secret; for 24 hours messages carry a signature of the old one as well."""
    webhook, secret = await call.parts.webhooks.rotate(call.organization_id, call.request.id)
    return NewSecret(webhook=_view(webhook), secret=secret)


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


def _delivery(one: Delivery) -> DeliveryView:
    return DeliveryView(
        id=one.id,
        webhook_id=one.webhook_id,
        message_id=one.message_id,
        event=one.event,
        status=one.status,
        attempts=one.attempts,
        created_at=to_iso(one.created_at),
        last_attempt_at=_moment(one.last_attempt_at),
        next_attempt_at=_moment(one.next_at),
        delivered_at=_moment(one.delivered_at),
        response_status=one.response_status,
        error=one.error,
        payload=orjson.loads(one.body),
    )


def _moment(at: int | None) -> str | None:
    return None if at is None else to_iso(at)


class DeliveryAnswer(View):
    """One delivery."""

    delivery: DeliveryView


@operation(
    "/webhooks/test",
    needs="edit",
    takes=ById,
    answers=DeliveryAnswer,
    errors=(404,),
    example={"id": _EXAMPLE_ID},
)
async def test(call: Call[ById]) -> Result:
    """Send a message of type `webhook.test` now and say how it went; it is not tried again."""
    return DeliveryAnswer(
        delivery=_delivery(await call.parts.webhooks.test(call.organization_id, call.request.id))
    )


class ListDeliveries(Request):
    """Whose deliveries."""

    id: Id
    status: DeliveryStatus | None = None
    limit: Limit = 100
    offset: Offset = 0


class DeliveryList(View):
    """Newest first."""

    deliveries: list[DeliveryView]
    total: int


@operation(
    "/webhooks/deliveries",
    needs="read",
    takes=ListDeliveries,
    answers=DeliveryList,
    errors=(404,),
    example={"id": _EXAMPLE_ID, "status": "failed", "limit": 20},
)
async def deliveries(call: Call[ListDeliveries]) -> Result:
    """The log of a webhook: every message, its attempts and what the target said."""
    asked = call.request
    found, total = await call.parts.webhooks.log(
        call.organization_id, asked.id, status=asked.status, limit=asked.limit, offset=asked.offset
    )
    return DeliveryList(deliveries=[_delivery(one) for one in found], total=total)


class Redeliver(Request):
    """Which message of which webhook."""

    id: Id
    delivery_id: str


@operation(
    "/webhooks/redeliver",
    needs="edit",
    takes=Redeliver,
    answers=DeliveryAnswer,
    errors=(404,),
    example={"id": _EXAMPLE_ID, "deliveryId": _EXAMPLE_DELIVERY},
)
async def redeliver(call: Call[Redeliver]) -> Result:
    """Send a message of the log again, whether or not it arrived; the target sees the same `webhook-id`."""
    asked = call.request
    return DeliveryAnswer(
        delivery=_delivery(
            await call.parts.webhooks.redeliver(call.organization_id, asked.id, asked.delivery_id)
        )
    )


OPERATIONS = (
    create,
    list_all,
    get,
    update,
    delete,
    rotate_secret,
    test,
    deliveries,
    redeliver,
)
