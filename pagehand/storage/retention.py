"""Old executions and uploads: finding them, and deleting everything that belongs to them."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from time import monotonic
from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, bindparam, delete, func, select, text, union_all

from pagehand.records import FileInfo
from pagehand.storage import advisory_locks
from pagehand.storage.counts import fold_counts
from pagehand.storage.database import uncancellable
from pagehand.storage.files import FILE_COLUMNS
from pagehand.storage.run_claim import FINAL, Store
from pagehand.storage.tables import events, execution_search, executions, files, idempotency_keys

_TRANSACTION_SECONDS: Final = 0.03
"""After so long a transaction takes no more executions: on SQLite everybody else waits for it."""
_GROUP: Final = 5
"""How many executions are deleted by the same statements."""
_TEXT_LENGTH: Final = 20_000
"""After so many characters, too: they are deleted from the search index at the end of the transaction."""
_SUM_TEXTS = select(func.sum(func.length(execution_search.c.text))).where(
    execution_search.c.n.in_(bindparam("numbers", expanding=True))
)
# FTS5 deletes a text from its index only if it is given exactly what was indexed
_SQLITE_UNINDEX = text("""
    INSERT INTO execution_trigrams (execution_trigrams, rowid, text)
    SELECT 'delete', n, substr(text, 1, 100000) || char(31) FROM execution_search WHERE n IN :numbers
""").bindparams(bindparam("numbers", expanding=True))
# a few pages now, instead of the whole index when there are too many segments
_SQLITE_MERGE = text("INSERT INTO execution_trigrams (execution_trigrams, rank) VALUES ('merge', 100)")
_POSTGRES_UNINDEX = text("DELETE FROM execution_trigrams WHERE n IN :numbers").bindparams(
    bindparam("numbers", expanding=True)
)
_TRY_LOCK = text(f"SELECT pg_try_advisory_xact_lock({advisory_locks.RETENTION})")
_STAY_IDLE = text("SET LOCAL idle_in_transaction_session_timeout = 0")


class OldExecution(NamedTuple):
    """An execution to delete."""

    n: int
    organization_id: str
    id: str


class OldExecutions(NamedTuple):
    """What was found among the next executions in the order of acceptance."""

    found: list[OldExecution]
    upto: int | None
    """The number of the last one that was looked at; None when the following ones are too young."""


class RetentionStore(Store):
    """Old executions and uploads of all organizations; for the service only."""

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

    async def executions(self, before: int, after: int, limit: int) -> OldExecutions:
        """Those of the next `limit` executions after a number that ended before then."""
        columns = (executions.c.status, executions.c.accepted_at, executions.c.end_time)
        query = select(executions.c.n, executions.c.organization_id, executions.c.id, *columns)
        async with self._database.read() as connection:
            chosen = query.where(executions.c.n > after).order_by(executions.c.n).limit(limit)
            rows = (await connection.execute(chosen)).all()
        accepted = [row for row in rows if row.accepted_at < before]
        # no index orders them by age, but their numbers do, except where the clock was set back
        upto = accepted[-1].n if accepted else None
        is_old = [row for row in accepted if row.status in FINAL and (row.end_time or before) < before]
        return OldExecutions([OldExecution(*row[:3]) for row in is_old], upto)

    async def file_keys(self, old: Sequence[OldExecution]) -> list[str]:
        """The keys of their files and screenshots in the file store."""
        screenshots = select(events.c.screenshot_key).where(
            events.c.execution_id.in_([item.id for item in old]), events.c.screenshot_key.is_not(None)
        )
        own = select(files.c.key).where(_files_of(old))
        async with self._database.read() as connection:
            return list((await connection.execute(union_all(own, screenshots))).scalars())

    @uncancellable
    async def delete_executions(self, old: Sequence[OldExecution]) -> None:
        """Delete executions with their events, files and search index, in short transactions."""
        while old:
            deleted = await self._database.commit(partial(_delete_some, old=old))
            old = old[deleted:]
        if not self._database.is_sqlite:
            # PostgreSQL's triggers only note the changes, and whoever counts would have to add them all up
            await fold_counts(self._database)

    async def uploads(self, before: int, limit: int) -> list[FileInfo]:
        """Some files uploaded before then."""
        query = (
            select(*FILE_COLUMNS)
            .where(files.c.execution_id.is_(None), files.c.created_at < before)
            .order_by(files.c.created_at)
            .limit(limit)
        )
        return [FileInfo(**row) for row in await self._database.all(query)]

    @uncancellable
    async def delete_file(self, file_id: str) -> None:
        """Delete a file's row."""
        await self._database.execute(delete(files).where(files.c.id == file_id))


def _delete_some(connection: Connection, old: Sequence[OldExecution]) -> int:
    """Delete the first of these executions, as many as a short transaction can; how many."""
    end = monotonic() + _TRANSACTION_SECONDS
    deleted = text_length = 0
    while deleted < len(old) and monotonic() < end and text_length < _TEXT_LENGTH:
        group = old[deleted : deleted + _GROUP]
        text_length += connection.execute(_SUM_TEXTS, {"numbers": [item.n for item in group]}).scalar() or 0
        _delete_group(connection, group)
        deleted += len(group)
    _delete_texts(connection, [item.n for item in old[:deleted]])
    return deleted


def _delete_texts(connection: Connection, numbers: Sequence[int]) -> None:
    """Delete what is searched, at once: every statement would make a segment of its own in the index."""
    is_sqlite = connection.dialect.name == "sqlite"
    connection.execute(_SQLITE_UNINDEX if is_sqlite else _POSTGRES_UNINDEX, {"numbers": numbers})
    connection.execute(delete(execution_search).where(execution_search.c.n.in_(numbers)))
    if is_sqlite:
        connection.execute(_SQLITE_MERGE)


def _delete_group(connection: Connection, old: Sequence[OldExecution]) -> None:
    ids, numbers = [item.id for item in old], [item.n for item in old]
    connection.execute(delete(files).where(_files_of(old)))
    connection.execute(delete(events).where(events.c.execution_id.in_(ids)))
    connection.execute(delete(idempotency_keys).where(idempotency_keys.c.execution_id.in_(ids)))
    connection.execute(delete(executions).where(executions.c.n.in_(numbers)))


def _files_of(old: Sequence[OldExecution]) -> ColumnElement[bool]:
    # by organization too: the index on files begins with it; SQLite would not use it for a list of pairs
    organizations = {item.organization_id for item in old}
    return files.c.organization_id.in_(organizations) & files.c.execution_id.in_([item.id for item in old])
