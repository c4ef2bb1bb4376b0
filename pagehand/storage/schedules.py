"""Schedules and the runs they started.

A due schedule is claimed by moving `next_at`, guarded by its old value, in the transaction that adds the
execution: of any number of processes one succeeds, and no execution exists without a claim.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, delete, func, select, update

from pagehand.records import Delivery, Execution, Schedule, ScheduleRun
from pagehand.storage.accepting import AcceptingStore, check_limits
from pagehand.storage.database import retry_lost_write, uncancellable
from pagehand.storage.execution_rows import insert_few
from pagehand.storage.pages import ALL_ROWS, Parts, is_row, newest_first
from pagehand.storage.run_claim import UNFINISHED
from pagehand.storage.tables import executions, schedule_runs, schedules, workflows
from pagehand.storage.webhooks import insert_deliveries

_CHANGEABLE = {str(column.name) for column in schedules.c} - {"id", "organization_id", "created_at"}
_READ_ONLY = ("workflow_name", "status")
_KEPT_RUNS = 500
"""How many runs of one schedule are kept; older ones are deleted."""


class ScheduleStore(AcceptingStore):
    """Schedules: one organization's for the API, all for the scheduler."""

    @uncancellable
    async def add(self, schedule: Schedule, most: int | None = None) -> bool:
        """Add a schedule; False if its organization has `most` already."""
        return await self._insert_within(schedules, _row(schedule), most)

    async def get(self, organization_id: str, schedule_id: str) -> Schedule | None:
        """The schedule with that id."""
        query = _of_organization(organization_id).where(schedules.c.id == schedule_id)
        row = await self._database.first(query)
        return Schedule(**row) if row else None

    async def list(
        self, organization_id: str, limit: int, offset: int, workflow_id: str | None = None
    ) -> tuple[Parts[Schedule], int]:
        """The organization's schedules, newest first: those of one workflow, or all."""
        query = _of_organization(organization_id)
        if workflow_id is not None:
            query = query.where(schedules.c.workflow_id == workflow_id)
        return await self._parts(newest_first(query, schedules), limit, offset)

    async def _parts(self, query: Select[Any], limit: int, offset: int) -> tuple[Parts[Schedule], int]:
        large = [schedules.c.params, schedules.c.secret_params]
        read = self._database.reader(Schedule)
        return await self._database.parts(query, schedules.c.id, large, read, (limit, offset))

    @uncancellable
    async def update(self, organization_id: str, schedule_id: str, **changes: Any) -> bool:
        """Change some fields; False if the schedule does not exist."""
        if unknown := changes.keys() - _CHANGEABLE:
            raise ValueError(f"update() cannot write {sorted(unknown)}.")
        change = update(schedules).values(changes).where(is_row(schedules, organization_id, schedule_id))
        return await self._database.execute(change) == 1

    @uncancellable
    async def delete(self, organization_id: str, schedule_id: str) -> bool:
        """Delete a schedule and its runs; its executions stay."""
        async with self._database.write() as connection:
            own = is_row(schedules, organization_id, schedule_id)
            return await connection.run_sync(delete_schedules, own) == 1

    async def runs(
        self, organization_id: str, schedule_id: str, limit: int, offset: int
    ) -> tuple[Sequence[ScheduleRun], int]:
        """A schedule's runs, newest first."""
        query = _runs().join(schedules, schedules.c.id == schedule_runs.c.schedule_id)
        query = query.where(is_row(schedules, organization_id, schedule_id)).order_by(
            schedule_runs.c.id.desc()
        )
        rows, total = await self._database.page(query, limit, offset)
        return [ScheduleRun(**row) for row in rows], total

    async def last_runs(self, ids: Sequence[str]) -> dict[str, ScheduleRun]:
        """The newest run of each of these schedules, by their ids."""
        # ids sort by time, so the largest is the newest
        newest = select(func.max(schedule_runs.c.id)).where(schedule_runs.c.schedule_id.in_(ids))
        query = _runs().where(schedule_runs.c.id.in_(newest.group_by(schedule_runs.c.schedule_id)))
        runs = [ScheduleRun(**row) for row in await self._database.all(query)]
        return {run.schedule_id: run for run in runs}

    async def now(self) -> int:
        """The time on the clock that decides what is due; the same for all processes."""
        return await self._database.now()

    async def due(self, now: int) -> Parts[Schedule]:
        """Schedules that are due, longest overdue first."""
        query = _all().where(schedules.c.is_enabled, schedules.c.next_at <= now)
        query = query.order_by(schedules.c.next_at, schedules.c.id)
        return (await self._parts(query, ALL_ROWS, 0))[0]

    @uncancellable
    async def claim(
        self,
        schedule: Schedule,
        *,
        next_at: int,
        runs: Sequence[ScheduleRun],
        started: Sequence[Execution],
        may_overlap: bool,
        deliveries: Sequence[Delivery] = (),
    ) -> Sequence[ScheduleRun]:
        """Move the schedule to `next_at` and write its runs; nothing if another process was first.

        Unless `may_overlap`, runs are skipped while an earlier execution of the schedule is unfinished.
        Returns the runs as written; raises TooMany.
        """
        await self._folding.fold_if_due()

        def work(connection: Connection) -> Sequence[ScheduleRun]:
            unmoved = (schedules.c.id == schedule.id) & (schedules.c.next_at == schedule.next_at)
            move = update(schedules).values(next_at=next_at).where(unmoved, schedules.c.is_enabled)
            if connection.execute(move).rowcount != 1:
                return _find_runs(
                    connection, runs
                )  # empty, unless an earlier try wrote them and its answer was lost
            is_busy = not may_overlap and _is_busy(connection, schedule.id)
            written = [_skip(run) if is_busy and run.outcome == "started" else run for run in runs]
            accepted = () if is_busy else started
            _write_runs(connection, schedule.id, written, accepted)
            insert_deliveries(connection, deliveries)
            # last: it locks the organization until the commit
            check_limits(connection, self._limits, accepted)
            return written

        return await retry_lost_write(lambda: self._database.commit(work))

    @uncancellable
    async def add_run(self, schedule: Schedule, run: ScheduleRun, execution: Execution) -> bool:
        """Add an execution that a person started; False if the schedule is deleted. Raises TooMany."""
        await self._folding.fold_if_due()

        def work(connection: Connection) -> bool:
            if _find_runs(connection, [run]):
                return True
            own = select(schedules.c.id).where(schedules.c.id == schedule.id).with_for_update()
            if connection.execute(own).first() is None:
                return False
            _write_runs(connection, schedule.id, [run], [execution])
            check_limits(connection, self._limits, [execution])
            return True

        return await retry_lost_write(lambda: self._database.commit(work))


