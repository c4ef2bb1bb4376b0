"""Browser sessions: the browsers that serve executions of the organization now."""

from typing import Final

from pagehand.api.fields import ById, Limit, Listing, Moment, Named, Offset, Request, View
from pagehand.api.live_view.links import with_live_view_links
from pagehand.api.operation import Call, Result, operation
from pagehand.clock import to_iso
from pagehand.errors import NotFound
from pagehand.records import Execution
from pagehand.storage.executions import ExecutionFilter
from pagehand.storage.run_claim import RUNNING

_PAGE: Final = 1000


class BrowserSessionView(View):
    """A browser and what it serves."""

    id: str
    execution_id: str
    status: str
    workflow: Named
    started_at: Moment
    session_id: str
    browser_session_vendor_id: str | None
    live_view_url: str | None


class ListSessions(Request):
    """Which of them."""

    limit: Limit = 1000
    offset: Offset = 0


SessionList = Listing("SessionList", "browser_sessions", BrowserSessionView, "Newest first.")


@operation("/browserSessions/list", scope="read", response=SessionList)
async def list_all(call: Call[ListSessions]) -> Result:
    """The browsers that are open for executions of the organization."""
    sessions = await _open_sessions(call)
    page = sessions[call.request.offset : call.request.offset + call.request.limit]
    may_drive = call.caller.may("run")
    page = [with_live_view_links(call.signer, session, may_drive=may_drive) for session in page]
    return SessionList([_view(session) for session in page], total=len(sessions))


class SessionAnswer(View):
    """A browser session that was closed."""

    browser_session: Named


@operation("/browserSessions/close", scope="run", response=SessionAnswer)
async def close(call: Call[ById]) -> Result:
    """Close a browser; the execution it serves ends as Failed, and its analysis says why."""
    found = next(
        (session for session in await _open_sessions(call) if session.browser_session_id == call.request.id),
        None,
    )
    if found is None:
        raise NotFound("`id`: no browser session of this organization is open under it.")
    # the analysis of the execution reads "Cancelled by …"
    by = f"closing its browser session (`browserSessions/close`, {call.caller.name})"
    await call.services.engine.cancel(call.organization_id, found.id, by)
    return SessionAnswer(browser_session=Named(id=found.browser_session_id, name=found.workflow_name))


async def _open_sessions(call: Call[ListSessions] | Call[ById]) -> list[Execution]:
    """Executions with an open browser, newest first."""
    found: list[Execution] = []
    for status in RUNNING:
        page = await call.services.stores.executions.list(
            call.organization_id, ExecutionFilter(status=status, limit=_PAGE)
        )
        # without a session no browser is open yet
        found += [item for item in page.items if item.session_id is not None]
    # merges the two lists, each of which is sorted
    return sorted(found, key=lambda execution: execution.accepted_at, reverse=True)


def _view(execution: Execution) -> BrowserSessionView:
    return BrowserSessionView(
        id=execution.browser_session_id,
        execution_id=execution.id,
        status=execution.status,
        workflow=Named(id=execution.workflow_id, name=execution.workflow_name),
        started_at=to_iso(execution.start_time),
        session_id=execution.session_id or "",
        browser_session_vendor_id=execution.vendor_id,
        live_view_url=execution.live_view_url,
    )
