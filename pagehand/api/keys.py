"""API keys: `ph_<id>_<secret>`; only a digest of the secret is stored."""

import hashlib
import hmac
import secrets
from typing import Final

from pagehand.api.scopes import ALL_SCOPES
from pagehand.clock import now_ms
from pagehand.ids import new_id
from pagehand.records import ApiKey

_SECRET_BYTES: Final = 32


def new_key(
    organization_id: str, *, name: str | None = None, scopes: list[str] | None = None
) -> tuple[ApiKey, str]:
    """A new key: the record to store, and the text to show once."""
    key_id = new_id("key")
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    key = ApiKey(
        id=key_id,
        organization_id=organization_id,
        name=name,
        digest=digest_of(key_id, secret),
        scopes=scopes or [ALL_SCOPES],
        created_at=now_ms(),
    )
    return key, f"ph_{key_id.removeprefix('key_')}_{secret}"


def read_key(text: str) -> tuple[str, str] | None:
    """Id and secret of a key's text; None when it is malformed."""
    # at most two splits: the secret is URL-safe base64, which may contain `_`
    parts = text.split("_", 2)
    if len(parts) != 3 or parts[0] != "ph" or not parts[1] or not parts[2]:  # noqa: PLR2004 - prefix, id, secret
        return None
    return f"key_{parts[1]}", parts[2]


def digest_of(key_id: str, secret: str) -> bytes:
    """What is stored; the secret is 256 random bits, so a slow hash would add nothing."""
    return hmac.digest(f"pagehand key {key_id}".encode(), secret.encode(), hashlib.sha256)


def is_valid_secret(key: ApiKey, secret: str) -> bool:
    """Whether the secret is the key's and the key is not revoked."""
    # the digest first, so that both refusals take the same time
    return hmac.compare_digest(key.digest, digest_of(key.id, secret)) and key.revoked_at is None
