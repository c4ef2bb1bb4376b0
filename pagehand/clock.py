"""Times as Pagehand stores them, in milliseconds since 1970, and sends them, in ISO 8601 with `Z`."""

import time
from datetime import UTC, datetime


def now_ms() -> int:
    """The current time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def to_iso(time_ms: int) -> str:
    """A time in milliseconds as `2026-01-31T09:15:00.123Z`."""
    seconds, milliseconds = divmod(time_ms, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{milliseconds:03d}Z"


def to_optional_iso(time_ms: int | None) -> str | None:
    """The same for a time that may be missing."""
    return None if time_ms is None else to_iso(time_ms)


def from_iso(text: str) -> int:
    """Milliseconds of an ISO 8601 time; without an offset it counts as UTC. Raises ValueError."""
    time_utc = datetime.fromisoformat(text)
    if time_utc.tzinfo is None:
        time_utc = time_utc.replace(tzinfo=UTC)
    # timedelta arithmetic instead of timestamp(): floats lose the last millisecond
    elapsed = time_utc - datetime(1970, 1, 1, tzinfo=UTC)
    return (elapsed.days * 86_400 + elapsed.seconds) * 1000 + elapsed.microseconds // 1000
