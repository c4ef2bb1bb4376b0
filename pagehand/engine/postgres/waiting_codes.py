"""Which execution a submitted code is for, found in the rows of those that run anywhere."""

from collections.abc import Sequence

from pagehand.engine.signing_in.codes import CodeTarget
from pagehand.errors import Conflict, NotFound
from pagehand.records import AuthenticationStatus, Execution, LoginSummary


def execution_waiting_for_code(wanted: CodeTarget, running: Sequence[Execution]) -> Execution:
    """The execution whose sign-in waits for the code; `Conflict` names several."""
    waiting = [
        (execution, login)
        for execution in running
        if (login := _login_waiting_for_code(execution)) is not None
        and wanted.execution_id in (None, execution.id)
        and wanted.browser_session_id in (None, execution.browser_session_id)
        and wanted.login_id in (None, login.login_id)
    ]
    if not waiting:
        raise NotFound("No authentication of this organization waits for a code")
    if len(waiting) > 1:
        names = ", ".join(f"`{execution.id}` (login `{login.name}`)" for execution, login in waiting)
        raise Conflict(
            f"Several authentications wait for a code: {names}; say which with `executionId`, "
            "`browserSessionId` or `loginId`"
        )
    return waiting[0][0]


def _login_waiting_for_code(execution: Execution) -> LoginSummary | None:
    summaries = (
        known.login_summary
        for known in execution.context_authentications
        if known.authentication_status is AuthenticationStatus.WAITING_FOR_CODE
    )
    return next(summaries, None)
