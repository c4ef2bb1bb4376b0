"""Executions as the API shows them: active, finished, and as an item of a list."""

from typing import Annotated, Any, Final, Literal

import orjson
from msgspec import UNSET, Meta, UnsetType

from pagehand.api.fields import Moment, Named, View
from pagehand.api.live_view.links import with_live_view_links
from pagehand.api.operation import Call
from pagehand.api.resources.file_views import FileView, file_view
from pagehand.clock import to_iso
from pagehand.errors import FAILURE_CODES
from pagehand.files.signing import UrlSigner
from pagehand.records import (
    ContextAuthentication,
    DownloadStatus,
    Execution,
    ExecutionFailure,
    Json,
    Waiting,
    WaitingKind,
)

TRUNCATED_LENGTH: Final = 1000

StatusName = Literal["InProgress", "Completed", "Enqueued", "Failed", "Paused"]
BlockJson = Annotated[Json, Meta(extra_json_schema={"x-ref": "Block"})]


class AuthenticationView(View):
    """A sign-in that an execution performed."""

    browser_session_id: str
    status: Annotated[
        str,
        Meta(description="Unauthenticated, InProgress, WaitingForCode, WaitingForUser, Completed or Failed."),
    ]
    live_view_url: str


class LoginSummaryView(View):
    """A login in short."""

    login_id: str
    name: str
    is_manual: bool


class ContextAuthenticationView(View):
    """A login that an execution could use, and how far it got with it."""

    context_authentication_id: str
    login_summary: LoginSummaryView
    authentication_status: str


_CODES: Final = "A stable word: " + " ".join(f"`{code}`: {text}" for code, text in FAILURE_CODES.items())


class CancellationView(View):
    """Who cancelled an execution, and when."""

    by: str
    at: Moment


class FailureView(View):
    """Why an execution failed, for programs."""

    code: Annotated[str, Meta(extra_json_schema={"enum": list(FAILURE_CODES)}, description=_CODES)]
    message: Annotated[str, Meta(description="What happened, in a sentence or two.")]
    block_id: str | None
    block_reference_id: str | None
    locator: Annotated[Json | None, Meta(description="The failed block's locator, as it was given.")]
    cancelled: CancellationView | None


class WaitingView(View):
    """What a paused execution waits for."""

    kind: Annotated[
        WaitingKind,
        Meta(
            description="`code`: a second factor. `signIn`: a sign-in by hand. `person`: something in the "
            "page, such as a captcha. `approval`: a yes (`executions/resume`) or no (`executions/cancel`). "
            "`request`: it was paused on request. `driving`: somebody drives the browser."
        ),
    ]
    reason: str
    since: Moment


class DownloadsView(View):
    """What an execution downloaded."""

    status: DownloadStatus
    files: list[FileView]
    message: str | UnsetType = UNSET


class _Shared(View):
    id: str
    workflow: Named
    batch: Named | None
    logins: list[Named]
    authentications: list[AuthenticationView]
    context_authentications: list[ContextAuthenticationView]
    start_time: Moment
    params: Json
    metadata: Json
    name: str | None
    attempts: int
    total_attempts: int
    is_last_attempt: bool
    is_test: bool
    parent_execution_id: str | None


class ExecutionSummary(_Shared):
    """An execution as an item of a list."""

    status: StatusName
    truncated_params: Annotated[str, Meta(description="The params as JSON text, cut to 1,000 characters.")]
    end_time: Moment | UnsetType = UNSET
    duration_ms: int | UnsetType = UNSET
    failure: FailureView | UnsetType | None = UNSET
    waiting: WaitingView | UnsetType = UNSET


class _Active(_Shared):
    start_block: BlockJson | None
    downloads: DownloadsView | None
    session_id: str | None
    agent_conversation_thread_id: str | None
    live_view_url: str | None
    browser_session_id: str
    browser_session_vendor_id: str | None


class ExecutionView(_Active):
    """An execution; what only a finished one has is absent until its end."""

    status: StatusName
    duration_ms: int | UnsetType = UNSET
    end_time: Moment | UnsetType = UNSET
    response: Json | UnsetType = UNSET
    truncated_response: str | UnsetType = UNSET
    response_file: FileView | UnsetType = UNSET
    error_analysis: str | UnsetType = UNSET
    failure: FailureView | UnsetType | None = UNSET
    summary: str | UnsetType = UNSET
    context: Json | UnsetType = UNSET
    waiting: WaitingView | UnsetType = UNSET


class FinishedExecution(_Active):
    """A Completed or Failed execution."""

    status: Literal["Completed", "Failed"]
    duration_ms: int
    end_time: Moment
    response: Json
    truncated_response: Annotated[
        str, Meta(description="The response as JSON text, cut to 1,000 characters.")
    ]
    response_file: FileView
    error_analysis: str
    failure: FailureView | None
    summary: str
    context: Json


class RetriedExecution(_Active):
    """A fresh execution; a retry answers with InProgress whatever the queue looks like."""

    status: Literal["InProgress"]


class ExecutionAnswer(View):
    """One execution."""

    execution: ExecutionView


class FinishedAnswer(View):
    """One finished execution."""

    execution: FinishedExecution


def execution_answer(call: Call[Any], execution: Execution) -> ExecutionAnswer:
    """An execution as this caller may see it: its links lead through this process and keep to its scopes."""
    linked = with_live_view_links(call.services.signer, execution, may_drive=call.caller.may("run"))
    return ExecutionAnswer(execution=execution_view(call.services.signer, linked))


