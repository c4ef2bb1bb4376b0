"""Attention: everything of the organization that waits for a person."""

from typing import Annotated, Final, Literal

from msgspec import Meta

from pagehand.api.fields import Limit, Listing, Moment, Named, Request, View
from pagehand.api.live_view.links import with_live_view_links
from pagehand.api.operation import Call, Result, operation
from pagehand.clock import to_iso
from pagehand.logins.failures import FAILURES_BEFORE_ATTENTION
from pagehand.records import Execution, Login, LoginHealth, Status
from pagehand.storage import ExecutionFilter

_MAX_ITEMS: Final = 1000

Kind = Literal["code", "signIn", "person", "approval", "request", "login", "proposal"]


class AttentionItem(View):
    """One thing that waits for a person."""

    id: Annotated[str, Meta(description="Stays the same for as long as it waits.")]
    kind: Annotated[
        Kind,
        Meta(
            description="`code`, `signIn`, `person`, `approval` and `request` are paused executions, see "
            "`waiting.kind`. `login`: a login that fails. `proposal`: a change to a workflow."
        ),
    ]
    reason: Annotated[str, Meta(description="What it is about, in words.")]
    since: Moment
    execution: Annotated[Named | None, Meta(description="Its id and name.")]
    workflow: Named | None
    login: Named | None
    live_view_url: str | None


class ListAttention(Request):
    """How many."""

    limit: Limit = 100


AttentionList = Listing(
    "AttentionList",
    "items",
    AttentionItem,
    "Executions that wait first, the one that has waited longest on top; then logins and proposals.",
)


@operation("/attention/list", scope="read", response=AttentionList, example={"limit": 20})
async def list_all(call: Call[ListAttention]) -> Result:
    """Codes, sign-ins by hand, captchas, approvals, logins that fail, and proposals to apply."""
    items = [*await _paused(call), *await _logins(call), *await _proposals(call)]
    return AttentionList(items[: call.request.limit], total=len(items))


async def _paused(call: Call[ListAttention]) -> list[AttentionItem]:
    # all of them: no index sorts them by how long they have waited
    paused = ExecutionFilter(status=Status.PAUSED, limit=_MAX_ITEMS)
    page = await call.services.stores.executions.list(call.organization_id, paused)
    may_run = call.caller.may("run")
    shown = [with_live_view_links(call.signer, item, may_drive=may_run) for item in page.items]
    items = [item for execution in shown if (item := _paused_item(execution)) is not None]
    return sorted(items, key=lambda item: item.since)


def _paused_item(execution: Execution) -> AttentionItem | None:
    waiting = execution.waiting
    # somebody already drives its browser
    if waiting is None or waiting.kind == "driving":
        return None
    login = execution.logins[0] if execution.logins else None
    return AttentionItem(
        id=f"{execution.id}:{waiting.since}",
        kind=waiting.kind,
        reason=waiting.reason,
        since=waiting.since,
        execution=Named(id=execution.id, name=execution.name or ""),
        workflow=Named(id=execution.workflow_id, name=execution.workflow_name),
        login=None if login is None else Named(id=login.id, name=login.name),
        live_view_url=execution.live_view_url,
    )


async def _logins(call: Call[ListAttention]) -> list[AttentionItem]:
    stores = call.services.stores
    items: list[AttentionItem] = []
    for health in await stores.login_states.failing(call.organization_id, FAILURES_BEFORE_ATTENTION):
        login = await stores.logins.get(call.organization_id, health.login_id)
        if login is not None and _is_failing(login, health):
            items.append(_login_item(login, health))
    return items


def _is_failing(login: Login, health: LoginHealth) -> bool:
    """Whether the failure is of the login's current version: a change counts as an answer."""
    if health.held_version is not None:
        return health.held_version == login.updated_at
    return (health.last_failure_at or 0) >= login.updated_at


def _login_item(login: Login, health: LoginHealth) -> AttentionItem:
    since = to_iso(health.held_at or health.last_failure_at or 0)
    held_back = " No run tries it again until it is changed or released." if health.held_version else ""
    repeated = f"It failed {health.failures} times in a row: " if health.failures > 1 else ""
    return AttentionItem(
        id=f"{login.id}:{since}",
        kind="login",
        reason=f"{repeated}{health.last_failure or 'the site did not let it in.'}{held_back}",
        since=since,
        execution=None,
        workflow=None,
        login=Named(id=login.id, name=login.name),
        live_view_url=None,
    )


async def _proposals(call: Call[ListAttention]) -> list[AttentionItem]:
    executions = await call.services.stores.proposals.open(call.organization_id, _MAX_ITEMS)
    return [_proposal_item(execution) for execution in executions]


def _proposal_item(execution: Execution) -> AttentionItem:
    count = len(execution.metadata.get("proposedOperations") or [])
    blocks = "one block" if count == 1 else f"{count} blocks"
    return AttentionItem(
        id=f"{execution.id}:proposal",
        kind="proposal",
        reason=f"The last run found a way to repair {blocks} of the workflow.",
        since=to_iso(execution.end_time or execution.start_time),
        execution=Named(id=execution.id, name=execution.name or ""),
        workflow=Named(id=execution.workflow_id, name=execution.workflow_name),
        login=None,
        live_view_url=None,
    )
