"""What a sign-in needs from the run it belongs to."""

import asyncio
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any, Protocol

from playwright.async_api import Locator as Element


class SignInHelper(Protocol):
    """A model that judges pages and points at controls during a sign-in; it sees no secret."""

    async def check_statement(self, statement: str) -> tuple[bool, str]:
        """Whether the statement is true of the page, and why."""
        ...

    async def find_control(self, instructions: str) -> Element | None:
        """The control to press next by these instructions, if any."""
        ...


class SignInContext(Protocol):
    """The run's side of a sign-in."""

    @property
    def helper(self) -> SignInHelper | None:
        """None when no model is configured."""
        ...

    def emit(self, type: str, message: str, data: Mapping[str, Any]) -> None:  # noqa: A002 - the event's own word
        """Write an event."""
        ...

    def keep_secret(self, text: str) -> None:
        """Redact `text` in everything the run shows from now on."""
        ...

    def limiting(self, limit: asyncio.Timeout) -> AbstractContextManager[None]:
        """Stop the clock of `limit` while the run is paused."""
        ...

    def waiting_for_code(
        self, reason: str, refused: str
    ) -> AbstractAsyncContextManager["asyncio.Future[str]"]:
        """Pause the run; the future gets a submitted code. `refused` is the site's answer to the last one."""
        ...

    def waiting_for_user(self, reason: str) -> AbstractAsyncContextManager[asyncio.Event]:
        """Pause the run while a person signs in by hand; the event is set when they report it done."""
        ...
