"""Those who want to hear of executions."""

from collections.abc import Callable, Sequence
from typing import Protocol

from pagehand.records import (
    Delivery,
    Json,
)


class Announcer(Protocol):
    """Knows which webhooks listen for what."""

    async def listeners(
        self, organization_id: str, event: str, /
    ) -> "Callable[[Json], Sequence[Delivery]] | None":
        """A function that composes the event's deliveries out of its data; None when nobody listens."""
        ...

    @property
    def wake(self) -> Callable[[], None]:
        """To be called when deliveries were written."""
        ...
