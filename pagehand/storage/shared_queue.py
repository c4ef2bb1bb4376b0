"""The queue that several workers share: workers take enqueued executions from their table.

An execution is assigned to a worker from the moment it is taken until its attempt is over. So an assignment
shows who runs an execution, and the worker's heartbeat whether it is still alive.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Boolean, RowMapping, column, delete, select, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.clock import now_ms
from pagehand.records import Execution
from pagehand.storage.database import POSTGRES_NOW_MS, Database, uncancellable
from pagehand.storage.exclusive_logins import lock_logins
from pagehand.storage.execution_rows import EXECUTION_COLUMNS
from pagehand.storage.run_claim import RUNNING, retry_in_runs
from pagehand.storage.tables import assignments, executions, workers

_MAX_KNOWN: Final = 5
"""If so many organizations wait, a worker does not learn which."""
# `lanes` holds the first waiting execution of each organization, with and without a browser: one index lookup
# each, however many wait. Organizations of which the fewest run come first, so ten thousand executions of one
# do not delay another. The status is part of the text, not a value: otherwise the partial index is not used.
# Another worker may assign the execution between the snapshot and the insert: then nothing is inserted.
_WAITS = "waiting.status = 'Enqueued'"
_FIRST = "ORDER BY waiting.organization_id, waiting.needs_browser, waiting.priority DESC, waiting.n LIMIT 1"
_LANE = "waiting.organization_id, waiting.needs_browser, waiting.priority, waiting.n"
_WAITING_ORGANIZATIONS = f"""ARRAY(SELECT lanes.organization_id FROM lanes, LATERAL (
        SELECT 1 FROM executions AS waiting WHERE {_WAITS} AND waiting.organization_id = lanes.organization_id
          AND waiting.needs_browser = lanes.needs_browser AND waiting.id <> chosen.id
          AND waiting.id <> ALL(ARRAY(SELECT execution_id FROM assignments)) LIMIT 1
      ) AS other WHERE lanes.needs_browser = {{needs_browser}} LIMIT {_MAX_KNOWN})"""  # noqa: S608 - our own names
_MAY_BEGIN = "(:{sort}_any OR (:{sort}_others AND organization_id <> ALL(CAST(:{sort}_present AS text[]))))"
_TAKE = text(f"""
    WITH RECURSIVE lanes (organization_id, needs_browser, priority, n) AS (
      (SELECT {_LANE} FROM executions AS waiting WHERE {_WAITS} {_FIRST})
      UNION ALL
      SELECT next.* FROM lanes CROSS JOIN LATERAL (
        SELECT {_LANE} FROM executions AS waiting WHERE {_WAITS}
          AND (waiting.organization_id, waiting.needs_browser) > (lanes.organization_id, lanes.needs_browser)
        {_FIRST}
      ) AS next
    ), running AS MATERIALIZED (
      SELECT execution.organization_id, execution.batch_id, execution.batch_concurrency
      FROM assignments JOIN executions AS execution ON execution.id = assignments.execution_id
    ), turns AS MATERIALIZED (
      SELECT organization_id, needs_browser FROM lanes
      WHERE CASE WHEN needs_browser THEN {_MAY_BEGIN.format(sort="browser")}
        ELSE {_MAY_BEGIN.format(sort="plain")} END
      ORDER BY (SELECT count(*) FROM running WHERE running.organization_id = lanes.organization_id),
        priority DESC, n
    ), chosen AS MATERIALIZED (
      SELECT candidate.* FROM turns CROSS JOIN LATERAL (
        SELECT waiting.id, waiting.organization_id, waiting.exclusive_logins,
          waiting.exclusive_logins <> '[]' OR coalesce(waiting.batch_concurrency, 0) > 0 AS is_limited
        FROM executions AS waiting
        WHERE waiting.organization_id = turns.organization_id AND waiting.needs_browser = turns.needs_browser
          AND {_WAITS} AND (waiting.not_before IS NULL OR waiting.not_before <= :now)
          AND waiting.id <> ALL(ARRAY(SELECT execution_id FROM assignments))
          AND (waiting.batch_id IS NULL OR waiting.batch_id <> ALL(ARRAY(
            SELECT id FROM batches WHERE paused_at IS NOT NULL AND cancelled_at IS NULL
            UNION ALL SELECT batch_id FROM running WHERE batch_id IS NOT NULL AND batch_concurrency > 0
            GROUP BY batch_id HAVING count(*) >= max(batch_concurrency))))
          AND (waiting.exclusive_logins = '[]' OR NOT EXISTS (
            SELECT 1 FROM held_logins AS held WHERE held.execution_id <> waiting.id AND held.login_id IN
            (SELECT json_array_elements_text(CAST(waiting.exclusive_logins AS json)))))
        ORDER BY waiting.priority DESC, waiting.n LIMIT 1 FOR UPDATE SKIP LOCKED
      ) AS candidate LIMIT 1
    ), assigned AS (
      INSERT INTO assignments (execution_id, worker_id)
      SELECT chosen.id, workers.id FROM chosen, workers WHERE workers.id = :worker
        AND (NOT is_limited OR organization_id = :locked)
      ON CONFLICT (execution_id) DO NOTHING RETURNING execution_id
    ), held AS (
      INSERT INTO held_logins (login_id, execution_id)
      SELECT DISTINCT json_array_elements_text(CAST(exclusive_logins AS json)), chosen.id
      FROM chosen JOIN assigned ON assigned.execution_id = chosen.id
      ON CONFLICT (login_id) DO NOTHING
    )
    SELECT EXISTS (SELECT 1 FROM assigned) AS is_taken,
      {_WAITING_ORGANIZATIONS.format(needs_browser=True)} AS browser_waiting,
      {_WAITING_ORGANIZATIONS.format(needs_browser=False)} AS plain_waiting,
      {", ".join(f"executions.{column.name}" for column in EXECUTION_COLUMNS)}
    FROM chosen JOIN executions ON executions.id = chosen.id
    WHERE EXISTS (SELECT 1 FROM workers WHERE id = :worker)
