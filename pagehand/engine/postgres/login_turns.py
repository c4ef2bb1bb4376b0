"""Exclusive logins for executions of several processes that ask for one in the middle of a run."""

import asyncio
from typing import Final

from pagehand.engine.availability import retry_while_unavailable
from pagehand.engine.signing_in.exclusive_logins import deadlock_error
from pagehand.storage.exclusive_logins import ExclusiveLoginStore, LoginTurn

_POLL_SECONDS: Final = 0.5


class SharedLoginTurns:
    """Implements `ExclusiveLogins` with rows of the database, by polling."""

    def __init__(self, logins: ExclusiveLoginStore) -> None:
        self._logins = logins

    async def ask(self, execution_id: str, login_id: str) -> "asyncio.Future[None]":
        """A future that is done once the execution has the login."""
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if await self._take(execution_id, login_id):
            granted.set_result(None)
            return granted
        return asyncio.ensure_future(self._wait(execution_id, login_id))

    async def _wait(self, execution_id: str, login_id: str) -> None:
        while not await self._take(execution_id, login_id):  # noqa: ASYNC110 - a row of another process cannot be waited for
            await asyncio.sleep(_POLL_SECONDS)

    async def _take(self, execution_id: str, login_id: str) -> bool:
        turn = await retry_while_unavailable(lambda: self._logins.take(execution_id, login_id))
        if turn is LoginTurn.DEADLOCK:
            raise deadlock_error(login_id)
        return turn is LoginTurn.GRANTED
