"""Executions from acceptance (`accepting`) to their final state (`execution_changes`)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from msgspec import Raw
from sqlalchemy import ColumnElement, Connection, RowMapping, bindparam, func, select, type_coerce

from pagehand.records import Execution, FinalState, Json, QueueEntry, Requeue, Status, WebhookEvent
from pagehand.storage import execution_changes as changes
from pagehand.storage.accepting import AcceptingStore, AcceptLimits, IdempotencyKey, accept, queue_full_error
from pagehand.storage.columns import RawJsonText
from pagehand.storage.counts import ExecutionCounter, count_all_organizations
from pagehand.storage.database import Database, OnChange, ignore_change, uncancellable
from pagehand.storage.execution_changes import large_response
from pagehand.storage.execution_list import ExecutionFilter, ExecutionPage, Listing
from pagehand.storage.execution_rows import ENDED_COLUMNS, SELECT_EXECUTION, SMALL_COLUMNS
from pagehand.storage.execution_search import SearchedListing, SearchTotalCache
from pagehand.storage.pages import ByteLength
from pagehand.storage.run_claim import RUNNING, UNFINISHED
from pagehand.storage.tables import executions

__all__ = ["ExecutionFilter", "ExecutionPage", "ExecutionStore"]

_ENTRY_COLUMNS = [
    executions.c.n.label("number") if name == "number" else executions.c[name]
    for name in QueueEntry.__dataclass_fields__
]
# built once: building a statement takes longer than running it
_SELECT_OWN = SELECT_EXECUTION.where(executions.c.organization_id == bindparam("organization_id"))
_SELECT_ENDED = select(*ENDED_COLUMNS).where(executions.c.id == bindparam("id"))
_SELECT_PARAMS = select(type_coerce(executions.c.params, RawJsonText()).label("params")).where(
    executions.c.id == bindparam("id"), executions.c.organization_id == bindparam("organization_id")
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
    "waiting",
    "proposal",
}


_WITH_ATTENTION: Final = ("execution", "attention")
"""What waits for a person may have changed too."""


class ExecutionStore(AcceptingStore):
    """Executions: one organization's for the API, all for the engine."""

    def __init__(
        self, database: Database, limits: AcceptLimits | None = None, on_change: OnChange = ignore_change
    ) -> None:
        """`limits` apply to what is added; without them there is no limit."""
        super().__init__(database, limits, on_change)
        self._search_totals = SearchTotalCache()

    @uncancellable
    async def add(self, execution: Execution, idempotency_key: IdempotencyKey | None = None) -> Execution:
        """Accept an execution, or return the earlier one with its key; see `accepting`. Raises TooMany."""
        await self._folding.fold_if_due()
        added = await accept(self._database, self._limits, execution, idempotency_key)
        await self._on_change(["execution"], [added.id], added.organization_id)
        return added

    async def refuse_if_full(self, organization_id: str, more: int) -> None:
        """Raise TooMany or InvalidRequest if so many more could not be added now.

        For callers with much to prepare: the limits are checked again when the executions are added.
        """
        self._limits.check_size(more)
        if self._limits.queued:
            queued = await self.count_queued(organization_id)
            if queued + more > self._limits.queued:
                raise queue_full_error(self._limits.queued, queued)

    async def get(self, organization_id: str, execution_id: str) -> Execution | None:
        """The organization's execution with that id."""
        row = await self._database.lookup(_SELECT_OWN, id=execution_id, organization_id=organization_id)
        return Execution(**row) if row else None

    async def find_in_any_organization(self, execution_id: str) -> Execution | None:
        """The execution with that id, of any organization; for the engine only."""
        row = await self._database.lookup(SELECT_EXECUTION, id=execution_id)
        return Execution(**row) if row else None

    async def params(self, organization_id: str, execution_id: str) -> Raw | None:
        """The params of an execution as JSON text, which a list leaves out if they are large."""
        row = await self._database.lookup(_SELECT_PARAMS, id=execution_id, organization_id=organization_id)
        return row["params"] if row else None

    async def small_responses(self, organization_id: str, ids: Sequence[str], most: int) -> dict[str, Raw]:
        """The responses of those that have one of at most so many bytes, as JSON text."""
        query = select(executions.c.id, executions.c.response).where(
            executions.c.organization_id == organization_id,
            executions.c.id.in_(list(ids)),
            executions.c.response.is_not(None),
            ByteLength(executions.c.response) <= most,
        )
        return {row["id"]: row["response"] for row in await self._database.all(query)}

    async def without_values(self, ids: Sequence[str]) -> list[Execution]:
        """These executions without the values that can be large: params, start block, response, context."""
        query = select(*SMALL_COLUMNS).where(executions.c.id.in_(list(ids)))
        return [Execution(**row) for row in await self._database.all(query)]

    async def unfinished(self, *, after: int, limit: int) -> list[QueueEntry]:
        """The next unfinished executions after a number in the order of acceptance."""
        return await self._entries(limit, executions.c.status.in_(UNFINISHED), executions.c.n > after)

    async def unfinished_of_batch(
        self, organization_id: str, batch_id: str, *, after: int, limit: int
    ) -> list[QueueEntry]:
        """The next unfinished executions of a batch after a number in the order of acceptance."""
        return await self._entries(
            limit,
            executions.c.organization_id == organization_id,
            executions.c.batch_id == batch_id,
            executions.c.status.in_(UNFINISHED),
            executions.c.n > after,
        )

    async def waiting_past(self, moment: int, limit: int) -> list[QueueEntry]:
        """Some enqueued executions whose deadline has passed at that moment."""
        return await self._entries(
            limit, executions.c.status == Status.ENQUEUED, executions.c.deadline_at <= moment
        )

    async def running_of(self, organization_id: str) -> list[Execution]:
        """The organization's running and paused executions, without large values."""
        query = select(*SMALL_COLUMNS).where(
            executions.c.organization_id == organization_id,
            executions.c.status.in_(RUNNING),
        )
        return [Execution(**row) for row in await self._database.all(query)]

    async def final_among(self, ids: Sequence[str]) -> list[str]:
        """Which of these are final."""
        query = select(executions.c.id).where(
            executions.c.id.in_(list(ids)), executions.c.status.not_in(UNFINISHED)
        )
        async with self._database.read() as connection:
            return list((await connection.execute(query)).scalars())

    async def list(self, organization_id: str, wanted: ExecutionFilter) -> ExecutionPage:
        """One page of the organization's executions, newest accepted first, with the total."""

        def read(reader: Connection) -> ExecutionPage:
            if wanted.search:
                return SearchedListing(reader, organization_id, wanted, self._search_totals).read()
            return Listing(reader, organization_id, wanted).read()

        return await self._database.query(read)

    async def count_queued(self, organization_id: str) -> int:
        """How many of the organization's executions are enqueued."""
        counter = ExecutionCounter(organization_id=organization_id, status=Status.ENQUEUED)
        return await self._database.query(counter.count)

    async def count_all_organizations(self) -> tuple[dict[Status, int], int | None]:
        """Executions of all organizations per status, and since when the first in the queue has waited."""
        oldest = select(func.min(executions.c.queued_at)).where(executions.c.status == Status.ENQUEUED)
        return await self._database.query(
            lambda reader: (count_all_organizations(reader), reader.execute(oldest).scalar())
        )

    @uncancellable
    async def claim(
        self,
        execution_id: str,
        *,
        at: int,
        token: str | None = None,
        webhook_event: WebhookEvent | None = None,
    ) -> Execution | None:
        """Begin a run: Enqueued → InProgress under a new fence; None if another run was first.

        Called again with the same token, it returns the claim it has made.
        """
        await self._folding.fold_if_due()
        if webhook_event is None:
            row = await self._claim_alone(execution_id, at, token)
        else:
            row = await self._database.commit(
                lambda connection: changes.claim(connection, execution_id, at, token, webhook_event)
            )
        if row is None:
            return None
        await self._on_change(["execution"], [execution_id], row["organization_id"])
        return Execution(**row)

    async def _claim_alone(self, execution_id: str, at: int, token: str | None) -> RowMapping | None:
        values = {"held_id": execution_id, "at": at, "token": token}
        rows = await self._database.commit_one(changes.CLAIM, values)
        if rows:
            return rows[0]
        return await self._database.lookup(changes.CLAIMED, held_id=execution_id, token=token)

    @uncancellable
    async def update(
        self,
        execution_id: str,
        fence: int,
        *,
        token: str | None = None,
        webhook_event: WebhookEvent | None = None,
        **values: Any,
    ) -> bool:
        """Update a run's columns; False if it is final or another run has taken over.

        A webhook event needs a token: without one a change may be made twice.
        """
        unknown = values.keys() - _CHANGEABLE
        if unknown or Status(values.get("status", Status.PAUSED)).is_final:
            raise ValueError(
                f"update() cannot write {sorted(unknown) or values['status']}; a run ends by finish()."
            )
        await self._folding.fold_if_due()
        held = {"held_id": execution_id, "held_fence": fence, **values}
        is_changed = await self._database.commit(
            lambda connection: changes.change(connection, changes.UPDATE_HELD, held, token, webhook_event)
        )
        needs_attention = not values.keys().isdisjoint({"status", "authentications"})
        await self._on_change(_WITH_ATTENTION if needs_attention else ["execution"], [execution_id], None)
        return is_changed

    @uncancellable
    async def finish(
        self, end: FinalState, fence: int | None, *, token: str | None = None
    ) -> Execution | None:
        """Give an execution its final state; without a fence only while it is Enqueued.

        None if it has ended already, or another run has taken over.
        """
        await self._folding.fold_if_due()
        complete = replace(end, final=_final_values(end.final))
        is_one_statement = end.webhook_event is None and large_response(end) is None
        if is_one_statement and token is not None and not self._database.is_sqlite:
            statement, values = changes.end_statement(complete, fence, token)
            if rows := await self._database.commit_one(statement, values):
                await self._on_change(_WITH_ATTENTION, [end.execution_id], None)
                return _ended(rows[0], end.final)

        def work(connection: Connection) -> RowMapping | None:
            if changes.end(connection, complete, fence, token=token):
                return connection.execute(_SELECT_ENDED, {"id": end.execution_id}).mappings().first()
            return None

        row = await self._database.commit(work)
        await self._on_change(_WITH_ATTENTION, [end.execution_id], None)
        return _ended(row, end.final) if row else None

    @uncancellable
    async def finish_waiting(self, ends: Sequence[FinalState], *, token: str) -> Sequence[str]:
        """End executions that are Enqueued, in one transaction; the ids of those that have ended."""
        await self._folding.fold_if_due()
        complete = [replace(end, final=_final_values(end.final)) for end in ends]
        ended = await self._database.commit(
            lambda connection: changes.end_waiting(connection, complete, token)
        )
        await self._on_change(_WITH_ATTENTION, ended, None)
        return ended

    @uncancellable
    async def requeue(
        self, execution_id: str, fence: int, requeue: Requeue, *, token: str | None = None
    ) -> bool:
        """Send a run back to the queue, under a new fence."""
        await self._folding.fold_if_due()
        values = {
            "held_id": execution_id,
            "held_fence": fence,
            "attempts": requeue.attempts,
            "not_before": requeue.not_before,
            "metadata": requeue.metadata,
            "queued_at": requeue.at,
            **requeue.fields,
        }
        is_queued = await self._database.commit(lambda connection: changes.requeue(connection, values, token))
        await self._on_change(_WITH_ATTENTION, [execution_id], None)
        return is_queued

    async def _entries(self, limit: int, *conditions: ColumnElement[bool]) -> "list[QueueEntry]":
        query = select(*_ENTRY_COLUMNS).where(*conditions).order_by(executions.c.n).limit(limit)
        async with self._database.read() as connection:
            return [QueueEntry(**row) for row in (await connection.execute(query)).mappings()]


def _ended(row: RowMapping, final: Json) -> Execution:
    return Execution(**row, response=final["response"], context=final["context"])


def _final_values(final: Json) -> Json:
    # its browser is closed, and it waits for nothing any more
    values: Json = {"failure": None, **final, "live_view_url": None, "waiting": None}
    if values.keys() != set(changes.FINAL_COLUMNS) or not values["status"].is_final:
        raise ValueError(f"finish() needs a final status and {changes.FINAL_COLUMNS}, not {sorted(final)}.")
    return values
