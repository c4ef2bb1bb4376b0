"""Taking turns at logins that one execution at a time may use."""

import asyncio
from typing import Protocol

from pagehand.errors import BlockFailed, Diagnosis


class LoginTurns(Protocol):
    """Who has which exclusive login; an execution keeps what it gets until it ends."""

    async def ask(self, execution_id: str, login_id: str) -> "asyncio.Future[None]":
        """A future that is done once the execution has the login; whoever cancels it waits no longer.

        `BlockFailed` when the execution that has it waits, in turn, for a login of this one.
        """
        ...


def deadlock(login_id: str) -> BlockFailed:
    """Why an execution does not wait for a login: whoever has it waits for one of its own."""
    return BlockFailed(
        f"The login `{login_id}` is in use by an execution that waits for a login of this one: "
        "both would wait for ever.",
        Diagnosis(
            cause="Two executions use the same logins in a different order.",
            advice="Name the logins in `loginId` of the Login blocks, or in params, so that they are "
            "known when the execution starts; or allow `supportConcurrentLogins`.",
        ),
    )
