"""Executions as the API shows them: active, finished, and as an item of a list."""

from secrets import token_hex
from typing import Annotated, Any, Final, Literal, cast

from msgspec import UNSET, Meta, Raw, UnsetType

from pagehand.api.fields import Answer, Moment, Named, View
from pagehand.api.live_view.links import with_live_view_links
from pagehand.api.operation import Call, Encoded, encode
from pagehand.api.resources.execution_details import (
    AuthenticationView,
    ContextAuthenticationView,
    DownloadsView,
    FailureView,
    WaitingView,
    authentication_views,
    context_authentication_view,
    downloads_view,
    failure_view,
    waiting_view,
)
from pagehand.api.resources.files import FileView, file_view
from pagehand.clock import to_iso
from pagehand.files.signing import UrlSigner
from pagehand.records import Execution, Json

TRUNCATED_LENGTH: Final = 1000
# a character has at most four bytes
_CUT_BYTES: Final = 4 * TRUNCATED_LENGTH + 4
_LARGE_BYTES: Final = 1024 * 1024
# no text of a workflow or a page can contain it
_PLACEHOLDER: Final = f'"{token_hex(16)}"'.encode()
EMPTY: Final = Raw(b"{}")
"""The JSON text of an object without names."""

StatusName = Literal["InProgress", "Completed", "Enqueued", "Failed", "Paused"]
BlockJson = Annotated[Json, Meta(extra_json_schema={"x-ref": "Block"})]


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


def summary_view(execution: Execution, params: Raw) -> ExecutionSummary:
    """The form of a list's item, with its params as JSON text."""
    view = ExecutionSummary(**_shared_fields(execution), truncated_params=truncated(params))
    view.params = cast("Json", params)
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
