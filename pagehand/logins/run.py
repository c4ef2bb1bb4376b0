"""What a sign-in asks of the run it belongs to."""

import asyncio
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any, Protocol


class SigningRun(Protocol):
    """The run's side of a sign-in."""

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
        """Paused within; the future gets a code handed in. `refused`: what the site said to the last."""
        ...

    def waiting_for_user(self, reason: str) -> AbstractAsyncContextManager[asyncio.Event]:
        """Paused within, until a person has signed in by hand; the event is set when they say so."""
        ...
