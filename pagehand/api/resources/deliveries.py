"""Deliveries: what was sent to webhooks, and the results."""

from typing import Annotated, Final

import orjson
from msgspec import Meta

from pagehand.api.attachment import streamed_list
from pagehand.api.fields import Answer, ById, Id, Limit, Listing, Moment, Offset, Request, View
from pagehand.api.operation import Call, Result, operation
from pagehand.clock import to_optional_iso
from pagehand.records import Delivery, DeliveryStatus, Json

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


class ListDeliveries(Request):
    """Whose deliveries."""

    id: Id
    status: DeliveryStatus | None = None
    limit: Limit = 100
    offset: Offset = 0


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
