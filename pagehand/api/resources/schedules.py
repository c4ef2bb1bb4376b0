"""Schedules: workflows that start at certain times."""

from typing import Annotated

from msgspec import Meta, field

from pagehand.api.attachment import streamed_list
from pagehand.api.fields import (
    Answer,
    ById,
    ExistingName,
    Id,
    Limit,
    Listing,
    Name,
    Offset,
    Page,
    Request,
    View,
)
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.execution_views import ExecutionAnswer, execution_answer
from pagehand.api.resources.schedule_views import (
    RunView,
    ScheduleAnswer,
    ScheduleView,
    run_view,
    schedule_answer,
    schedule_views,
)
from pagehand.engine.schedules.stored import ScheduleFields
from pagehand.errors import InvalidRequest
from pagehand.records import CatchUp, Json, Overlap

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


class CreateSchedule(Request):
    """What to run (workflowId or workflowName is needed), when, and with what."""

    cron: CronText
    workflow_id: str | None = None
    workflow_name: ExistingName | None = None
    time_zone: TimeZone = "UTC"
    params: Annotated[Json, Meta(description="The params of every execution.")] = field(default_factory=Json)
    login_id: str | None = None
    name: Name | None = None
    enabled: Annotated[bool, Meta(description="False: it is kept, but starts nothing.")] = True
    catch_up: CatchUpChoice = "none"
    overlap: OverlapChoice = "skip"


@operation(
    "/schedules/create",
    scope="edit",
    response=ScheduleAnswer,
    errors=(404, 409),
    example={
        "workflowName": "File a claim",
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
    enabled: bool | None = None
    catch_up: CatchUpChoice | None = None
    overlap: OverlapChoice | None = None


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
    return ScheduleFields(
        workflow_id=request.workflow_id,
        workflow_name=request.workflow_name,
        cron=request.cron,
        time_zone=request.time_zone,
        params=request.params,
        login_id=request.login_id,
        name=request.name,
        is_enabled=request.enabled,
        catch_up=request.catch_up,
        overlap=request.overlap,
    )


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


class ListRuns(Request):
    """Whose history."""

    id: Id
    limit: Limit = 100
    offset: Offset = 0


RunList = Listing("RunList", "runs", RunView, "Newest first; the last 500 are kept.")


@operation("/schedules/history", scope="read", response=RunList, example={"limit": 20})
async def history(call: Call[ListRuns]) -> Result:
    """What happened at the times of a schedule: started, skipped, missed or failed."""
    request = call.request
    found, total = await call.services.schedules.history(
        call.organization_id, request.id, request.limit, request.offset
    )
    return RunList([run_view(run) for run in found], total=total)
