"""The effects of a run on the outside, written to the execution's row before they can happen."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, Final

from pagehand.clock import now_ms, to_iso
from pagehand.engine.services import SaveChanges
from pagehand.errors import PagehandError, TimedOut, Unanswered
from pagehand.records import Execution, Json

_MAX_SHOWN: Final = 100
"""More than a person reads; a longer list keeps the first and the latest."""
_QUIET_SECONDS: Final = 0.3
"""Something that left is reported by the browser long before this."""
_SETTLE_SECONDS: Final = 2.0


async def _always_allowed() -> None:
    """No other worker can have taken the run over."""


async def _never_known() -> bool:
    """Nothing reports what a browser has sent."""
    return False


@dataclass(slots=True, frozen=True)
class Act:
    """What a block does that may have an effect."""

    block: str
    """Its reference."""
    description: str
    is_safe: bool = False
    """True when repeating it is harmless, as its author says."""


class Effects:
    """The effects of one execution, kept in `metadata.effects` over all its attempts.

    An act on the page is an intention as soon as something is about to leave the browser that may be its
    effect: it is on the row before the first byte leaves. It is removed once the browser has been quiet and
    has reported nothing that counts. A process that dies in between leaves it there: it may have happened.
    """

    def __init__(
        self,
        execution: Execution,
        save: SaveChanges,
        hide: Callable[[str], str],
        may_act: Callable[[], Awaitable[None]] = _always_allowed,
        has_reported: Callable[[], Awaitable[bool]] = _never_known,
    ) -> None:
        """`hide` takes secrets out of what is shown; `may_act` returns once the run may surely still act.

        `has_reported` is true when the browser runs and has reported everything that it has sent.
        """
        self._may_act = may_act
        self._has_reported = has_reported
        self._execution = execution
        self._save = save
        self._hide = hide
        self._act: Act | None = None
        self._intended: Json | None = None
        """The intention on the row, while nothing is known of an effect."""
        self._recorded: Act | None = None
        """The act that the row shows, as an intention or as an effect."""
        self._recording: asyncio.Future[None] | None = None
        self._quiet_since = 0.0
        self._proof: asyncio.Future[None] | None = None
        self._by_request: dict[str, Json] = {}
        self._is_signing_in = False
        self._lock = asyncio.Lock()
        self._writing: asyncio.Future[None] | None = None
        self._has_changes = False
        self.count = 0
        """How many this run has begun so far."""
        self.block = ""
        """The reference of the running block, to which requests of the page are attributed."""

    @asynccontextmanager
    async def beginning(self, act: Act) -> AsyncGenerator[None]:
        """Around an effect of our own: written first, removed if nothing was sent."""
        effect = self._add(act)
        await self._write()
        await self._may_act()  # the process may have stood still since the row confirmed the claim
        try:
            yield
        except (Unanswered, TimedOut):
            raise  # it may have happened
        # refused before anything was sent, as by the egress policy or a connection that was not made
        except PagehandError:
            self._remove(effect)
            await self._write()
            raise

    @asynccontextmanager
    async def acting(self, act: Act, *, is_held: bool) -> AsyncGenerator[None]:
        """Around an act on the page: what leaves the browser from now on may be its effect.

        Where nothing holds back what the browser sends, it is recorded before the act.
        """
        self.begin(act)
        if is_held:
            yield
            return
        recording = self.before_send()
        if recording is not None:
            await recording
        self._quiet_since = float("inf")
        try:
            yield
        finally:
            self._quiet_since = time.monotonic()

    def begin(self, act: Act) -> None:
        """What leaves the browser from now on may be the effect of this act."""
        self._act = act

    def before_send(self) -> Awaitable[None] | None:
        """Called before something leaves the browser that an act may have caused; None: it may leave."""
        act = self._act
        if act is None or act.is_safe or self._execution.retry_safe or self._is_signing_in:
            return None
        self._quiet_since = max(self._quiet_since, time.monotonic())
        if self._recorded is not act:
            self._intend(act)
        recording = self._recording
        if recording is None or (recording.done() and recording.exception() is None):
            return None
        # shared by all connections: one that is closed must not end it
        return asyncio.shield(recording)

    def _intend(self, act: Act) -> None:
        # one intention at a time: the new one is in force for longer than the one before
        if self._intended is not None:
            self._remove(self._intended)
        self._intended = self._add(act)
        self._start_recording(act)
        if self._proof is None or self._proof.done():
            self._proof = asyncio.ensure_future(self._prove())

    def _start_recording(self, act: Act | None) -> None:
        self._recorded = act
        self._recording = asyncio.ensure_future(self._record())

    async def _record(self) -> None:
        await self._write()
        await self._may_act()

    async def _prove(self) -> None:
        """Remove the intention once it is certain that nothing was sent that counts."""
        while (intended := self._intended) is not None:
            since = self._quiet_since
            left = since + _QUIET_SECONDS - time.monotonic()
            if left > 0:
                await asyncio.sleep(min(left, _QUIET_SECONDS))
            # without an answer it cannot be known what was sent: the intention stays
            elif not await self._has_reported():
                return
            elif since == self._quiet_since and intended is self._intended:
                self._withdraw()

    def _withdraw(self) -> None:
        if self._intended is not None:
            self._remove(self._intended)
            self._intended = self._recorded = None
            self._write_soon()

    async def settle(self) -> None:
        """Give an intention the time to turn out as an effect or as nothing."""
        if self._proof is not None:
            await asyncio.wait([self._proof], timeout=_SETTLE_SECONDS)

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
        elif type == "effect.unsent" and (effect := self._by_request.pop(request, None)) is not None:
            self._remove(effect)
            # what leaves from now on is recorded again
            self._recorded = None
            self._write_soon()

    async def wait_until_written(self) -> None:
        """At the end of a run, when the page has settled: return once the row shows all of them."""
        if self._proof is not None:
            self._proof.cancel()
            await asyncio.wait([self._proof])
        if self._recording is not None:
            await asyncio.wait([self._recording])
        if self._intended is not None and await self._has_reported():
            self._withdraw()
        while self._writing is not None and not self._writing.done():
            await self._writing

    def _identify(self, description: str) -> Json:
        """The effect that a request belongs to: the intended one, or a new one."""
        effect, self._intended = self._intended, None
        if effect is None:
            # no block acted: the page sent it by itself, and it is attributed to the running block
            act = self._act or Act(self.block, description)
            effect = self._add(Act(act.block, description, act.is_safe))
            if self._recorded is self._act:
                self._write_soon()
            else:
                # the browser reports a request before it connects: its bytes still wait for the row
                self._start_recording(self._act)
            return effect
        effect["what"] = self._hide(description)
        self._write_soon()
        return effect

    def _add(self, act: Act) -> Json:
        effect: Json = {
            "blockReferenceId": act.block,
            "what": self._hide(act.description),
            "at": to_iso(now_ms()),
        }
        if act.is_safe:
            effect["retrySafe"] = True
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

    async def _write(self) -> None:
        # one after the other: a removal must not overtake the intention that follows it
        async with self._lock:
            metadata = self._execution.metadata
            shown = {"effects": [{**item} for item in metadata["effects"]]} if "effects" in metadata else {}
            await self._save(metadata={**metadata, **shown})

    def _write_soon(self) -> None:
        self._has_changes = True
        if self._writing is None or self._writing.done():
            self._writing = asyncio.ensure_future(self._write_changes())

    async def _write_changes(self) -> None:
        while self._has_changes:
            self._has_changes = False
            await self._write()
