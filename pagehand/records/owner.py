"""The process that runs a database's executions."""

from dataclasses import dataclass


@dataclass(slots=True, frozen=True, kw_only=True)
class Owner:
    """The process that runs a database's executions."""

    token: str
    installation: str
    """Identifies its data folder, which only one process uses at a time."""
    description: str
    beat_at: int = 0
    """Its latest heartbeat, by the database's clock."""
    silent_ms: int = 0
    """How long ago that was, by the same clock."""
