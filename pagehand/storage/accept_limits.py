"""How many executions an organization may have waiting, and how many it may start per minute.

Both are counted in the transaction that adds the executions, after they were added, so all processes on a
database keep one limit. On PostgreSQL who adds takes the organization's lock right before the commit: a large
batch holds it for that moment only, not for the time that its rows take.
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
from pagehand.storage.tables import recent_accepts

_MINUTE_MS: Final = 60_000
_FULL_SECONDS: Final = 10
"""When a caller may try again whose queue is full: nobody knows when executions end."""

_LOCK_ACCEPTING = text(f"""
    SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)
    FROM (
      SELECT pg_advisory_xact_lock({advisory_locks.ACCEPTING}, hashtext(:organization_id)) OFFSET 0
    ) AS locked
""")  # noqa: S608 - our own number
_COUNTED = "organization_id = :organization_id AND dimension = 'workflow' AND status = 'Enqueued'"
_QUEUED_SQLITE = text(f"SELECT coalesce(sum(count), 0) FROM execution_counts WHERE {_COUNTED}")  # noqa: S608 - our own names
_QUEUED_POSTGRES = text(f"""
    SELECT (SELECT coalesce(sum(count), 0) FROM execution_counts WHERE {_COUNTED})
      + (SELECT coalesce(sum(change), 0) FROM execution_count_changes WHERE {_COUNTED})
""")  # noqa: S608 - as above
_RECENT = recent_accepts.c
_LEAVING = select(
    _RECENT.at,
    _RECENT.organization_id,
    func.sum(_RECENT.count).over(partition_by=_RECENT.organization_id, order_by=_RECENT.n).label("leaving"),
).subquery()


@dataclass(slots=True, frozen=True)
class AcceptLimits:
    """What one organization may have accepted; 0 for any number."""

    queued: int = 0
    per_minute: int = 0

    def refuse_for_good(self, more: int) -> None:
        """Raise InvalidRequest for more executions at once than any minute has room for."""
        if 0 < self.per_minute < more:
            raise InvalidRequest(
                f"{more} executions at once are more than the {self.per_minute} that an organization may "
                "start per minute (`PAGEHAND_MAX_PER_MINUTE`); send fewer at a time."
            )


def keep_limits(connection: Connection, limits: AcceptLimits, added: Sequence[Execution]) -> None:
    """Raise TooMany, which undoes the transaction, where the executions just added are over a limit.

    They belong to one organization. Call it last: others of the organization wait until the commit.
    """
    if not added or limits == AcceptLimits():
        return
    organization_id, more = added[0].organization_id, len(added)
    limits.refuse_for_good(more)
    now = lock_accepting(connection, organization_id)
    if limits.queued:
        queued_now = _QUEUED_SQLITE if connection.dialect.name == "sqlite" else _QUEUED_POSTGRES
        queued = connection.execute(queued_now, {"organization_id": organization_id}).scalar_one()
        if queued > limits.queued:
            raise queue_is_full(limits.queued, int(queued) - more)
    if limits.per_minute:
        _keep_rate(connection, limits.per_minute, organization_id, more, now)


def lock_accepting(connection: Connection, organization_id: str) -> int:
    """Let nobody else add executions of the organization before the commit; the database's time."""
    if connection.dialect.name == "sqlite":  # has one writer at a time: this one
        return now_ms()
    return connection.execute(_LOCK_ACCEPTING, {"organization_id": organization_id}).scalar_one()


def queue_is_full(limit: int, queued: int) -> TooMany:
    """The refusal of executions for which there is no room among those that wait."""
    return TooMany(
        f"{queued} executions of this organization wait already, and {limit} may "
        "(`PAGEHAND_MAX_QUEUED`); try again when some have run.",
        retry_after_seconds=_FULL_SECONDS,
    )


def _keep_rate(connection: Connection, limit: int, organization_id: str, more: int, now: int) -> None:
    own = _RECENT.organization_id == organization_id
    connection.execute(delete(recent_accepts).where(own, _RECENT.at <= now - _MINUTE_MS))
    used = int(connection.execute(select(func.coalesce(func.sum(_RECENT.count), 0)).where(own)).scalar_one())
    if used + more > limit:
        raise _too_fast(limit, used, _wait_ms(connection, organization_id, used + more - limit, now))
    row = {"organization_id": organization_id, "at": now, "count": more}
    connection.execute(recent_accepts.insert().values(row))


def _wait_ms(connection: Connection, organization_id: str, over: int, now: int) -> int:
    """How long until so many of those that were accepted within the last minute are older."""
    enough = (_LEAVING.c.organization_id == organization_id) & (_LEAVING.c.leaving >= over)
    return connection.execute(select(func.min(_LEAVING.c.at)).where(enough)).scalar_one() + _MINUTE_MS - now


def _too_fast(limit: int, used: int, wait_ms: int) -> TooMany:
    seconds = max(1, math.ceil(wait_ms / 1000))
    return TooMany(
        f"This organization has started {used} executions within a minute, and {limit} are allowed "
        f"(`PAGEHAND_MAX_PER_MINUTE`); try again in {seconds} s.",
        retry_after_seconds=seconds,
    )
