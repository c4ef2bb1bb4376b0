"""Time-based one-time codes (RFC 6238), from a seed or an `otpauth://` address."""

import base64
import hmac
import time
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from pagehand.errors import InvalidRequest

_EXPECTED: Final = (
    "expected a base32 seed (letters A to Z and digits 2 to 7) or an `otpauth://totp/…` address"
)
_ALGORITHMS: Final = ("SHA1", "SHA256", "SHA512")
_DIGITS: Final = ("6", "7", "8")
_STEAM_LETTERS: Final = "23456789BCDFGHJKMNPQRTVWXY"
_STEAM_LENGTH: Final = 5


@dataclass(frozen=True, slots=True)
class TotpCode:
    """A code and how long it stays valid."""

    code: str
    seconds_remaining: int


def check_seed(field: str, seed: str) -> None:
    """Raise for a malformed seed; the message names `field`, never the seed."""
    try:
        _read(seed)
    except ValueError:
        raise InvalidRequest(f"`{field}`: {_EXPECTED}") from None


def code_at(seed: str, moment: float) -> TotpCode:
    """The code at a Unix time."""
    generator = _read(seed)
    count, passed = divmod(int(moment), generator.period)
    return TotpCode(code=generator.code(count), seconds_remaining=generator.period - passed)


def code_now(seed: str) -> TotpCode:
    """The current code."""
    return code_at(seed, time.time())


@dataclass(frozen=True, slots=True)
class _Generator:
    """What makes the codes. Seeds of any length: many sites still give out 80 bits."""

    key: bytes
    algorithm: str = "sha1"
    digits: int = 6
    period: int = 30
    is_steam: bool = False

    def code(self, count: int) -> str:
        """The code of a period, counted from 1970."""
        digest = hmac.digest(self.key, count.to_bytes(8, "big"), self.algorithm)
        start = digest[-1] & 0xF
        number = int.from_bytes(digest[start : start + 4], "big") & 0x7FFFFFFF
        if not self.is_steam:
            return str(number % 10**self.digits).zfill(self.digits)
        letters = ""
        for _ in range(_STEAM_LENGTH):
            number, place = divmod(number, len(_STEAM_LETTERS))
            letters += _STEAM_LETTERS[place]
        return letters


def _read(seed: str) -> _Generator:
    """What a seed or an address says; raises ValueError."""
    if not seed.strip().lower().startswith("otpauth:"):
        return _Generator(_key(seed))
    address = urlsplit(seed.strip())
    given = dict(parse_qsl(address.query))
    algorithm, digits = given.get("algorithm", "SHA1").upper(), given.get("digits", "6")
    period, is_steam = int(given.get("period", "30")), given.get("encoder") == "steam"
    is_known = algorithm in _ALGORITHMS and (is_steam or digits in _DIGITS)
    if address.netloc.lower() != "totp" or not is_known or period <= 0:
        raise ValueError(_EXPECTED)
    return _Generator(_key(given.get("secret", "")), algorithm.lower(), int(digits), period, is_steam)


def _key(seed: str) -> bytes:
    """As authenticator apps read it: groups, dashes, case and padding do not matter."""
    compact = "".join(seed.split()).replace("-", "").rstrip("=").upper()
    if not compact:
        raise ValueError(_EXPECTED)
    return base64.b32decode(compact + "=" * (-len(compact) % 8))
