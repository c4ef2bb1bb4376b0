"""Schedules: workflows that start at certain times."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

from msgspec import Meta, field, structs

from pagehand.api.attachment import streamed_list
from pagehand.api.fields import (
    Answer,
    ById,
    ExistingName,
    Id,
    Listing,
    Moment,
    Name,
    Named,
    Page,
    Request,
    View,
)
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.execution_views import ExecutionAnswer, execution_answer
from pagehand.clock import now_ms, to_iso
from pagehand.engine.schedules.cron import Cron
from pagehand.engine.schedules.stored import ScheduleFields
from pagehand.errors import InvalidRequest
from pagehand.records import CatchUp, Json, Overlap, RunOutcome, Schedule, ScheduleRun, Status

_NEXT_RUNS: Final = 5


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
    is_enabled: bool = field(name="enabled")
    catch_up: CatchUp
    overlap: Overlap
    look: bool
    next_runs: Annotated[
        list[Moment], Meta(description="The next five moments; none of them runs while `enabled` is false.")
    ]
    last_run: RunView | None
    created_at: Moment
    updated_at: Moment


ScheduleAnswer = Answer("ScheduleAnswer", "schedule", ScheduleView, "One schedule.")


CronText = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        description="Minute, hour, day of month, month, day of week; names such as MON and JAN work.",
    ),
]
TimeZone = Annotated[str, Meta(min_length=1, max_length=100, description="Such as `Europe/Berlin`.")]
CatchUpChoice = Annotated[
    CatchUp,
    Meta(description="Moments that passed while no service ran: none is run, the latest, or all of them."),
]
OverlapChoice = Annotated[
    Overlap,
    Meta(description="A moment at which an earlier execution is not over: skipped, or queued behind it."),
]
LookChoice = Annotated[
    bool,
    Meta(
        description="Look for the elements of the workflow instead of running it, see `/workflows/execute`."
    ),
]


class PreviewTimes(Request):
    """When a schedule would start something."""

    cron: CronText
    time_zone: TimeZone = "UTC"


class TimesView(View):
    """The moments of a cron expression."""

    description: Annotated[str, Meta(description="The cron expression in words.")]
    next_runs: Annotated[list[Moment], Meta(description="The next five moments.")]


TimesAnswer = Answer("TimesAnswer", "times", TimesView, "When a schedule would start something.")


@operation(
    "/schedules/preview",
    scope="read",
    response=TimesAnswer,
    example={"cron": "30 7 * * MON-FRI", "timeZone": "Europe/Berlin"},
)
async def preview(call: Call[PreviewTimes]) -> Result:
    """The next five times of a cron expression, and what it says in words; nothing is stored."""
    return TimesAnswer(_times(call.request.cron, call.request.time_zone))


def _times(expression: str, time_zone: str) -> TimesView:
    cron = Cron(expression, time_zone)
    moments = cron.next(now_ms(), _NEXT_RUNS)
    return TimesView(description=cron.words, next_runs=[to_iso(moment) for moment in moments])


class CreateSchedule(Request):
    """What to run (workflowId or workflowName is needed), when, and with what."""

    cron: CronText
    workflow_id: str | None = None
    workflow_name: ExistingName | None = None
    time_zone: TimeZone = "UTC"
    params: Annotated[Json, Meta(description="The params of every execution.")] = field(default_factory=Json)
    login_id: str | None = None
    name: Name | None = None
    is_enabled: Annotated[bool, Meta(description="False: it is kept, but starts nothing.")] = field(
        default=True, name="enabled"
    )
    catch_up: CatchUpChoice = "none"
    overlap: OverlapChoice = "skip"
    look: LookChoice = False


@operation(
    "/schedules/create",
    scope="edit",
    response=ScheduleAnswer,
    errors=(404, 409),
    example={
        "workflowName": "Demo: collect claims",
        "cron": "30 8 * * MON-FRI",
        "timeZone": "Europe/Berlin",
        "params": {"policy": "P-1"},
    },
)
async def create(call: Call[CreateSchedule]) -> Result:
    """Start a workflow at certain times from now on; each time starts exactly one execution.

    Its `metadata.schedule` is the id of the schedule. Executions of one schedule never run at the same time.
    """
    request = call.request
    if request.workflow_id is None and request.workflow_name is None:
        raise InvalidRequest("One of `workflowId` and `workflowName` is required")
    return await schedule_answer(
        call, await call.services.schedules.create(call.organization_id, _fields(request))
    )


@operation("/schedules/get", scope="read", response=ScheduleAnswer)
async def get(call: Call[ById]) -> Result:
    """One schedule, its next five times and its latest run."""
    return await schedule_answer(
        call, await call.services.schedules.get(call.organization_id, call.request.id)
    )


class ListSchedules(Page):
    """Which part of the list is wanted."""

    workflow_id: Annotated[str | None, Meta(description="Only those of this workflow.")] = None


ScheduleList = Listing("ScheduleList", "schedules", ScheduleView, "Newest first.")


@operation("/schedules/list", scope="read", response=ScheduleList, example={"limit": 20})
async def list_all(call: Call[ListSchedules]) -> Result:
    """Schedules of the organization."""
    request = call.request
    found, total = await call.services.schedules.list(
        call.organization_id, request.limit, request.offset, request.workflow_id
    )
    views = (await schedule_views(call, part) async for part in found)
    return await streamed_list("schedules", views, total=total)


class UpdateSchedule(Request):
    """Which schedule, and what to change; what is left out stays."""

    id: Id
    cron: CronText | None = None
    workflow_id: str | None = None
    workflow_name: ExistingName | None = None
    time_zone: TimeZone | None = None
    params: Json | None = None
    login_id: str | None = None
    name: Name | None = None
    is_enabled: bool | None = field(default=None, name="enabled")
    catch_up: CatchUpChoice | None = None
    overlap: OverlapChoice | None = None
    look: LookChoice | None = None


@operation(
    "/schedules/update", scope="edit", response=ScheduleAnswer, errors=(409,), example={"enabled": False}
)
async def update(call: Call[UpdateSchedule]) -> Result:
    """Change a schedule; one that is switched on again continues with its next time."""
    request = call.request
    return await schedule_answer(
        call, await call.services.schedules.update(call.organization_id, request.id, _fields(request))
    )


def _fields(request: CreateSchedule | UpdateSchedule) -> ScheduleFields:
    given = structs.asdict(request)
    given.pop("id", None)
    return ScheduleFields(**given)


class DeletedSchedule(View):
    """The id of a schedule that is gone."""

    id: str


DeletedScheduleAnswer = Answer(
    "DeletedScheduleAnswer", "schedule", DeletedSchedule, "A schedule that is gone."
)


@operation("/schedules/delete", scope="edit", response=DeletedScheduleAnswer)
async def delete(call: Call[ById]) -> Result:
    """Delete a schedule and its history; executions that it started stay."""
    await call.services.schedules.delete(call.organization_id, call.request.id)
    return DeletedScheduleAnswer(DeletedSchedule(id=call.request.id))


@operation("/schedules/run", scope="run", response=ExecutionAnswer, errors=(409,))
async def run(call: Call[ById]) -> Result:
    """Start an execution of a schedule now, also of one that is switched off; its next time stays."""
    execution = await call.services.schedules.run(call.organization_id, call.request.id)
    return execution_answer(call, execution)


class ListRuns(Page, kw_only=True):
    """Whose history."""

    id: Id


RunList = Listing("RunList", "runs", RunView, "Newest first; the last 500 are kept.")


@operation("/schedules/history", scope="read", response=RunList, example={"limit": 20})
async def history(call: Call[ListRuns]) -> Result:
    """What happened at the times of a schedule: started, skipped, missed or failed."""
    request = call.request
    found, total = await call.services.schedules.history(
        call.organization_id, request.id, request.limit, request.offset
    )
    return RunList([RunView.of(run) for run in found], total=total)


async def schedule_views(call: Call[Any], schedules: Sequence[Schedule]) -> list[ScheduleView]:
    """Schedules with their next and last runs."""
    # one query for the whole page
    last_runs = await call.services.schedules.last_runs(schedules)
    return [_view(schedule, last_runs.get(schedule.id)) for schedule in schedules]


def _view(schedule: Schedule, last_run: ScheduleRun | None) -> ScheduleView:
    times = _times(schedule.cron, schedule.time_zone)
    return ScheduleView.of(
        schedule,
        workflow=Named(id=schedule.workflow_id, name=schedule.workflow_name),
        description=times.description,
        next_runs=times.next_runs,
        last_run=None if last_run is None else RunView.of(last_run),
    )


async def schedule_answer(call: Call[Any], schedule: Schedule) -> View:
    """One schedule with its next and last runs."""
    return ScheduleAnswer((await schedule_views(call, [schedule]))[0])
