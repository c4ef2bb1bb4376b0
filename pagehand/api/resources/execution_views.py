"""Executions as the API shows them: active, finished, as an item of a list, and their nested objects."""

from secrets import token_hex
from typing import Annotated, Any, Final, Literal, cast

from msgspec import UNSET, Meta, Raw, UnsetType

from pagehand.api.fields import Answer, Moment, Named, View
from pagehand.api.live_view.links import with_live_view_links
from pagehand.api.operation import Call, Encoded, encode
from pagehand.api.resources.files import FileView, file_view
from pagehand.api.resources.workflow_views import BlockJson
from pagehand.clock import to_iso
from pagehand.errors import FAILURE_CODES
from pagehand.files import UrlSigner
from pagehand.records import (
    ContextAuthentication,
    DownloadStatus,
    Execution,
    ExecutionFailure,
    Json,
    Waiting,
    WaitingKind,
)

_CODE_DESCRIPTION: Final = "A stable word: " + " ".join(
    f"`{code}`: {text}" for code, text in FAILURE_CODES.items()
)
TRUNCATED_LENGTH: Final = 1000
# a character has at most four bytes
_CUT_BYTES: Final = 4 * TRUNCATED_LENGTH + 4
_LARGE_BYTES: Final = 1024 * 1024
# no text of a workflow or a page can contain it
_PLACEHOLDER: Final = f'"{token_hex(16)}"'.encode()
EMPTY: Final = Raw(b"{}")
"""The JSON text of an object without names."""
StatusName = Literal["InProgress", "Completed", "Enqueued", "Failed", "Paused"]


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


class CancellationView(View):
    """Who cancelled an execution, and when."""

    by: str
    at: Moment


class FailureView(View):
    """Why an execution failed, for programs."""

    code: Annotated[str, Meta(extra_json_schema={"enum": list(FAILURE_CODES)}, description=_CODE_DESCRIPTION)]
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


def authentication_views(execution: Execution) -> list[AuthenticationView]:
    """The sign-ins of an execution; a finished one has no live view any more."""
    return [
        AuthenticationView(
            browser_session_id=sign_in.browser_session_id,
            status=sign_in.status,
            live_view_url="" if execution.status.is_final else sign_in.live_view_url,
        )
        for sign_in in execution.authentications
    ]


def context_authentication_view(context: ContextAuthentication) -> ContextAuthenticationView:
    """A login that the execution could use."""
    login = context.login_summary
    return ContextAuthenticationView(
        context_authentication_id=context.context_authentication_id,
        login_summary=LoginSummaryView.of(login),
        authentication_status=context.authentication_status,
    )


def waiting_view(waiting: Waiting) -> WaitingView:
    """What a paused execution waits for."""
    return WaitingView(kind=waiting.kind, reason=waiting.reason, since=waiting.since)


def failure_view(failure: ExecutionFailure | None) -> FailureView | None:
    """Why it failed; None when it did not."""
    if failure is None:
        return None
    cancelled = failure.cancelled
    return FailureView.of(
        failure, cancelled=None if cancelled is None else CancellationView(by=cancelled.by, at=cancelled.at)
    )


def downloads_view(signer: UrlSigner, execution: Execution) -> DownloadsView | None:
    """What the execution downloaded; None when it downloaded nothing."""
    downloads = execution.downloads
    if downloads is None:
        return None
    return DownloadsView(
        status=downloads.status,
        files=[file_view(signer, execution.organization_id, file) for file in downloads.files],
        message=UNSET if downloads.message is None else downloads.message,
    )


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
    response: Annotated[
        Json | UnsetType, Meta(description="With `withResponse`, unless it is large or there is none yet.")
    ] = UNSET


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


ExecutionAnswer = Answer("ExecutionAnswer", "execution", ExecutionView, "One execution.")


FinishedAnswer = Answer("FinishedAnswer", "execution", FinishedExecution, "One finished execution.")


def execution_answer(call: Call[Any], execution: Execution) -> View:
    """An execution as this caller may see it: its links lead through this process and fit its scopes."""
    return ExecutionAnswer(_view_for_caller(call, execution))


