"""Executions from acceptance to their final state.

Every change of state is one guarded UPDATE, so that a late writer loses.
"""

from typing import Any

from sqlalchemy import Connection, RowMapping, Update, bindparam, select, update
from sqlalchemy.dialects import postgresql

from pagehand.errors import Conflict
from pagehand.records import Execution, Json, News, Status
from pagehand.storage.adding import insert_together
from pagehand.storage.counts import CountFolding, Tally
from pagehand.storage.database import Database, unbroken
from pagehand.storage.deliveries import write_news
from pagehand.storage.execution_list import ExecutionFilter, ExecutionPage, Listing
from pagehand.storage.searched_executions import SearchedListing, SearchTotals
from pagehand.storage.tables import executions, repeats

__all__ = ["ExecutionFilter", "ExecutionPage", "ExecutionStore"]

REPEAT_LIFETIME_MS = 24 * 3_600_000
_HIDDEN = {"n", "queued_at"}
_COLUMNS = [column for column in executions.c if column.name not in _HIDDEN]
_UNFINISHED = (Status.ENQUEUED, Status.IN_PROGRESS, Status.PAUSED)
_RUNNING = (Status.IN_PROGRESS, Status.PAUSED)
# built once: building a statement takes longer than running it
_ANY = select(*_COLUMNS).where(executions.c.id == bindparam("id"))
_OWN = _ANY.where(executions.c.organization_id == bindparam("organization_id"))
_CLAIM = (
    update(executions)
    .values(status=Status.IN_PROGRESS, fence=executions.c.fence + 1, start_time=bindparam("at"))
    .where(executions.c.id == bindparam("held_id"), executions.c.status == Status.ENQUEUED)
    .returning(*_COLUMNS)
)
# what to set is named by the values it is run with
_WAITING = update(executions).where(
    executions.c.id == bindparam("held_id"), executions.c.status == Status.ENQUEUED
)
_HELD = update(executions).where(
    executions.c.id == bindparam("held_id"),
    executions.c.fence == bindparam("held_fence"),
    executions.c.status.in_(_UNFINISHED),
)
_REQUEUE = (
    update(executions)
    .values(
        status=Status.ENQUEUED,
        fence=executions.c.fence + 1,
        start_time=executions.c.accepted_at,
        session_id=None,
        vendor_id=None,
        live_view_url=None,
    )
    .where(
        executions.c.id == bindparam("held_id"),
        executions.c.fence == bindparam("held_fence"),
        executions.c.status.in_(_RUNNING),
    )
)
_CHANGEABLE = {
    "status",
    "metadata",
    "logins",
    "authentications",
    "context_authentications",
    "session_id",
    "vendor_id",
    "live_view_url",
    "downloads",
    "commit_block",
    "response",
}


