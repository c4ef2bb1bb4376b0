"""Schedules, what became of each of their moments, and who may start an execution for one.

A moment is claimed by moving `next_at` on, guarded by its old value, in the transaction that writes the
execution: of any number of processes one succeeds, and an execution without a claim cannot be there.
"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, delete, func, literal, select, tuple_, update

from pagehand.records import Execution, Schedule, ScheduleRun
from pagehand.storage.accept_limits import AcceptLimits, keep_limits
from pagehand.storage.adding import insert_together
from pagehand.storage.counts import CountFolding
from pagehand.storage.database import Database, settled, uncancellable
from pagehand.storage.execution_changes import UNFINISHED
from pagehand.storage.on_behalf import waits_for_database
from pagehand.storage.organization_turn import take_turn
from pagehand.storage.pages import read_page
from pagehand.storage.tables import executions, schedule_runs, schedules, workflows

_CHANGEABLE = {str(column.name) for column in schedules.c} - {"id", "organization_id", "created_at"}
_READ_ONLY = ("workflow_name", "status")
_KEPT_RUNS = 500
"""How many runs of one schedule are kept; older ones are forgotten."""


@waits_for_database
class ScheduleStore:
    """An organization's schedules for its callers, all of them for the scheduler."""

    def __init__(self, database: Database, limits: AcceptLimits | None = None) -> None:
        self._database = database
        self._limits = limits or AcceptLimits()
        self._folding = CountFolding(database)

    @uncancellable
    async def add(self, schedule: Schedule, most: int | None = None) -> bool:
        """Keep a new schedule; False when its organization has `most` already."""
        query = select(func.count()).where(schedules.c.organization_id == schedule.organization_id)
        async with self._database.write() as connection:
            # counted in the same turn: of several that come at once no more than fit are kept
            await take_turn(connection, schedule.organization_id, "schedules")
            if most is not None and (await connection.execute(query)).scalar_one() >= most:
                return False
            await connection.execute(schedules.insert().values(_row(schedule)))
            return True

    async def get(self, organization_id: str, schedule_id: str) -> Schedule | None:
        """The schedule with that id."""
        query = _of(organization_id).where(schedules.c.id == schedule_id)
        async with self._database.read() as connection:
            row = (await connection.execute(query)).mappings().first()
        return Schedule(**row) if row else None

    async def list(
        self, organization_id: str, limit: int, offset: int, workflow_id: str | None = None
    ) -> tuple[list[Schedule], int]:
        """The organization's schedules, newest first: those of one workflow, or all."""
        query = _of(organization_id)
        if workflow_id is not None:
            query = query.where(schedules.c.workflow_id == workflow_id)
        query = query.order_by(schedules.c.created_at.desc(), schedules.c.id.desc())
        async with self._database.read() as connection:
            rows, total = await read_page(connection, query, limit, offset)
        return [Schedule(**row) for row in rows], total

    @uncancellable
    async def update(self, organization_id: str, schedule_id: str, **changes: Any) -> bool:
        """Change some of its fields; False when it is not there."""
        if unknown := changes.keys() - _CHANGEABLE:
            raise ValueError(f"update() cannot write {sorted(unknown)}.")
        change = update(schedules).values(changes).where(_is(organization_id, schedule_id))
        async with self._database.write() as connection:
            return (await connection.execute(change)).rowcount == 1

    @uncancellable
    async def delete(self, organization_id: str, schedule_id: str) -> bool:
        """Forget a schedule and its history; its executions stay."""
        async with self._database.write() as connection:
            return await connection.run_sync(delete_schedules, _is(organization_id, schedule_id)) == 1

    async def runs(
        self, organization_id: str, schedule_id: str, limit: int, offset: int
    ) -> tuple[Sequence[ScheduleRun], int]:
        """What became of its moments, newest first."""
        query = _runs().join(schedules, schedules.c.id == schedule_runs.c.schedule_id)
        query = query.where(_is(organization_id, schedule_id)).order_by(schedule_runs.c.id.desc())
        async with self._database.read() as connection:
            rows, total = await read_page(connection, query, limit, offset)
        return [ScheduleRun(**row) for row in rows], total

    async def last_runs(self, ids: Sequence[str]) -> dict[str, ScheduleRun]:
        """The newest run of each of these schedules, by their ids."""
        # ids are made in the order of time, so the largest is the newest
        newest = select(func.max(schedule_runs.c.id)).where(schedule_runs.c.schedule_id.in_(ids))
        query = _runs().where(schedule_runs.c.id.in_(newest.group_by(schedule_runs.c.schedule_id)))
        async with self._database.read() as connection:
            found = [ScheduleRun(**row) for row in (await connection.execute(query)).mappings()]
        return {run.schedule_id: run for run in found}

    async def now(self) -> int:
        """The clock by which schedules are due; all processes have the same."""
        return await self._database.now()

    async def due(self, now: int, limit: int, after: Schedule | None = None) -> Sequence[Schedule]:
        """Those whose moment has come, longest ago first; `after` is the last of the page before."""
        query = _all().where(schedules.c.is_enabled, schedules.c.next_at <= now)
        if after is not None:
            position = tuple_(schedules.c.next_at, schedules.c.id)
            query = query.where(position > tuple_(literal(after.next_at), literal(after.id)))
        query = query.order_by(schedules.c.next_at, schedules.c.id).limit(limit)
        async with self._database.read() as connection:
            return [Schedule(**row) for row in (await connection.execute(query)).mappings()]

    @uncancellable
    async def claim(
        self,
        schedule: Schedule,
        *,
        next_at: int,
        runs: Sequence[ScheduleRun],
        started: Sequence[Execution],
        may_overlap: bool,
    ) -> Sequence[ScheduleRun]:
        """Take what is due and write what became of it; nothing when another process was first.

        Unless `may_overlap`, nothing is started while an earlier execution of the schedule is not over.
        Raises TooMany.
        """
        await self._folding.when_due()

        def work(connection: Connection) -> Sequence[ScheduleRun]:
            mine = (schedules.c.id == schedule.id) & (schedules.c.next_at == schedule.next_at)
            move = update(schedules).values(next_at=next_at).where(mine, schedules.c.is_enabled)
            if connection.execute(move).rowcount != 1:
                return _written(connection, runs)  # by another process, or by us and the answer was lost
            is_busy = not may_overlap and _is_busy(connection, schedule.id)
            kept = [_skipped(run) if is_busy and run.outcome == "started" else run for run in runs]
            accepted = () if is_busy else started
            _write_runs(connection, schedule.id, kept, accepted)
            keep_limits(connection, self._limits, accepted)
            return kept

        return await settled(lambda: self._database.commit(work))

    @uncancellable
    async def add_run(self, schedule: Schedule, run: ScheduleRun, execution: Execution) -> bool:
        """Write an execution that a person has asked for; False when the schedule is gone. Raises TooMany."""
        await self._folding.when_due()

        def work(connection: Connection) -> bool:
            if _written(connection, [run]):
                return True
            own = select(schedules.c.id).where(schedules.c.id == schedule.id).with_for_update()
            if connection.execute(own).first() is None:
                return False
            _write_runs(connection, schedule.id, [run], [execution])
            keep_limits(connection, self._limits, [execution])
            return True

        return await settled(lambda: self._database.commit(work))


