"""Executions from acceptance to their final state; see `execution_changes` for how states are guarded."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, bindparam, func, select
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import IntegrityError

from pagehand.errors import Conflict
from pagehand.records import Execution, FinalState, Json, QueueEntry, Requeue, Status, WebhookEvent
from pagehand.storage import execution_changes as changes
from pagehand.storage.accept_limits import AcceptLimits, keep_limits, lock_accepting, queue_is_full
from pagehand.storage.adding import adding_one, insert_together
from pagehand.storage.counts import CountFolding, Tally, count_everybodys
from pagehand.storage.database import Database, settled, uncancellable
from pagehand.storage.execution_changes import COLUMNS, HELD, UNFINISHED
from pagehand.storage.execution_list import ExecutionFilter, ExecutionPage, Listing
from pagehand.storage.on_behalf import waits_for_database
from pagehand.storage.searched_executions import SearchedListing, SearchTotals
from pagehand.storage.tables import executions, idempotency_keys

__all__ = ["ExecutionFilter", "ExecutionPage", "ExecutionStore"]

IDEMPOTENCY_KEY_LIFETIME_MS = 24 * 3_600_000
# what may be megabytes: left out wherever many executions are read at once
_LARGE = {"params", "secret_params", "start_block", "response", "context"}
_WITHOUT_VALUES = [column for column in COLUMNS if column.name not in _LARGE]
_ENTRY_COLUMNS = [
    executions.c.n.label("number") if name == "number" else executions.c[name]
    for name in QueueEntry.__dataclass_fields__
]
# built once: building a statement takes longer than running it
_ANY = select(*COLUMNS).where(executions.c.id == bindparam("id"))
_OWN = _ANY.where(executions.c.organization_id == bindparam("organization_id"))
_PARAMS = select(executions.c.params).where(
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


@waits_for_database
class ExecutionStore:
    """All executions; those of one organization for its callers, any for the engine."""

    def __init__(self, database: Database, limits: AcceptLimits | None = None) -> None:
        """`limits` hold for what is added; without any, everything is."""
        self._database = database
        self._limits = limits or AcceptLimits()
        self._folding = CountFolding(database)
        self._search_totals = SearchTotals()

    @uncancellable
    async def add(self, execution: Execution, repeat: tuple[str, bytes] | None = None) -> Execution:
        """Commit a new execution; with a (key, digest) seen within 24 hours, give the earlier one instead.

        Asked again after the answer was lost, it finds the row it has made. Raises TooMany; an execution
        that is there already is given whatever the limits are.
        """
        await self._folding.when_due()
        try:
            return await settled(lambda: self._add(execution, repeat))
        except IntegrityError:
            # the answer to the first try was lost: the row is there, under the id that only we know
            if (found := await self.find(execution.id)) is None:
                raise
            return found

    async def _add(self, execution: Execution, repeat: tuple[str, bytes] | None) -> Execution:
        # PostgreSQL does all of it in one statement; whatever keeps that from adding is looked at in turn
        if not self._database.is_sqlite and not self._limits.per_minute:
            key = None if repeat is None else _noted(execution, *repeat)
            if await self._database.commit_one(*adding_one(execution, self._limits.queued, key)):
                return execution

        def work(connection: Connection) -> Execution:
            if repeat is not None:
                # the lock before the key, as the statement above has them: two never wait for each other
                lock_accepting(connection, execution.organization_id)
                if (earlier := _earlier(connection, execution, *repeat)) is not None:
                    return earlier
            insert_together(connection, [execution])
            keep_limits(connection, self._limits, [execution])
            return execution

        return await self._database.commit(work)

    async def refuse_if_full(self, organization_id: str, more: int) -> None:
        """Raise TooMany, or InvalidRequest, where so many more could not be added now.

        For callers with much to prepare: it is looked at again when they are added.
        """
        self._limits.refuse_for_good(more)
        if self._limits.queued:
            queued = await self.count_queued(organization_id)
            if queued + more > self._limits.queued:
                raise queue_is_full(self._limits.queued, queued)

    async def get(self, organization_id: str, execution_id: str) -> Execution | None:
        """The organization's execution with that id."""
        row = await self._database.find(_OWN, id=execution_id, organization_id=organization_id)
        return Execution(**row) if row else None

    async def find(self, execution_id: str) -> Execution | None:
        """The execution with that id, whoever it belongs to; for the engine only."""
        row = await self._database.find(_ANY, id=execution_id)
        return Execution(**row) if row else None

    async def params(self, organization_id: str, execution_id: str) -> Json:
        """The params of one of the organization's; what a list has left out because they are large."""
        row = await self._database.find(_PARAMS, id=execution_id, organization_id=organization_id)
        return row["params"] if row else {}

    async def without_values(self, ids: Sequence[str]) -> list[Execution]:
        """These executions without their params, start block, response and context, which can be large."""
        query = select(*_WITHOUT_VALUES).where(executions.c.id.in_(list(ids)))
        async with self._database.read() as connection:
            return [Execution(**row) for row in (await connection.execute(query)).mappings()]

    async def unfinished(self, *, after: int, limit: int) -> list[QueueEntry]:
        """The next ones that are not final behind a place in the order of acceptance."""
        return await self._entries(limit, executions.c.status.in_(UNFINISHED), executions.c.n > after)

    async def unfinished_of_batch(
        self, organization_id: str, batch_id: str, *, after: int, limit: int
    ) -> list[QueueEntry]:
        """The same among the executions of a batch."""
        return await self._entries(
            limit,
            executions.c.organization_id == organization_id,
            executions.c.batch_id == batch_id,
            executions.c.status.in_(UNFINISHED),
            executions.c.n > after,
        )

    async def waiting_past(self, moment: int, limit: int) -> list[QueueEntry]:
        """Some that wait although their time was over at that moment."""
        return await self._entries(
            limit, executions.c.status == Status.ENQUEUED, executions.c.deadline_at <= moment
        )

    async def running_of(self, organization_id: str) -> list[Execution]:
        """The organization's executions that run or are paused, without their large values."""
        query = select(*_WITHOUT_VALUES).where(
            executions.c.organization_id == organization_id,
            executions.c.status.in_((Status.IN_PROGRESS, Status.PAUSED)),
        )
        async with self._database.read() as connection:
            return [Execution(**row) for row in (await connection.execute(query)).mappings()]

    async def final_among(self, ids: Sequence[str]) -> list[str]:
        """Those that have reached their end."""
        query = select(executions.c.id).where(
            executions.c.id.in_(list(ids)), executions.c.status.not_in(UNFINISHED)
        )
        async with self._database.read() as connection:
            return list((await connection.execute(query)).scalars())

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

    async def count_everybodys(self) -> tuple[dict[Status, int], int | None]:
        """All executions of all organizations per status, and since when the first in the queue waits."""
        oldest = select(func.min(executions.c.queued_at)).where(executions.c.status == Status.ENQUEUED)
        async with self._database.read() as connection:
            return await count_everybodys(connection), (await connection.execute(oldest)).scalar()

    @uncancellable
    async def claim(
        self,
        execution_id: str,
        *,
        at: int,
        token: str | None = None,
        webhook_event: WebhookEvent | None = None,
    ) -> Execution | None:
        """Begin a run: Enqueued → InProgress under a new fence; None if somebody else was first.

        Asked again with the same token, it finds the claim it has made.
        """
        await self._folding.when_due()
        if webhook_event is None:
            row = await self._claim_alone(execution_id, at, token)
        else:
            row = await self._database.commit(
                lambda connection: changes.claim(connection, execution_id, at, token, webhook_event)
            )
        return Execution(**row) if row else None

    async def _claim_alone(self, execution_id: str, at: int, token: str | None) -> RowMapping | None:
        values = {"held_id": execution_id, "at": at, "token": token}
        rows = await self._database.commit_one(changes.CLAIM, values)
        return (
            rows[0] if rows else await self._database.find(changes.CLAIMED, held_id=execution_id, token=token)
        )

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
        """Write down how a run is doing; False if it is final or another run has taken over.

        A webhook event needs a token: without one a change may be made twice.
        """
        unknown = values.keys() - _CHANGEABLE
        if unknown or Status(values.get("status", Status.PAUSED)).is_final:
            raise ValueError(
                f"update() cannot write {sorted(unknown) or values['status']}; a run ends by finish()."
            )
        await self._folding.when_due()
        held = {"held_id": execution_id, "held_fence": fence, **values}
        return await self._database.commit(
            lambda connection: changes.change(connection, HELD, held, token, webhook_event)
        )

    @uncancellable
    async def finish(
        self, end: FinalState, fence: int | None, *, token: str | None = None
    ) -> Execution | None:
        """End an execution for good; without a fence only while it is Enqueued.

        None if it was not the caller's to end.
        """
        await self._folding.when_due()
        whole = replace(end, final=_final_values(end.final))
        if end.webhook_event is None and token is not None and not self._database.is_sqlite:
            statement, given = changes.whole_end(whole, fence, token)
            if rows := await self._database.commit_one(statement, given):
                return Execution(**rows[0])

        def work(connection: Connection) -> RowMapping | None:
            if changes.end(connection, whole, fence, token=token):
                return connection.execute(_ANY, {"id": end.execution_id}).mappings().first()
            return None

        row = await self._database.commit(work)
        return Execution(**row) if row else None

    @uncancellable
    async def finish_waiting(self, ends: Sequence[FinalState], *, token: str) -> Sequence[str]:
        """End executions that are Enqueued, in one transaction; the ids of those that were."""
        await self._folding.when_due()

        whole = [replace(end, final=_final_values(end.final)) for end in ends]
        return await self._database.commit(lambda connection: changes.end_waiting(connection, whole, token))

    @uncancellable
    async def requeue(
        self, execution_id: str, fence: int, requeue: Requeue, *, token: str | None = None
    ) -> bool:
        """Send a run back to the queue as if it had not begun, under a new fence."""
        await self._folding.when_due()
        values = {
            "held_id": execution_id,
            "held_fence": fence,
            "attempts": requeue.attempts,
            "not_before": requeue.not_before,
            "metadata": requeue.metadata,
            "queued_at": requeue.at,
            **requeue.fields,
        }
        return await self._database.commit(lambda connection: changes.requeue(connection, values, token))

    async def _entries(self, limit: int, *conditions: ColumnElement[bool]) -> "list[QueueEntry]":
        query = select(*_ENTRY_COLUMNS).where(*conditions).order_by(executions.c.n).limit(limit)
        async with self._database.read() as connection:
            return [QueueEntry(**row) for row in (await connection.execute(query)).mappings()]


