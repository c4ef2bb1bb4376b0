"""Executions: get, list, retry, cancel, pause and resume them."""

from collections.abc import AsyncIterator, Mapping
from typing import Annotated, ClassVar, Final

from msgspec import UNSET, Meta, Raw, UnsetType, field

from pagehand.api.attachment import streamed_list
from pagehand.api.fields import ById, ExistingName, Id, Limit, Moment, Offset, OpenRequest, View, parse_time
from pagehand.api.live_view.links import with_live_view_links
from pagehand.api.operation import Call, Result, encode, operation
from pagehand.api.resources.execution_views import (
    EMPTY,
    ExecutionAnswer,
    ExecutionSummary,
    RetriedExecution,
    StatusName,
    active_view,
    encode_execution,
    execution_answer,
    summary_view,
)
from pagehand.api.resources.lookups import find_execution
from pagehand.api.resources.tags import TagFilters, tag_ids
from pagehand.api.services import KEPT_SECONDS
from pagehand.records import Status
from pagehand.storage import ExecutionFilter, ExecutionPage


class GetExecution(OpenRequest):
    """Which execution."""

    id: Id


@operation("/executions/get", scope="read", response=ExecutionAnswer)
async def get(call: Call[GetExecution]) -> Result:
    """One execution, in the form that fits its status."""
    cached = call.services.response_cache.get(call.caller, call.request.id)
    if cached is not None:
        return cached
    execution = await find_execution(call, call.request.id)
    response = encode_execution(call, execution)
    # the signed URLs inside must be valid for longer than the response is cached
    is_small = isinstance(response, bytes)
    if is_small and execution.status.is_final and call.services.settings.file_url_seconds >= 2 * KEPT_SECONDS:
        call.services.response_cache.keep(call.caller, execution.id, response)
    return response


class Retried(View):
    """The new execution, one level down."""

    execution: RetriedExecution


class RetryAnswer(View):
    """What a retry began."""

    success: bool
    message: str
    execution: Retried


_NOT_CHANGED_BY_RETRY: Final = (
    "a retry repeats the execution as it was; start another with `/workflows/execute`"
)


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
        _NOT_CHANGED_BY_RETRY,
    )

    id: Id


@operation("/executions/retry", scope="run", response=RetryAnswer, errors=(409,))
async def retry(call: Call[RetryExecution]) -> Result:
    """Run a Completed or Failed execution again, as a new execution with a new session."""
    execution = await call.services.engine.retry(call.organization_id, call.request.id)
    shown = active_view(call.signer, execution, "InProgress")
    message = f"Execution {call.request.id} is run again as {execution.id}"
    return encode({"success": True, "message": message, "execution": {"execution": shown}})


@operation("/executions/cancel", scope="run", response=ExecutionAnswer, errors=(409,))
async def cancel(call: Call[ById]) -> Result:
    """End an execution that is not finished; it becomes Failed and says who cancelled it."""
    execution = await call.services.engine.cancel(call.organization_id, call.request.id, call.caller.name)
    return execution_answer(call, execution)


@operation("/executions/pause", scope="run", response=ExecutionAnswer, errors=(409,))
async def pause(call: Call[ById]) -> Result:
    """Pause a running execution before its next block."""
    execution = await call.services.engine.pause(call.organization_id, call.request.id)
    return execution_answer(call, execution)


@operation("/executions/resume", scope="run", response=ExecutionAnswer, errors=(409,))
async def resume(call: Call[ById]) -> Result:
    """Continue a paused execution."""
    execution = await call.services.engine.resume(call.organization_id, call.request.id)
    return execution_answer(call, execution)


