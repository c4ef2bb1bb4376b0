"""Which waiting executions are handed to the queue that several workers share.

Only a few of each organization are handed over at a time, so that ten thousand of one do not keep another
waiting. What limits an execution, its exclusive logins and its batch, is looked at here and nowhere else:
whatever a worker takes from the queue may run.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from sqlalchemy import Delete, delete, select, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.clock import now_ms
from pagehand.records import Status
from pagehand.storage.database import Database, unbroken
from pagehand.storage.on_behalf import waits_for_database
from pagehand.storage.tables import awaited_logins, executions, held_logins, workers

Defer = Callable[[AsyncConnection, "Sequence[Candidate]"], Awaitable[None]]
"""Puts jobs into the queue within the caller's transaction."""

_TURN = text("SELECT pg_advisory_xact_lock(7240535, hashtext(:organization_id))")
_JOBS = text(
    "SELECT status::text AS status, args->>'batch' AS batch FROM procrastinate_jobs "
    "WHERE queue_name = :organization_id"
)
_HAS_NO_JOB = text("NOT EXISTS (SELECT 1 FROM procrastinate_jobs AS job WHERE job.lock = executions.id)")
_NOBODY_HOLDS = text(
    "NOT EXISTS (SELECT 1 FROM held_logins AS held WHERE held.execution_id <> executions.id "
    "AND held.login_id IN (SELECT json_array_elements_text(CAST(executions.exclusive_logins AS json))))"
)
_FORGET_JOBS = text("DELETE FROM procrastinate_jobs WHERE lock = ANY(:ids) AND status = 'todo'")
_FORGET_DONE = text("DELETE FROM procrastinate_jobs WHERE id = :job")
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
_PAUSED = text(
    "SELECT id FROM batches WHERE organization_id = :organization_id AND paused_at IS NOT NULL "
    "AND cancelled_at IS NULL"
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
_COLUMNS = ("id", "organization_id", "priority", "exclusive_logins", "batch_id", "batch_concurrency")


@dataclass(slots=True, frozen=True)
class Candidate:
    """A waiting execution that may be handed over."""

    id: str
    organization_id: str
    priority: int
    exclusive_logins: list[str]
    batch_id: str | None
    batch_concurrency: int | None


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

    @unbroken
    async def admit(self, organization_id: str, window: int, defer: Defer) -> int:
        """Hand over as many as there is room for, `window` of them at most in the queue; how many."""
        admitted: list[Candidate] = []
        async with self._database.write() as connection:
            await connection.execute(_TURN, {"organization_id": organization_id})
            room, batches = await _state(connection, organization_id, window)
            # every round takes some, or learns of a batch that has no room
            while room > len(admitted) and (
                found := await _candidates(connection, organization_id, batches, admitted, window)
            ):
                admitted += await _take(connection, found, batches, room - len(admitted))
            if admitted:
                await defer(connection, admitted)
        return len(admitted)

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

    @unbroken
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

    @unbroken
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
            await connection.execute(_TURN, {"organization_id": (await connection.execute(of_run)).scalar()})
            if (await connection.execute(take.returning(held_logins.c.login_id))).first() is not None:
                await connection.execute(_no_longer_awaited(execution_id))
                return LoginTurn.TAKEN
            if await _owner_waits_for(connection, execution_id, login_id):
                return LoginTurn.NEVER
            await connection.execute(_awaited(execution_id, login_id))
            return LoginTurn.WAITS

    @unbroken
    async def release_orphans(self) -> None:
        """Free logins that are held by executions that neither wait in the queue nor run."""
        async with self._database.write() as connection:
            await connection.execute(_FREE_LOGINS)
            await connection.execute(_FORGET_AWAITED)

    @unbroken
    async def withdraw(self, organization_id: str, batch_id: str) -> None:
        """Take what no worker has begun of a batch out of the queue: it waits in the table again."""
        async with self._database.write() as connection:
            await connection.execute(_TURN, {"organization_id": organization_id})
            await connection.execute(_WITHDRAW, {"organization_id": organization_id, "batch_id": batch_id})
            await connection.execute(_FREE_LOGINS)

    @unbroken
    async def done(self, job: int, execution_id: str) -> None:
        """An attempt is over: its job leaves the queue, and its logins are free."""
        async with self._database.write() as connection:
            if (await connection.execute(_FORGET_DONE, {"job": job})).rowcount == 0:
                return  # another worker has taken it over, and what it holds is no longer this attempt's
            await _let_go(connection, [execution_id])

    @unbroken
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
    jobs = (await connection.execute(_JOBS, {"organization_id": organization_id})).mappings().all()
    queued = sum(job["status"] == "todo" for job in jobs)
    running = _RunningOfBatches(job["batch"] for job in jobs if job["batch"])
    running.full.update((await connection.execute(_PAUSED, {"organization_id": organization_id})).scalars())
    return window - queued, running


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
    due = executions.c.not_before.is_(None) | (executions.c.not_before <= now_ms())
    query = select(*(executions.c[name] for name in _COLUMNS)).where(
        executions.c.organization_id == organization_id,
        _WAITING,
        due,
        executions.c.id.not_in([item.id for item in admitted]),
        executions.c.batch_id.is_(None) | executions.c.batch_id.not_in(batches.full),
        _HAS_NO_JOB,
        _NOBODY_HOLDS,
    )
    query = query.order_by(executions.c.priority.desc(), executions.c.n).limit(limit)
    return [Candidate(**row) for row in (await connection.execute(query)).mappings()]


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
