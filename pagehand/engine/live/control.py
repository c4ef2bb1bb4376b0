"""A live session as its callers see it, whichever process has its browser."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pagehand.browser_session import PickedElement
from pagehand.engine.live.recording import RecordedBlock
from pagehand.records import ExecutionFailure, Json
from pagehand.workflow.envelope import Envelope


@dataclass(slots=True, frozen=True, kw_only=True)
class Part:
    """Blocks to run: all of them, those up to one, or one alone."""

    blocks: list[Envelope]
    only_id: str | None = None
    """The one block to run, on the page as it is."""
    last_id: str | None = None
    """The block to stop after."""


@dataclass(slots=True, frozen=True, kw_only=True)
class PartReport:
    """How it went; texts and values are free of secrets."""

    failure: ExecutionFailure | None
    analysis: str
    outputs: Json
    """What the blocks have put out so far, by reference."""


class SessionControl(Protocol):
    """Everything raises `Conflict` once the session has ended."""

    async def opened(self) -> None:
        """Return once there is a browser to see, or when there will be none."""
        ...

    async def run(self, part: Part) -> PartReport:
        """Run blocks after whatever was asked for before."""
        ...

    async def pick(self, x: float, y: float, *, with_locators: bool) -> PickedElement | None:
        """The element at a point of the window and the locators that lead to it; None where nothing is."""
        ...

    async def read(self, x: float, y: float) -> Json | None:
        """A block that reads the table or the text at a point of the window; None where nothing is."""
        ...

    async def record(self, *, is_on: bool, with_address: bool) -> None:
        """Begin or end to make blocks of what the person does on the live page."""
        ...

    async def recorded(self, after: int, wait_seconds: float) -> Sequence[RecordedBlock]:
        """The blocks made or changed after a revision, waited for."""
        ...

    async def stop(self) -> bool:
        """Interrupt the blocks that run now, and keep the browser; False when none do."""
        ...

    async def close(self) -> None:
        """Interrupt the blocks that run now, refuse those that wait, and end well."""
        ...