def _final_values(final: Json) -> Json:
    # a browser that is gone cannot be watched, and nobody is waited for any more
    values: Json = {"failure": None, **final, "live_view_url": None, "waiting": None}
    if values.keys() != set(changes.FINAL_COLUMNS) or not values["status"].is_final:
        raise ValueError(f"finish() needs a final status and {changes.FINAL_COLUMNS}, not {sorted(final)}.")
    return values


def _noted(execution: Execution, key: str, digest: bytes) -> Json:
    """A row that notes for which execution a key was used, and the age at which such a row is forgotten."""
    return {
        "key": key,
        "digest": digest,
        "execution_id": execution.id,
        "created_at": execution.accepted_at,
        "forgotten_at": execution.accepted_at - IDEMPOTENCY_KEY_LIFETIME_MS,
    }


def _earlier(connection: Connection, execution: Execution, key: str, digest: bytes) -> Execution | None:
    """The execution this repeats, or None after noting the key; a second call waits here for the first."""
    noted = _noted(execution, key, digest)
    forgotten_at = noted.pop("forgotten_at")
    note = postgresql.insert(idempotency_keys).values(organization_id=execution.organization_id, **noted)
    note = note.on_conflict_do_update(
        index_elements=["organization_id", "key"],
        set_=noted,
        where=idempotency_keys.c.created_at <= forgotten_at,
    )
    if connection.execute(note.returning(idempotency_keys.c.key)).first() is not None:
        return None
    same = (idempotency_keys.c.organization_id == execution.organization_id) & (idempotency_keys.c.key == key)
    query = select(idempotency_keys.c.digest, *COLUMNS).join_from(
        idempotency_keys, executions, idempotency_keys.c.execution_id == executions.c.id
    )
    row = dict(connection.execute(query.where(same)).mappings().one())
    if bytes(row.pop("digest")) != digest:
        raise Conflict(
            "`Idempotency-Key`: it was used with another request body; use a new key for a new request."
        )
    return Execution(**row)
