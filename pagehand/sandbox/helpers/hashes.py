"""Hashes, signatures and base64."""

import base64 as _pagehand_base64
import hashlib as _pagehand_hashlib


def sha256(text: str) -> str:
    """The SHA-256 of a text, in hex."""
    return _pagehand_hashlib.sha256(text.encode("utf-8")).hexdigest()


def md5(text: str) -> str:
    """The MD5 of a text, in hex; for old interfaces, not for secrets."""
    return _pagehand_hashlib.md5(text.encode("utf-8")).hexdigest()  # noqa: S324 - asked for by name


def hmac_sha256(key: str, text: str) -> str:
    """The keyed SHA-256 of a text, in hex, as web services sign requests."""
    secret = key.encode("utf-8")
    if len(secret) > 64:  # noqa: PLR2004 - the block of SHA-256
        secret = _pagehand_hashlib.sha256(secret).digest()
    padded = [secret[n] if n < len(secret) else 0 for n in range(64)]
    inner = bytes.fromhex("".join([f"{byte ^ 0x36:02x}" for byte in padded]))
    outer = bytes.fromhex("".join([f"{byte ^ 0x5C:02x}" for byte in padded]))
    digest = _pagehand_hashlib.sha256(inner + text.encode("utf-8")).digest()
    return _pagehand_hashlib.sha256(outer + digest).hexdigest()


def base64_encode(text: str) -> str:
    """Text in base64."""
    return _pagehand_base64.b64encode(text.encode("utf-8")).decode()


def base64_decode(text: str) -> str:
    """The text in base64, of either alphabet, with or without its `=`."""
    plain = text.strip().replace("-", "+").replace("_", "/").rstrip("=")
    return _pagehand_base64.b64decode(plain + "=" * (-len(plain) % 4)).decode("utf-8", "replace")
