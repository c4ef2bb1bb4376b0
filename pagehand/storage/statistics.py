"""Statistics of an organization's executions, from counters and its newest executions.

No query's cost grows with the number of stored executions. Tests are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any

from sqlalchemy import Connection, Row, func, select

from pagehand.clock import to_iso
from pagehand.records import Execution, Json, Status
from pagehand.storage.counts import HOUR_MS, ExecutionCounter, count_by_hour
from pagehand.storage.execution_rows import SMALL_COLUMNS
from pagehand.storage.run_claim import Store
from pagehand.storage.tables import events, executions, memories

_DAY_MS = 24 * HOUR_MS
_RECENT = 1000
"""How many of the newest executions the figures of workflows are computed from."""


@dataclass(slots=True, kw_only=True)
class DayCount:
    """The executions that started on one day (UTC)."""

    date: str
    completed: int = 0
    failed: int = 0
    other: int = 0


@dataclass(slots=True, kw_only=True)
class WorkflowFigures:
    """Outcomes of one workflow among the newest executions."""

    id: str
    name: str
    last_status: Status
    completed: int = 0
    failed: int = 0
    healed: int = 0
    durations_ms: list[int] = field(default_factory=list[int])

    @property
    def median_ms(self) -> int | None:
        """The median duration of those that completed."""
        return round(median(self.durations_ms)) if self.durations_ms else None


@dataclass(slots=True, frozen=True, kw_only=True)
class Failure:
    """A failed execution and the last screenshot of its page."""

    execution: Execution
    screenshot_key: str | None


@dataclass(slots=True, frozen=True, kw_only=True)
class Statistics:
    """The statistics of one organization."""

    by_status: dict[Status, int]
    failed_last_day: int
    days: list[DayCount]
    workflows: list[WorkflowFigures]
    failures: list[Failure]


@dataclass(slots=True, kw_only=True)
class ModelSpending:
    """Model usage of the newest executions; `since` is when the oldest of them started."""

    executions: int = 0
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    since: int | None = None


class StatisticsStore(Store):
    """Computes the statistics of an organization."""

    async def read(self, organization_id: str, *, at: int, days: int, failures: int = 5) -> Statistics:
        """The statistics at time `at`, with counts per day for the last `days`."""
        counter = ExecutionCounter(organization_id=organization_id, is_test=False)
        failed = replace(counter, status=Status.FAILED)
        return await self._database.query(
            lambda reader: Statistics(
                by_status=counter.count_by_status(reader),
                failed_last_day=failed.count_started(reader, at - _DAY_MS, None),
                days=_days(reader, organization_id, at, days),
                workflows=_workflows(reader, organization_id),
                failures=_failures(reader, organization_id, failures),
            )
        )

    async def model_spending(self, organization_id: str) -> ModelSpending:
        """Model usage of the newest executions, tests included: they cost as much."""
        query = (
            select(executions.c.metadata, executions.c.start_time)
            .where(executions.c.organization_id == organization_id)
            .order_by(executions.c.n.desc())
            .limit(_RECENT)
        )
        spending = ModelSpending()
        async with self._database.read() as connection:
            for metadata, start_time in await connection.execute(query):
                _add_usage(spending, metadata.get("modelUsage"))
                # newest first, so the last one read is the oldest
                spending.since = start_time
        return spending


def _add_usage(spending: ModelSpending, usage: Json | None) -> None:
    if usage is None:
        return
    spending.executions += 1
    spending.calls += usage["calls"]
    spending.input_tokens += usage["inputTokens"]
    spending.output_tokens += usage["outputTokens"]
    spending.cost_usd += usage["costUsd"]


def _days(connection: Connection, organization_id: str, at: int, days: int) -> list[DayCount]:
    today = at // _DAY_MS
    counts = {day: DayCount(date=to_iso(day * _DAY_MS)[:10]) for day in range(today - days + 1, today + 1)}
    first_hour = (today - days + 1) * (_DAY_MS // HOUR_MS)
    # counters are kept by hour: a day in UTC is 24 of them
    for hour, status, count in count_by_hour(connection, organization_id, first_hour):
        day = counts.get(hour * HOUR_MS // _DAY_MS)
        if day is not None:
            name = status.lower() if status in (Status.COMPLETED, Status.FAILED) else "other"
            setattr(day, name, getattr(day, name) + count)
    return list(counts.values())


def _workflows(connection: Connection, organization_id: str) -> list[WorkflowFigures]:
    """The figures of all workflows, in one walk over the index from the newest execution."""
    columns = ("workflow_id", "workflow_name", "status", "duration_ms")
    query = (
        select(*(executions.c[name] for name in columns))
        .where(executions.c.organization_id == organization_id, executions.c.is_test.is_(False))
        .order_by(executions.c.n.desc())
        .limit(_RECENT)
    )
    found: dict[str, WorkflowFigures] = {}
    for row in connection.execute(query):
        _add_outcome(found, row)
    for workflow_id, healed in _healed(connection, list(found)):
        found[workflow_id].healed = healed
    return list(found.values())


def _add_outcome(found: dict[str, WorkflowFigures], row: Row[Any]) -> None:
    figures = found.setdefault(
        row.workflow_id,
        WorkflowFigures(id=row.workflow_id, name=row.workflow_name, last_status=row.status),
    )
    if row.status is Status.COMPLETED:
        figures.completed += 1
        figures.durations_ms.append(row.duration_ms or 0)
    elif row.status is Status.FAILED:
        figures.failed += 1


def _healed(connection: Connection, workflow_ids: Sequence[str]) -> list[tuple[str, int]]:
    """How many elements of each workflow are found by healing, because the page has changed."""
    query = (
        select(memories.c.workflow_id, func.count())
        .where(memories.c.workflow_id.in_(workflow_ids), memories.c.healed_locator.is_not(None))
        .group_by(memories.c.workflow_id)
    )
    return [(workflow_id, count) for workflow_id, count in connection.execute(query)]


def _failures(connection: Connection, organization_id: str, limit: int) -> list[Failure]:
    query = (
        select(*SMALL_COLUMNS)
        .where(
            executions.c.organization_id == organization_id,
            executions.c.status == Status.FAILED,
            executions.c.is_test.is_(False),
        )
        .order_by(executions.c.n.desc())
        .limit(limit)
    )
    failed = [Execution(**row) for row in connection.execute(query).mappings()]
    return [
        Failure(execution=execution, screenshot_key=_last_screenshot(connection, execution.id))
        for execution in failed
    ]


def _last_screenshot(connection: Connection, execution_id: str) -> str | None:
    query = (
        select(events.c.screenshot_key)
        .where(events.c.execution_id == execution_id, events.c.screenshot_key.is_not(None))
        .order_by(events.c.seq.desc())
        .limit(1)
    )
    return connection.execute(query).scalar()
