"""The list of executions and its filters."""

from collections.abc import AsyncIterator
from typing import Annotated, ClassVar, Final

from msgspec import Meta, field

from pagehand.api.attachment import streamed_list
from pagehand.api.fields import ExistingName, Limit, Moment, Offset, OpenRequest, View, parse_time
from pagehand.api.live_view.links import with_live_view_links
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.execution_views import EMPTY, ExecutionSummary, StatusName, summary_view
from pagehand.api.resources.tags import TagFilters, tag_ids
from pagehand.records import Status
from pagehand.storage import ExecutionFilter, ExecutionPage

_FEW: Final = 100
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
    if len(page.items) > _FEW or None in page.params.values():
        rest = {"total": page.total, "nextCursor": page.next_cursor}
        return await streamed_list("executions", _one_by_one(call, page), **rest)
    views = [summary_view(item, page.params[item.id] or EMPTY) for item in page.items]
    return ExecutionList(executions=views, total=page.total, next_cursor=page.next_cursor)


async def _one_by_one(
    call: Call[ListExecutions], page: ExecutionPage
) -> AsyncIterator[tuple[ExecutionSummary]]:
    """The items one by one: a thousand large params would not fit into memory together."""
    for item in page.items:
        params = page.params[item.id]
        if params is None:
            params = await call.services.stores.executions.params(call.organization_id, item.id)
        yield (summary_view(item, params or EMPTY),)
