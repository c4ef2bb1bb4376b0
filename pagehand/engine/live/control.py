"""The interface of a live session, whether its browser is in this process or another."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pagehand.browser_session import PickedElement
from pagehand.engine.live.recording import RecordedBlock
from pagehand.records import ExecutionFailure, Json
from pagehand.workflow.envelope import Envelope


@dataclass(slots=True, frozen=True, kw_only=True)
class BlocksToRun:
    """Blocks to run: all of them, those up to one, or only one."""

    blocks: list[Envelope]
    only_id: str | None = None
    """The only block to run, on the current page."""
    last_id: str | None = None
    """The block to stop after."""


@dataclass(slots=True, frozen=True, kw_only=True)
class BlocksReport:
    """The result of running blocks; secrets are redacted."""

    failure: ExecutionFailure | None
    analysis: str
    outputs: Json
    """The outputs of the blocks so far, by reference."""


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

    async def read(self, x: float, y: float) -> Json | None:
        """A block that reads the table or the text at a point of the window; None where nothing is."""
        ...

    async def record(self, *, is_on: bool, with_address: bool) -> None:
        """Start or stop recording what the person does on the live page as blocks."""
        ...

    async def recorded(self, after: int, wait_seconds: float) -> Sequence[RecordedBlock]:
        """The blocks added or changed after a revision; waits for one."""
        ...

    async def stop(self) -> bool:
        """Interrupt the running blocks and keep the browser; False when none run."""
        ...

    async def close(self) -> None:
        """Interrupt the running blocks and end the session."""
        ...