class ExecutionStore:
    """All executions; those of one organization for its callers, any for the engine."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._folding = CountFolding(database)
        self._search_totals = SearchTotals()

    @unbroken
    async def add(self, execution: Execution, repeat: tuple[str, bytes] | None = None) -> Execution:
        """Commit a new execution; with a (key, digest) seen within 24 hours, give the earlier one instead."""
        await self._folding.when_due()

        def work(connection: Connection) -> Execution:
            earlier = None if repeat is None else _earlier(connection, execution, *repeat)
            if earlier is None:
                insert_together(connection, [execution])
            return earlier or execution

        return await self._database.commit(work)

    async def get(self, organization_id: str, execution_id: str) -> Execution | None:
        """The organization's execution with that id."""
        row = await self._database.find(_OWN, id=execution_id, organization_id=organization_id)
        return Execution(**row) if row else None

    async def find(self, execution_id: str) -> Execution | None:
        """The execution with that id, whoever it belongs to; for the engine only."""
        row = await self._database.find(_ANY, id=execution_id)
        return Execution(**row) if row else None

    async def unfinished(self) -> list[Execution]:
        """Everything that is not final, oldest first: what the queue starts from."""
        query = select(*_COLUMNS).where(executions.c.status.in_(_UNFINISHED)).order_by(executions.c.n)
        async with self._database.read() as connection:
            return [Execution(**row) for row in (await connection.execute(query)).mappings()]

    async def list(self, organization_id: str, wanted: ExecutionFilter) -> ExecutionPage:
        """One page of the organization's executions, newest accepted first, with the total."""
        async with self._database.read() as connection:
            if wanted.search:
                return await SearchedListing(connection, organization_id, wanted, self._search_totals).read()
            return await Listing(connection, organization_id, wanted).read()

    async def count_queued(self, organization_id: str) -> int:
        """How many of the organization's executions wait for a worker."""
        async with self._database.read() as connection:
            return await Tally(organization_id=organization_id, status=Status.ENQUEUED).everything(connection)

    @unbroken
    async def claim(self, execution_id: str, *, at: int, news: News | None = None) -> Execution | None:
        """Begin a run: Enqueued → InProgress under a new fence; None if somebody else was first."""
        await self._folding.when_due()
        values = {"held_id": execution_id, "at": at}

        def work(connection: Connection) -> RowMapping | None:
            row = connection.execute(_CLAIM, values).mappings().first()
            if row is not None and news is not None:
                write_news(connection, news)
            return row

        row = await self._database.commit(work)
        return Execution(**row) if row else None

    async def update(
        self, execution_id: str, fence: int, *, news: News | None = None, **changes: Any
    ) -> bool:
        """Write down how a run is doing; False if it is final or another run has taken over."""
        unknown = changes.keys() - _CHANGEABLE
        if unknown or Status(changes.get("status", Status.PAUSED)).is_final:
            raise ValueError(
                f"update() cannot write {sorted(unknown) or changes['status']}; a run ends by finish()."
            )
        return await self._change(_HELD, {"held_id": execution_id, "held_fence": fence, **changes}, news)

    async def finish(
        self,
        execution_id: str,
        fence: int | None,
        *,
        status: Status,
        end_time: int,
        duration_ms: int,
        response: Json | None,
        response_file: Json | None,
        summary: str | None,
        error_analysis: str | None,
        failure: Json | None = None,
        context: Json | None,
        downloads: Json | None,
        news: News | None = None,
    ) -> bool:
        """End an execution for good; without a fence only while it is Enqueued.

        False if it was not the caller's to end.
        """
        if not status.is_final:
            raise ValueError(f"finish() needs a final status, not {status}.")
        held = {"held_id": execution_id} if fence is None else {"held_id": execution_id, "held_fence": fence}
        changes = {
            "status": status,
            "end_time": end_time,
            "duration_ms": duration_ms,
            "response": response,
            "response_file": response_file,
            "summary": summary,
            "error_analysis": error_analysis,
            "failure": failure,
            "context": context,
            "downloads": downloads,
            "live_view_url": None,
        }
        return await self._change(_WAITING if fence is None else _HELD, held | changes, news)

    async def requeue(
        self,
        execution_id: str,
        fence: int,
        *,
        attempts: int,
        not_before: int | None,
        at: int,
        metadata: Json,
    ) -> bool:
        """Send a run back to the queue as if it had not begun, under a new fence."""
        held = {"held_id": execution_id, "held_fence": fence}
        changes = {"attempts": attempts, "not_before": not_before, "queued_at": at, "metadata": metadata}
        return await self._change(_REQUEUE, held | changes)

    @unbroken
    async def _change(self, change: Update, values: dict[str, Any], news: News | None = None) -> bool:
        await self._folding.when_due()

        def work(connection: Connection) -> bool:
            is_changed = connection.execute(change, values).rowcount == 1
            if is_changed and news is not None:
                write_news(connection, news)
            return is_changed

        return await self._database.commit(work)


def _earlier(connection: Connection, execution: Execution, key: str, digest: bytes) -> Execution | None:
    """The execution this repeats, or None after noting the key; a second call waits here for the first."""
    own = {"digest": digest, "execution_id": execution.id, "created_at": execution.accepted_at}
    note = postgresql.insert(repeats).values(organization_id=execution.organization_id, key=key, **own)
    note = note.on_conflict_do_update(
        index_elements=["organization_id", "key"],
        set_=own,
        where=repeats.c.created_at <= execution.accepted_at - REPEAT_LIFETIME_MS,
    )
    if connection.execute(note.returning(repeats.c.key)).first() is not None:
        return None
    same = (repeats.c.organization_id == execution.organization_id) & (repeats.c.key == key)
    query = select(repeats.c.digest, *_COLUMNS).join_from(
        repeats, executions, repeats.c.execution_id == executions.c.id
    )
    row = dict(connection.execute(query.where(same)).mappings().one())
    if bytes(row.pop("digest")) != digest:
        raise Conflict(
            "`Idempotency-Key`: it was used with another request body; use a new key for a new request."
        )
    return Execution(**row)
