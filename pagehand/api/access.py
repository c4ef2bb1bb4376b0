"""Whether a caller may still have an answer that takes long: asked again every few seconds."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Coroutine
from math import inf
from typing import Any, Final, TypeVar

from pagehand.api.auth import CallerAuthenticator
from pagehand.api.scopes import Scope
from pagehand.errors import Unavailable

T = TypeVar("T")
CHECK_SECONDS: Final = 1.5
_OUTAGE_SECONDS: Final = 30.0
"""For how long a database that is away does not end anything."""


class Access:
    """The access of one API key or console session, which may end while it gets an answer."""

    __slots__ = ("_allowed_at", "_authenticator", "_checked_at", "_holder", "_scope")

    def __init__(self, authenticator: CallerAuthenticator, holder: str, scope: Scope) -> None:
        """`holder` is the id of the key or session; empty for a caller without one, which has no end."""
        self._authenticator = authenticator
        self._holder = holder
        self._scope: Scope = scope
        self._checked_at = self._allowed_at = asyncio.get_running_loop().time()

    async def check(self) -> None:
        """Raise NotAuthenticated or Forbidden if the access has ended."""
        self._checked_at = now = asyncio.get_running_loop().time()
        try:
            await self._authenticator.check_holder(self._holder, self._scope)
        except Unavailable:
            if now - self._allowed_at > _OUTAGE_SECONDS:
                raise
        else:
            self._allowed_at = now

    @property
    def is_due(self) -> bool:
        """Whether it should be checked: it may end, and the last check was not a moment ago."""
        return bool(self._holder) and asyncio.get_running_loop().time() - self._checked_at >= CHECK_SECONDS

    async def wait(self, future: "asyncio.Future[Any]", seconds: float = inf) -> bool:
        """Whether the future is done within the time; raises when the access ends before."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while not future.done() and (left := end - loop.time()) > 0:
            await asyncio.wait({future}, timeout=min(left, CHECK_SECONDS))
            if not future.done() and self.is_due:
                await self.check()
        return future.done()

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of `work`, which is cancelled when the access ends; raises why it ended."""
        running = asyncio.ensure_future(work)
        try:
            await self.wait(running)
            return running.result()
        finally:
            if not running.done():
                running.cancel()
                await asyncio.wait({running})

    async def guard(self, chunks: AsyncIterable[T]) -> AsyncGenerator[T]:
        """The chunks of a response; raises when the access ends before the last of them."""
        iterator = aiter(chunks)
        try:
            while (chunk := await self.run(_next(iterator))) is not None:
                if self.is_due:
                    await self.check()
                yield chunk
        finally:
            if isinstance(iterator, AsyncGenerator):
                await iterator.aclose()


async def _next(iterator: AsyncIterator[T]) -> T | None:
    return await anext(iterator, None)
