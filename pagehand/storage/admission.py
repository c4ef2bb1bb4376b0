"""Admission: which enqueued executions become jobs in the queue that several workers share.

Only a few of each organization are in the queue at a time, so that ten thousand of one do not delay another.
The limits of an execution, its exclusive logins and its batch's concurrency, are checked only here: whatever
a worker takes from the queue may run.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.clock import now_ms
from pagehand.records import Status
from pagehand.storage.columns import JsonText
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.exclusive_logins import (
    hold_logins,
    lock_admission,
    release_logins,
    release_orphaned_logins,
    try_lock_admission,
)
from pagehand.storage.run_claim import retry_in_runs
from pagehand.storage.tables import executions

Defer = Callable[[AsyncConnection, "Sequence[Candidate]"], Awaitable[None]]
"""Adds jobs to the queue within the caller's transaction."""

_STATE = text("""
    SELECT
      (SELECT count(*) FROM procrastinate_jobs WHERE queue_name = :organization_id AND status = 'todo'
        AND coalesce(CAST(args->>'browser' AS boolean), true)) AS with_browser,
      (SELECT count(*) FROM procrastinate_jobs WHERE queue_name = :organization_id AND status = 'todo'
        AND NOT coalesce(CAST(args->>'browser' AS boolean), true)) AS without_browser,
      ARRAY(SELECT args->>'batch' FROM procrastinate_jobs
        WHERE queue_name = :organization_id AND args->>'batch' IS NOT NULL) AS batches,
      ARRAY(SELECT id FROM batches WHERE organization_id = :organization_id
        AND paused_at IS NOT NULL AND cancelled_at IS NULL) AS paused
""")
# The status is part of the text, not a value: otherwise the partial index on enqueued ones is not used.
# Jobs are read into an array: with a join and outdated statistics, all that wait would be read and sorted.
_CANDIDATES = text("""
    SELECT id, organization_id, priority, exclusive_logins, batch_id, batch_concurrency, needs_browser
    FROM executions
    WHERE organization_id = :organization_id AND needs_browser = :needs_browser AND status = 'Enqueued'
      AND (not_before IS NULL OR not_before <= :now)
      AND id <> ALL(CAST(:admitted AS text[]))
      AND (batch_id IS NULL OR batch_id <> ALL(CAST(:full AS text[])))
      AND id <> ALL(ARRAY(SELECT lock FROM procrastinate_jobs WHERE queue_name = :organization_id))
      AND (exclusive_logins = '[]' OR NOT EXISTS (
        SELECT 1 FROM held_logins AS held WHERE held.execution_id <> executions.id
        AND held.login_id IN (SELECT json_array_elements_text(CAST(executions.exclusive_logins AS json)))))
    ORDER BY priority DESC, n LIMIT :limit
""").columns(exclusive_logins=JsonText)
_DELETE_JOBS = text("DELETE FROM procrastinate_jobs WHERE lock = ANY(:ids) AND status = 'todo'")
_DELETE_JOBS_OF_BATCH = text(
    "DELETE FROM procrastinate_jobs WHERE queue_name = :organization_id AND args->>'batch' = :batch_id "
    "AND status = 'todo'"
)


@dataclass(slots=True, frozen=True)
class Candidate:
    """An enqueued execution that may be admitted."""

    id: str
    organization_id: str
    priority: int
    exclusive_logins: list[str]
    batch_id: str | None
    batch_concurrency: int | None
    needs_browser: bool


