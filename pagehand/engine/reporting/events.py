"""The events of one execution, written in small groups so that they cost the run little, and its trace."""

import asyncio
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from pagehand.clock import now_ms
from pagehand.errors import LimitReached, Unavailable
from pagehand.records import Event, Execution, Json
from pagehand.secrets.redactor import Redactor
from pagehand.storage.events import EventStore
from pagehand.workflow.json_values import clean_text, made_storable
from pagehand.workflow.tree import Envelope

Observe = Callable[[str, Envelope | None, Mapping[str, Any]], None]
"""Called with every event: its type, block and data."""
Picture = str | asyncio.Future[str | None] | None
"""The key of a screenshot; of one that is still being taken, a future of it."""
_FLUSH_AFTER_SECONDS = 0.1
_MAX_PAUSE_SECONDS = 5.0
_MAX_CHARACTERS = 10_000
_MAX_DATA_BYTES = 256 * 1024
TRACEPARENT: Final = re.compile(r"00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})")
"""The header of W3C's Trace Context, version 00: trace, span and flags of the caller."""


class EventLog:
    """Collects events and writes them soon; `flush` writes them now."""

    def __init__(
        self,
        store: EventStore,
        execution_id: str,
        redactor: Redactor,
        first_seq: int,
        max_events: int = 20_000,
        observe: Observe | None = None,
        fence: Callable[[], int] | None = None,
    ) -> None:
        """Events beyond `max_events` are counted, and a last one reports how many; `observe` gets all.

        With the `fence` of a run nothing is written once another worker has taken over.
        """
        self._fence = fence
        self._observe = observe
        self._store = store
        self._max_events = max_events
        self._left_out = Counter[str]()
        self.added = Counter[str]()
        """How many events there were, by type."""
        self._execution_id = execution_id
        self._redactor = redactor
        self._seq = first_seq
        self._last_at = 0
        self.last_pictured: int | None = None
        """The number of the newest event that has a screenshot, or is about to have one."""
        self._being_taken: dict[int, asyncio.Future[str | None]] = {}
        self._pending: list[Event] = []
        self.rejected: list[Event] = []
        """Events that were not written because another worker had taken over."""
        self.pictures: set[str] = set()
        """The keys of the pictures that events were written with."""
        self._timer: asyncio.Task[None] | None = None
        self._writing = asyncio.Lock()

    def add(
        self,
        type: str,  # noqa: A002 - the event's own word
        message: str,
        block: Envelope | None = None,
        data: Mapping[str, Any] | None = None,
        picture: Picture = None,
    ) -> None:
        """Record that something happened now."""
        self.added[type] += 1
        if self._observe is not None:
            self._observe(type, block, data or {})
        # the beginning and the end are always kept
        if self._seq >= self._max_events and not type.startswith("execution."):
            self._left_out[type] += 1
            return
        self._write_soon(type, message, block, data, picture)

    def _write_soon(
        self,
        type: str,  # noqa: A002 - the event's own word
        message: str,
        block: Envelope | None,
        data: Mapping[str, Any] | None,
        picture: Picture,
    ) -> None:
        self._seq += 1
        self._last_at = max(self._last_at, now_ms())  # a clock set back must not reorder events
        event = Event(
            execution_id=self._execution_id,
            seq=self._seq,
            at=self._last_at,
            type=type,
            message=_cut(clean_text(self._redactor.text(message))),
            block_id=block.id if block else None,
            block_reference_id=block.block_reference_id if block else None,
            data=_storable(self._redactor.value(dict(data or {}))),
        )
        self._pending.append(event)
        if picture is not None:
            self._add_picture(event, picture)
        if self._timer is None or self._timer.done():
            self._timer = asyncio.create_task(self._flush_soon())

    def _add_picture(self, event: Event, picture: "str | asyncio.Future[str | None]") -> None:
        before, self.last_pictured = self.last_pictured, event.seq
        if isinstance(picture, str):
            event.screenshot_key = picture
            return
        self._being_taken[event.seq] = picture

        def is_taken(key: "asyncio.Future[str | None]") -> None:
            del self._being_taken[event.seq]
            event.screenshot_key = None if key.cancelled() else key.result()
            if event.screenshot_key is None and self.last_pictured == event.seq:
                self.last_pictured = before

        picture.add_done_callback(is_taken)

    async def flush(self) -> None:
        """Write the pending events now, once their pictures are taken."""
        while self._being_taken:
            await asyncio.wait(self._being_taken.values())
        await self._write_complete()

    async def _write_complete(self) -> None:
        """Write the pending events up to the first whose picture is still being taken."""
        async with self._writing:
            is_ready = [event.seq not in self._being_taken for event in self._pending]
            count = is_ready.index(False) if False in is_ready else len(is_ready)
            events, self._pending = self._pending[:count], self._pending[count:]
            if not events:
                return
            try:
                if not await self._store.add(events, self._fence() if self._fence else None):
                    # their pictures are stored already and have to be deleted
                    self.rejected += events
                else:
                    self.pictures |= {event.screenshot_key for event in events if event.screenshot_key}
            except BaseException:
                # in front of what came meanwhile, so that events stay in order
                self._pending = events + self._pending
                raise

    async def close(self) -> None:
        """Write the last events, and how many were left out."""
        if self._left_out:
            # reset, so that closing twice writes it once
            count, self._left_out = self._left_out, Counter[str]()
            message = f"{count.total():,} more events were left out: {self._max_events:,} are kept."
            self._write_soon("events.limited", message, None, {"leftOut": dict(count)}, None)
        if self._timer is not None:
            self._timer.cancel()
        await self.flush()

    async def _flush_soon(self) -> None:
        """Write until nothing is pending: events may be added during a write."""
        pause = _FLUSH_AFTER_SECONDS
        while self._pending:
            await asyncio.sleep(pause)
            # shielded: `close` cancels the timer, never a write that is under way
            writing = asyncio.ensure_future(self._write_complete())
            writing.add_done_callback(_retrieve_exception)
            try:
                await asyncio.shield(writing)
                pause = _FLUSH_AFTER_SECONDS
            except Unavailable:
                pause = min(pause * 2, _MAX_PAUSE_SECONDS)


