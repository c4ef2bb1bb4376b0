"""Ids: a readable prefix and a body that sorts by time (`exec_01k3v8…`)."""

import os
import threading
from typing import Final

from pagehand.clock import now_ms

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no i, l, o, u
_PAIRS: Final = [first + second for first in _ALPHABET for second in _ALPHABET]
_RANDOM_BYTES: Final = 10
_STEP_BYTES: Final = 4
# a call of the kernel takes longer than the rest of making an id, so each one fetches bytes for hundreds
_POOL_BYTES: Final = 4096
_BODY_SHIFTS: Final = range(120, -1, -10)  # 26 letters, two at a time


class _Sequence:
    """Makes 128-bit numbers, each greater than the last of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0
        self._pool = b""
        self._used = 0

    def next(self) -> int:
        with self._lock:
            number = (now_ms() << 8 * _RANDOM_BYTES) | self._random(_RANDOM_BYTES)
            # two ids within a millisecond, or a clock that was set back: continue from the last one
            if number <= self._last:
                number = self._last + 1 + self._random(_STEP_BYTES)
            self._last = number
            return number

    def clear_pool(self) -> None:
        self._pool = b""

    def _random(self, count: int) -> int:
        if self._used + count > len(self._pool):
            self._pool, self._used = os.urandom(_POOL_BYTES), 0
        taken = self._pool[self._used : self._used + count]
        self._used += count
        return int.from_bytes(taken)


_sequence = _Sequence()
# a forked process with the same pool would make the same ids
os.register_at_fork(after_in_child=_sequence.clear_pool)


def new_id(prefix: str) -> str:
    """A new id, greater than every id this process made before."""
    number = _sequence.next()
    body = "".join([_PAIRS[(number >> shift) & 1023] for shift in _BODY_SHIFTS])
    return f"{prefix}_{body}"
