"""Time-based one-time codes (RFC 6238), from a seed or an `otpauth://` address."""

import binascii
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import pyotp

from pagehand.errors import InvalidRequest

_EXPECTED: Final = (
    "expected a base32 seed (letters A to Z and digits 2 to 7) or an `otpauth://totp/…` address"
)


@dataclass(frozen=True, slots=True)
class TotpCode:
    """A code and how long it stays valid."""

    code: str
    seconds_remaining: int


def check_seed(field: str, seed: str) -> None:
    """Raise for a malformed seed; the message names `field`, never the seed."""
    try:
        code_at(seed, 0)
    except (ValueError, binascii.Error):
        raise InvalidRequest(f"`{field}`: {_EXPECTED}") from None


def code_at(seed: str, moment: float) -> TotpCode:
    """The code at a Unix time."""
    generator = _generator(seed)
    passed = int(moment) % generator.interval
    # an aware moment: pyotp reads a plain number as local time, which summer time shifts
    code = generator.at(datetime.fromtimestamp(moment, UTC))
    return TotpCode(code=code, seconds_remaining=generator.interval - passed)


def code_now(seed: str) -> TotpCode:
    """The current code."""
    return code_at(seed, time.time())


def _generator(seed: str) -> pyotp.TOTP:
    if seed.strip().lower().startswith("otpauth:"):
        parsed = pyotp.parse_uri(seed.strip())
        if not isinstance(parsed, pyotp.TOTP) or parsed.interval <= 0:
            raise ValueError(_EXPECTED)
        parsed.secret = _compact(parsed.secret)
        return parsed
    return pyotp.TOTP(_compact(seed))


def _compact(seed: str) -> str:
    """As authenticator apps read it: groups, dashes, case and padding do not matter."""
    compact = "".join(seed.split()).replace("-", "").rstrip("=").upper()
    if not compact:
        raise ValueError(_EXPECTED)
    return compact
