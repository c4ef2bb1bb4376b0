"""Events of executions, in order; and outputs of running ones, until they move into the row at the end."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import orjson
from sqlalchemy import Connection, bindparam, func, select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.records import Event, OutputPiece
from pagehand.storage.columns import encode_values, encoders_of
from pagehand.storage.database import Database, OnChange, ignore_change, uncancellable
from pagehand.storage.pages import Parts
from pagehand.storage.run_claim import UNFINISHED, Store
from pagehand.storage.tables import events, execution_outputs, executions

Rows = list[dict[str, Any]]
_ENCODERS = encoders_of(events.c)
_LOOKED_BACK = 100
"""So many blocks back a page is looked for; most blocks that change the page name it."""
_FIELDS = tuple(field.name for field in fields(Event))
_NAMES = ", ".join(column.name for column in events.c)
_INSERT = events.insert()
_HELD = (
    select(executions.c.id)
    .where(executions.c.id == bindparam("execution_id"), executions.c.fence == bindparam("run_fence"))
    .with_for_update(read=True)
)
# One statement, however many events. The execution is locked: another run cannot take over meanwhile.
_ADD = text(f"""
    INSERT INTO events ({_NAMES})
    SELECT {_NAMES} FROM json_populate_recordset(NULL::events, CAST(:rows AS json)) RETURNING seq
""")  # noqa: S608  (made of our own column names)
_ADD_HELD = text(f"""
    WITH held AS MATERIALIZED (
      SELECT id FROM executions WHERE id = :execution_id AND fence = :fence FOR SHARE
    )
    INSERT INTO events ({_NAMES})
    SELECT {_NAMES} FROM held, json_populate_recordset(NULL::events, CAST(:rows AS json)) RETURNING seq
""")  # noqa: S608  (as above)


class EventStore(Store):
    """The events of all executions."""

    def __init__(self, database: Database, on_change: OnChange = ignore_change) -> None:
        super().__init__(database)
        self._on_change = on_change

    @uncancellable
    async def add(self, added: Sequence[Event], fence: int | None = None) -> bool:
        """Add events; if their numbers are taken, they get the next free ones.

        With a run's `fence`, nothing is added and the result is False once another run has taken over.
        """
        if not added:
            return True
        # not `asdict`, which copies the data, and that takes longer than anything else about an event
        rows = [{name: getattr(event, name) for name in _FIELDS} for event in added]
        try:
            is_kept = await self._add(rows, fence)
        except IntegrityError:
            # an answer was lost and some are stored already: only the new ones are added
            is_kept = await self._add_new(rows, fence)
        # not as `execution`: lists of executions need not be read again for it
        await self._on_change(["event"], list({event.execution_id: None for event in added}), None)
        return is_kept

    async def _add_new(self, rows: Rows, fence: int | None) -> bool:
        async with self._database.write() as connection:
            if not await connection.run_sync(_lock_if_held, rows[0]["execution_id"], fence):
                return False
            new = await _renumber(connection, await _without_stored(connection, rows))
            if new:
                await connection.execute(_INSERT, new)
        return True

    async def _add(self, rows: Rows, fence: int | None) -> bool:
        if self._database.is_sqlite:
            return await self._database.commit(lambda connection: _insert(connection, rows, fence))
        kept = orjson.dumps([encode_values(row, _ENCODERS) for row in rows]).decode()
        if fence is None:
            return bool(await self._database.commit_one(_ADD, {"rows": kept}))
        held = {"execution_id": rows[0]["execution_id"], "fence": fence}
        return bool(await self._database.commit_one(_ADD_HELD, {"rows": kept, **held}))

    async def list(
        self, organization_id: str, execution_id: str, limit: int, offset: int
    ) -> tuple[Parts[Event], int]:
        """An execution's events, oldest first."""
        query = select(events).join_from(events, executions)
        query = query.where(
            events.c.execution_id == execution_id, executions.c.organization_id == organization_id
        )
        query = query.order_by(events.c.seq)
        large = [events.c.message, events.c.data]
        read = self._database.reader(Event)
        return await self._database.parts(query, events.c.seq, large, read, (limit, offset))

    async def url_before(self, organization_id: str, execution_id: str, block_id: str) -> str | None:
        """The address of the page when a block first began; of the last page if it never did."""
        of_run = events.c.execution_id == execution_id
        began = select(func.min(events.c.seq)).where(
            of_run, events.c.type == "block.started", events.c.block_id == block_id
        )
        finished = select(events.c.data).join_from(events, executions)
        finished = finished.where(
            of_run, executions.c.organization_id == organization_id, events.c.type == "block.finished"
        )
        async with self._database.read() as connection:
            first = (await connection.execute(began)).scalar()
            if first is not None:
                finished = finished.where(events.c.seq < first)
            latest = finished.order_by(events.c.seq.desc()).limit(_LOOKED_BACK)
            pages = [data.get("url") for data in (await connection.execute(latest)).scalars()]
        return next((url for url in pages if url), None)

    async def last_picture(self, organization_id: str, execution_id: str) -> str | None:
        """The key of an execution's last screenshot."""
        query = select(events.c.screenshot_key).join_from(events, executions)
        query = query.where(
            events.c.execution_id == execution_id,
            executions.c.organization_id == organization_id,
            events.c.screenshot_key.is_not(None),
        )
        async with self._database.read() as connection:
            return (await connection.execute(query.order_by(events.c.seq.desc()).limit(1))).scalar()

    async def last_seq(self, execution_id: str) -> int:
        """The number of an execution's last event; 0 if it has none."""
        async with self._database.read() as connection:
            return await _last_seq(connection, execution_id)


