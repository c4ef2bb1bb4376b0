"""The job queue that several workers share: jobs that workers take and end, and the workers themselves.

Its tables are Procrastinate's. The lock of a job is the id of its execution, its queue is the organization.
Executions get into the queue by admission (`admission`), so whatever a worker takes may run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import BigInteger, Boolean, column, select, text

from pagehand.records import Execution
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.execution_rows import EXECUTION_COLUMNS
from pagehand.storage.run_claim import RUNNING, retry_in_runs
from pagehand.storage.tables import executions, workers

# takes the next job, reads its execution, and checks whether the queue should be refilled: in one round trip
_NEEDS_BROWSER = "coalesce(CAST({job}.args->>'browser' AS boolean), true)"
_MAY_BEGIN = "(:{sort}_any OR (:{sort}_others AND next.queue_name <> ALL(CAST(:{sort}_present AS text[]))))"
_TAKE = text(f"""
    WITH job AS (
      UPDATE procrastinate_jobs AS taken SET status = 'doing', worker_id = :worker
      WHERE taken.id = (
        SELECT next.id FROM procrastinate_jobs AS next WHERE next.status = 'todo'
          AND NOT EXISTS (SELECT 1 FROM procrastinate_jobs AS running
            WHERE running.lock = next.lock AND running.status = 'doing')
          AND CASE WHEN {_NEEDS_BROWSER.format(job="next")} THEN {_MAY_BEGIN.format(sort="browser")}
            ELSE {_MAY_BEGIN.format(sort="plain")} END
        ORDER BY next.priority DESC, next.id LIMIT 1 FOR UPDATE SKIP LOCKED
      )
      RETURNING taken.id, taken.lock, taken.queue_name, {_NEEDS_BROWSER.format(job="taken")} AS needs_browser
    )
    SELECT job.id AS number,
      (SELECT count(*) FROM procrastinate_jobs AS other WHERE other.queue_name = job.queue_name
        AND other.status = 'todo' AND other.id <> job.id
        AND {_NEEDS_BROWSER.format(job="other")} = job.needs_browser) < :low
      AND (SELECT true FROM executions AS waiting
        WHERE waiting.organization_id = job.queue_name AND waiting.needs_browser = job.needs_browser
        AND waiting.status = 'Enqueued'
        AND waiting.id <> ALL(ARRAY(SELECT lock FROM procrastinate_jobs WHERE queue_name = job.queue_name))
        ORDER BY waiting.priority DESC, waiting.n LIMIT 1) IS TRUE AS is_low,
      {", ".join(f"executions.{column.name}" for column in EXECUTION_COLUMNS)}
    FROM job JOIN executions ON executions.id = job.lock
""").columns(  # noqa: S608  (our own names)
    column("number", BigInteger), column("is_low", Boolean), *EXECUTION_COLUMNS
)
_RETURN_UNKNOWN = text(
    "DELETE FROM procrastinate_jobs WHERE worker_id = :worker AND status = 'doing' "
    "AND id <> ALL(CAST(:known AS bigint[])) RETURNING lock"
)
_HAS_NO_JOB = text("NOT EXISTS (SELECT 1 FROM procrastinate_jobs AS job WHERE job.lock = executions.id)")
_STALLED = text(
    "SELECT job.id AS number, job.lock AS execution_id, job.queue_name AS organization_id, executions.fence "
    "FROM procrastinate_jobs AS job JOIN executions ON executions.id = job.lock "
    "LEFT JOIN procrastinate_workers AS worker ON worker.id = job.worker_id WHERE job.status = 'doing' "
    "AND (worker.id IS NULL OR worker.last_heartbeat < now() - make_interval(secs => :seconds) "
    # the clock was set back, and it has not sent one since
    "OR worker.last_heartbeat > now() + make_interval(secs => :seconds))"
)
_END = text("""
    WITH gone AS (
      DELETE FROM procrastinate_jobs WHERE id = :job RETURNING lock
    ), freed AS (
      DELETE FROM held_logins USING gone WHERE held_logins.execution_id = gone.lock RETURNING login_id
    ), forgotten AS (
      DELETE FROM awaited_logins USING gone WHERE awaited_logins.execution_id = gone.lock
    )
    SELECT EXISTS (SELECT 1 FROM freed) OR status = 'Enqueued' OR batch_concurrency IS NOT NULL AS makes_room
    FROM executions WHERE id = :execution_id
