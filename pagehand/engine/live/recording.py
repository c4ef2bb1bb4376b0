"""The blocks of a recording so far, for callers that wait for the next one."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass

from pagehand.records import Json
from pagehand.workflow.parse import MAX_BLOCKS


@dataclass(slots=True, frozen=True)
class RecordedBlock:
    """A recorded block; `number` identifies it, `revision` says when it last changed."""

    number: int
    revision: int
    block: Json


class Recording:
    """The recorded blocks in order; the last one may still change."""

    def __init__(self) -> None:
        self._blocks: list[RecordedBlock] = []
        self._revision = 0
        self._changed = asyncio.Event()
        self._has_ended = False

    def clear(self) -> None:
        """Start again; numbers and revisions continue, so a new block is not taken for an old one."""
        self._blocks.clear()

    def add(self, block: Json, *, replaces_last: bool) -> None:
        """Add a block, or replace the last one."""
        self._revision += 1
        if replaces_last and self._blocks:
            last = self._blocks.pop()
            # the same number with a newer revision: the editor replaces the block it has
            self._blocks.append(RecordedBlock(last.number, self._revision, block))
        else:
            if len(self._blocks) >= MAX_BLOCKS:
                return  # a workflow could not hold more
            self._blocks.append(RecordedBlock(self._revision, self._revision, block))
        self._wake()

    def end(self) -> None:
        """End the waits: there will be no more blocks."""
        self._has_ended = True
        self._wake()

    async def since(self, revision: int, wait_seconds: float) -> list[RecordedBlock]:
        """The blocks added or changed after `revision`; waits for one."""
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_seconds):
                # `_wake` replaces the event, so each turn waits for the current one
                while not (found := self._after(revision)) and not self._has_ended:
                    await self._changed.wait()
                return found
        return []

    def _after(self, revision: int) -> list[RecordedBlock]:
        return [block for block in self._blocks if block.revision > revision]

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