def _insert(connection: Connection, rows: Rows, fence: int | None) -> bool:
    if not _lock_if_held(connection, rows[0]["execution_id"], fence):
        return False
    connection.execute(_INSERT, rows)
    return True


def _lock_if_held(connection: Connection, execution_id: str, fence: int | None) -> bool:
    """Lock the execution; False if another run has taken it over."""
    if fence is None:
        return True
    return connection.execute(_HELD, {"execution_id": execution_id, "run_fence": fence}).first() is not None


async def _last_seq(connection: AsyncConnection, execution_id: str) -> int:
    query = select(func.coalesce(func.max(events.c.seq), 0)).where(events.c.execution_id == execution_id)
    return (await connection.execute(query)).scalar_one()


async def _without_stored(connection: AsyncConnection, rows: Rows) -> Rows:
    known = select(events).where(events.c.execution_id.in_({row["execution_id"] for row in rows}))
    known = known.where(events.c.seq.between(rows[0]["seq"], rows[-1]["seq"]))
    stored = {_identity(row) for row in (await connection.execute(known)).mappings()}
    return [row for row in rows if _identity(row) not in stored]


def _identity(row: Mapping[Any, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("execution_id", "seq", "at", "type", "message", "screenshot_key"))


async def _renumber(connection: AsyncConnection, rows: Rows) -> Rows:
    # sorted, so that two processes cannot deadlock
    ids = sorted({row["execution_id"] for row in rows})
    # locked, so that no other process numbers events of these executions meanwhile
    locked = (
        select(executions.c.id).where(executions.c.id.in_(ids)).order_by(executions.c.id).with_for_update()
    )
    await connection.execute(locked)
    last = {execution_id: await _last_seq(connection, execution_id) for execution_id in ids}
    for row in rows:
        last[row["execution_id"]] += 1
        row["seq"] = last[row["execution_id"]]
    return rows


class OutputStore(Store):
    """The output pieces of all running executions."""

    @uncancellable
    async def add(self, execution_id: str, fence: int, first: int, pieces: Sequence[OutputPiece]) -> bool:
        """Add pieces from position `first` on; False if another run has taken over."""
        held = select(executions.c.id).where(
            executions.c.id == execution_id,
            executions.c.fence == fence,
            executions.c.status.in_(UNFINISHED),
        )
        rows = [
            {
                "execution_id": execution_id,
                "position": first + index,
                "path": piece.path,
                "value": piece.value,
            }
            for index, piece in enumerate(pieces)
        ]

        def work(connection: Connection) -> bool:
            # the row is locked: another run cannot take over while the pieces are added
            if connection.execute(held.with_for_update(read=True)).first() is None:
                return False
            connection.execute(execution_outputs.insert(), rows)
            return True

        try:
            return await self._database.commit(work)
        except IntegrityError:
            return True  # they are stored already: the answer to the first try was lost

    async def of_execution(self, execution_id: str) -> list[OutputPiece]:
        """The pieces of an execution, in order."""
        query = select(execution_outputs.c.path, execution_outputs.c.value)
        query = query.where(execution_outputs.c.execution_id == execution_id)
        rows = await self._database.all(query.order_by(execution_outputs.c.position))
        return [OutputPiece(**row) for row in rows]
