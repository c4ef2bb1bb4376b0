"""Which waiting executions are handed to the queue that several workers share.

Only a few of each organization are handed over at a time, so that ten thousand of one do not keep another
waiting. What limits an execution, its exclusive logins and its batch, is looked at here and nowhere else:
whatever a worker takes from the queue may run.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from sqlalchemy import BigInteger, Boolean, Delete, column, delete, select, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.clock import now_ms
from pagehand.records import Execution, Status
from pagehand.storage import advisory_locks
from pagehand.storage.columns import JsonText
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.execution_changes import COLUMNS
from pagehand.storage.on_behalf import waits_for_database
from pagehand.storage.tables import awaited_logins, executions, held_logins, workers

Defer = Callable[[AsyncConnection, "Sequence[Candidate]"], Awaitable[None]]
"""Puts jobs into the queue within the caller's transaction."""

_LOCK = text(f"SELECT pg_advisory_xact_lock({advisory_locks.ADMISSION}, hashtext(:organization_id))")
_TRY_LOCK = text(f"SELECT pg_try_advisory_xact_lock({advisory_locks.ADMISSION}, hashtext(:organization_id))")
_STATE = text("""
    SELECT
      (SELECT count(*) FROM procrastinate_jobs
        WHERE queue_name = :organization_id AND status = 'todo') AS queued,
      ARRAY(SELECT args->>'batch' FROM procrastinate_jobs
        WHERE queue_name = :organization_id AND args->>'batch' IS NOT NULL) AS batches,
      ARRAY(SELECT id FROM batches WHERE organization_id = :organization_id
        AND paused_at IS NOT NULL AND cancelled_at IS NULL) AS paused
""")
_HAS_NO_JOB = text("NOT EXISTS (SELECT 1 FROM procrastinate_jobs AS job WHERE job.lock = executions.id)")
# The status is part of the text and not a value: the index of those that wait serves only what names it.
# Jobs are read into an array: joined to them, all that wait would be read and sorted if statistics are old.
_CANDIDATES = text("""
    SELECT id, organization_id, priority, exclusive_logins, batch_id, batch_concurrency FROM executions
    WHERE organization_id = :organization_id AND status = 'Enqueued'
      AND (not_before IS NULL OR not_before <= :now)
      AND id <> ALL(CAST(:admitted AS text[]))
      AND (batch_id IS NULL OR batch_id <> ALL(CAST(:full AS text[])))
      AND id <> ALL(ARRAY(SELECT lock FROM procrastinate_jobs WHERE queue_name = :organization_id))
      AND (exclusive_logins = '[]' OR NOT EXISTS (
        SELECT 1 FROM held_logins AS held WHERE held.execution_id <> executions.id
        AND held.login_id IN (SELECT json_array_elements_text(CAST(executions.exclusive_logins AS json)))))
    ORDER BY priority DESC, n LIMIT :limit
""").columns(exclusive_logins=JsonText)
# takes the next job, reads its execution, and looks whether the queue should be topped up: in one round trip
_TAKE = text(f"""
    SELECT job.id AS number,
      (SELECT count(*) FROM procrastinate_jobs AS other WHERE other.queue_name = job.queue_name
        AND other.status = 'todo' AND other.id <> job.id) < :low
      AND (SELECT true FROM executions AS waiting
        WHERE waiting.organization_id = job.queue_name AND waiting.status = 'Enqueued'
        AND waiting.id <> ALL(ARRAY(SELECT lock FROM procrastinate_jobs WHERE queue_name = job.queue_name))
        ORDER BY waiting.priority DESC, waiting.n LIMIT 1) IS TRUE AS is_low,
      {", ".join(f"executions.{column.name}" for column in COLUMNS)}
    FROM procrastinate_fetch_job_v2(NULL, :worker) AS job JOIN executions ON executions.id = job.lock
""").columns(column("number", BigInteger), column("is_low", Boolean), *COLUMNS)  # noqa: S608  (our own names)
_FORGET_UNKNOWN = text(
    "DELETE FROM procrastinate_jobs WHERE worker_id = :worker AND status = 'doing' "
    "AND id <> ALL(CAST(:known AS bigint[])) RETURNING lock"
)
_FORGET_JOBS = text("DELETE FROM procrastinate_jobs WHERE lock = ANY(:ids) AND status = 'todo'")
_DONE = text("""
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
_STALLED = text(
    "SELECT job.id AS number, job.lock AS execution_id, job.queue_name AS organization_id, executions.fence "
    "FROM procrastinate_jobs AS job JOIN executions ON executions.id = job.lock "
    "LEFT JOIN procrastinate_workers AS worker ON worker.id = job.worker_id WHERE job.status = 'doing' "
    "AND (worker.id IS NULL OR worker.last_heartbeat < now() - make_interval(secs => :seconds))"
)
_HAS_QUEUE = text("SELECT to_regclass('procrastinate_workers') IS NOT NULL")
_LIVING = text(
    "SELECT count(*) FROM procrastinate_workers "
    "WHERE last_heartbeat > now() - make_interval(secs => :seconds)"
)
_ADDRESS = text(
    "SELECT workers.address FROM procrastinate_jobs AS job JOIN workers ON workers.number = job.worker_id "
    "WHERE job.lock = :execution_id AND job.status = 'doing'"
)
_FORGET_WORKERS = text("DELETE FROM workers WHERE number NOT IN (SELECT id FROM procrastinate_workers)")
_WITHDRAW = text(
    "DELETE FROM procrastinate_jobs WHERE queue_name = :organization_id AND args->>'batch' = :batch_id "
    "AND status = 'todo'"
)
_FREE_LOGINS = text(
    "DELETE FROM held_logins AS held WHERE NOT EXISTS "
    "(SELECT 1 FROM procrastinate_jobs AS job WHERE job.lock = held.execution_id)"
)
_FORGET_AWAITED = text(
    "DELETE FROM awaited_logins AS awaited WHERE NOT EXISTS "
    "(SELECT 1 FROM procrastinate_jobs AS job WHERE job.lock = awaited.execution_id)"
)
# who has a login, the login that one waits for, who has that one, and so on; UNION ends at a circle
_OWNERS = text("""
    WITH RECURSIVE owners (execution_id) AS (
      SELECT execution_id FROM held_logins WHERE login_id = :login_id
      UNION
      SELECT held.execution_id FROM owners
        JOIN awaited_logins AS awaited ON awaited.execution_id = owners.execution_id
        JOIN held_logins AS held ON held.login_id = awaited.login_id
    )
    SELECT EXISTS (SELECT 1 FROM owners WHERE execution_id = :execution_id)
""")
_WAITING = executions.c.status == Status.ENQUEUED


@dataclass(slots=True, frozen=True)
class Candidate:
    """A waiting execution that may be handed over."""

    id: str
    organization_id: str
    priority: int
    exclusive_logins: list[str]
    batch_id: str | None
    batch_concurrency: int | None


@dataclass(slots=True, frozen=True)
class TakenJob:
    """A job that a worker has from now on."""

    number: int
    execution: Execution
    is_low: bool
    """Whether few of the organization's are left in the queue, and more wait."""


class LoginTurn(Enum):
    """What becomes of an execution that asks for an exclusive login."""

    TAKEN = auto()
    WAITS = auto()
    NEVER = auto()
    """Whoever has it waits, in turn, for a login of this execution."""


@dataclass(slots=True, frozen=True)
class StalledJob:
    """A job that nobody does any longer; `fence` is that of the run that was lost."""

    number: int
    execution_id: str
    organization_id: str
    fence: int


@waits_for_database
class AdmissionStore:
    """Hands waiting executions over, and takes back what they held."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def organizations(self) -> list[str]:
        """Those whose executions wait."""
        query = select(executions.c.organization_id).where(_WAITING).distinct()
        async with self._database.read() as connection:
            return list((await connection.execute(query)).scalars())

    @uncancellable
    async def admit(
        self, organization_id: str, window: int, defer: Defer, *, unless_others_do: bool = False
    ) -> int:
        """Hand over as many as there is room for, `window` of them at most in the queue; how many."""
        admitted: list[Candidate] = []
        async with self._database.write() as connection:
            lock = _TRY_LOCK if unless_others_do else _LOCK
            is_ours = (await connection.execute(lock, {"organization_id": organization_id})).scalar()
            if unless_others_do and not is_ours:
                return 0
            room, batches = await _state(connection, organization_id, window)
            # every round takes some, or learns of a batch that has no room
            while room > len(admitted) and (
                found := await _candidates(connection, organization_id, batches, admitted, window)
            ):
                admitted += await _take(connection, found, batches, room - len(admitted))
            if admitted:
                await defer(connection, admitted)
        return len(admitted)

    @uncancellable
    async def take(self, worker: int, low: int) -> TakenJob | None:
        """Give the next job to a worker; None when there is none. Fewer than `low` are few."""
        rows = await self._database.commit_one(_TAKE, {"worker": worker, "low": low})
        if not rows:
            return None
        row = dict(rows[0])
        return TakenJob(row.pop("number"), is_low=row.pop("is_low"), execution=Execution(**row))

    @uncancellable
    async def forget_unknown(self, worker: int, known: Sequence[int]) -> Sequence[str]:
        """Take jobs back that a worker was given and does not know of: the answer to `take` was lost.

        Their executions wait in the table again.
        """
        rows = await self._database.commit_one(_FORGET_UNKNOWN, {"worker": worker, "known": list(known)})
        return [row["lock"] for row in rows]

    async def unattended(self, limit: int) -> list[tuple[str, int]]:
        """Some executions that seem to run although no worker has them, each with its fence."""
        running = executions.c.status.in_((Status.IN_PROGRESS, Status.PAUSED))
        query = select(executions.c.id, executions.c.fence).where(running, _HAS_NO_JOB).limit(limit)
        async with self._database.read() as connection:
            return [(row.id, row.fence) for row in await connection.execute(query)]

    async def stalled(self, silent_seconds: float) -> list[StalledJob]:
        """Jobs of workers that have been silent for so long, or are gone."""
        async with self._database.read() as connection:
            rows = (await connection.execute(_STALLED, {"seconds": silent_seconds})).mappings()
            return [StalledJob(**row) for row in rows]

    @uncancellable
    async def note_worker(self, number: int, address: str) -> None:
        """Keep where a worker is reached; those that the queue no longer knows are forgotten."""
        async with self._database.write() as connection:
            await connection.execute(_FORGET_WORKERS)
            row = {"number": number, "id": f"worker_{number}", "address": address}
            await connection.execute(workers.insert().values(row))

    async def address_of(self, execution_id: str) -> str | None:
        """Where the worker that has an execution is reached."""
        async with self._database.read() as connection:
            return (await connection.execute(_ADDRESS, {"execution_id": execution_id})).scalar()

    async def living_workers(self, silent_seconds: float) -> int:
        """How many workers share the queue of this database; none where there is no such queue."""
        async with self._database.read() as connection:
            if not (await connection.execute(_HAS_QUEUE)).scalar():
                return 0
            return (await connection.execute(_LIVING, {"seconds": silent_seconds})).scalar_one()

    @uncancellable
    async def take_login(self, execution_id: str, login_id: str) -> LoginTurn:
        """Give a login to an execution that runs, unless another one has it."""
        take = postgresql.insert(held_logins).values(login_id=login_id, execution_id=execution_id)
        own = held_logins.c.execution_id == execution_id
        take = take.on_conflict_do_update(
            index_elements=["login_id"], set_={"execution_id": execution_id}, where=own
        )
        of_run = select(executions.c.organization_id).where(executions.c.id == execution_id)
        async with self._database.write() as connection:
            # the same turn as admission takes: both look before they write
            await connection.execute(_LOCK, {"organization_id": (await connection.execute(of_run)).scalar()})
            if (await connection.execute(take.returning(held_logins.c.login_id))).first() is not None:
                await connection.execute(_no_longer_awaited(execution_id))
                return LoginTurn.TAKEN
            if await _owner_waits_for(connection, execution_id, login_id):
                return LoginTurn.NEVER
            await connection.execute(_awaited(execution_id, login_id))
            return LoginTurn.WAITS

    @uncancellable
    async def release_orphans(self) -> None:
        """Free logins that are held by executions that neither wait in the queue nor run."""
        async with self._database.write() as connection:
            await connection.execute(_FREE_LOGINS)
            await connection.execute(_FORGET_AWAITED)

    @uncancellable
    async def withdraw(self, organization_id: str, batch_id: str) -> None:
        """Take what no worker has begun of a batch out of the queue: it waits in the table again."""
        async with self._database.write() as connection:
            await connection.execute(_LOCK, {"organization_id": organization_id})
            await connection.execute(_WITHDRAW, {"organization_id": organization_id, "batch_id": batch_id})
            await connection.execute(_FREE_LOGINS)

    @uncancellable
    async def done(self, job: int, execution_id: str) -> bool:
        """An attempt is over: its job leaves the queue, and its logins are free.

        Nothing changes where another worker has taken it over: what it holds is no longer this attempt's.
        True when another execution may be handed over that could not be before, or this one again.
        """
        values = {"job": job, "execution_id": execution_id}
        return any(row["makes_room"] for row in await self._database.commit_one(_DONE, values))

    @uncancellable
    async def release(self, ids: Sequence[str]) -> None:
        """The executions wait or run no longer: their logins are free, and they are not in the queue."""
        async with self._database.write() as connection:
            await connection.execute(_FORGET_JOBS, {"ids": list(ids)})
            await _let_go(connection, ids)


async def _owner_waits_for(connection: AsyncConnection, execution_id: str, login_id: str) -> bool:
    """Whether whoever has the login waits, directly or through others, for one of this execution's."""
    wanted = {"execution_id": execution_id, "login_id": login_id}
    return bool((await connection.execute(_OWNERS, wanted)).scalar())


def _awaited(execution_id: str, login_id: str) -> postgresql.Insert:
    waits = postgresql.insert(awaited_logins).values(execution_id=execution_id, login_id=login_id)
    return waits.on_conflict_do_update(index_elements=["execution_id"], set_={"login_id": login_id})


def _no_longer_awaited(execution_id: str) -> Delete:
    return delete(awaited_logins).where(awaited_logins.c.execution_id == execution_id)


async def _let_go(connection: AsyncConnection, ids: Sequence[str]) -> None:
    """The executions' logins are free, and they wait for none."""
    for table in (held_logins, awaited_logins):
        await connection.execute(delete(table).where(table.c.execution_id.in_(ids)))


async def _state(
    connection: AsyncConnection, organization_id: str, window: int
) -> tuple[int, "_RunningOfBatches"]:
    """How many more there is room for, and what runs or is about to of each batch."""
    found = (await connection.execute(_STATE, {"organization_id": organization_id})).mappings().one()
    running = _RunningOfBatches(found["batches"])
    running.full.update(found["paused"])
    return window - found["queued"], running


class _RunningOfBatches(Counter[str]):
    """How many of each batch are handed over; those of which no more may be, also because they are paused."""

    def __init__(self, batches: Iterable[str]) -> None:
        super().__init__(batches)
        self.full: set[str] = set()

    def takes(self, candidate: Candidate) -> bool:
        """Count it in, if its batch has room."""
        if candidate.batch_id is None or not candidate.batch_concurrency:
            return True
        if self[candidate.batch_id] >= candidate.batch_concurrency:
            self.full.add(candidate.batch_id)
            return False
        self[candidate.batch_id] += 1
        return True


async def _candidates(
    connection: AsyncConnection,
    organization_id: str,
    batches: _RunningOfBatches,
    admitted: Sequence[Candidate],
    limit: int,
) -> list[Candidate]:
    values = {
        "organization_id": organization_id,
        "now": now_ms(),
        "admitted": [item.id for item in admitted],
        "full": list(batches.full),
        "limit": limit,
    }
    return [Candidate(**row) for row in (await connection.execute(_CANDIDATES, values)).mappings()]


async def _take(
    connection: AsyncConnection, found: Sequence[Candidate], batches: _RunningOfBatches, room: int
) -> list[Candidate]:
    """Those of the found ones that may go together; their logins are theirs from now on."""
    taken: list[Candidate] = []
    held: set[str] = set()
    for candidate in found:
        if len(taken) == room:
            break
        if held.isdisjoint(candidate.exclusive_logins) and batches.takes(candidate):
            held.update(candidate.exclusive_logins)
            taken.append(candidate)
    rows = [
        {"login_id": login_id, "execution_id": candidate.id}
        for candidate in taken
        for login_id in dict.fromkeys(candidate.exclusive_logins)
    ]
    if rows:
        await connection.execute(postgresql.insert(held_logins).on_conflict_do_nothing(), rows)
    return taken
