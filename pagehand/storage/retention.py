"""Finding what is old and forgetting it whole."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy import Connection, delete, select, text, union_all

from pagehand.records import FileInfo, Status
from pagehand.storage import advisory_locks
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.files import FILE_COLUMNS
from pagehand.storage.on_behalf import waits_for_database
from pagehand.storage.tables import events, execution_search, executions, files, idempotency_keys

_FINAL = (Status.COMPLETED, Status.FAILED)
# a text is taken out of SQLite's index by saying exactly what was put in
_SQLITE_UNINDEX = text("""
    INSERT INTO execution_trigrams (execution_trigrams, rowid, text)
    SELECT 'delete', n, substr(text, 1, 100000) || char(31) FROM execution_search WHERE n = :n
""")
_TRY_LOCK = text(f"SELECT pg_try_advisory_xact_lock({advisory_locks.RETENTION})")
_STAY_IDLE = text("SET LOCAL idle_in_transaction_session_timeout = 0")
_POSTGRES_UNINDEX = text("DELETE FROM execution_trigrams WHERE n = :n")


@waits_for_database
class RetentionStore:
    """Old executions and uploads, whoever they belong to; for the service's own use."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[bool]:
        """Whether this process may delete what is old, for as long as the context is open.

        PostgreSQL holds the turn for us, and gives it away when this process dies.
        """
        if self._database.is_sqlite:
            yield True
            return
        async with self._database.write() as connection:
            await connection.execute(_STAY_IDLE)  # what is deleted meanwhile is deleted on other connections
            yield bool((await connection.execute(_TRY_LOCK)).scalar_one())

    async def executions(self, before: int, limit: int) -> list[tuple[str, str]]:
        """Some executions that ended before then, oldest first: organization and id."""
        query = (
            select(executions.c.organization_id, executions.c.id)
            .where(
                executions.c.status.in_(_FINAL),
                executions.c.accepted_at < before,
                executions.c.end_time < before,
            )
            .order_by(executions.c.n)
            .limit(limit)
        )
        async with self._database.read() as connection:
            return [(owner, id_) for owner, id_ in await connection.execute(query)]

    async def keys(self, execution_id: str) -> list[str]:
        """Under which keys the bytes of its files and pictures are."""
        pictures = select(events.c.screenshot_key).where(
            events.c.execution_id == execution_id, events.c.screenshot_key.is_not(None)
        )
        # by organization as well: that is how files are indexed
        own = select(files.c.key).where(
            files.c.execution_id == execution_id, files.c.organization_id == _owner(execution_id)
        )
        async with self._database.read() as connection:
            return list((await connection.execute(union_all(own, pictures))).scalars())

    @uncancellable
    async def forget_execution(self, execution_id: str) -> None:
        """Delete it with its events, its files and what searches find it by."""

        def work(connection: Connection) -> None:
            number = connection.execute(
                select(executions.c.n).where(executions.c.id == execution_id)
            ).scalar()
            if number is None:
                return
            own = (files.c.execution_id == execution_id) & (files.c.organization_id == _owner(execution_id))
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
        """Some uploads from before then."""
        query = (
            select(*FILE_COLUMNS)
            .where(files.c.execution_id.is_(None), files.c.created_at < before)
            .limit(limit)
        )
        async with self._database.read() as connection:
            return [FileInfo(**row) for row in (await connection.execute(query.limit(limit))).mappings()]

    @uncancellable
    async def forget_file(self, file_id: str) -> None:
        """Delete what is known of it."""
        async with self._database.write() as connection:
            await connection.execute(delete(files).where(files.c.id == file_id))


def _owner(execution_id: str) -> Any:
    """The organization of an execution, by which its files are indexed."""
    return select(executions.c.organization_id).where(executions.c.id == execution_id).scalar_subquery()
