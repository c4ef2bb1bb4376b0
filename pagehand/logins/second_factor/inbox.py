"""Codes and links by mail: waits until the newest letter of a login has one."""

import asyncio
import time
from collections.abc import Callable
from typing import Final, Protocol

from pagehand.logins.credentials import Credentials
from pagehand.logins.profile import profile_of
from pagehand.logins.second_factor.letter import Letter, find_code, find_link
from pagehand.logins.sign_in import failures
from pagehand.logins.sign_in.site import site_of
from pagehand.records import Login

_CLOCKS_APART_SECONDS: Final = 2.0
"""Mail servers note whole seconds, and their clocks are not ours."""


class MailSource(Protocol):
    """Somewhere mail arrives."""

    @property
    def pause_seconds(self) -> float:
        """How long to wait between two looks."""
        ...

    async def letters(self, since: float, /) -> list[Letter]:
        """Those that came since that moment, newest first."""
        ...

    async def close(self) -> None:
        """Nobody waits any more."""
        ...


class MailSources(Protocol):
    """Finds the mail of a login."""

    async def source(self, login: Login, credentials: Credentials, /) -> tuple[MailSource, str] | None:
        """Where its mail arrives and the address in words; None where no mail can be read for it."""
        ...


class MailRoom:
    """Opens inboxes."""

    def __init__(self, sources: MailSources, wait_seconds: float) -> None:
        self._sources = sources
        self._wait_seconds = wait_seconds

    async def inbox(self, login: Login, credentials: Credentials) -> "MailInbox | None":
        """The inbox of a login whose codes come by mail."""
        if profile_of(login).two_factor.method != "Email":
            return None
        found = await self._sources.source(login, credentials)
        return MailInbox(login, *found, self._wait_seconds) if found else None


class MailInbox:
    """Implements `Inbox` over one source of mail."""

    def __init__(self, login: Login, source: MailSource, address: str, wait_seconds: float) -> None:
        profile = profile_of(login)
        self._login = login
        self._source = source
        self._address = address
        self._wait_seconds = wait_seconds
        self._sender = profile.two_factor.code_sender
        self._site = site_of(profile)

    async def code(self, *, since: float, used: frozenset[str]) -> str:
        """The newest code that came since that moment and was not used yet."""

        def wanted(letter: Letter) -> str | None:
            code = find_code(letter)
            return None if code in used else code

        return await self._wait("a code", since, wanted)

    async def link(self, *, since: float) -> str:
        """The newest sign-in link that came since that moment."""
        return await self._wait("a link", since, lambda letter: find_link(letter, self._site))

    async def _wait(self, what: str, since: float, wanted: Callable[[Letter], str | None]) -> str:
        end = time.monotonic() + self._wait_seconds
        try:
            while True:
                for letter in await self._source.letters(since - _CLOCKS_APART_SECONDS):
                    if letter.is_from(self._sender) and (found := wanted(letter)) is not None:
                        return found
                if time.monotonic() >= end:
                    raise failures.no_mail(self._login.name, what, self._address, self._wait_seconds)
                await asyncio.sleep(self._source.pause_seconds)
        finally:
            await self._source.close()
