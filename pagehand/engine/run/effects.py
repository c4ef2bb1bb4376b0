"""The effects of a run on the outside, written to the execution's row before they can happen."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final

from pagehand.clock import now_ms, to_iso
from pagehand.engine.run.row import SaveChanges
from pagehand.errors import BrowserLost, PagehandError, TimedOut, Unanswered
from pagehand.records import Execution, Json

_MAX_SHOWN: Final = 100
"""More than a person reads; a longer list keeps the first and the latest."""


async def _always_allowed() -> None:
    """No other worker can have taken the run over."""


class Effects:
    """The effects of one execution, kept in `metadata.effects` over all its attempts."""

    def __init__(
        self,
        execution: Execution,
        save: SaveChanges,
        hide: Callable[[str], str],
        may_act: Callable[[], Awaitable[None]] = _always_allowed,
    ) -> None:
        """`hide` takes secrets out of what is shown; `may_act` returns once the run may surely still act."""
        self._may_act = may_act
        self._execution = execution
        self._save = save
        self._hide = hide
        self._intended: Json | None = None
        self._by_request: dict[str, Json] = {}
        self._is_signing_in = False
        self._writing: set[asyncio.Task[None]] = set()
        self.count = 0
        """How many this run has begun so far."""
        self.block = ""
        """The reference of the running block, to which requests of the page are attributed."""

    @asynccontextmanager
    async def beginning(self, block: str, what: str) -> AsyncGenerator[None]:
        """Around an effect of our own: written first, removed if nothing was sent."""
        effect = self._add(block, what)
        await self._write()
        await self._may_act()  # the process may have stood still since the row confirmed the claim
        try:
            yield
        except (Unanswered, TimedOut):
            raise  # it may have happened
        # refused before anything was sent, as by the egress policy or a connection that was not made
        except PagehandError:
            await self._remove_and_save(effect)
            raise

    @asynccontextmanager
    async def intending(self, block: str, what: str | None) -> AsyncGenerator[None]:
        """Around an act that may cause `what`: written first, removed if nothing was sent.

        A process that dies in between leaves it on the row: then it may have happened.
        """
        if what is None or self._is_signing_in:
            yield
            return
        effect = self._intended = self._add(block, what)
        await self._write()
        await self._may_act()
        try:
            yield
        except (asyncio.CancelledError, BrowserLost):
            raise  # ended in the middle of it: the last request may not have been reported
        # also a LoopBreak or a bug: the act is over, and what was sent has been reported
        except BaseException:
            await self._remove_if_unsent(effect)
            raise
        await self._remove_if_unsent(effect)

    async def _remove_if_unsent(self, effect: Json) -> None:
        if self._intended is effect:
            self._intended = None
            await self._remove_and_save(effect)

    @contextmanager
    def signing_in(self) -> Generator[None]:
        """What is sent within is not an effect."""
        # restored, not cleared: sign-ins may be nested
        before, self._is_signing_in = self._is_signing_in, True
        try:
            yield
        finally:
            self._is_signing_in = before

    def on_browser_event(self, type: str, message: str, data: Mapping[str, Any]) -> None:  # noqa: A002 - the event's own word
        """Follow the browser's events: `effect.seen`, and `effect.unsent` for one that was never sent."""
        request = str(data.get("request", ""))
        if type == "effect.seen" and not self._is_signing_in:
            self._by_request[request] = self._identify(message)
            self._write_soon()
        elif type == "effect.unsent" and (effect := self._by_request.pop(request, None)) is not None:
            self._remove(effect)
            self._write_soon()

    async def wait_until_written(self) -> None:
        """Return once the row shows all of them."""
        while self._writing:
            await asyncio.gather(*self._writing)

    def _identify(self, what: str) -> Json:
        """The effect that a request belongs to: the intended one, or a new one."""
        effect, self._intended = self._intended, None
        # no block acted: the page sent it by itself, and it is attributed to the running block
        if effect is None:
            return self._add(self.block, what)
        effect["what"] = self._hide(what)
        return effect

    def _add(self, block: str, what: str) -> Json:
        effect: Json = {"blockReferenceId": block, "what": self._hide(what), "at": to_iso(now_ms())}
        shown: list[Json] = self._execution.metadata.setdefault("effects", [])
        if len(shown) >= _MAX_SHOWN:
            # from the middle: the first and the latest explain a run best
            del shown[_MAX_SHOWN // 2]
        shown.append(effect)
        self.count += 1
        return effect

    def _remove(self, effect: Json) -> None:
        # by identity: two effects may be equal
        kept = [item for item in self._execution.metadata.get("effects", []) if item is not effect]
        self._execution.metadata["effects"] = kept
        if not kept:
            del self._execution.metadata["effects"]
        self.count -= 1

    async def _remove_and_save(self, effect: Json) -> None:
        self._remove(effect)
        await self._write()

    async def _write(self) -> None:
        await self._save(metadata=self._execution.metadata)

    def _write_soon(self) -> None:
        task = asyncio.ensure_future(self._write())
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)
