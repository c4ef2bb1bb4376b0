"""Hands a submitted code to the sign-in that waits for it, and the site's verdict back."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

from pagehand.errors import Conflict, NotFound
from pagehand.records import AuthenticationStatus, Execution, Login

T = TypeVar("T")
NONE_WAITS = "No authentication of this organization waits for a code"
VERDICT_SECONDS = 30.0
"""How long a call that submits a code waits for the site's verdict."""


@dataclass(slots=True, frozen=True)
class CodeTarget:
    """Which authentication a code is for; by default the only one that waits."""

    execution_id: str | None = None
    browser_session_id: str | None = None
    login_id: str | None = None

    def fits(self, execution: Execution, login_id: str | None) -> bool:
        """Whether an execution that signs in with that login may be meant."""
        return (
            self.execution_id in (None, execution.id)
            and self.browser_session_id in (None, execution.browser_session_id)
            and self.login_id in (None, login_id)
        )


@dataclass(slots=True, frozen=True)
class CodeVerdict:
    """The answer to a submitted code: whether the site accepted it, and the sign-in's status."""

    execution_id: str
    browser_session_id: str
    success: bool
    message: str
    status: AuthenticationStatus


@dataclass(slots=True, frozen=True)
class SiteVerdict:
    """Whether the site accepted a code, as the sign-in read it from the page."""

    success: bool
    message: str
    status: AuthenticationStatus


class CodeRequest:
    """One execution's request for a code: the sign-in waits, and the submitter gets the verdict."""

    def __init__(self) -> None:
        self._submitted: asyncio.Future[str] | None = None
        self._verdict: asyncio.Future[SiteVerdict] | None = None
        self.login: Login | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether a code would be accepted now."""
        return self._submitted is not None and not self._submitted.done()

    @asynccontextmanager
    async def waiting(
        self, login: Login, refused: str, pause: AbstractAsyncContextManager[object]
    ) -> AsyncGenerator["asyncio.Future[str]"]:
        """Accept a code within `pause`; `refused` is why the site refused the last one."""
        self.login = login
        submitted: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        # the submitter of the last code still waits for its verdict
        last, self._verdict = self._verdict, None
        # before the status is shown: a client may submit a code as soon as it sees the status
        self._submitted = submitted
        try:
            async with pause:
                if last is not None and not last.done():
                    last.set_result(
                        SiteVerdict(
                            False,
                            refused or "The site did not accept the code.",
                            AuthenticationStatus.WAITING_FOR_CODE,
                        )
                    )
                yield submitted
                self._submitted = None
        finally:
            self._submitted = None

    def report_verdict(self, verdict: SiteVerdict) -> None:
        """Answer the caller that submitted a code, if one did."""
        if self._verdict is not None and not self._verdict.done():
            self._verdict.set_result(verdict)
        self._verdict = None

    async def submit(self, code: str) -> SiteVerdict:
        """Give a code to the waiting sign-in; the site's verdict."""
        if self._submitted is None or self._submitted.done():
            raise NotFound(NONE_WAITS)
        verdict = self._verdict = asyncio.get_running_loop().create_future()
        self._submitted.set_result(code)
        try:
            async with asyncio.timeout(VERDICT_SECONDS):
                # without the shield the timeout would cancel the future that the sign-in still sets
                return await asyncio.shield(verdict)
        except TimeoutError:
            return SiteVerdict(
                False,
                f"The site has not judged the code within {VERDICT_SECONDS:g} s.",
                AuthenticationStatus.IN_PROGRESS,
            )


def only_waiting(waiting: Sequence[tuple[str, str, T]]) -> T:
    """The only one that waits, given with its execution and the login's name; `Conflict` names several."""
    if not waiting:
        raise NotFound(NONE_WAITS)
    if len(waiting) > 1:
        names = ", ".join(f"`{execution_id}` (login `{login}`)" for execution_id, login, _ in waiting)
        raise Conflict(
            f"Several authentications wait for a code: {names}; say which with `executionId`, "
            "`browserSessionId` or `loginId`"
        )
    return waiting[0][2]
