"""The nested objects of an execution as the API shows them: sign-ins, failure, downloads and others."""

from typing import Annotated, Final

from msgspec import UNSET, Meta, UnsetType

from pagehand.api.fields import Moment, View
from pagehand.api.resources.files import FileView, file_view
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


_CODE_DESCRIPTION: Final = "A stable word: " + " ".join(
    f"`{code}`: {text}" for code, text in FAILURE_CODES.items()
)


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
