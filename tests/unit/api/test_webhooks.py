"""`/webhooks/…`: what may be an address, secrets shown once, the log of deliveries, and sending again."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import msgspec
import pytest

from pagehand.api.resources import operations
from pagehand.clock import now_ms
from pagehand.ids import new_id
from pagehand.records import Delivery

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio

TARGET = {"url": "https://hooks.example.com/in?x=1", "events": ["execution.failed", "batch.finished"]}


async def create_webhook(api: "Api", **fields: Any) -> dict[str, Any]:
    answer = await api.post("/webhooks/create", {**TARGET, **fields})
    assert answer.status_code == 200, answer.text
    return answer.json()["webhook"]


async def add_delivery(api: "Api", webhook_id: str, **fields: Any) -> Delivery:
    """A delivery as a row alone; nothing is sent."""
    values: dict[str, Any] = {
        "id": new_id("delivery"),
        "organization_id": await api.organization_id(),
        "webhook_id": webhook_id,
        "message_id": new_id("msg"),
        "event": "execution.failed",
        "body": '{"type":"execution.failed"}',
        "created_at": now_ms(),
        "next_at": None,
        **fields,
    }
    delivery = Delivery(**values)
    await api.services.stores.deliveries.add([delivery])
    return delivery


async def test_secret_is_shown_when_it_is_made_and_never_again(api: "Api") -> None:
    answer = (await api.post("/webhooks/create", {**TARGET, "name": "Ops"})).json()
    secret = answer["secret"]
    assert secret.startswith("whsec_")
    webhook_id = answer["webhook"]["id"]
    for path, body in (("get", {"id": webhook_id}), ("list", {}), ("update", {"id": webhook_id})):
        shown = await api.post(f"/webhooks/{path}", body)
        assert shown.status_code == 200
        assert secret not in shown.text
        assert "whsec_" not in shown.text
    rotated = (await api.post("/webhooks/rotateSecret", {"id": webhook_id})).json()
    assert rotated["secret"] != secret
    assert rotated["webhook"]["id"] == webhook_id


@pytest.mark.parametrize(
    "url",
    [
        "",
        "hooks.example.com",
        "ftp://hooks.example.com/",
        "file:///etc/passwd",
        "https://",
        "https://user:password@hooks.example.com/",
        "https://hooks.example.com/a b",
        "https://hooks.example.com/\n",
        "https://hooks.example.com:99999/",
        "http://127.0.0.1/",
        "http://[::1]/",
        "http://169.254.169.254/latest",
        "http://10.0.0.5/",
        "https://hooks.example.com/" + "x" * 2000,
    ],
)
async def test_address_that_nothing_may_be_sent_to_is_refused(api: "Api", url: str) -> None:
    answer = await api.post("/webhooks/create", {**TARGET, "url": url})
    assert answer.status_code == 400, answer.text
    assert "`url`" in answer.json()["error"]
    webhook = await create_webhook(api)
    changed = await api.post("/webhooks/update", {"id": webhook["id"], "url": url})
    assert changed.status_code == 400
    assert (await api.post("/webhooks/get", {"id": webhook["id"]})).json()["webhook"] == webhook


@pytest.mark.parametrize(
    ("path", "body", "example"),
    [
        ("/webhooks/create", {**TARGET, "url": "nothing"}, "https://example.com/hooks"),
        ("/workflows/create", {"name": "w", "blocks": [], "parameters": [{"name": "a b"}]}, "invoiceNumber"),
        ("/files/upload", {"name": "a", "contentBase64": "", "mimeType": "x"}, "text/plain"),
    ],
)
async def test_text_of_another_form_is_refused_with_an_example(
    api: "Api", path: str, body: dict[str, object], example: str
) -> None:
    answer = await api.post(path, body)
    assert answer.status_code == 400
    assert f"expected a text such as `{example}`" in answer.json()["error"]


def test_every_pattern_of_a_request_has_an_example_for_its_refusal() -> None:
    described, components = msgspec.json.schema_components(
        [operation.request_type for operation in operations()]
    )
    found = list(_with_pattern([described, components]))
    assert len(found) > 2
    assert [schema for schema in found if not schema.get("examples")] == []


def _with_pattern(value: object) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        schema = cast("dict[str, Any]", value)
        # `\S` is said to clients alone: another check refuses an empty message
        if isinstance(schema.get("pattern"), str) and schema["pattern"] != r"\S":
            yield schema
        value = list(schema.values())
    if isinstance(value, list | tuple):
        for inner in cast("list[object]", value):
            yield from _with_pattern(inner)


@pytest.mark.parametrize("events", [[], ["execution.exploded"], "execution.failed", None])
async def test_events_are_some_of_those_there_are(api: "Api", events: object) -> None:
    answer = await api.post("/webhooks/create", {**TARGET, "events": events})
    assert answer.status_code == 400
    assert "events" in answer.json()["error"]


async def test_event_named_twice_is_sent_once(api: "Api") -> None:
    assert (await create_webhook(api, events=["batch.finished", "batch.finished"]))["events"] == [
        "batch.finished"
    ]


async def test_organization_has_twenty_webhooks_at_most(api: "Api") -> None:
    for _ in range(20):
        await create_webhook(api)
    refused = await api.post("/webhooks/create", TARGET)
    assert refused.status_code == 409
    assert "20" in refused.json()["error"]
    other = await api.post("/webhooks/create", TARGET, x_api_key=await api.create_key("other"))
    assert other.status_code == 200


async def test_update_changes_what_is_given(api: "Api") -> None:
    webhook = await create_webhook(api, name="Ops")
    changed = (await api.post("/webhooks/update", {"id": webhook["id"], "isActive": False})).json()["webhook"]
    assert changed == {**webhook, "isActive": False, "updatedAt": changed["updatedAt"]}
    assert changed["updatedAt"] >= webhook["updatedAt"]


async def test_deleted_webhook_is_gone_with_its_log(api: "Api") -> None:
    webhook = await create_webhook(api)
    delivery = await add_delivery(api, webhook["id"])
    gone = await api.post("/webhooks/delete", {"id": webhook["id"]})
    assert gone.json() == {"webhook": {"id": webhook["id"]}}
    for path in ("get", "update", "delete", "rotateSecret", "test", "deliveries"):
        answer = await api.post(f"/webhooks/{path}", {"id": webhook["id"]})
        assert (answer.status_code, list(answer.json())) == (404, ["error"]), path
    redelivered = await api.post("/webhooks/redeliver", {"id": webhook["id"], "deliveryId": delivery.id})
    assert redelivered.status_code == 404


async def test_log_is_newest_first_by_status_and_in_pages(api: "Api") -> None:
    webhook, now = await create_webhook(api), now_ms()
    old = await add_delivery(api, webhook["id"], created_at=now - 2000, status="failed", error="500")
    new = await add_delivery(api, webhook["id"], created_at=now - 1000, status="delivered")
    other = await create_webhook(api)
    await add_delivery(api, other["id"])
    listed = (await api.post("/webhooks/deliveries", {"id": webhook["id"]})).json()
    assert ([delivery["id"] for delivery in listed["deliveries"]], listed["total"]) == ([new.id, old.id], 2)
    failed = (await api.post("/webhooks/deliveries", {"id": webhook["id"], "status": "failed"})).json()
    assert [(delivery["id"], delivery["error"]) for delivery in failed["deliveries"]] == [(old.id, "500")]
    page = (await api.post("/webhooks/deliveries", {"id": webhook["id"], "limit": 1, "offset": 1})).json()
    assert ([delivery["id"] for delivery in page["deliveries"]], page["total"]) == ([old.id], 2)
    assert (
        await api.post("/webhooks/deliveries", {"id": webhook["id"], "status": "lost"})
    ).status_code == 400


async def test_message_is_sent_again_under_its_own_id_as_a_new_delivery(api: "Api") -> None:
    webhook = await create_webhook(api)
    first = await add_delivery(api, webhook["id"], status="delivered")
    answer = await api.post("/webhooks/redeliver", {"id": webhook["id"], "deliveryId": first.id})
    redelivered = answer.json()["delivery"]
    assert redelivered["id"] != first.id
    assert redelivered["messageId"] == first.message_id
    assert redelivered["payload"] == {"type": "execution.failed"}
    assert (redelivered["status"], redelivered["attempts"], redelivered["deliveredAt"]) == (
        "pending",
        0,
        None,
    )
    other = await create_webhook(api)
    # a delivery of one webhook is not sent to another
    crossed = await api.post("/webhooks/redeliver", {"id": other["id"], "deliveryId": first.id})
    assert crossed.status_code == 404
