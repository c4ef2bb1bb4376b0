"""A restored database: everything after its snapshot may have happened, so nothing of it is done again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, delete, func, select, text, update

from pagehand.clock import now_ms
from pagehand.errors import Conflict
from pagehand.records import LOST_AFTER_SECONDS, Schedule, ScheduleRun, Status
from pagehand.storage.database import POSTGRES_NOW_MS
from pagehand.storage.schedules import miss_moments
from pagehand.storage.tables import (
    api_keys,
    assignments,
    awaited_logins,
    batches,
    console_sessions,
    engine_owner,
    executions,
    held_logins,
    login_mails,
    login_sessions,
    messages_to_runs,
    organizations,
    recent_accepts,
    workers,
)
from pagehand.storage.webhooks import keep_unsent

OF_THE_MOMENT: Final = (
    engine_owner,
    workers,
    assignments,
    messages_to_runs,
    held_logins,
    awaited_logins,
    recent_accepts,
    # a session that was renewed since the snapshot: some sites take its old tokens for stolen
    login_sessions,
    login_mails,
    # one that has ended since must not work again: people sign in to the console once more
    console_sessions,
)
"""Tables that describe only the present moment: their rows are in no backup, and survive no restore."""
_ENDED: Final = (
    "It had not ended when the backup was made. Whether it ran afterwards cannot be known here: look at the "
    "site it works on, and retry it if nothing has happened there."
)
_UNSENT: Final = (
    "It had not been sent when the backup was made. Whether it was sent afterwards cannot be known here: ask "
    "the receiver, and send it again with `/webhooks/redeliver` if it has not arrived."
)
_FAILURE: Final = {
    "code": "WorkerLost",
    "message": _ENDED,
    "blockId": None,
    "blockReferenceId": None,
    "locator": None,
    "cancelled": None,
}


@dataclass(slots=True, frozen=True)
class Settled:
    """What was kept from being done again."""

    executions: int
    schedules: int
    deliveries: int
    keys: Sequence[str]
    """The API keys that are valid, also those revoked since the snapshot: organization, id and name."""


def settle(connection: Connection, skip: Callable[[Schedule, int], ScheduleRun]) -> Settled:
    """Keep a restored database from repeating anything, within the caller's transaction.

    `skip` moves a schedule past now, see `schedules.miss_moments`.
    """
    now = _now(connection)
    for table in OF_THE_MOMENT:
        connection.execute(delete(table))
    ended = _end_unfinished(connection, now)
    # all executions of all batches have ended, and whether that was announced since is unknown
    announced = update(batches).where(batches.c.announced_at.is_(None)).values(announced_at=now)
    connection.execute(announced)
    return Settled(
        ended, miss_moments(connection, now, skip), keep_unsent(connection, _UNSENT), _valid_keys(connection)
    )


def refuse_while_used(connection: Connection) -> None:
    """Raise Conflict while a service or worker uses the database."""
    beats = [
        connection.execute(select(func.max(table.c.beat_at))).scalar() for table in (engine_owner, workers)
    ]
    if any(beat is not None and abs(_now(connection) - beat) < LOST_AFTER_SECONDS * 1000 for beat in beats):
        raise Conflict(
            "a service or worker uses the database, or did within the last half minute: stop it first."
        )


def _now(connection: Connection) -> int:
    """The time on the clock that decides what is due."""
    if connection.dialect.name == "sqlite":
        return now_ms()
    return connection.execute(text(f"SELECT {POSTGRES_NOW_MS}")).scalar_one()


def _end_unfinished(connection: Connection, now: int) -> int:
    """End them instead of running them again: they may have run since the snapshot."""
    ended = connection.execute(
        update(executions)
        .where(executions.c.status.not_in([Status.COMPLETED, Status.FAILED]))
        .values(
            status=Status.FAILED,
            end_time=now,
            error_analysis=_ENDED,
            duration_ms=func.coalesce(executions.c.duration_ms, 0),
            failure=_FAILURE,
            # a run that began before the snapshot cannot write to it any more
            fence=executions.c.fence + 1,
            waiting=None,
            live_view_url=None,
        )
    )
    return ended.rowcount


def _valid_keys(connection: Connection) -> list[str]:
    query = (
        select(organizations.c.name, api_keys.c.id, api_keys.c.name)
        .join_from(api_keys, organizations)
        .where(api_keys.c.revoked_at.is_(None))
        .order_by(organizations.c.name, api_keys.c.id)
    )
    return [
        f"{organization}: {key_id} ({name or 'no name'})"
        for organization, key_id, name in connection.execute(query)
    ]
