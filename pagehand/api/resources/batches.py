"""Batches: one execution per row of params."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from pagehand.api.fields import Answer, ById, ExistingName, Listing, Moment, Name, Named, Page, Request, View
from pagehand.api.operation import Call, Result, operation
from pagehand.engine.port import ExecutionRequest
from pagehand.errors import Conflict, InvalidRequest, NotFound
from pagehand.records import Batch, Json, Status
from pagehand.storage.batches import BatchStore

Concurrency = Annotated[int, Meta(ge=1, le=10_000, description="At most this many of them run at once.")]


class Progress(View):
    """How many of its executions are in which state."""

    enqueued: int
    in_progress: int
    paused: int
    completed: int
    failed: int


class BatchView(View):
    """Executions that belong together."""

    id: str
    name: str
    workflow: Named
    total: Annotated[int, Meta(description="The rows it was made with.")]
    skipped: Annotated[
        int, Meta(description="Rows of its sheet that were left out; `/batches/skippedRows` says why.")
    ]
    concurrency: Annotated[
        int | None,
        Meta(description="How many of its executions may run at once; null: any number."),
    ]
    created_at: Moment
    paused_at: Annotated[Moment | None, Meta(description="Since when none of its executions begins.")]
    cancelled_at: Moment | None
    progress: Progress
    status: Literal["running", "paused", "finished", "cancelled"]


BatchAnswer = Answer("BatchAnswer", "batch", BatchView, "One batch.")


BatchList = Listing("BatchList", "batches", BatchView, "Newest first.")


class CreateBatch(Request):
    """Which workflow to run (workflowId or workflowName is needed), and the params of each execution."""

    name: Name
    rows: Annotated[
        list[Json],
        Meta(min_length=1, max_length=10_000, description="One execution per row; a row is its params."),
    ]
    workflow_id: str | None = None
    workflow_name: ExistingName | None = None
    login_id: str | None = None
    concurrency: Concurrency | None = None


@operation(
    "/batches/create",
    scope="run",
    response=BatchAnswer,
    errors=(404, 409),
    example={
        "name": "March",
        "workflowName": "Demo: collect claims",
        "rows": [{"policy": "P-1"}, {"policy": "P-2"}],
    },
)
async def create(call: Call[CreateBatch]) -> Result:
    """Start one execution per row, all or none."""
    request = call.request
    if request.workflow_id is None and request.workflow_name is None:
        raise InvalidRequest("One of `workflowId` and `workflowName` is required; `name` is the batch's own")
    execution_request = ExecutionRequest(
        workflow_id=request.workflow_id, workflow_name=request.workflow_name, login_id=request.login_id
    )
    batch = await call.services.engine.accept_batch(
        call.organization_id, request.name, execution_request, request.rows, request.concurrency
    )
    return await batch_answer(call.services.stores.batches, batch)


async def batch_answer(batches: BatchStore, batch: Batch) -> View:
    """A batch with its progress."""
    return BatchAnswer((await _views(batches, batch.organization_id, [batch]))[0])


async def _views(store: BatchStore, organization_id: str, batches: list[Batch]) -> list[BatchView]:
    counts = await store.progress(organization_id, [batch.id for batch in batches])
    return [_view(batch, counts.get(batch.id, {})) for batch in batches]


def _view(batch: Batch, counts: dict[Status, int]) -> BatchView:
    ended = counts.get(Status.COMPLETED, 0) + counts.get(Status.FAILED, 0)
    # not by `total`: retention deletes executions of old batches
    is_finished = ended >= sum(counts.values())
    return BatchView.of(
        batch,
        workflow=Named(id=batch.workflow_id, name=batch.workflow_name),
        progress=Progress(
            enqueued=counts.get(Status.ENQUEUED, 0),
            in_progress=counts.get(Status.IN_PROGRESS, 0),
            paused=counts.get(Status.PAUSED, 0),
            completed=counts.get(Status.COMPLETED, 0),
            failed=counts.get(Status.FAILED, 0),
        ),
        status=_status(batch, is_finished=is_finished),
    )


def _status(batch: Batch, *, is_finished: bool) -> Literal["running", "paused", "finished", "cancelled"]:
    if batch.cancelled_at is not None:
        return "cancelled"
    if is_finished:
        return "finished"
    return "running" if batch.paused_at is None else "paused"


@operation("/batches/get", scope="read", response=BatchAnswer)
async def get(call: Call[ById]) -> Result:
    """One batch and how far it is."""
    return await batch_answer(call.services.stores.batches, await find_batch(call))


async def find_batch(call: Call[Any]) -> Batch:
    """The batch with the request's `id`; raises NotFound."""
    batch = await call.services.stores.batches.get(call.organization_id, call.request.id)
    if batch is None:
        raise NotFound("There is no batch with this `id` in this organization")
    return batch


async def _find_view(call: Call[ById]) -> BatchView:
    [view] = await _views(call.services.stores.batches, call.organization_id, [await find_batch(call)])
    return view


@operation("/batches/list", scope="read", response=BatchList, example={"limit": 20})
async def list_all(call: Call[Page]) -> Result:
    """Batches of the organization."""
    found, total = await call.services.stores.batches.list(
        call.organization_id, call.request.limit, call.request.offset
    )
    return BatchList(await _views(call.services.stores.batches, call.organization_id, found), total=total)


@operation("/batches/cancel", scope="run", response=BatchAnswer, errors=(409,))
async def cancel(call: Call[ById]) -> Result:
    """Cancel every execution of a batch that is not finished."""
    # first: a finished batch must not be marked as cancelled
    before = (await _find_view(call)).progress
    if before.enqueued + before.in_progress + before.paused == 0:
        raise Conflict("Every execution of the batch has ended already; there is nothing to cancel.")
    batch = await call.services.engine.cancel_batch(call.organization_id, call.request.id, call.caller.name)
    return await batch_answer(call.services.stores.batches, batch)


@operation("/batches/pause", scope="run", response=BatchAnswer, errors=(409,))
async def pause(call: Call[ById]) -> Result:
    """Start no more executions of a batch; those that run continue, the others keep waiting."""
    if (await _find_view(call)).status == "finished":
        raise Conflict("Every execution of the batch has ended already; there is nothing to pause.")
    return await batch_answer(
        call.services.stores.batches,
        await call.services.engine.pause_batch(call.organization_id, call.request.id),
    )


@operation("/batches/resume", scope="run", response=BatchAnswer, errors=(409,))
async def resume(call: Call[ById]) -> Result:
    """Start the rest of a paused batch."""
    return await batch_answer(
        call.services.stores.batches,
        await call.services.engine.resume_batch(call.organization_id, call.request.id),
    )