""").columns(  # noqa: S608  (our own names)
    column("is_taken", Boolean), column("browser_waiting"), column("plain_waiting"), *EXECUTION_COLUMNS
)
_BEAT = text(f"UPDATE workers SET beat_at = {POSTGRES_NOW_MS} WHERE id = :worker RETURNING id")  # noqa: S608 - our own names
_RETURN_UNKNOWN = text(
    "DELETE FROM assignments WHERE worker_id = :worker AND execution_id <> ALL(CAST(:known AS text[])) "
    "RETURNING execution_id"
)
_IS_UNASSIGNED = text("NOT EXISTS (SELECT 1 FROM assignments WHERE execution_id = executions.id)")
# in the future: the clock was set back, and the worker has not sent a heartbeat since
_IS_SILENT = f"abs({POSTGRES_NOW_MS} - workers.beat_at) > :seconds * 1000"
_STALLED = text(
    "SELECT execution_id, worker_id, executions.fence FROM assignments "  # noqa: S608 - our own names
    "JOIN executions ON executions.id = execution_id "
    f"LEFT JOIN workers ON workers.id = worker_id WHERE workers.id IS NULL OR {_IS_SILENT}"
)
_DELETE_SILENT_WORKERS = text(f"DELETE FROM workers WHERE {_IS_SILENT}")  # noqa: S608 - our own names
_END = text("""
    WITH gone AS (
      DELETE FROM assignments WHERE execution_id = :execution_id AND worker_id = :worker
      RETURNING execution_id
    ), freed AS (
      DELETE FROM held_logins USING gone WHERE held_logins.execution_id = gone.execution_id RETURNING login_id
    ), forgotten AS (
      DELETE FROM awaited_logins USING gone WHERE awaited_logins.execution_id = gone.execution_id
    )
    SELECT EXISTS (SELECT 1 FROM freed) OR status = 'Enqueued' OR batch_concurrency IS NOT NULL AS makes_room
    FROM executions WHERE id = :execution_id
