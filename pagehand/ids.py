"""Ids: a readable prefix and a body that sorts by time (`exec_01k3v8…`)."""

import secrets
import threading
from typing import Final

from pagehand.clock import now_ms

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no i, l, o, u
_PAIRS: Final = [first + second for first in _ALPHABET for second in _ALPHABET]
_RANDOM_BITS: Final = 80
_BODY_SHIFTS: Final = range(120, -1, -10)  # 26 letters, two at a time


class _Sequence:
    """Makes 128-bit numbers, each greater than the last of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def next(self) -> int:
        with self._lock:
            number = (now_ms() << _RANDOM_BITS) | secrets.randbits(_RANDOM_BITS)
            # two ids within a millisecond, or a clock that was set back: continue from the last one
            self._last = max(number, self._last + 1 + secrets.randbits(32))
            return self._last


_sequence = _Sequence()


def new_id(prefix: str) -> str:
    """A new id, greater than every id this process made before."""
    number = _sequence.next()
    body = "".join([_PAIRS[(number >> shift) & 1023] for shift in _BODY_SHIFTS])
    return f"{prefix}_{body}"
