"""The second factor of one sign-in: where its codes come from, and how many may be tried."""

import asyncio
from collections.abc import Awaitable
from typing import Final, Protocol, TypeVar

from pagehand.logins import failures
from pagehand.logins.credentials import Credentials
from pagehand.logins.profile import Profile
from pagehand.logins.second_factor.totp import TotpCode, code_now
from pagehand.logins.sign_in_context import SignInContext
from pagehand.logins.sign_in_form import SignInForm
from pagehand.records import Login

T = TypeVar("T")
_MAX_TRIES: Final = 2
"""How many codes are tried without a person: sites lock accounts after several wrong ones."""
_FRESH_SECONDS: Final = 3
"""A code with less time left may be too old by the time the site reads it."""


class Inbox(Protocol):
    """The mail that a site sends to one login."""

    async def code(self, *, since: float, used: frozenset[str]) -> str:
        """The newest code received since then and not used yet; waits for it."""
        ...

    async def link(self, *, since: float) -> str:
        """The newest sign-in link received since then; waits for it."""
        ...


class SecondFactor:
    """Gets the codes of one sign-in."""

    def __init__(
        self,
        login: Login,
        profile: Profile,
        credentials: Credentials,
        run: SignInContext,
        inbox: Inbox | None,
    ) -> None:
        self._login = login
        self._method = profile.two_factor.method
        self._seed = credentials.totp_seed
        self._run = run
        self._inbox = inbox if self._method == "Email" else None
        self._used: list[str] = []

    @property
    def is_at_hand(self) -> bool:
        """Whether codes can be computed, without waiting for a person or a mail."""
        return self._method == "TOTP" and bool(self._seed)

    @property
    def may_try_again(self) -> bool:
        """Whether another code may be tried; always when a person submits them."""
        return len(self._used) < _MAX_TRIES or not (self.is_at_hand or self._inbox)

    async def code(self, form: SignInForm, *, since: float, refused: str) -> str:
        """The next code to type; `since` is when the site was last sent something."""
        code = await (self._compute() if self.is_at_hand else self._wait_for_code(form, since, refused))
        # before it is typed: once the site has seen a code, it is used up
        self._used.append(code)
        self._run.keep_secret(code)
        return code

    def take_back(self) -> None:
        """Allow the last code again, because the site has not checked it."""
        if self._used:
            self._used.pop()

    async def link(self, *, since: float) -> str | None:
        """The sign-in link the site has mailed; None where no mail can be read."""
        if self._inbox is None:
            return None
        async with self._run.waiting_for_code(f"Waiting for a link by mail for `{self._login.name}`", ""):
            link = await self._inbox.link(since=since)
        self._run.keep_secret(link)
        return link

    async def _compute(self) -> str:
        made = code_now(self._seed.reveal())
        # sites accept each code once, and only while it is valid
        if made.code in self._used or made.seconds_remaining < _FRESH_SECONDS:
            made = await self._next_window(made)
        return made.code

    async def _next_window(self, made: TotpCode) -> TotpCode:
        self._run.emit("login.waiting", f"Waiting {made.seconds_remaining} s for a fresh code", {})
        await asyncio.sleep(made.seconds_remaining + 0.2)
        return code_now(self._seed.reveal())

    async def _wait_for_code(self, form: SignInForm, since: float, refused: str) -> str:
        """Wait for a code that a person submits or that comes by mail, whichever is first."""
        reason = f"The site asks for a code to sign in with `{self._login.name}`"
        async with self._run.waiting_for_code(reason, refused) as submitted:
            if self._inbox is None:
                return await submitted
            try:
                return await _first(submitted, self._inbox.code(since=since, used=frozenset(self._used)))
            except failures.MailNotReceived:
                # the site refused the last code and sent no other: that is the reason to report
                if refused:
                    raise failures.refused(self._login.name, form, refused, is_code=True) from None
                raise


async def _first(preferred: Awaitable[T], other: Awaitable[T]) -> T:
    """The first result of the two, of `preferred` where both are done; the other is cancelled."""
    tasks = [asyncio.ensure_future(preferred), asyncio.ensure_future(other)]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        # both may be done: the second may have failed just when the first got its result
        return next(task for task in tasks if task.done()).result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
