"""Where a running sign-in waits for its second factor, and where the code is handed in."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from pagehand.engine.run.signals import Signals
from pagehand.errors import Conflict, NotFound
from pagehand.records import Login

VERDICT_SECONDS = 30.0
"""How long whoever hands in a code waits for the site's word."""

Mark = Callable[[str], Awaitable[None]]
"""Shows the status of the authentication."""


@dataclass(slots=True, frozen=True)
class Wanted:
    """Which authentication a code is for; with nothing given the only one that waits."""

    execution_id: str | None = None
    browser_session_id: str | None = None
    login_id: str | None = None


@dataclass(slots=True, frozen=True)
class CodeVerdict:
    """What the site said to a code."""

    execution_id: str
    browser_session_id: str
    success: bool
    message: str
    status: str


@dataclass(slots=True, frozen=True)
class Judged:
    """The word of the site, as the sign-in understood it."""

    success: bool
    message: str
    status: str


class CodeDesk:
    """One execution's desk: a sign-in waits there, somebody hands in a code and hears the verdict."""

    def __init__(self, signals: Signals) -> None:
        self._signals = signals
        self._handed_in: asyncio.Future[str] | None = None
        self._verdict: asyncio.Future[Judged] | None = None
        self.login: Login | None = None

    @property
    def is_waiting(self) -> bool:
        """True while a code would be taken."""
        return self._handed_in is not None and not self._handed_in.done()

    @asynccontextmanager
    async def waiting(
        self, login: Login, reason: str, refused: str, mark: Mark
    ) -> AsyncGenerator["asyncio.Future[str]"]:
        """Within, the execution is Paused and takes a code; `refused` is what the site said to the last."""
        self.login = login
        handed_in: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        last, self._verdict = self._verdict, None
        # open before it is shown: whoever sees that a code is waited for may hand it in at once
        self._handed_in = handed_in
        try:
            await mark("WaitingForCode")
            async with self._signals.holding(reason, "code"):
                if last is not None and not last.done():
                    last.set_result(
                        Judged(False, refused or "The site did not take the code.", "WaitingForCode")
                    )
                yield handed_in
                self._handed_in = None
                await mark("InProgress")
        finally:
            self._handed_in = None

    def judge(self, judged: Judged) -> None:
        """Tell whoever handed in a code, if anybody did, what came of it."""
        if self._verdict is not None and not self._verdict.done():
            self._verdict.set_result(judged)
        self._verdict = None

    async def hand_in(self, code: str) -> Judged:
        """Give a code to the sign-in that waits; what the site said to it."""
        if self._handed_in is None or self._handed_in.done():
            raise NotFound("No authentication of this organization waits for a code")
        verdict = self._verdict = asyncio.get_running_loop().create_future()
        self._handed_in.set_result(code)
        try:
            async with asyncio.timeout(VERDICT_SECONDS):
                return await asyncio.shield(verdict)
        except TimeoutError:
            return Judged(
                False, f"The site has not judged the code within {VERDICT_SECONDS:g} s.", "InProgress"
            )


def the_one(desks: list[tuple[str, CodeDesk]]) -> CodeDesk:
    """The desk that is meant, of those that wait, each with its execution's id; `Conflict` names several."""
    if not desks:
        raise NotFound("No authentication of this organization waits for a code")
    if len(desks) > 1:
        names = ", ".join(f"`{one}` (login `{desk.login.name if desk.login else ''}`)" for one, desk in desks)
        raise Conflict(
            f"Several authentications wait for a code: {names}; say which with `executionId`, "
            "`browserSessionId` or `loginId`"
        )
    return desks[0][1]