def execution_view(signer: UrlSigner, execution: Execution) -> ExecutionView:
    """The form that fits the execution's status."""
    if not execution.status.is_final:
        return active_view(signer, execution)
    return ExecutionView(**_active(signer, execution), **_finished(signer, execution))


def active_view(signer: UrlSigner, execution: Execution, status: StatusName | None = None) -> ExecutionView:
    """The active form, whatever the status; with `status` shown in its place."""
    fields = _active(signer, execution)
    if execution.waiting is not None:
        fields["waiting"] = waiting_view(execution.waiting)
    if status is not None:
        fields["status"] = status
    return ExecutionView(**fields)


def summary_view(execution: Execution) -> ExecutionSummary:
    """The form of a list's item."""
    shown = ExecutionSummary(**_shared(execution), truncated_params=truncated(execution.params))
    if execution.status.is_final:
        shown.end_time = to_iso(execution.end_time or execution.start_time)
        # one that ended before it began has no duration
        shown.duration_ms = execution.duration_ms or 0
        shown.failure = failure_view(execution.failure)
    elif execution.waiting is not None:
        shown.waiting = waiting_view(execution.waiting)
    return shown


def truncated(value: Any) -> str:
    """JSON text cut to 1,000 characters, with `…` only when it was cut."""
    # cut in characters of the JSON text, as the contract counts them, not in bytes
    text = orjson.dumps(value).decode()
    return text if len(text) <= TRUNCATED_LENGTH else text[:TRUNCATED_LENGTH] + "…"


def _shared(execution: Execution) -> dict[str, Any]:
    in_batch = execution.batch_id is not None
    return {
        "id": execution.id,
        "workflow": Named(id=execution.workflow_id, name=execution.workflow_name),
        "batch": Named(id=execution.batch_id or "", name=execution.batch_name or "") if in_batch else None,
        "logins": [Named(id=login.id, name=login.name) for login in execution.logins],
        "authentications": _authentications(execution),
        "context_authentications": [_context_view(known) for known in execution.context_authentications],
        "start_time": to_iso(execution.start_time),
        "status": execution.status.value,
        "params": execution.params,
        # `startTime` is replaced when the run begins; this keeps when it was accepted
        "metadata": {"acceptedAt": to_iso(execution.accepted_at), **execution.metadata},
        "name": execution.name,
        "attempts": execution.attempts,
        "total_attempts": execution.total_attempts,
        "is_last_attempt": execution.attempts >= execution.total_attempts,
        "is_test": execution.is_test,
        "parent_execution_id": execution.parent_execution_id,
    }


def _authentications(execution: Execution) -> list[AuthenticationView]:
    """The sign-ins; with the browser of a finished execution its live view is gone."""
    return [
        AuthenticationView(
            browser_session_id=sign_in.browser_session_id,
            status=sign_in.status,
            live_view_url="" if execution.status.is_final else sign_in.live_view_url,
        )
        for sign_in in execution.authentications
    ]


def _context_view(known: ContextAuthentication) -> ContextAuthenticationView:
    login = known.login_summary
    return ContextAuthenticationView(
        context_authentication_id=known.context_authentication_id,
        login_summary=LoginSummaryView(login_id=login.login_id, name=login.name, is_manual=login.is_manual),
        authentication_status=known.authentication_status,
    )


def waiting_view(waiting: Waiting) -> WaitingView:
    """What a paused execution waits for."""
    return WaitingView(kind=waiting.kind, reason=waiting.reason, since=waiting.since)


def failure_view(failure: ExecutionFailure | None) -> FailureView | None:
    """Why it failed; None when it did not."""
    if failure is None:
        return None
    cancelled = failure.cancelled
    return FailureView(
        code=failure.code,
        message=failure.message,
        block_id=failure.block_id,
        block_reference_id=failure.block_reference_id,
        locator=failure.locator,
        cancelled=None if cancelled is None else CancellationView(by=cancelled.by, at=cancelled.at),
    )


def _active(signer: UrlSigner, execution: Execution) -> dict[str, Any]:
    fields = _shared(execution)
    fields |= {
        "start_block": execution.start_block,
        "downloads": _downloads(signer, execution),
        "session_id": execution.session_id,
        "agent_conversation_thread_id": execution.thread_id,
        "live_view_url": execution.live_view_url,
        "browser_session_id": execution.browser_session_id,
        "browser_session_vendor_id": execution.vendor_id,
    }
    return fields


def _downloads(signer: UrlSigner, execution: Execution) -> DownloadsView | None:
    stored = execution.downloads
    if stored is None:
        return None
    return DownloadsView(
        status=stored.status,
        files=[file_view(signer, execution.organization_id, file) for file in stored.files],
        message=UNSET if stored.message is None else stored.message,
    )


def _finished(signer: UrlSigner, execution: Execution) -> dict[str, Any]:
    end = execution.end_time or execution.start_time
    response = execution.response or {}
    fields: dict[str, Any] = {
        "duration_ms": execution.duration_ms or 0,
        "end_time": to_iso(end),
        "response": response,
        "truncated_response": truncated(response),
        "error_analysis": execution.error_analysis or "",
        "failure": failure_view(execution.failure),
        "summary": execution.summary or "",
        "context": execution.context or {},
    }
    # its schema has no null: it is absent where there is none
    if execution.response_file is not None:
        fields["response_file"] = file_view(signer, execution.organization_id, execution.response_file)
    return fields