""")
_DELETE_GONE_WORKERS = text("DELETE FROM workers WHERE number NOT IN (SELECT id FROM procrastinate_workers)")
_WORKER_ADDRESS = text(
    "SELECT workers.address FROM procrastinate_jobs AS job JOIN workers ON workers.number = job.worker_id "
    "WHERE job.lock = :execution_id AND job.status = 'doing'"
)
_HAS_QUEUE = text("SELECT to_regclass('procrastinate_workers') IS NOT NULL")
_COUNT_WORKERS = text(
    "SELECT count(*) FROM procrastinate_workers "
    "WHERE last_heartbeat > now() - make_interval(secs => :seconds)"
)


@dataclass(slots=True, frozen=True)
class JobRoom:
    """Of which organizations a worker may begin executions."""

    of_any: bool
    of_others: bool
    """Of those that are not in `present`."""
    present: list[str]
    """Organizations of which it runs some."""


FOR_ANY: Final = JobRoom(of_any=True, of_others=False, present=[])
"""Free slots for any organization."""


@dataclass(slots=True, frozen=True)
class TakenJob:
    """A job that was given to a worker."""

    number: int
    execution: Execution
    is_low: bool
    """Whether few jobs of the organization are left in the queue although more executions wait."""


@dataclass(slots=True, frozen=True)
class StalledJob:
    """A job whose worker is lost; `fence` is that of the lost run."""

    number: int
    execution_id: str
    organization_id: str
    fence: int


@retry_in_runs
class JobQueueStore:
    """Jobs and workers of the shared queue."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def take(
        self, worker: int, low: int, browser: JobRoom = FOR_ANY, plain: JobRoom = FOR_ANY
    ) -> TakenJob | None:
        """Give the next job to a worker that has room for it; `is_low` if fewer than `low` are left.

        `browser` is the worker's room for executions with a browser, `plain` for those without.
        """
        values: dict[str, object] = {"worker": worker, "low": low}
        for sort, room in (("browser", browser), ("plain", plain)):
            values |= {f"{sort}_any": room.of_any, f"{sort}_others": room.of_others}
            values[f"{sort}_present"] = room.present
        rows = await self._database.commit_one(_TAKE, values)
        if not rows:
            return None
        row = dict(rows[0])
        return TakenJob(row.pop("number"), is_low=row.pop("is_low"), execution=Execution(**row))

    @uncancellable
    async def return_unknown(self, worker: int, known: Sequence[int]) -> Sequence[str]:
        """Remove a worker's jobs that it does not know, because the answer to `take` was lost.

        Their executions wait to be admitted again; their ids.
        """
        rows = await self._database.commit_one(_RETURN_UNKNOWN, {"worker": worker, "known": list(known)})
        return [row["lock"] for row in rows]

    @uncancellable
    async def end(self, job: int, execution_id: str) -> bool:
        """Remove a job whose attempt is over, and release its logins.

        Nothing changes if another worker has taken the execution over. True if another execution may be
        admitted now, or this one again.
        """
        values = {"job": job, "execution_id": execution_id}
        return any(row["makes_room"] for row in await self._database.commit_one(_END, values))

    async def without_job(self, limit: int) -> list[tuple[str, int]]:
        """Id and fence of some executions that are running by their status but have no job."""
        query = select(executions.c.id, executions.c.fence)
        query = query.where(executions.c.status.in_(RUNNING), _HAS_NO_JOB).limit(limit)
        return [(row["id"], row["fence"]) for row in await self._database.all(query)]

    async def stalled(self, silent_seconds: float) -> list[StalledJob]:
        """Jobs of workers that are gone, or without a heartbeat for so long."""
        async with self._database.read() as connection:
            rows = (await connection.execute(_STALLED, {"seconds": silent_seconds})).mappings()
            return [StalledJob(**row) for row in rows]

    @uncancellable
    async def add_worker(self, number: int, address: str) -> None:
        """Store a worker's address, and delete workers that are no longer in the queue."""
        async with self._database.write() as connection:
            # here, because only new workers make the table grow
            await connection.execute(_DELETE_GONE_WORKERS)
            row = {"number": number, "id": f"worker_{number}", "address": address}
            await connection.execute(workers.insert().values(row))

    async def worker_address(self, execution_id: str) -> str | None:
        """The address of the worker that runs an execution."""
        async with self._database.read() as connection:
            return (await connection.execute(_WORKER_ADDRESS, {"execution_id": execution_id})).scalar()

    async def count_workers(self, silent_seconds: float) -> int:
        """How many workers are alive; 0 if the database has no queue."""
        async with self._database.read() as connection:
            if not (await connection.execute(_HAS_QUEUE)).scalar():
                return 0
            return (await connection.execute(_COUNT_WORKERS, {"seconds": silent_seconds})).scalar_one()
