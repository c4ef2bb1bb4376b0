"""Executions: list, get, retry, cancel, pause, resume, and what happened block by block."""

from collections.abc import AsyncIterator
from typing import Annotated, ClassVar, Final

import msgspec
from msgspec import Meta, field
from starlette.responses import StreamingResponse

from pagehand.api.fields import ById, Id, Limit, Moment, Offset, OpenRequest, Request, View, moment
from pagehand.api.live_view.links import with_live_view_links
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.execution_views import (
    ExecutionAnswer,
    ExecutionSummary,
    RetriedExecution,
    StatusName,
    active_view,
    execution_answer,
    summary_view,
)
from pagehand.api.resources.file_views import PICTURE
from pagehand.api.resources.tag_filters import TagFilters, tag_ids
from pagehand.api.response_cache import KEPT_SECONDS
from pagehand.clock import to_iso
from pagehand.errors import NotFound
from pagehand.files.signing import UrlSigner
from pagehand.records import Event, Json, Status
from pagehand.storage import ExecutionFilter, ExecutionPage

_EXAMPLE_ID = "exec_01k3v8c2m4e6g8j0n2q4s6t8w0"
_encode = msgspec.json.Encoder().encode


def _not_found() -> NotFound:
    return NotFound("There is no execution with this `id` in this organization")


class GetExecution(OpenRequest):
    """Which execution."""

    id: Id


@operation(
    "/executions/get",
    scope="read",
    request=GetExecution,
    response=ExecutionAnswer,
    errors=(404,),
    example={"id": _EXAMPLE_ID},
)
async def get(call: Call[GetExecution]) -> Result:
    """One execution, in the form that fits its status."""
    known = call.services.response_cache.find(call.organization_id, call.request.id)
    if known is not None:
        return known
    execution = await call.services.stores.executions.get(call.organization_id, call.request.id)
    if execution is None:
        raise _not_found()
    answer = _encode(execution_answer(call, execution))
    # the signed URLs inside must outlive the time an answer is kept
    if execution.status.is_final and call.services.settings.file_url_seconds >= 2 * KEPT_SECONDS:
        call.services.response_cache.keep(call.organization_id, execution.id, answer)
    return answer


_MOST_TERMS: Final = 50
_LONGEST_TERM: Final = 200
_NO_FILTER: Final = "executions are not filtered by this field"
_SINCE: Final = "did you mean `fromTs`?"
_UNTIL: Final = "did you mean `toTs`?"
_IN_SEARCH: Final = "did you mean `search`? It looks in ids, names and params"
_IN_PAGES: Final = "did you mean `limit` and `offset`, or `cursor`?"


class ListExecutions(OpenRequest):
    """Filters; all that are given must hold."""

    # an ignored filter would show more than was asked for, so whatever looks like one is refused
    FIELD_HINTS: ClassVar[dict[str, str]] = {
        **{name: _NO_FILTER for name in ExecutionSummary.__struct_encode_fields__ if name != "status"},
        **dict.fromkeys(
            ("executionId", "executionIds", "id", "ids", "name", "query", "q", "text"), _IN_SEARCH
        ),
        **dict.fromkeys(("params", "param", "filter", "filters"), _IN_SEARCH),
        **dict.fromkeys(("from", "since", "after", "startTime", "startedAfter", "start"), _SINCE),
        **dict.fromkeys(("to", "until", "before", "endTime", "startedBefore", "end"), _UNTIL),
        **dict.fromkeys(("page", "pageSize", "perPage", "pageNumber", "skip"), _IN_PAGES),
        **dict.fromkeys(("batchId", "batchName", "batches"), "did you mean `batch`? It takes a batch's id"),
        **dict.fromkeys(("tags", "tag", "tagIds", "tagNames", "tagId"), "did you mean `tagFilters`?"),
        **dict.fromkeys(("workflow", "workflows", "workflowIds"), "did you mean `workflowId`?"),
        **dict.fromkeys(("login", "logins", "loginIds"), "did you mean `loginId`?"),
        **dict.fromkeys(
            ("state", "states", "statuses", "statusFilter"), "did you mean `status`? It takes one"
        ),
        "test": "did you mean `isTest`?",
    }

    status: StatusName | None = None
    login_id: str | None = None
    search: Annotated[
        list[Annotated[str, Meta(max_length=_LONGEST_TERM)]],
        Meta(
            max_length=_MOST_TERMS,
            description="Any of these is part of its id or name, or of a key or value in its params.",
        ),
    ] = field(default_factory=list[str])
    batch: Annotated[str | None, Meta(description="A batch's id.")] = None
    workflow_id: str | None = None
    workflow_name: str | None = None
    tag_filters: TagFilters = field(default_factory=list[str])
    from_ts: Annotated[Moment | None, Meta(description="startTime is this or later.")] = None
    to_ts: Annotated[Moment | None, Meta(description="startTime is this or earlier.")] = None
    is_test: bool | None = None
    limit: Limit = 100
    offset: Offset = 0
    cursor: Annotated[
        str | None, Meta(description="The nextCursor of the page before, instead of an offset.")
    ] = None


