"""A store of events for tests that do not read them."""

from collections.abc import Sequence

from pagehand.records import Event
from pagehand.storage.events import EventStore


class IgnoredEvents(EventStore):
    """Accepts every event and keeps none, so it needs no execution in a database."""

    def __init__(self) -> None: ...

    async def add(self, added: Sequence[Event], fence: int | None = None) -> bool:  # noqa: ARG002 - the store's own signature
        return True
