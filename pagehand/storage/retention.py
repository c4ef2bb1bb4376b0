"""Old executions and uploads: finding them, and deleting everything that belongs to them."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from sqlalchemy import Connection, ScalarSelect, delete, select, text, union_all

from pagehand.records import FileInfo
from pagehand.storage import advisory_locks
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.files import FILE_COLUMNS
from pagehand.storage.run_claim import retry_in_runs
from pagehand.storage.statuses import FINAL
from pagehand.storage.tables import events, execution_search, executions, files, idempotency_keys

# FTS5 deletes a text from its index only if it is given exactly what was indexed
_SQLITE_UNINDEX = text("""
    INSERT INTO execution_trigrams (execution_trigrams, rowid, text)
    SELECT 'delete', n, substr(text, 1, 100000) || char(31) FROM execution_search WHERE n = :n
""")
_TRY_LOCK = text(f"SELECT pg_try_advisory_xact_lock({advisory_locks.RETENTION})")
_STAY_IDLE = text("SET LOCAL idle_in_transaction_session_timeout = 0")
_POSTGRES_UNINDEX = text("DELETE FROM execution_trigrams WHERE n = :n")


@retry_in_runs
class RetentionStore:
    """Old executions and uploads of all organizations; for the service only."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[bool]:
        """Whether this process may delete, while the context is open; only one process may at a time.

        PostgreSQL releases the lock when this process dies.
        """
        if self._database.is_sqlite:
            yield True
            return
        async with self._database.write() as connection:
            await connection.execute(_STAY_IDLE)  # rows are deleted on other connections
            yield bool((await connection.execute(_TRY_LOCK)).scalar_one())

    async def executions(self, before: int, limit: int) -> list[tuple[str, str]]:
        """Organization and id of some executions that ended before then, oldest first."""
        query = (
            select(executions.c.organization_id, executions.c.id)
            .where(
                executions.c.status.in_(FINAL),
                executions.c.accepted_at < before,
                executions.c.end_time < before,
            )
            .order_by(executions.c.n)
            .limit(limit)
        )
        async with self._database.read() as connection:
            return [(organization_id, id_) for organization_id, id_ in await connection.execute(query)]

    async def file_keys(self, execution_id: str) -> list[str]:
        """The keys of its files and screenshots in the file store."""
        screenshots = select(events.c.screenshot_key).where(
            events.c.execution_id == execution_id, events.c.screenshot_key.is_not(None)
        )
        # by organization too: the index on files begins with it
        own = select(files.c.key).where(
            files.c.execution_id == execution_id, files.c.organization_id == _organization_of(execution_id)
        )
        async with self._database.read() as connection:
            return list((await connection.execute(union_all(own, screenshots))).scalars())

    @uncancellable
    async def delete_execution(self, execution_id: str) -> None:
        """Delete an execution with its events, files and search index."""

        def work(connection: Connection) -> None:
            number = connection.execute(
                select(executions.c.n).where(executions.c.id == execution_id)
            ).scalar()
            if number is None:
                return
            own = (files.c.execution_id == execution_id) & (
                files.c.organization_id == _organization_of(execution_id)
            )
            connection.execute(delete(files).where(own))
            connection.execute(delete(events).where(events.c.execution_id == execution_id))
            connection.execute(
                delete(idempotency_keys).where(idempotency_keys.c.execution_id == execution_id)
            )
            unindex = _SQLITE_UNINDEX if connection.dialect.name == "sqlite" else _POSTGRES_UNINDEX
            connection.execute(unindex, {"n": number})
            connection.execute(delete(execution_search).where(execution_search.c.n == number))
            connection.execute(delete(executions).where(executions.c.id == execution_id))

        await self._database.commit(work)

    async def uploads(self, before: int, limit: int) -> list[FileInfo]:
        """Some files uploaded before then."""
        query = (
            select(*FILE_COLUMNS)
            .where(files.c.execution_id.is_(None), files.c.created_at < before)
            .limit(limit)
        )
        return [FileInfo(**row) for row in await self._database.all(query)]

    @uncancellable
    async def delete_file(self, file_id: str) -> None:
        """Delete a file's row."""
        await self._database.execute(delete(files).where(files.c.id == file_id))


def _organization_of(execution_id: str) -> ScalarSelect[str]:
    """A subquery for the organization of an execution."""
    return select(executions.c.organization_id).where(executions.c.id == execution_id).scalar_subquery()