def encode_execution(call: Call[Any], execution: Execution) -> Encoded:
    """The encoded answer; a large response is sent from where it is in memory."""
    view, response = _view_for_caller(call, execution), execution.response
    if response is None or not execution.status.is_final or len(memoryview(response)) <= _LARGE_BYTES:
        return encode(ExecutionAnswer(view))
    view.response = cast("Json", Raw(_PLACEHOLDER))
    before, _, after = encode(ExecutionAnswer(view)).partition(_PLACEHOLDER)
    return [before, memoryview(response), after]


def _view_for_caller(call: Call[Any], execution: Execution) -> "ExecutionView":
    linked = with_live_view_links(call.signer, execution, may_drive=call.caller.may("run"))
    return execution_view(call.signer, linked)


def execution_view(signer: UrlSigner, execution: Execution) -> ExecutionView:
    """The form that fits the execution's status."""
    view = active_view(signer, execution)
    if execution.status.is_final:
        # set afterwards: until the end these fields are absent, not null
        _add_result(view, signer, execution)
    return view


def active_view(signer: UrlSigner, execution: Execution, status: StatusName | None = None) -> ExecutionView:
    """The active form whatever the status, which `status` replaces."""
    view = ExecutionView(
        **_shared_fields(execution),
        start_block=execution.start_block,
        downloads=downloads_view(signer, execution),
        session_id=execution.session_id,
        agent_conversation_thread_id=execution.thread_id,
        live_view_url=execution.live_view_url,
        browser_session_id=execution.browser_session_id,
        browser_session_vendor_id=execution.vendor_id,
    )
    if execution.waiting is not None and not execution.status.is_final:
        view.waiting = waiting_view(execution.waiting)
    if status is not None:
        view.status = status
    return view


def _add_result(view: ExecutionView, signer: UrlSigner, execution: Execution) -> None:
    response = execution.response or EMPTY
    view.end_time = to_iso(execution.end_time or execution.start_time)
    view.duration_ms = execution.duration_ms or 0
    # the text from the row goes out as it is: parsing megabytes would block the event loop
    view.response = cast("Json", response)
    view.truncated_response = truncated(response)
    view.error_analysis = execution.error_analysis or ""
    view.failure = failure_view(execution.failure)
    view.summary = execution.summary or ""
    view.context = cast("Json", execution.context or EMPTY)
    # its schema has no null: it is absent where there is none
    if execution.response_file is not None:
        view.response_file = file_view(signer, execution.organization_id, execution.response_file)


def summary_view(execution: Execution, params: Raw, response: Raw | None = None) -> ExecutionSummary:
    """The form of a list's item, with its params and response as JSON text."""
    view = ExecutionSummary(**_shared_fields(execution), truncated_params=truncated(params))
    view.params = cast("Json", params)
    if response is not None:
        view.response = cast("Json", response)
    if execution.status.is_final:
        view.end_time = to_iso(execution.end_time or execution.start_time)
        # one that ended before it began has no duration
        view.duration_ms = execution.duration_ms or 0
        view.failure = failure_view(execution.failure)
    elif execution.waiting is not None:
        view.waiting = waiting_view(execution.waiting)
    return view


def _shared_fields(execution: Execution) -> dict[str, Any]:
    """The fields of `_Shared` and the status."""
    in_batch = execution.batch_id is not None
    return {
        "id": execution.id,
        "workflow": Named(id=execution.workflow_id, name=execution.workflow_name),
        "batch": Named(id=execution.batch_id or "", name=execution.batch_name or "") if in_batch else None,
        "logins": [Named(id=login.id, name=login.name) for login in execution.logins],
        "authentications": authentication_views(execution),
        "context_authentications": [
            context_authentication_view(context) for context in execution.context_authentications
        ],
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


def truncated(json: Raw) -> str:
    """JSON text cut to 1,000 characters, with `…` only when it was cut."""
    # characters, as the contract counts them, not bytes
    text = bytes(memoryview(json)[:_CUT_BYTES]).decode(errors="ignore")
    return text if len(text) <= TRUNCATED_LENGTH else text[:TRUNCATED_LENGTH] + "…"
