"""When a delivery that failed is tried again."""

import random

KEPT_TRYING_MS = 24 * 3_600_000
"""How long a delivery is tried."""
_FIRST_SECONDS = 5.0
_GROWTH = 3.0
_MAX_SECONDS = 4 * 3600.0
_JITTER = 0.2


def next_attempt(created_at: int, attempts: int, now: int) -> int | None:
    """The moment of the next attempt after so many; None when the day is over.

    About 5 s, 15 s, 45 s … up to 4 hours apart, each with some jitter so that a target that comes back does
    not get everything at once; the last attempt is at the end of the day.
    """
    end = created_at + KEPT_TRYING_MS
    if now >= end:
        return None
    seconds = min(_FIRST_SECONDS * _GROWTH ** min(attempts - 1, 20), _MAX_SECONDS)
    spread = random.uniform(1 - _JITTER, 1 + _JITTER)  # noqa: S311 - spreads load, guards nothing
    return min(now + round(seconds * spread * 1000), end)
