"""What a sign-in asks of the run it belongs to."""

import asyncio
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any, Protocol

from playwright.async_api import Locator as Element


class Guide(Protocol):
    """A model beside a sign-in: it judges the page and points at controls, and sees no secret."""

    async def judge(self, statement: str) -> tuple[bool, str]:
        """Whether the page shows what the statement says, and what shows it."""
        ...

    async def point_out(self, instructions: str) -> Element | None:
        """The control to press next by these instructions; None when there is none to press."""
        ...


class SignInContext(Protocol):
    """The run's side of a sign-in."""

    @property
    def guide(self) -> Guide | None:
        """The model's help; None when no model is configured."""
        ...

    def tell(self, type: str, message: str, data: Mapping[str, Any]) -> None:  # noqa: A002 - the event's own word
        """Write an event."""
        ...

    def keep_secret(self, text: str) -> None:
        """Take `text` out of everything the run says from now on."""
        ...

    def limiting(self, limit: asyncio.Timeout) -> AbstractContextManager[None]:
        """Stop the clock of `limit` while the run is paused."""
        ...

    def waiting_for_code(
        self, reason: str, refused: str
    ) -> AbstractAsyncContextManager["asyncio.Future[str]"]:
        """Paused within; the future gets a code handed in. `refused`: the site's answer to the last one."""
        ...

    def waiting_for_user(self, reason: str) -> AbstractAsyncContextManager[asyncio.Event]:
        """Paused within, until a person has signed in by hand; the event is set when they say so."""
        ...
