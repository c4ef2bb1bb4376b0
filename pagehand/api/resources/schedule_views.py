"""Schedules as the API shows them."""

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Meta

from pagehand.api.fields import Answer, Moment, Named, View
from pagehand.api.operation import Call
from pagehand.clock import to_iso
from pagehand.engine.schedules.cron import Cron
from pagehand.records import CatchUp, Json, Overlap, RunOutcome, Schedule, ScheduleRun, Status


class RunView(View):
    """What happened at one time of a schedule."""

    scheduled_for: Moment
    at: Moment
    outcome: RunOutcome
    is_manual: Annotated[bool, Meta(description="True when somebody asked for it with `/schedules/run`.")]
    execution_id: str | None
    status: Annotated[Status | None, Meta(description="The status of its execution.")]
    message: Annotated[str | None, Meta(description="Why it was skipped, missed or failed.")]


class ScheduleView(View):
    """A workflow that starts by the clock."""

    id: str
    name: str | None
    workflow: Named
    cron: str
    time_zone: str
    description: Annotated[str, Meta(description="The cron expression in words.")]
    params: Json
    login_id: str | None
    enabled: bool
    catch_up: CatchUp
    overlap: Overlap
    next_runs: Annotated[
        list[Moment], Meta(description="The next five moments; none of them runs while `enabled` is false.")
    ]
    last_run: RunView | None
    created_at: Moment
    updated_at: Moment


def run_view(run: ScheduleRun) -> RunView:
    """One run of a schedule."""
    return RunView(
        scheduled_for=to_iso(run.scheduled_for),
        at=to_iso(run.at),
        outcome=run.outcome,
        is_manual=run.is_manual,
        execution_id=run.execution_id,
        status=run.status,
        message=run.message,
    )


async def schedule_views(call: Call[Any], schedules: Sequence[Schedule]) -> list[ScheduleView]:
    """Schedules with their next and last runs."""
    # one query for the whole page
    last_runs = await call.services.schedules.last_runs(schedules)
    return [_view(call, schedule, last_runs.get(schedule.id)) for schedule in schedules]


def _view(call: Call[Any], schedule: Schedule, last_run: ScheduleRun | None) -> ScheduleView:
    return ScheduleView(
        id=schedule.id,
        name=schedule.name,
        workflow=Named(id=schedule.workflow_id, name=schedule.workflow_name),
        cron=schedule.cron,
        time_zone=schedule.time_zone,
        description=Cron(schedule.cron, schedule.time_zone).words,
        params=schedule.params,
        login_id=schedule.login_id,
        enabled=schedule.is_enabled,
        catch_up=schedule.catch_up,
        overlap=schedule.overlap,
        next_runs=[to_iso(time) for time in call.services.schedules.next_runs(schedule)],
        last_run=None if last_run is None else run_view(last_run),
        created_at=to_iso(schedule.created_at),
        updated_at=to_iso(schedule.updated_at),
    )


ScheduleAnswer = Answer("ScheduleAnswer", "schedule", ScheduleView, "One schedule.")


async def schedule_answer(call: Call[Any], schedule: Schedule) -> View:
    """One schedule with its next and last runs."""
    return ScheduleAnswer((await schedule_views(call, [schedule]))[0])
