"""The second factor of one sign-in: where its codes come from, and how often one may be tried."""

import asyncio
from collections.abc import Awaitable
from typing import Final, Protocol, TypeVar

from pagehand.logins.credentials import Credentials
from pagehand.logins.profile import Profile
from pagehand.logins.second_factor.totp import TotpCode, code_now
from pagehand.logins.sign_in import failures
from pagehand.logins.sign_in.form import Form
from pagehand.logins.sign_in.run import SignInContext
from pagehand.records import Login

T = TypeVar("T")
_TRIES: Final = 2
"""Codes that nobody watches over are tried this often: sites lock accounts that guess."""
_FRESH_SECONDS: Final = 3
"""A code with less left than this may be too old by the time the site reads it."""


class Inbox(Protocol):
    """The mail that one login's site sends."""

    async def code(self, *, since: float, used: frozenset[str]) -> str:
        """The newest code that came since that moment and was not used yet; waits for it."""
        ...

    async def link(self, *, since: float) -> str:
        """The newest sign-in link that came since that moment; waits for it."""
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
        """True when a code can be had without asking anybody."""
        return self._method == "TOTP" and bool(self._seed)

    @property
    def may_try_again(self) -> bool:
        """False when another code would be one guess too many; a person decides that alone."""
        return len(self._used) < _TRIES or not (self.is_at_hand or self._inbox)

    async def code(self, form: Form, *, since: float, refused: str) -> str:
        """The next code to type; `since` is when the site was last sent something."""
        code = await (self._computed() if self.is_at_hand else self._sent(form, since, refused))
        # before it is typed: a code that was shown to the site is spent, whatever comes of it
        self._used.append(code)
        self._run.keep_secret(code)
        return code

    def take_back(self) -> None:
        """The site has not looked at the last code: it may be typed again."""
        if self._used:
            self._used.pop()

    async def link(self, *, since: float) -> str | None:
        """The sign-in link the site has sent; None where no mail can be read."""
        if self._inbox is None:
            return None
        async with self._run.waiting_for_code(f"Waiting for a link by mail for `{self._login.name}`", ""):
            link = await self._inbox.link(since=since)
        self._run.keep_secret(link)
        return link

    async def _computed(self) -> str:
        made = code_now(self._seed.reveal())
        # sites take a code once, and an old one not at all
        if made.code in self._used or made.seconds_remaining < _FRESH_SECONDS:
            made = await self._next_window(made)
        return made.code

    async def _next_window(self, made: TotpCode) -> TotpCode:
        self._run.tell("login.waiting", f"Waiting {made.seconds_remaining} s for a fresh code", {})
        await asyncio.sleep(made.seconds_remaining + 0.2)
        return code_now(self._seed.reveal())

    async def _sent(self, form: Form, since: float, refused: str) -> str:
        """Wait for a code that somebody submits or that comes by mail, whichever is first."""
        reason = f"The site asks for a code to sign in with `{self._login.name}`"
        async with self._run.waiting_for_code(reason, refused) as submitted:
            if self._inbox is None:
                return await submitted
            try:
                return await _first(submitted, self._inbox.code(since=since, used=frozenset(self._used)))
            except failures.NoMail:
                # the site refused the last code and sent no other: that is the reason to report
                if refused:
                    raise failures.refused(self._login.name, form, refused, is_code=True) from None
                raise


async def _first(one: Awaitable[T], other: Awaitable[T]) -> T:
    """What comes first of the two, `one` where both are there; the other is given up."""
    tasks = [asyncio.ensure_future(one), asyncio.ensure_future(other)]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        # both may be done by now: the second may have failed in the moment in which the first came
        return next(task for task in tasks if task.done()).result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