class ExecutionList(View):
    """Newest accepted first."""

    executions: list[ExecutionSummary]
    total: Annotated[int, Meta(description="All that match, on every page.")]
    next_cursor: str | None


@operation(
    "/executions/list",
    scope="read",
    request=ListExecutions,
    response=ExecutionList,
    example={"status": "Failed", "search": ["invoice"], "limit": 20},
)
async def list_all(call: Call[ListExecutions]) -> Result:
    """Executions of the organization, filtered."""
    asked = call.request
    wanted = ExecutionFilter(
        status=Status(asked.status) if asked.status else None,
        login_id=asked.login_id,
        search=asked.search,
        batch_id=asked.batch,
        workflow_id=asked.workflow_id,
        workflow_name=asked.workflow_name,
        tag_ids=await tag_ids(call, asked.tag_filters),
        from_ms=moment("fromTs", asked.from_ts),
        to_ms=moment("toTs", asked.to_ts),
        is_test=asked.is_test,
        limit=asked.limit,
        offset=asked.offset,
        cursor=asked.cursor,
    )
    page = await call.services.stores.executions.list(call.organization_id, wanted)
    # a key that may only read gets links to watch: driving a browser is running
    may_drive = call.caller.may("run")
    page.items = [
        with_live_view_links(call.services.signer, item, may_drive=may_drive) for item in page.items
    ]
    if page.without_params:
        return StreamingResponse(_one_by_one(call, page), media_type="application/json")
    shown = [summary_view(item) for item in page.items]
    return ExecutionList(executions=shown, total=page.total, next_cursor=page.next_cursor)


async def _one_by_one(call: Call[ListExecutions], page: ExecutionPage) -> AsyncIterator[bytes]:
    """The answer item by item: a thousand large params would not fit into memory together."""
    yield b'{"executions":['
    for position, item in enumerate(page.items):
        if item.id in page.without_params:
            item.params = await call.services.stores.executions.params(call.organization_id, item.id)
        yield (b"," if position else b"") + _encode(summary_view(item))
        # sent: the next one takes its place in memory
        item.params = {}
    rest = {"total": page.total, "nextCursor": page.next_cursor}
    yield b"]," + _encode(rest)[1:]


class Retried(View):
    """The new execution, one level down."""

    execution: RetriedExecution


class RetryAnswer(View):
    """What a retry began."""

    success: bool
    message: str
    execution: Retried


_SAME_AGAIN: Final = "a retry repeats the execution as it was; start another with `/workflows/execute`"