@retry_in_runs
class AdmissionStore:
    """Admits enqueued executions to the queue, and takes them out of it again."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def organizations(self) -> list[str]:
        """Organizations with enqueued executions."""
        query = select(executions.c.organization_id).where(executions.c.status == Status.ENQUEUED).distinct()
        async with self._database.read() as connection:
            return list((await connection.execute(query)).scalars())

    @uncancellable
    async def admit(
        self, organization_id: str, window: int, defer: Defer, *, unless_others_do: bool = False
    ) -> int:
        """Admit as many as there is room for, with at most `window` in the queue; how many.

        Those that need no browser have a window of their own: they do not wait for one.
        With `unless_others_do` none are admitted while another process admits for the organization.
        """
        admitted: list[Candidate] = []
        async with self._database.write() as connection:
            if not unless_others_do:
                await lock_admission(connection, organization_id)
            elif not await try_lock_admission(connection, organization_id):
                return 0
            state = await _read_state(connection, organization_id)
            for needs_browser, queued in ((True, state.with_browser), (False, state.without_browser)):
                room = window - queued
                # every round admits some, or finds a batch that is full
                while room > 0 and (
                    found := await _candidates(
                        connection, organization_id, needs_browser, state.batches, admitted, window
                    )
                ):
                    chosen = _choose(found, state.batches, room)
                    await hold_logins(connection, _logins_of(chosen))
                    admitted += chosen
                    room -= len(chosen)
            if admitted:
                await defer(connection, admitted)
        return len(admitted)

    @uncancellable
    async def withdraw(self, organization_id: str, batch_id: str) -> None:
        """Take a batch's jobs that no worker has begun out of the queue; their executions stay enqueued."""
        async with self._database.write() as connection:
            await lock_admission(connection, organization_id)
            values = {"organization_id": organization_id, "batch_id": batch_id}
            await connection.execute(_DELETE_JOBS_OF_BATCH, values)
            await release_orphaned_logins(connection)

    @uncancellable
    async def release(self, ids: Sequence[str]) -> None:
        """Take executions that have ended out of the queue, and release their logins."""
        async with self._database.write() as connection:
            await connection.execute(_DELETE_JOBS, {"ids": list(ids)})
            await release_logins(connection, ids)


class _BatchJobs(Counter[str]):
    """How many jobs each batch has in the queue, and the batches of which no more may be admitted."""

    def __init__(self, batches: Iterable[str], paused: Iterable[str]) -> None:
        super().__init__(batches)
        self.full = set(paused)

    def admit(self, candidate: Candidate) -> bool:
        """Count a candidate, if its batch has room."""
        if candidate.batch_id is None or not candidate.batch_concurrency:
            return True
        if self[candidate.batch_id] >= candidate.batch_concurrency:
            self.full.add(candidate.batch_id)
            return False
        self[candidate.batch_id] += 1
        return True


@dataclass(slots=True, frozen=True)
class _State:
    """What is in the queue already."""

    with_browser: int
    without_browser: int
    batches: _BatchJobs


async def _read_state(connection: AsyncConnection, organization_id: str) -> _State:
    found = (await connection.execute(_STATE, {"organization_id": organization_id})).mappings().one()
    batches = _BatchJobs(found["batches"], found["paused"])
    return _State(found["with_browser"], found["without_browser"], batches)


async def _candidates(
    connection: AsyncConnection,
    organization_id: str,
    needs_browser: bool,
    batches: _BatchJobs,
    admitted: Sequence[Candidate],
    limit: int,
) -> list[Candidate]:
    values = {
        "organization_id": organization_id,
        "needs_browser": needs_browser,
        "now": now_ms(),
        "admitted": [item.id for item in admitted],
        "full": list(batches.full),
        "limit": limit,
    }
    return [Candidate(**row) for row in (await connection.execute(_CANDIDATES, values)).mappings()]


def _choose(found: Sequence[Candidate], batches: _BatchJobs, room: int) -> list[Candidate]:
    """The candidates that may run together: their logins are distinct and their batches have room."""
    chosen: list[Candidate] = []
    logins: set[str] = set()
    for candidate in found:
        if len(chosen) == room:
            break
        if logins.isdisjoint(candidate.exclusive_logins) and batches.admit(candidate):
            logins.update(candidate.exclusive_logins)
            chosen.append(candidate)
    return chosen


def _logins_of(candidates: Sequence[Candidate]) -> list[tuple[str, str]]:
    return [
        (login_id, candidate.id)
        for candidate in candidates
        for login_id in dict.fromkeys(candidate.exclusive_logins)
    ]
