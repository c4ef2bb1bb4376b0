"""Locks on logins that only one execution at a time may use."""

import asyncio
from typing import Protocol

from pagehand.errors import BlockFailed, Diagnosis


class ExclusiveLogins(Protocol):
    """Which execution has which exclusive login; it keeps a login until it ends."""

    async def ask(self, execution_id: str, login_id: str) -> "asyncio.Future[None]":
        """A future that is done once the execution has the login; cancelling it ends the wait.

        `BlockFailed` when the execution that has it waits for a login of this one.
        """
        ...


def deadlock_error(login_id: str) -> BlockFailed:
    """The error for an execution that would wait for one that waits for it."""
    return BlockFailed(
        f"The login `{login_id}` is in use by an execution that waits for a login of this one: "
        "both would wait forever.",
        Diagnosis(
            cause="Two executions use the same logins in a different order.",
            advice="Name the logins in `loginId` of the Login blocks, or in params, so that they are "
            "known when the execution starts; or allow `supportConcurrentLogins`.",
        ),
    )