def delete_schedules(connection: Connection, which: ColumnElement[bool]) -> int:
    """Delete schedules and their history within the caller's transaction; how many."""
    ids = select(schedules.c.id).where(which)
    connection.execute(delete(schedule_runs).where(schedule_runs.c.schedule_id.in_(ids)))
    return connection.execute(delete(schedules).where(which)).rowcount


def _all() -> Select[Any]:
    return select(schedules, workflows.c.name.label("workflow_name")).join_from(schedules, workflows)


def _of(organization_id: str) -> Select[Any]:
    return _all().where(schedules.c.organization_id == organization_id)


def _is(organization_id: str, schedule_id: str) -> ColumnElement[bool]:
    return (schedules.c.id == schedule_id) & (schedules.c.organization_id == organization_id)


def _runs() -> Select[Any]:
    return select(schedule_runs, executions.c.status).join_from(
        schedule_runs, executions, schedule_runs.c.execution_id == executions.c.id, isouter=True
    )


def _row(record: Schedule | ScheduleRun) -> dict[str, Any]:
    return {name: value for name, value in asdict(record).items() if name not in _READ_ONLY}


def _is_busy(connection: Connection, schedule_id: str) -> bool:
    query = _runs().where(schedule_runs.c.schedule_id == schedule_id, executions.c.status.in_(UNFINISHED))
    return connection.execute(query.limit(1)).first() is not None


def _skipped(run: ScheduleRun) -> ScheduleRun:
    message = "An earlier execution of the schedule was not over."
    return replace(run, outcome="skipped", execution_id=None, message=message)


def _written(connection: Connection, runs: Sequence[ScheduleRun]) -> Sequence[ScheduleRun]:
    query = _runs().where(schedule_runs.c.id.in_([run.id for run in runs])).order_by(schedule_runs.c.id)
    return [ScheduleRun(**row) for row in connection.execute(query).mappings()]


def _write_runs(
    connection: Connection, schedule_id: str, runs: Sequence[ScheduleRun], started: Sequence[Execution]
) -> None:
    if started:
        insert_together(connection, started)
    if runs:
        connection.execute(schedule_runs.insert(), [_row(run) for run in runs])
    oldest = select(schedule_runs.c.id).where(schedule_runs.c.schedule_id == schedule_id)
    oldest = oldest.order_by(schedule_runs.c.id.desc()).offset(_KEPT_RUNS).limit(1).scalar_subquery()
    old = (schedule_runs.c.schedule_id == schedule_id) & (schedule_runs.c.id <= oldest)
    connection.execute(delete(schedule_runs).where(old))
