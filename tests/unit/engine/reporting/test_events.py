"""Events are written soon, all of them, in order."""

import asyncio
from collections.abc import Sequence

import pytest

from pagehand.engine.reporting.events import Journal
from pagehand.errors import Unavailable
from pagehand.records import Event
from pagehand.secrets.redactor import Redactor
from pagehand.storage.events import EventStore

pytestmark = pytest.mark.anyio


class Store(EventStore):
    """Keeps events; the first `failures` writes find no database, and each takes a moment."""

    def __init__(self, failures: int = 0) -> None:
        self.failures = failures
        self.kept: list[str] = []

    async def add(self, added: Sequence[Event], fence: int | None = None) -> bool:  # noqa: ARG002 - the store's own signature
        await asyncio.sleep(0.05)
        if self.failures:
            self.failures -= 1
            raise Unavailable
        self.kept += [event.message for event in added]
        return True


async def written(store: Store, count: int) -> list[str]:
    async with asyncio.timeout(5):
        while len(store.kept) < count:  # noqa: ASYNC110 - the store tells nobody
            await asyncio.sleep(0.01)
    return store.kept


async def test_a_database_that_was_away_gets_the_events_without_another_one() -> None:
    store = Store(failures=2)
    journal = Journal(store, "exec_1", Redactor(), 0)
    journal.add("a.b", "one")
    assert await written(store, 1) == ["one"]


async def test_an_event_that_comes_while_others_are_written_is_written_too() -> None:
    store = Store()
    journal = Journal(store, "exec_1", Redactor(), 0)
    journal.add("a.b", "one")
    await asyncio.sleep(0.12)  # the first write is under way
    journal.add("a.b", "two")
    assert await written(store, 2) == ["one", "two"]


async def test_closing_writes_the_last_events() -> None:
    store = Store()
    journal = Journal(store, "exec_1", Redactor(["geheim"]), 0)
    journal.add("a.b", "the word is geheim")
    await journal.close()
    assert store.kept == ["the word is ***"]
