"""The interface of a live session, whether its browser is in this process or another; its recording."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from pagehand.browser_session import PickedElement
from pagehand.records import ExecutionFailure, Json
from pagehand.workflow.parse import MAX_BLOCKS
from pagehand.workflow.tree import Envelope


@dataclass(slots=True, frozen=True, kw_only=True)
class BlocksToRun:
    """Blocks to run: all of them, those up to one or from one on, or only one."""

    blocks: list[Envelope]
    only_id: str | None = None
    """The only block to run, on the current page."""
    last_id: str | None = None
    """The block to stop after."""
    first_id: str | None = None
    """The block to start with."""
    continues_id: str | None = None
    """The finished execution whose outputs, address and cookies are taken over first."""


@dataclass(slots=True, frozen=True, kw_only=True)
class BlocksReport:
    """The result of running blocks; secrets are redacted."""

    failure: ExecutionFailure | None
    analysis: str
    outputs: Json
    """The outputs of the blocks so far, by reference."""


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
        self._is_on = False

    def begin(self) -> None:
        """Start again; numbers and revisions continue, so a new block is not taken for an old one."""
        self._blocks.clear()
        self._is_on = True

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
        """End the waits: there will be no more blocks until it begins again."""
        self._is_on = False
        self._wake()

    async def since(self, revision: int, wait_seconds: float) -> list[RecordedBlock]:
        """The blocks added or changed after `revision`; waits for one while it is on."""
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_seconds):
                # `_wake` replaces the event, so each turn waits for the current one
                while not (found := self._after(revision)) and self._is_on:
                    await self._changed.wait()
                return found
        return []

    def _after(self, revision: int) -> list[RecordedBlock]:
        return [block for block in self._blocks if block.revision > revision]

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


class LiveSessionControl(Protocol):
    """What callers may do; every method raises `Conflict` once the session has ended."""

    async def opened(self) -> None:
        """Return once the browser is open, or when there will be none."""
        ...

    async def run(self, blocks: BlocksToRun) -> BlocksReport:
        """Run blocks after earlier requests."""
        ...

    async def pick(self, x: float, y: float, *, with_locators: bool) -> PickedElement | None:
        """The element at a point of the window and the locators that lead to it; None where nothing is."""
        ...

    async def describe(self) -> Json:
        """The page in words: its `url`, its `title`, and the `elements` that locators can name."""
        ...

    async def read(self, x: float, y: float) -> Json | None:
        """A block that reads the table or the text at a point of the window; None where nothing is."""
        ...

    async def record(self, *, is_on: bool, with_address: bool) -> None:
        """Start or stop recording what the person does on the live page as blocks."""
        ...

    async def recorded(self, after: int, wait_seconds: float) -> Sequence[RecordedBlock]:
        """The blocks added or changed after a revision; waits for one while it records."""
        ...

    async def stop(self) -> bool:
        """Interrupt the running blocks and keep the browser; False when none run."""
        ...

    async def close(self) -> None:
        """Interrupt the running blocks and end the session."""
        ...
