"""Codes and links by mail: waits until a new message of a login has one."""

import asyncio
import time
from collections.abc import Callable
from typing import Final, Protocol

from pagehand.logins import failures
from pagehand.logins.credentials import Credentials
from pagehand.logins.profile import login_site, profile_of
from pagehand.logins.second_factor.mail_message import MailMessage, find_code, find_link
from pagehand.records import Login

_CLOCKS_APART_SECONDS: Final = 2.0
"""Mail servers record whole seconds, and their clocks differ from ours."""


class MailSource(Protocol):
    """A mailbox to look into again and again."""

    @property
    def pause_seconds(self) -> float:
        """How long to wait before looking again."""
        ...

    async def messages(self, since: float, /) -> list[MailMessage]:
        """The messages received since then, newest first."""
        ...

    async def close(self) -> None:
        """Close the connection, if there is one."""
        ...


class MailSources(Protocol):
    """Finds the mailboxes of logins."""

    async def source(self, login: Login, credentials: Credentials, /) -> tuple[MailSource, str] | None:
        """The source of its mail and the address for messages; None where no mail can be read for it."""
        ...


class Inboxes:
    """The inboxes of logins whose codes come by mail."""

    def __init__(self, sources: MailSources, wait_seconds: float) -> None:
        self._sources = sources
        self._wait_seconds = wait_seconds

    async def open(self, login: Login, credentials: Credentials) -> "MailInbox | None":
        """The inbox of a login; None if its codes do not come by mail or no mail can be read for it."""
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
        self._site = login_site(profile)

    async def code(self, *, since: float, used: frozenset[str]) -> str:
        """The newest code received since then and not used yet."""

        def find_unused_code(message: MailMessage) -> str | None:
            code = find_code(message)
            return None if code in used else code

        return await self._wait("a code", since, find_unused_code)

    async def link(self, *, since: float) -> str:
        """The newest sign-in link received since then."""
        foreign: set[str] = set()

        def find_own_link(message: MailMessage) -> str | None:
            own, others = find_link(message, self._site)
            foreign.update(others)
            return own

        try:
            return await self._wait("a link", since, find_own_link)
        except failures.MailNotReceived as error:
            if not foreign:
                raise
            raise failures.foreign_link(self._login.name, min(foreign), self._site) from error

    async def _wait(self, content: str, since: float, find: Callable[[MailMessage], str | None]) -> str:
        end = time.monotonic() + self._wait_seconds
        try:
            while True:
                for message in await self._source.messages(since - _CLOCKS_APART_SECONDS):
                    if message.is_from(self._sender) and (found := find(message)) is not None:
                        return found
                if time.monotonic() >= end:
                    raise failures.mail_not_received(
                        self._login.name, content, self._address, self._wait_seconds
                    )
                await asyncio.sleep(self._source.pause_seconds)
        finally:
            await self._source.close()