def _retrieve_exception(writing: "asyncio.Future[None]") -> None:
    """Keep asyncio from logging a failure that nobody awaits: `close` writes what was not written."""
    if not writing.cancelled():
        writing.exception()


def _cut(message: str) -> str:
    return message if len(message) <= _MAX_CHARACTERS else message[:_MAX_CHARACTERS] + "…"


def _storable(data: Json) -> Json:
    """An event's data as any store takes it; what is too large or too deep is left out."""
    try:
        return made_storable(data, most_bytes=_MAX_DATA_BYTES)[0]
    except LimitReached as error:
        return {"leftOut": error.message}


class Trace(Protocol):
    """One attempt at an execution, as spans."""

    def event(self, type: str, block: Envelope | None, data: Mapping[str, Any]) -> None:  # noqa: A002 - the event's own word
        """Something happened during the attempt."""
        ...

    def end(self, status: str, code: str) -> None:
        """The attempt is over; `code` is its failure's, empty when it went well."""
        ...


class Traces(Protocol):
    """Makes the traces of this process."""

    def metadata(self, execution_id: str, traceparent: str | None) -> Json:
        """What is added to an execution's metadata; `traceparent` is the header of the request for it."""
        ...

    def begin(self, execution: Execution) -> Trace:
        """An attempt begins."""
        ...


class NoTraces:
    """Implements `Traces` and `Trace` without recording anything."""

    def metadata(self, execution_id: str, traceparent: str | None) -> Json:
        """Nothing."""
        del execution_id, traceparent
        return {}

    def begin(self, execution: Execution) -> Trace:
        """Nothing is recorded."""
        del execution
        return self

    def event(self, type: str, block: Envelope | None, data: Mapping[str, Any]) -> None:  # noqa: A002 - as above
        """Nothing is recorded."""

    def end(self, status: str, code: str) -> None:
        """Nothing is recorded."""


def logged_trace(execution: Execution) -> Json:
    """The log field of an execution's trace; empty where it has none."""
    return {"trace": execution.metadata["traceId"]} if "traceId" in execution.metadata else {}


def trace_id_of(execution_id: str) -> str:
    """The trace of an execution without `traceparent`: the same in every process and attempt."""
    # derived from the execution's id, so that nothing has to be stored
    return hashlib.sha256(execution_id.encode()).hexdigest()[:32]
