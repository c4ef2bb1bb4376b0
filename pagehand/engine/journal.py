"""The events of one execution, written in small groups so that recording costs the run next to nothing."""

import asyncio
from collections.abc import Mapping
from typing import Any

from pagehand.clock import now_ms
from pagehand.engine.needs import EventStore, Redactor
from pagehand.errors import Unavailable
from pagehand.records import Event
from pagehand.workflow.envelope import Envelope

_FLUSH_AFTER_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 5.0


class Journal:
    """Collects events and writes them soon; `flush` writes them now."""

    def __init__(self, store: EventStore, execution_id: str, redactor: Redactor, first_seq: int) -> None:
        self._store = store
        self._execution_id = execution_id
        self._redactor = redactor
        self._seq = first_seq
        self._last_at = 0
        self.pictured: int | None = None
        """The number of the newest event that has a picture."""
        self._pending: list[Event] = []
        self._timer: asyncio.Task[None] | None = None
        self._writing = asyncio.Lock()

    def add(
        self,
        type: str,  # noqa: A002 - the event's own word
        message: str,
        block: Envelope | None = None,
        data: Mapping[str, Any] | None = None,
        screenshot_key: str | None = None,
    ) -> None:
        """Note that something happened now."""
        self._seq += 1
        self._last_at = max(self._last_at, now_ms())  # a clock set back must not reorder events
        self._pending.append(
            Event(
                execution_id=self._execution_id,
                seq=self._seq,
                at=self._last_at,
                type=type,
                message=self._redactor.text(message),
                block_id=block.id if block else None,
                block_reference_id=block.block_reference_id if block else None,
                data=self._redactor.value(dict(data or {})),
                screenshot_key=screenshot_key,
            )
        )
        if screenshot_key is not None:
            self.pictured = self._seq
        if self._timer is None or self._timer.done():
            self._timer = asyncio.create_task(self._flush_soon())

    async def flush(self) -> None:
        """Write what is pending."""
        async with self._writing:
            events, self._pending = self._pending, []
            if not events:
                return
            try:
                await self._store.add(events)
            except BaseException:
                self._pending = events + self._pending
                raise

    async def close(self) -> None:
        """Write the last events."""
        if self._timer is not None:
            self._timer.cancel()
        await self.flush()

    async def _flush_soon(self) -> None:
        """Write until nothing is pending: events may come while others are being written."""
        pause = _FLUSH_AFTER_SECONDS
        while self._pending:
            await asyncio.sleep(pause)
            try:
                # shielded: `close` cancels the waiting, never a write that is under way
                await asyncio.shield(self.flush())
                pause = _FLUSH_AFTER_SECONDS
            except Unavailable:
                pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