_FEW: Final = 100
_RESPONSE_BYTES: Final = 10_000
"""So many items are encoded at once."""
_MAX_TERMS: Final = 50
_MAX_TERM_LENGTH: Final = 200
_NO_FILTER: Final = "executions are not filtered by this field"
_SINCE: Final = "did you mean `fromTs`?"
_UNTIL: Final = "did you mean `toTs`?"
_IN_SEARCH: Final = "did you mean `search`? It looks in ids, names and params"
_IN_PAGES: Final = "did you mean `limit` and `offset`, or `cursor`?"


class ListExecutions(OpenRequest):
    """Filters; all that are given must hold."""

    # an ignored filter would show too much, so everything that looks like one is refused
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
        list[Annotated[str, Meta(max_length=_MAX_TERM_LENGTH)]],
        Meta(
            max_length=_MAX_TERMS,
            description="Any of these is part of its id or name, or of a key or value in its params.",
        ),
    ] = field(default_factory=list[str])
    batch: Annotated[str | None, Meta(description="A batch's id.")] = None
    workflow_id: str | None = None
    workflow_name: ExistingName | None = None
    tag_filters: TagFilters = field(default_factory=list[str])
    from_ts: Annotated[Moment | None, Meta(description="startTime is this or later.")] = None
    to_ts: Annotated[Moment | None, Meta(description="startTime is this or earlier.")] = None
    is_test: bool | None = None
    with_response: Annotated[
        bool, Meta(description="With the response of each, where it has at most 10 kB of JSON.")
    ] = False
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
    total_is_exact: Annotated[
        bool | UnsetType,
        Meta(
            description="Only there, and false, while a search for a frequent term has not counted all:"
            " `total` is then the least there are, and repeating the search counts on."
        ),
    ] = UNSET


@operation(
    "/executions/list",
    scope="read",
    response=ExecutionList,
    example={"status": "Failed", "search": ["invoice"], "limit": 20},
)
async def list_all(call: Call[ListExecutions]) -> Result:
    """Executions of the organization, filtered."""
    request = call.request
    criteria = ExecutionFilter(
        status=Status(request.status) if request.status else None,
        login_id=request.login_id,
        search=request.search,
        batch_id=request.batch,
        workflow_id=request.workflow_id,
        workflow_name=request.workflow_name,
        tag_ids=await tag_ids(call, request.tag_filters),
        from_ms=parse_time("fromTs", request.from_ts),
        to_ms=parse_time("toTs", request.to_ts),
        is_test=request.is_test,
        limit=request.limit,
        offset=request.offset,
        cursor=request.cursor,
    )
    page = await call.services.stores.executions.list(call.organization_id, criteria)
    # a key that may only read gets links to watch: driving needs the scope `run`
    may_drive = call.caller.may("run")
    page.items = [with_live_view_links(call.signer, item, may_drive=may_drive) for item in page.items]
    responses: Mapping[str, Raw] = {}
    if request.with_response:
        ids = [item.id for item in page.items]
        store = call.services.stores.executions
        responses = await store.small_responses(call.organization_id, ids, _RESPONSE_BYTES)
    if len(page.items) > _FEW or None in page.params.values():
        rest: dict[str, object] = {"total": page.total, "nextCursor": page.next_cursor}
        if not page.is_total_exact:
            rest["totalIsExact"] = False
        return await streamed_list("executions", _one_by_one(call, page, responses), **rest)
    views = [summary_view(item, page.params[item.id] or EMPTY, responses.get(item.id)) for item in page.items]
    return ExecutionList(
        executions=views,
        total=page.total,
        next_cursor=page.next_cursor,
        total_is_exact=UNSET if page.is_total_exact else False,
    )


async def _one_by_one(
    call: Call[ListExecutions], page: ExecutionPage, responses: Mapping[str, Raw]
) -> AsyncIterator[tuple[ExecutionSummary]]:
    """The items one by one: a thousand large params would not fit into memory together."""
    for item in page.items:
        params = page.params[item.id]
        if params is None:
            params = await call.services.stores.executions.params(call.organization_id, item.id)
        yield (summary_view(item, params or EMPTY, responses.get(item.id)),)
