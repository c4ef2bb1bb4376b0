"""What a run learns from its blocks for later runs."""

from typing import Protocol

from pagehand.workflow.envelope import Envelope


class Learner(Protocol):
    """Collects what a block used, and keeps it if the block succeeds."""

    def succeeded(self, envelope: Envelope) -> None:
        """Keep what was collected from a block: it did its work."""
        ...

    def failed(self, envelope: Envelope) -> None:
        """Drop what was collected from a block: it may have been wrong."""
        ...

    async def save(self) -> None:
        """Write what was kept, for the next run."""
        ...