def miss_moments(connection: Connection, now: int, skip: Callable[[Schedule, int], ScheduleRun]) -> int:
    """Move every schedule that is due past now, within the caller's transaction; how many.

    `skip` sets the schedule's `next_at` and returns the run that its history shows for the gap.
    """
    due = select(schedules.c.id).where(schedules.c.next_at <= now, schedules.c.is_enabled)
    ids = connection.execute(due).scalars().all()
    for schedule_id in ids:  # one by one, because each may have megabytes of params
        row = connection.execute(_all().where(schedules.c.id == schedule_id)).mappings().one()
        schedule = Schedule(**row)
        run = skip(schedule, now)
        move = update(schedules).values(next_at=schedule.next_at).where(schedules.c.id == schedule.id)
        connection.execute(move)
        _write_runs(connection, schedule.id, [run], [])
    return len(ids)


def delete_schedules(connection: Connection, which: ColumnElement[bool]) -> int:
    """Delete schedules and their runs within the caller's transaction; how many."""
    ids = select(schedules.c.id).where(which)
    connection.execute(delete(schedule_runs).where(schedule_runs.c.schedule_id.in_(ids)))
    return connection.execute(delete(schedules).where(which)).rowcount


def _all() -> Select[Any]:
    return select(schedules, workflows.c.name.label("workflow_name")).join_from(schedules, workflows)


def _of_organization(organization_id: str) -> Select[Any]:
    return _all().where(schedules.c.organization_id == organization_id)


def _runs() -> Select[Any]:
    return select(schedule_runs, executions.c.status).join_from(
        schedule_runs, executions, schedule_runs.c.execution_id == executions.c.id, isouter=True
    )


def _row(record: Schedule | ScheduleRun) -> dict[str, Any]:
    return {name: value for name, value in asdict(record).items() if name not in _READ_ONLY}


def _is_busy(connection: Connection, schedule_id: str) -> bool:
    query = _runs().where(schedule_runs.c.schedule_id == schedule_id, executions.c.status.in_(UNFINISHED))
    return connection.execute(query.limit(1)).first() is not None


def _skip(run: ScheduleRun) -> ScheduleRun:
    message = "An earlier execution of the schedule was not over."
    return replace(run, outcome="skipped", execution_id=None, message=message)


def _find_runs(connection: Connection, runs: Sequence[ScheduleRun]) -> Sequence[ScheduleRun]:
    query = _runs().where(schedule_runs.c.id.in_([run.id for run in runs])).order_by(schedule_runs.c.id)
    return [ScheduleRun(**row) for row in connection.execute(query).mappings()]


def _write_runs(
    connection: Connection, schedule_id: str, runs: Sequence[ScheduleRun], started: Sequence[Execution]
) -> None:
    if started:
        insert_few(connection, started)
    if runs:
        connection.execute(schedule_runs.insert(), [_row(run) for run in runs])
    oldest = select(schedule_runs.c.id).where(schedule_runs.c.schedule_id == schedule_id)
    oldest = oldest.order_by(schedule_runs.c.id.desc()).offset(_KEPT_RUNS).limit(1).scalar_subquery()
    old = (schedule_runs.c.schedule_id == schedule_id) & (schedule_runs.c.id <= oldest)
    connection.execute(delete(schedule_runs).where(old))
