"""The secret of a webhook: made, rotated, and used to sign what is sent.

Signatures follow Standard Webhooks (standardwebhooks.com); beside them is the same HMAC in hexadecimal for
receivers that compute it by hand. After a rotation both the new and the old secret sign for a day, so that a
receiver can change over without losing a message.
"""

import base64
import hmac
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime

import orjson
from standardwebhooks.webhooks import Webhook as Signer

from pagehand.records import Delivery, Webhook
from pagehand.secrets.vault import FieldLocation, Vault

OVERLAP_MS = 24 * 3_600_000
"""How long the previous secret still signs after a rotation."""
_PREFIX = "whsec_"
_BYTES = 32


def new_secret() -> str:
    """A secret as receivers get it."""
    return _PREFIX + base64.b64encode(secrets.token_bytes(_BYTES)).decode()


class WebhookSecrets:
    """The vault, for the column of webhook secrets."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    def seal(self, organization_id: str, webhook_id: str, plain: bytes) -> bytes:
        """Encrypt for that webhook alone."""
        return self._vault.seal(plain, FieldLocation(organization_id, "webhooks", webhook_id, "secrets"))

    def open(self, organization_id: str, webhook_id: str, sealed: bytes) -> bytes:
        """Decrypt what `seal` gave."""
        return self._vault.open(sealed, FieldLocation(organization_id, "webhooks", webhook_id, "secrets"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Secrets:
    """The secret that signs, and the previous one while it still signs too."""

    current: str
    previous: str | None = None
    previous_until: int = 0

    def rotated(self, now: int) -> "Secrets":
        """With a new secret; the current one still signs for a day."""
        return Secrets(current=new_secret(), previous=self.current, previous_until=now + OVERLAP_MS)

    def valid(self, now: int) -> list[str]:
        """The secrets that sign now, the newest first."""
        return [self.current, *([self.previous] if self.previous and now < self.previous_until else [])]

    def sealed(self, box: WebhookSecrets, organization_id: str, webhook_id: str) -> bytes:
        """Encrypted for the webhook's row."""
        plain = orjson.dumps([self.current, self.previous, self.previous_until])
        return box.seal(organization_id, webhook_id, plain)


def open_secrets(box: WebhookSecrets, webhook: Webhook) -> Secrets:
    """The secrets kept in a webhook's row."""
    plain = box.open(webhook.organization_id, webhook.id, webhook.secrets)
    current, previous, previous_until = orjson.loads(plain)
    return Secrets(current=current, previous=previous, previous_until=previous_until)


def signed_headers(delivery: Delivery, valid: list[str], now: int) -> list[tuple[str, str]]:
    """The headers by which the receiver verifies that the message is ours, unchanged and recent."""
    at = datetime.fromtimestamp(now // 1000, UTC)
    timestamp = str(now // 1000)
    signatures = [Signer(secret).sign(delivery.message_id, at, delivery.body) for secret in valid]
    plain = [_hex_signature(secret, delivery, timestamp) for secret in valid]
    return [
        ("webhook-id", delivery.message_id),
        ("webhook-timestamp", timestamp),
        ("webhook-signature", " ".join(signatures)),
        ("X-Webhooks-Id", delivery.message_id),
        ("X-Webhooks-Timestamp", timestamp),
        ("X-Webhooks-Signature", ",".join(f"v1={field}" for field in plain)),
    ]


def _hex_signature(secret: str, delivery: Delivery, timestamp: str) -> str:
    key = base64.b64decode(secret.removeprefix(_PREFIX))
    # over the id and the time as well, so that neither can be exchanged
    return hmac.digest(key, f"{delivery.message_id}.{timestamp}.{delivery.body}".encode(), "sha256").hex()
