"""Statistics of the organization: counts by status and day, success by workflow, and the newest failures."""

from typing import Annotated

from msgspec import Meta

from pagehand.api.fields import Answer, EmptyRequest, Moment, Named, Request, View
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.execution_views import StatusName
from pagehand.api.resources.files import PICTURE
from pagehand.clock import now_ms, to_iso
from pagehand.files import UrlSigner
from pagehand.records import Status
from pagehand.storage.statistics import Failure, Statistics, WorkflowFigures


class StatisticsRequest(Request):
    """How far back the days go."""

    days: Annotated[int, Meta(ge=1, le=90, description="How many days to count by day, today included.")] = 14


class DayView(View):
    """Executions that started on one day (UTC)."""

    date: str
    completed: int
    failed: int
    other: Annotated[int, Meta(description="Those that have not ended.")]


class WorkflowFiguresView(View):
    """How a workflow fared among the newest 1,000 executions of the organization."""

    workflow: Named
    last_status: StatusName
    completed: int
    failed: int
    success_rate: Annotated[
        float | None, Meta(description="Completed among those that ended, from 0 to 1; null if none ended.")
    ]
    median_duration_ms: Annotated[int | None, Meta(description="Of those that completed.")]
    healed: Annotated[int, Meta(description="Elements that are found by healing: the page has changed.")]


class FailureSummary(View):
    """One of the newest failures."""

    execution_id: str
    workflow: Named
    name: str | None
    start_time: Moment
    reason: Annotated[str, Meta(description="What happened, in one line.")]
    screenshot_url: Annotated[str | None, Meta(description="The last picture of its page.")]


class StatisticsView(View):
    """The organization in figures; tests are left out."""

    running: int
    waiting: Annotated[int, Meta(description="Paused: a person or a signal is waited for.")]
    enqueued: int
    failed_last_day: Annotated[int, Meta(description="Failed, and started within the last 24 hours.")]
    days: list[DayView]
    workflows: list[WorkflowFiguresView]
    healed: int
    failures: Annotated[list[FailureSummary], Meta(description="The five newest.")]


StatisticsAnswer = Answer("StatisticsAnswer", "statistics", StatisticsView, "The figures.")


@operation("/statistics/get", scope="read", response=StatisticsAnswer, example={"days": 14})
async def get(call: Call[StatisticsRequest]) -> Result:
    """Outcomes of the organization's executions; costs the same however many there are."""
    statistics = await call.services.stores.statistics.read(
        call.organization_id, at=now_ms(), days=call.request.days
    )
    return StatisticsAnswer(_view(statistics, call.signer))


def _view(statistics: Statistics, signer: UrlSigner) -> StatisticsView:
    return StatisticsView(
        running=statistics.by_status.get(Status.IN_PROGRESS, 0),
        waiting=statistics.by_status.get(Status.PAUSED, 0),
        enqueued=statistics.by_status.get(Status.ENQUEUED, 0),
        failed_last_day=statistics.failed_last_day,
        days=[DayView.of(day) for day in statistics.days],
        workflows=[_workflow(workflow) for workflow in statistics.workflows],
        healed=sum(workflow.healed for workflow in statistics.workflows),
        failures=[_failure(failure, signer) for failure in statistics.failures],
    )


def _workflow(figures: WorkflowFigures) -> WorkflowFiguresView:
    ended = figures.completed + figures.failed
    return WorkflowFiguresView.of(
        figures,
        workflow=Named(id=figures.id, name=figures.name),
        last_status=figures.last_status.value,
        # null, not 0: nothing has ended yet
        success_rate=round(figures.completed / ended, 4) if ended else None,
        median_duration_ms=figures.median_ms,
    )


def _failure(failure: Failure, signer: UrlSigner) -> FailureSummary:
    execution, key = failure.execution, failure.screenshot_key
    # executions of older versions have no `failure`
    reason = execution.failure.message if execution.failure else ""
    text = reason or execution.error_analysis or "It failed."
    return FailureSummary(
        execution_id=execution.id,
        workflow=Named(id=execution.workflow_id, name=execution.workflow_name),
        name=execution.name,
        start_time=to_iso(execution.start_time),
        reason=text.strip().split("\n")[0],
        screenshot_url=None if key is None else signer.url(PICTURE, execution.organization_id, key),
    )


class ModelUsageView(View):
    """Calls, tokens and money of the newest 1,000 executions, tests included."""

    executions: Annotated[int, Meta(description="How many of them asked the model.")]
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: Annotated[float, Meta(description="As far as the price of the model is known.")]
    since: Annotated[
        Moment | None, Meta(description="When the first of them started; null without executions.")
    ]


ModelUsageAnswer = Answer("ModelUsageAnswer", "model_usage", ModelUsageView, "What was spent.")


@operation("/statistics/modelUsage", scope="read", response=ModelUsageAnswer)
async def get_model_usage(call: Call[EmptyRequest]) -> Result:
    """What the newest executions have spent on the model; one execution says it in `metadata.modelUsage`."""
    spent = await call.services.stores.statistics.model_spending(call.organization_id)
    return ModelUsageAnswer(
        ModelUsageView.of(
            spent,
            # sums of floats end in noise; a millionth of a dollar is enough
            cost_usd=round(spent.cost_usd, 6),
        )
    )
