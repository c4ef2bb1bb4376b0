"""Signatures that the reference verifier accepts, under the new secret and for a day under the old one."""

import base64
import hmac
from dataclasses import replace

import pytest
from standardwebhooks.webhooks import Webhook as Verifier
from standardwebhooks.webhooks import WebhookVerificationError

from pagehand.clock import now_ms
from pagehand.records import Delivery
from pagehand.webhooks.secret import OVERLAP_MS, Secrets, new_secret, signed_headers

DELIVERY = Delivery(
    id="delivery_1",
    organization_id="org_a",
    webhook_id="webhook_1",
    message_id="msg_1",
    event="execution.completed",
    body='{"type":"execution.completed","data":{"name":"ünï"}}',
    created_at=1,
)


def test_the_reference_verifier_accepts_the_signature() -> None:
    secret = new_secret()
    headers = dict(signed_headers(DELIVERY, [secret], now_ms()))
    assert Verifier(secret).verify(DELIVERY.body, headers)["data"] == {"name": "ünï"}


def test_the_reference_verifier_refuses_another_body_id_or_secret() -> None:
    secret = new_secret()
    headers = dict(signed_headers(DELIVERY, [secret], now_ms()))
    with pytest.raises(WebhookVerificationError):
        Verifier(secret).verify(DELIVERY.body + " ", headers)
    with pytest.raises(WebhookVerificationError):
        Verifier(secret).verify(DELIVERY.body, {**headers, "webhook-id": "msg_2"})
    with pytest.raises(WebhookVerificationError):
        Verifier(new_secret()).verify(DELIVERY.body, headers)


def test_the_hexadecimal_signature_is_over_id_timestamp_and_body() -> None:
    secret = new_secret()
    headers = dict(signed_headers(DELIVERY, [secret], 1_700_000_000_999))
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"msg_1.1700000000.{DELIVERY.body}".encode()
    assert headers["X-Webhooks-Id"] == "msg_1"
    assert headers["X-Webhooks-Timestamp"] == headers["webhook-timestamp"] == "1700000000"
    assert headers["X-Webhooks-Signature"] == "v1=" + hmac.digest(key, signed, "sha256").hex()


def test_both_secrets_sign_for_a_day_after_a_rotation() -> None:
    first = Secrets(current=new_secret())
    now = now_ms()
    second = first.rotated(now)
    assert second.current != first.current
    headers = dict(signed_headers(DELIVERY, second.valid(now + OVERLAP_MS - 1), now))
    for secret in (first.current, second.current):
        Verifier(secret).verify(DELIVERY.body, headers)
    assert second.valid(now + OVERLAP_MS) == [second.current]


def test_a_second_rotation_drops_the_first_secret() -> None:
    secrets = Secrets(current="a")
    twice = secrets.rotated(1).rotated(2)
    assert "a" not in twice.valid(3)
    assert len(twice.valid(3)) == 2
    assert replace(twice, previous=None).valid(3) == [twice.current]
