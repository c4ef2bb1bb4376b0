"""What a run has done to the outside: on the execution's row before anything could repeat it."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final

from pagehand.clock import now_ms, to_iso
from pagehand.engine.run.row import SaveChanges
from pagehand.errors import BrowserLost, PagehandError, TimedOut, Unanswered
from pagehand.records import Execution, Json

_SHOWN: Final = 100
"""More than a person reads; of longer lists the first and the latest are kept."""


async def _at_once() -> None:
    """Nobody else can have taken the run over."""


class Effects:
    """The effects of one execution, kept in `metadata.effects` over all its attempts."""

    def __init__(
        self,
        execution: Execution,
        save: SaveChanges,
        hide: Callable[[str], str],
        may_act: Callable[[], Awaitable[None]] = _at_once,
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
        """The reference of the block at work, to which what the page sends is put down."""

    @asynccontextmanager
    async def beginning(self, block: str, what: str) -> AsyncGenerator[None]:
        """Around an effect that we bring about ourselves: written down first, taken back if never sent."""
        effect = self._add(block, what)
        await self._write()
        await self._may_act()  # the process may have stood still since the row took the claim's word
        try:
            yield
        except (Unanswered, TimedOut):
            raise  # it may have happened
        # refused before anything was sent, as by the egress policy or a connection that was not made
        except PagehandError:
            await self._take_back(effect)
            raise

    @asynccontextmanager
    async def intending(self, block: str, what: str | None) -> AsyncGenerator[None]:
        """Around an act that may set off `what`: written down first, taken back if nothing was sent.

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
            raise  # ended in the middle of it: what was sent last may not have been heard of
        # also a LeaveLoop or a bug: the act is over, and what was sent has been reported
        except BaseException:
            await self._settle(effect)
            raise
        await self._settle(effect)

    async def _settle(self, effect: Json) -> None:
        if self._intended is effect:
            self._intended = None
            await self._take_back(effect)

    @contextmanager
    def signing_in(self) -> Generator[None]:
        """What is sent within is not an effect."""
        # restored, not cleared: sign-ins may be nested
        before, self._is_signing_in = self._is_signing_in, True
        try:
            yield
        finally:
            self._is_signing_in = before

    def heard(self, type: str, message: str, data: Mapping[str, Any]) -> None:  # noqa: A002 - the event's own word
        """Take in what the browser reports: `effect.seen`, and `effect.unsent` for what never left."""
        request = str(data.get("request", ""))
        if type == "effect.seen" and not self._is_signing_in:
            self._by_request[request] = self._seen(message)
            self._write_soon()
        elif type == "effect.unsent" and (effect := self._by_request.pop(request, None)) is not None:
            self._remove(effect)
            self._write_soon()

    async def written(self) -> None:
        """Until the row shows all of them."""
        while self._writing:
            await asyncio.gather(*self._writing)

    def _seen(self, what: str) -> Json:
        effect, self._intended = self._intended, None
        # no block acted: the page sent it by itself, and it is put down to the block at work
        if effect is None:
            return self._add(self.block, what)
        effect["what"] = self._hide(what)
        return effect

    def _add(self, block: str, what: str) -> Json:
        effect: Json = {"blockReferenceId": block, "what": self._hide(what), "at": to_iso(now_ms())}
        shown: list[Json] = self._execution.metadata.setdefault("effects", [])
        if len(shown) >= _SHOWN:
            # from the middle: the first and the latest explain a run best
            del shown[_SHOWN // 2]
        shown.append(effect)
        self.count += 1
        return effect

    def _remove(self, effect: Json) -> None:
        # by identity: two effects may read alike
        kept = [item for item in self._execution.metadata.get("effects", []) if item is not effect]
        self._execution.metadata["effects"] = kept
        if not kept:
            del self._execution.metadata["effects"]
        self.count -= 1

    async def _take_back(self, effect: Json) -> None:
        self._remove(effect)
        await self._write()

    async def _write(self) -> None:
        await self._save(metadata=self._execution.metadata)

    def _write_soon(self) -> None:
        task = asyncio.ensure_future(self._write())
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)