class RetryExecution(OpenRequest):
    """Which execution to run again."""

    FIELD_HINTS: ClassVar[dict[str, str]] = dict.fromkeys(
        (
            "params",
            "workflowId",
            "workflowName",
            "loginId",
            "name",
            "timeout",
            "useProxy",
            "startBlockId",
            "startBlock",
            "batchId",
            "isTest",
            "agentConversationThreadId",
        ),
        _SAME_AGAIN,
    )

    id: Id


@operation(
    "/executions/retry",
    scope="run",
    request=RetryExecution,
    response=RetryAnswer,
    errors=(404, 409),
    example={"id": _EXAMPLE_ID},
)
async def retry(call: Call[RetryExecution]) -> Result:
    """Run a Completed or Failed execution again, as a new execution with a new session."""
    execution = await call.services.engine.retry(call.organization_id, call.request.id)
    shown = active_view(call.services.signer, execution, "InProgress")
    message = f"Execution {call.request.id} is run again as {execution.id}"
    return _encode({"success": True, "message": message, "execution": {"execution": shown}})


@operation(
    "/executions/cancel",
    scope="run",
    request=ById,
    response=ExecutionAnswer,
    errors=(404, 409),
    example={"id": _EXAMPLE_ID},
)
async def cancel(call: Call[ById]) -> Result:
    """End an execution that is not finished; it becomes Failed and says who asked."""
    execution = await call.services.engine.cancel(call.organization_id, call.request.id, call.caller.name)
    return execution_answer(call, execution)


@operation(
    "/executions/pause",
    scope="run",
    request=ById,
    response=ExecutionAnswer,
    errors=(404, 409),
    example={"id": _EXAMPLE_ID},
)
async def pause(call: Call[ById]) -> Result:
    """Hold a running execution before its next step."""
    execution = await call.services.engine.pause(call.organization_id, call.request.id)
    return execution_answer(call, execution)


@operation(
    "/executions/resume",
    scope="run",
    request=ById,
    response=ExecutionAnswer,
    errors=(404, 409),
    example={"id": _EXAMPLE_ID},
)
async def resume(call: Call[ById]) -> Result:
    """Let a paused execution go on."""
    execution = await call.services.engine.resume(call.organization_id, call.request.id)
    return execution_answer(call, execution)


class ListEvents(Request):
    """Whose events, and which part of them."""

    id: Id
    limit: Limit = 1000
    offset: Offset = 0


class EventView(View):
    """Something that happened during an execution."""

    seq: int
    at: Moment
    block_id: str | None
    block_reference_id: str | None
    type: Annotated[str, Meta(description="noun.verb, such as block.started.")]
    message: str
    data: Json
    screenshot_url: str | None


class EventList(View):
    """Oldest first."""

    events: list[EventView]
    total: int


@operation(
    "/executions/events",
    scope="read",
    request=ListEvents,
    response=EventList,
    errors=(404,),
    example={"id": _EXAMPLE_ID},
)
async def events(call: Call[ListEvents]) -> Result:
    """What happened, block by block, with screenshots."""
    asked, organization_id = call.request, call.organization_id
    # an execution without events is an empty list, one that is not there a 404
    if await call.services.stores.executions.get(organization_id, asked.id) is None:
        raise _not_found()
    found, total = await call.services.stores.events.list(
        organization_id, asked.id, asked.limit, asked.offset
    )
    shown = [event_view(call.services.signer, organization_id, event) for event in found]
    return EventList(events=shown, total=total)


def event_view(signer: UrlSigner, organization_id: str, event: Event) -> EventView:
    """An event with a freshly signed URL of its picture."""
    picture = event.screenshot_key
    return EventView(
        seq=event.seq,
        at=to_iso(event.at),
        block_id=event.block_id,
        block_reference_id=event.block_reference_id,
        type=event.type,
        message=event.message,
        data=event.data,
        screenshot_url=None if picture is None else signer.url(PICTURE, organization_id, picture),
    )


OPERATIONS = (get, list_all, retry, cancel, pause, resume, events)
