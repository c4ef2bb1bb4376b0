"""Outcomes of an organization's executions in figures: sums of counters, and its newest executions.

Nothing here grows with the number of executions kept. Tests are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from sqlalchemy import Row, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.clock import to_iso
from pagehand.records import Execution, Json, Status
from pagehand.storage.counts import HOUR_MS, Tally, counted_by_hour
from pagehand.storage.database import Database
from pagehand.storage.execution_changes import COLUMNS
from pagehand.storage.on_behalf import waits_for_database
from pagehand.storage.tables import events, executions, memories

_DAY_MS = 24 * HOUR_MS
_RECENT = 1000
"""Success and duration of workflows are judged by this many of the newest executions."""


@dataclass(slots=True, kw_only=True)
class DayCount:
    """The executions that started on one day (UTC)."""

    date: str
    completed: int = 0
    failed: int = 0
    other: int = 0


@dataclass(slots=True, kw_only=True)
class WorkflowFigures:
    """How a workflow fared among the newest executions."""

    id: str
    name: str
    last_status: Status
    completed: int = 0
    failed: int = 0
    healed: int = 0
    durations_ms: list[int] = field(default_factory=list[int])

    @property
    def median_ms(self) -> int | None:
        """Half of those that completed took longer."""
        return round(median(self.durations_ms)) if self.durations_ms else None


@dataclass(slots=True, frozen=True, kw_only=True)
class Failure:
    """A failed execution and the last picture taken of its page."""

    execution: Execution
    screenshot_key: str | None


@dataclass(slots=True, frozen=True, kw_only=True)
class Statistics:
    """An organization at a glance."""

    by_status: dict[Status, int]
    failed_last_day: int
    days: list[DayCount]
    workflows: list[WorkflowFigures]
    failures: list[Failure]


@dataclass(slots=True, kw_only=True)
class ModelSpending:
    """What the newest executions have spent on the model; `since` is when the first of them started."""

    executions: int = 0
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    since: int | None = None


@waits_for_database
class StatisticsStore:
    """Reads the figures of one organization."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, organization_id: str, *, at: int, days: int, failures: int = 5) -> Statistics:
        """The figures as of now, with the executions of the last days by day."""
        tally = Tally(organization_id=organization_id, is_test=False)
        async with self._database.read() as connection:
            by_status = await tally.by_status(connection)
            failed = Tally(organization_id=organization_id, status=Status.FAILED, is_test=False)
            return Statistics(
                by_status=by_status,
                failed_last_day=await failed.started(connection, at - _DAY_MS, None),
                days=await _days(connection, organization_id, at, days),
                workflows=await _workflows(connection, organization_id),
                failures=await _failures(connection, organization_id, failures),
            )

    async def model_spending(self, organization_id: str) -> ModelSpending:
        """What the newest executions have spent on the model, tests included: they cost as much."""
        query = (
            select(executions.c.metadata, executions.c.start_time)
            .where(executions.c.organization_id == organization_id)
            .order_by(executions.c.n.desc())
            .limit(_RECENT)
        )
        spent = ModelSpending()
        async with self._database.read() as connection:
            for metadata, start_time in await connection.execute(query):
                _spend(spent, metadata.get("modelUsage"))
                # newest first, so the last one read is the oldest
                spent.since = start_time
        return spent


def _spend(spent: ModelSpending, usage: Json | None) -> None:
    if usage is None:
        return
    spent.executions += 1
    spent.calls += usage["calls"]
    spent.input_tokens += usage["inputTokens"]
    spent.output_tokens += usage["outputTokens"]
    spent.cost_usd += usage["costUsd"]


async def _days(connection: AsyncConnection, organization_id: str, at: int, days: int) -> list[DayCount]:
    today = at // _DAY_MS
    counts = {day: DayCount(date=to_iso(day * _DAY_MS)[:10]) for day in range(today - days + 1, today + 1)}
    first_hour = (today - days + 1) * (_DAY_MS // HOUR_MS)
    # counters are kept by hour: a day in UTC is 24 of them
    for hour, status, count in await counted_by_hour(connection, organization_id, first_hour):
        day = counts.get(hour * HOUR_MS // _DAY_MS)
        if day is not None:
            name = status.lower() if status in (Status.COMPLETED, Status.FAILED) else "other"
            setattr(day, name, getattr(day, name) + count)
    return list(counts.values())


async def _workflows(connection: AsyncConnection, organization_id: str) -> list[WorkflowFigures]:
    """One walk from the newest execution, by the index of their age."""
    columns = ("workflow_id", "workflow_name", "status", "duration_ms")
    query = (
        select(*(executions.c[name] for name in columns))
        .where(executions.c.organization_id == organization_id, executions.c.is_test.is_(False))
        .order_by(executions.c.n.desc())
        .limit(_RECENT)
    )
    found: dict[str, WorkflowFigures] = {}
    for row in await connection.execute(query):
        _count(found, row)
    for workflow_id, healed in await _healed(connection, list(found)):
        found[workflow_id].healed = healed
    return list(found.values())


def _count(found: dict[str, WorkflowFigures], row: Row[Any]) -> None:
    figures = found.setdefault(
        row.workflow_id,
        WorkflowFigures(id=row.workflow_id, name=row.workflow_name, last_status=row.status),
    )
    if row.status is Status.COMPLETED:
        figures.completed += 1
        figures.durations_ms.append(row.duration_ms or 0)
    elif row.status is Status.FAILED:
        figures.failed += 1


async def _healed(connection: AsyncConnection, workflow_ids: Sequence[str]) -> list[tuple[str, int]]:
    """How many elements of each workflow are found by healing: the page is no longer as it was written."""
    query = (
        select(memories.c.workflow_id, func.count())
        .where(memories.c.workflow_id.in_(workflow_ids), memories.c.healed_locator.is_not(None))
        .group_by(memories.c.workflow_id)
    )
    return [(workflow_id, count) for workflow_id, count in await connection.execute(query)]


async def _failures(connection: AsyncConnection, organization_id: str, limit: int) -> list[Failure]:
    query = (
        select(*COLUMNS)
        .where(
            executions.c.organization_id == organization_id,
            executions.c.status == Status.FAILED,
            executions.c.is_test.is_(False),
        )
        .order_by(executions.c.n.desc())
        .limit(limit)
    )
    failed = [Execution(**row) for row in (await connection.execute(query)).mappings()]
    return [
        Failure(execution=execution, screenshot_key=await _picture(connection, execution.id))
        for execution in failed
    ]


async def _picture(connection: AsyncConnection, execution_id: str) -> str | None:
    query = (
        select(events.c.screenshot_key)
        .where(events.c.execution_id == execution_id, events.c.screenshot_key.is_not(None))
        .order_by(events.c.seq.desc())
        .limit(1)
    )
    return (await connection.execute(query)).scalar()
