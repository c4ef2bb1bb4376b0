"""Finds the live sessions of this process, also those that are still starting."""

import asyncio
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from typing import Any, Final

from pagehand.engine.live.session import LiveSession
from pagehand.errors import Conflict, TooMany
from pagehand.records import Execution

START_SECONDS: Final = 30.0
"""How long a request to a session waits for it to get a slot."""


class LiveSessions:
    """The open live sessions of this process, by execution."""

    def __init__(self) -> None:
        self._open: dict[str, LiveSession] = {}
        self._waiters: dict[str, set[asyncio.Future[LiveSession]]] = {}

    @contextmanager
    def registered(self, session: LiveSession) -> Generator[None]:
        """Make the session available to `wait_for`."""
        self._open[session.execution_id] = session
        for waiter in self._waiters.pop(session.execution_id, set()):
            if not waiter.done():
                waiter.set_result(session)
        try:
            yield
        finally:
            del self._open[session.execution_id]

    def close_all(self) -> None:
        """End all sessions, because the service stops."""
        for session in self._open.values():
            session.end()

    async def wait_for(self, execution_id: str, ending: Coroutine[Any, Any, Execution]) -> LiveSession:
        """The session of an execution once it has started; `ending` returns once the execution is final."""
        started = asyncio.ensure_future(self._find(execution_id))
        ended = asyncio.ensure_future(ending)
        try:
            await asyncio.wait({started, ended}, timeout=START_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        finally:
            started.cancel()
            ended.cancel()
        # both may be done: an opened session itself reports that it has ended
        if started.done() and not started.cancelled():
            return started.result()
        if ended.done() and not ended.cancelled():
            raise session_ended(ended.result())
        raise no_browser_yet()

    async def _find(self, execution_id: str) -> LiveSession:
        """The session of an execution; waits until there is one, so the caller has to cancel it."""
        if (found := self._open.get(execution_id)) is not None:
            return found
        waiter: asyncio.Future[LiveSession] = asyncio.get_running_loop().create_future()
        self._waiters.setdefault(execution_id, set()).add(waiter)
        try:
            return await waiter
        finally:
            waiters = self._waiters.get(execution_id, set())
            waiters.discard(waiter)
            if not waiters:
                self._waiters.pop(execution_id, None)


def session_ended(execution: Execution) -> Conflict:
    """The error for a request to a session whose execution is final."""
    why = f" {execution.failure.message}" if execution.failure is not None else ""
    return Conflict(f"The live session has ended: it is {execution.status}.{why} Open a new one.")


def no_browser_yet() -> TooMany:
    """The error for a request to a session that still waits for a slot."""
    return TooMany("The live session waits for a free browser.", retry_after_seconds=10)
