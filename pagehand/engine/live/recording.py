"""The blocks that a recording has made so far, for whoever waits for the next."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass

from pagehand.records import Json
from pagehand.workflow.parse import MAX_BLOCKS


@dataclass(slots=True, frozen=True)
class RecordedBlock:
    """A block and its place in the recording; `number` says which it is, `revision` when it last changed."""

    number: int
    revision: int
    block: Json


class Recording:
    """Blocks in the order they were made; the last one may still change."""

    def __init__(self) -> None:
        self._blocks: list[RecordedBlock] = []
        self._revision = 0
        self._news = asyncio.Event()
        self._has_ended = False

    def clear(self) -> None:
        """Begin anew; numbers and revisions go on, so that nobody takes a new block for an old one."""
        self._blocks.clear()

    def add(self, block: Json, *, replaces_last: bool) -> None:
        """One more, or the last one anew."""
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
        """Nothing more will come."""
        self._has_ended = True
        self._wake()

    async def since(self, revision: int, wait_seconds: float) -> list[RecordedBlock]:
        """What was made or changed after `revision`, waited for."""
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_seconds):
                # `_wake` exchanges the event, so each turn waits for the present one
                while not (found := self._after(revision)) and not self._has_ended:
                    await self._news.wait()
                return found
        return []

    def _after(self, revision: int) -> list[RecordedBlock]:
        return [block for block in self._blocks if block.revision > revision]

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()
