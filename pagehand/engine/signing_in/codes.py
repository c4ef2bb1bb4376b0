"""Where a running sign-in waits for its second factor, and where the code is submitted."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from pagehand.engine.run.signals import Signals
from pagehand.errors import Conflict, NotFound
from pagehand.records import AuthenticationStatus, Login

VERDICT_SECONDS = 30.0
"""How long whoever submits a code waits for the verdict of the site."""

Mark = Callable[[AuthenticationStatus], Awaitable[None]]
"""Shows the status of the authentication."""


@dataclass(slots=True, frozen=True)
class Wanted:
    """Which authentication a code is for; with nothing given the only one that waits."""

    execution_id: str | None = None
    browser_session_id: str | None = None
    login_id: str | None = None


@dataclass(slots=True, frozen=True)
class CodeVerdict:
    """Whether the site accepted a code, and where the sign-in stands."""

    execution_id: str
    browser_session_id: str
    success: bool
    message: str
    status: AuthenticationStatus


@dataclass(slots=True, frozen=True)
class Judged:
    """How the site judged a code, as the sign-in read it off the page."""

    success: bool
    message: str
    status: AuthenticationStatus


class CodeRequest:
    """One execution's request for a code: the sign-in waits; who submits one gets the verdict."""

    def __init__(self, signals: Signals) -> None:
        self._signals = signals
        self._submitted: asyncio.Future[str] | None = None
        self._verdict: asyncio.Future[Judged] | None = None
        self.login: Login | None = None

    @property
    def is_waiting(self) -> bool:
        """True while a code would be taken."""
        return self._submitted is not None and not self._submitted.done()

    @asynccontextmanager
    async def waiting(
        self, login: Login, reason: str, refused: str, mark: Mark
    ) -> AsyncGenerator["asyncio.Future[str]"]:
        """Within, the execution is Paused and takes a code; `refused` is why the last one was refused."""
        self.login = login
        submitted: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        # whoever submitted the last code still waits to hear of it
        last, self._verdict = self._verdict, None
        # open before it is shown: whoever sees the status may submit the code at once
        self._submitted = submitted
        try:
            await mark(AuthenticationStatus.WAITING_FOR_CODE)
            async with self._signals.paused(reason, "code"):
                if last is not None and not last.done():
                    last.set_result(
                        Judged(
                            False,
                            refused or "The site did not take the code.",
                            AuthenticationStatus.WAITING_FOR_CODE,
                        )
                    )
                yield submitted
                self._submitted = None
                await mark(AuthenticationStatus.IN_PROGRESS)
        finally:
            self._submitted = None

    def judge(self, judged: Judged) -> None:
        """Answer the caller that submitted a code, if one did."""
        if self._verdict is not None and not self._verdict.done():
            self._verdict.set_result(judged)
        self._verdict = None

    async def submit(self, code: str) -> Judged:
        """Give a code to the sign-in that waits; how the site judged it."""
        if self._submitted is None or self._submitted.done():
            raise NotFound("No authentication of this organization waits for a code")
        verdict = self._verdict = asyncio.get_running_loop().create_future()
        self._submitted.set_result(code)
        try:
            async with asyncio.timeout(VERDICT_SECONDS):
                # without the shield the timeout would cancel the future that the sign-in still sets
                return await asyncio.shield(verdict)
        except TimeoutError:
            return Judged(
                False,
                f"The site has not judged the code within {VERDICT_SECONDS:g} s.",
                AuthenticationStatus.IN_PROGRESS,
            )


def only_request(requests: list[tuple[str, CodeRequest]]) -> CodeRequest:
    """The request that is meant, of those that wait by execution id; `Conflict` names several."""
    if not requests:
        raise NotFound("No authentication of this organization waits for a code")
    if len(requests) > 1:
        names = ", ".join(
            f"`{execution_id}` (login `{request.login.name if request.login else ''}`)"
            for execution_id, request in requests
        )
        raise Conflict(
            f"Several authentications wait for a code: {names}; say which with `executionId`, "
            "`browserSessionId` or `loginId`"
        )
    return requests[0][1]
