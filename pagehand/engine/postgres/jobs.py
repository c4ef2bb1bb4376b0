"""The queue that workers share: one Procrastinate job per execution that may run.

A job is in the queue from the handover of its execution until the end of its attempt, so a running job shows
which worker has the execution, and the worker's heartbeat whether it is alive.
`JobQueueStore.take` gives jobs to workers, with Procrastinate's own function.
"""

from collections.abc import Sequence
from typing import Final

from procrastinate import App
from procrastinate.jobs import Job as QueueJob
from procrastinate.schema import SchemaManager
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.engine.postgres.connector import DatabaseConnector
from pagehand.storage import Database, advisory_locks
from pagehand.storage.admission import Candidate

_TASK: Final = "pagehand.execution"
_LOCK = text(f"SELECT pg_advisory_xact_lock({advisory_locks.JOB_TABLES})")
_HAS_TABLES = text("SELECT to_regclass('procrastinate_jobs') IS NOT NULL")

_IS_REGISTERED = text("SELECT EXISTS (SELECT 1 FROM procrastinate_workers WHERE id = :worker)")


class Jobs:
    """Hands out executions to workers, one to each."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._manager = App(connector=DatabaseConnector(database)).job_manager

    async def open(self) -> None:
        """Create the queue's tables if they do not exist yet."""
        async with self._database.write() as connection:
            await connection.execute(_LOCK)
            if not (await connection.execute(_HAS_TABLES)).scalar():
                await connection.exec_driver_sql(SchemaManager.get_schema().replace("%", "%%"))

    async def defer(self, connection: AsyncConnection, candidates: Sequence[Candidate]) -> None:
        """Put executions into the queue within the caller's transaction."""
        jobs = [
            QueueJob(
                id=None,
                queue=candidate.organization_id,
                task_name=_TASK,
                priority=candidate.priority,
                lock=candidate.id,
                queueing_lock=candidate.id,
                task_kwargs={"batch": candidate.batch_id, "browser": candidate.needs_browser},
            )
            for candidate in candidates
        ]
        await self._manager.batch_defer_jobs_async(jobs, connection=connection)

    async def register(self) -> int:
        """Register a worker; its number."""
        return await self._manager.register_worker()

    async def leave(self, worker: int) -> None:
        """Unregister a worker that has ended."""
        await self._manager.unregister_worker(worker)

    async def beat(self, worker: int) -> bool:
        """Show that the worker lives; False when it is no longer known."""
        await self._manager.update_heartbeat(worker)
        async with self._database.read() as connection:
            return bool((await connection.execute(_IS_REGISTERED, {"worker": worker})).scalar())

    async def forget_lost_workers(self, silent_seconds: float) -> None:
        """Unregister silent workers; one that lives after all finds out at its next heartbeat."""
        await self._manager.prune_stalled_workers(silent_seconds)
