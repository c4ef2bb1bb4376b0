"""Limits on an organization's queued executions, and on how many it may start per minute.

Both are checked at the end of the transaction that adds the executions, so all processes share one limit.
On PostgreSQL the organization's lock is taken right before the commit: a large batch holds it for a moment,
not while its rows are inserted.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, delete, func, select, text

from pagehand.clock import now_ms
from pagehand.errors import InvalidRequest, TooMany
from pagehand.records import Execution
from pagehand.storage import advisory_locks
from pagehand.storage.database import POSTGRES_NOW_MS
from pagehand.storage.tables import recent_accepts

_MINUTE_MS: Final = 60_000
_RETRY_FULL_QUEUE_SECONDS: Final = 10
"""A guess: when queued executions will end is unknown."""

_LOCK_ACCEPTING = text(f"""
    SELECT {POSTGRES_NOW_MS}
    FROM (
      SELECT pg_advisory_xact_lock({advisory_locks.ACCEPTING}, hashtext(:organization_id)) OFFSET 0
    ) AS locked
""")  # noqa: S608 - our own text
_IS_QUEUED = "organization_id = :organization_id AND dimension = 'workflow' AND status = 'Enqueued'"
_QUEUED_SQLITE = text(f"SELECT coalesce(sum(count), 0) FROM execution_counts WHERE {_IS_QUEUED}")  # noqa: S608 - our own names
_QUEUED_POSTGRES = text(f"""
    SELECT (SELECT coalesce(sum(count), 0) FROM execution_counts WHERE {_IS_QUEUED})
      + (SELECT coalesce(sum(change), 0) FROM execution_count_changes WHERE {_IS_QUEUED})
""")  # noqa: S608 - as above
_RECENT = recent_accepts.c
_EXPIRING = select(
    _RECENT.at,
    _RECENT.organization_id,
    func.sum(_RECENT.count).over(partition_by=_RECENT.organization_id, order_by=_RECENT.n).label("expiring"),
).subquery()


@dataclass(slots=True, frozen=True)
class AcceptLimits:
    """The limits of one organization; 0 for no limit."""

    queued: int = 0
    per_minute: int = 0
    stored_bytes: int = 0
    """Of files; checked by `FileInfoStore`."""

    def check_size(self, more: int) -> None:
        """Raise InvalidRequest for a request with more executions than the limit per minute."""
        if 0 < self.per_minute < more:
            raise InvalidRequest(
                f"{more} executions at once are more than the {self.per_minute} that an organization may "
                "start per minute (`PAGEHAND_MAX_PER_MINUTE`); send fewer at a time."
            )


def check_limits(connection: Connection, limits: AcceptLimits, added: Sequence[Execution]) -> None:
    """Raise TooMany, which rolls the transaction back, if the executions just added exceed a limit.

    They belong to one organization. Call it last: it locks the organization until the commit.
    """
    if not added or not (limits.queued or limits.per_minute):
        return
    organization_id, more = added[0].organization_id, len(added)
    limits.check_size(more)
    now = lock_accepting(connection, organization_id)
    if limits.queued:
        queued_now = _QUEUED_SQLITE if connection.dialect.name == "sqlite" else _QUEUED_POSTGRES
        queued = connection.execute(queued_now, {"organization_id": organization_id}).scalar_one()
        if queued > limits.queued:
            raise queue_full_error(limits.queued, int(queued) - more)
    if limits.per_minute:
        _check_rate(connection, limits.per_minute, organization_id, more, now)


def lock_accepting(connection: Connection, organization_id: str) -> int:
    """Lock the organization against other accepts until the commit; returns the database's time."""
    if connection.dialect.name == "sqlite":  # one writer at a time
        return now_ms()
    return connection.execute(_LOCK_ACCEPTING, {"organization_id": organization_id}).scalar_one()


def queue_full_error(limit: int, queued: int) -> TooMany:
    """The error for executions that do not fit into the queue."""
    return TooMany(
        f"{queued} executions of this organization wait already, and {limit} may "
        "(`PAGEHAND_MAX_QUEUED`); try again when some have run.",
        retry_after_seconds=_RETRY_FULL_QUEUE_SECONDS,
    )


def _check_rate(connection: Connection, limit: int, organization_id: str, more: int, now: int) -> None:
    own = _RECENT.organization_id == organization_id
    # those in the future were accepted before the clock was set back
    is_over = (_RECENT.at <= now - _MINUTE_MS) | (_RECENT.at > now)
    connection.execute(delete(recent_accepts).where(own, is_over))
    used = int(connection.execute(select(func.coalesce(func.sum(_RECENT.count), 0)).where(own)).scalar_one())
    if used + more > limit:
        raise _rate_error(limit, used, _wait_ms(connection, organization_id, used + more - limit, now))
    row = {"organization_id": organization_id, "at": now, "count": more}
    connection.execute(recent_accepts.insert().values(row))


def _wait_ms(connection: Connection, organization_id: str, over: int, now: int) -> int:
    """How long until so many of those accepted within the last minute are older than a minute."""
    enough = (_EXPIRING.c.organization_id == organization_id) & (_EXPIRING.c.expiring >= over)
    return connection.execute(select(func.min(_EXPIRING.c.at)).where(enough)).scalar_one() + _MINUTE_MS - now


def _rate_error(limit: int, used: int, wait_ms: int) -> TooMany:
    seconds = max(1, math.ceil(wait_ms / 1000))
    return TooMany(
        f"This organization has started {used} executions within a minute, and {limit} are allowed "
        f"(`PAGEHAND_MAX_PER_MINUTE`); try again in {seconds} s.",
        retry_after_seconds=seconds,
    )