""")
_COUNT_WORKERS = text(f"SELECT count(*) FROM workers WHERE NOT {_IS_SILENT}")  # noqa: S608 - our own names


WaitingOrganizations = list[str] | None
"""Organizations of which executions wait; None if they are not known."""


@dataclass(slots=True, frozen=True)
class Room:
    """Of which organizations a worker may begin executions."""

    of_any: bool
    of_others: bool
    """Of those that are not in `present`."""
    present: list[str]
    """Organizations of which it runs some."""

    def fits(self, waiting: WaitingOrganizations) -> bool:
        """Whether executions of one of these organizations may begin."""
        if waiting is None or self.of_any:
            return (self.of_any or self.of_others) and waiting != []
        return self.of_others and not set(waiting) <= set(self.present)


FOR_ANY: Final = Room(of_any=True, of_others=False, present=[])
"""Free slots for any organization."""


@dataclass(slots=True, frozen=True)
class TakenExecution:
    """The execution that a worker has been given, and which others wait."""

    execution: Execution | None
    """None if none of those that wait may run."""
    waiting: dict[bool, WaitingOrganizations]
    """With (True) and without a browser; without those for which the worker had no room."""


@dataclass(slots=True, frozen=True)
class StalledExecution:
    """An execution whose worker is lost; `fence` is that of the lost run."""

    execution_id: str
    worker_id: str
    fence: int


@retry_in_runs
class SharedQueueStore:
    """Which worker has which execution, and the workers themselves."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def take(self, worker: str, browser: Room = FOR_ANY, plain: Room = FOR_ANY) -> TakenExecution:
        """Assign the next execution that may run to a worker that has room for it.

        `browser` is the worker's room for executions with a browser, `plain` for those without.
        """
        values: dict[str, object] = {"worker": worker, "locked": "", "now": now_ms()}
        for sort, room in (("browser", browser), ("plain", plain)):
            values |= {f"{sort}_any": room.of_any, f"{sort}_others": room.of_others}
            values[f"{sort}_present"] = room.present
        while rows := await self._database.commit_one(_TAKE, values):
            row = rows[0]
            if not row["is_taken"]:
                # an exclusive login or a batch limits it, or another worker was first
                async with self._database.write() as connection:
                    row = await _take_limited(connection, values, row["organization_id"])
            if row is not None and row["is_taken"]:
                return _taken(row)
        rooms = ((True, browser), (False, plain))
        waiting = {sort: [] if room.of_any else room.present for sort, room in rooms if room.fits(None)}
        return TakenExecution(None, dict[bool, WaitingOrganizations](waiting))

    @uncancellable
    async def return_unknown(self, worker: str, known: Sequence[str]) -> Sequence[str]:
        """Return executions to the queue that a worker took without receiving the answer; their ids."""
        rows = await self._database.commit_one(_RETURN_UNKNOWN, {"worker": worker, "known": list(known)})
        return [row["execution_id"] for row in rows]

    @uncancellable
    async def end(self, worker: str, execution_id: str) -> bool:
        """The worker's attempt is over: release the execution and its logins.

        Nothing changes if another worker has taken the execution over. True if another execution may run
        now, or this one again.
        """
        values = {"worker": worker, "execution_id": execution_id}
        return any(row["makes_room"] for row in await self._database.commit_one(_END, values))

    async def unassigned(self, limit: int) -> list[tuple[str, int]]:
        """Id and fence of some executions that are running by their status but assigned to no worker."""
        query = select(executions.c.id, executions.c.fence)
        query = query.where(executions.c.status.in_(RUNNING), _IS_UNASSIGNED).limit(limit)
        return [(row["id"], row["fence"]) for row in await self._database.all(query)]

    async def stalled(self, silent_seconds: float) -> list[StalledExecution]:
        """Executions of workers that are gone, or without a heartbeat for so long."""
        async with self._database.read() as connection:
            rows = (await connection.execute(_STALLED, {"seconds": silent_seconds})).mappings()
            return [StalledExecution(**row) for row in rows]

    @uncancellable
    async def add_worker(self, worker: str, address: str) -> None:
        """Register a worker and where other processes reach it."""
        async with self._database.write() as connection:
            row = postgresql.insert(workers).values(id=worker, address=address)
            await connection.execute(row.on_conflict_do_nothing())
            await connection.execute(_BEAT, {"worker": worker})

    @uncancellable
    async def beat(self, worker: str) -> bool:
        """Record a worker's heartbeat; False if it is no longer registered."""
        return bool(await self._database.commit_one(_BEAT, {"worker": worker}))

    @uncancellable
    async def remove_worker(self, worker: str) -> None:
        """Unregister a worker that has ended."""
        await self._database.execute(delete(workers).where(workers.c.id == worker))

    @uncancellable
    async def remove_silent_workers(self, silent_seconds: float) -> None:
        """Unregister silent workers; one that is alive after all finds out at its next heartbeat."""
        async with self._database.write() as connection:
            await connection.execute(_DELETE_SILENT_WORKERS, {"seconds": silent_seconds})

    async def worker_address(self, execution_id: str) -> str | None:
        """The address of the worker that runs an execution."""
        query = select(workers.c.address).join_from(
            assignments, workers, workers.c.id == assignments.c.worker_id
        )
        async with self._database.read() as connection:
            return await connection.scalar(query.where(assignments.c.execution_id == execution_id))

    async def count_workers(self, silent_seconds: float) -> int:
        """How many workers are alive."""
        async with self._database.read() as connection:
            return (await connection.execute(_COUNT_WORKERS, {"seconds": silent_seconds})).scalar_one()


def _taken(row: RowMapping) -> TakenExecution:
    execution = Execution(**{item.name: row[item.name] for item in EXECUTION_COLUMNS})
    waiting = {True: row["browser_waiting"], False: row["plain_waiting"]}
    return TakenExecution(
        execution, {sort: ids if len(ids) < _MAX_KNOWN else None for sort, ids in waiting.items()}
    )


async def _take_limited(
    connection: AsyncConnection, values: dict[str, Any], organization_id: str
) -> RowMapping | None:
    """Take one while no other process takes what the organization's logins and batches limit."""
    await lock_logins(connection, organization_id)
    found = await connection.execute(_TAKE, {**values, "locked": organization_id})
    return found.mappings().first()
