"""Taking turns at logins that one execution at a time may use."""

import asyncio
from typing import Protocol


class LoginTurns(Protocol):
    """Who has which exclusive login; an execution keeps what it gets until it ends."""

    async def ask(self, execution_id: str, login_id: str) -> "asyncio.Future[None]":
        """A future that is done once the execution has the login; whoever cancels it waits no longer."""
        ...
