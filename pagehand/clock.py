"""Time as Pagehand keeps it: milliseconds since 1970, UTC; ISO 8601 with `Z` on the wire."""

import time
from datetime import UTC, datetime


def now_ms() -> int:
    """The present moment in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def to_iso(moment_ms: int) -> str:
    """`2026-01-31T09:15:00.123Z` for a moment in milliseconds."""
    seconds, milliseconds = divmod(moment_ms, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{milliseconds:03d}Z"


def from_iso(text: str) -> int:
    """Milliseconds of an ISO 8601 text; one without an offset counts as UTC. Raises ValueError."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    # timedelta arithmetic instead of timestamp(): floats lose the last millisecond
    passed = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return (passed.days * 86_400 + passed.seconds) * 1000 + passed.microseconds // 1000
