"""One process runs a database's executions: a living owner is left alone, a dead one is outlived."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing

import pytest
from sqlalchemy import make_url

from pagehand.engine.local import ownership as module
from pagehand.engine.local.ownership import Ownership
from pagehand.errors import Conflict, Unavailable
from pagehand.testing import Harness
from support.waiting import until

pytestmark = pytest.mark.anyio


class Processes:
    """Processes that want to own one database."""

    def __init__(self, harness: Harness) -> None:
        self.store = harness.stores.owner
        self._path = make_url(harness.settings.database_url).database or ""
        self.lost: list[str] = []
        self._made: list[Ownership] = []

    def start(self, installation: str) -> Ownership:
        self._made.append(Ownership(self.store, installation, self.lost.append))
        return self._made[-1]

    async def description(self) -> str:
        present = await self.store.present()
        return present.installation if present is not None else ""

    def set_clock_back(self) -> None:
        """The last heartbeat is an hour ahead of the clock then."""
        with closing(sqlite3.connect(self._path)) as database, database:
            database.execute("UPDATE engine_owner SET beat_at = beat_at + 3600000")

    async def stop(self) -> None:
        for made in self._made:
            await made.leave()


@pytest.fixture
async def processes(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Processes]:
    monkeypatch.setattr(module, "_BEAT_SECONDS", 0.02)
    monkeypatch.setattr(module, "_WATCHED_SECONDS", 0.1)
    monkeypatch.setattr(module, "LOST_AFTER_SECONDS", 0.15)
    made = Processes(harness)
    yield made
    await made.stop()


async def test_a_database_that_nobody_owns_is_taken_at_once(processes: Processes) -> None:
    await processes.start("first").take()
    assert await processes.description() == "first"


async def test_a_living_owner_is_left_alone_and_named(processes: Processes) -> None:
    await processes.start("first").take()
    with pytest.raises(Conflict, match="--no-worker"):
        await processes.start("second").take()
    assert await processes.description() == "first"


async def test_an_owner_that_left_is_followed_without_waiting(
    processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOST_AFTER_SECONDS", 3600.0)
    first = processes.start("first")
    await first.take()
    await first.leave()
    await processes.start("second").take()
    assert await processes.description() == "second"


async def test_a_dead_owner_is_watched_and_then_replaced(
    processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead = processes.start("dead")
    with monkeypatch.context() as silent:
        silent.setattr(module, "_BEAT_SECONDS", 3600.0)  # it beats once and never again
        await dead.take()
        await asyncio.sleep(0)
    began = asyncio.get_running_loop().time()
    await processes.start("second").take()
    # after an outage the time of the last heartbeat proves nothing, so it is watched for a while
    assert asyncio.get_running_loop().time() - began >= 0.1
    assert await processes.description() == "second"


async def test_a_dead_owner_is_replaced_although_the_clock_was_set_back(
    processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead = processes.start("dead")
    with monkeypatch.context() as silent:
        silent.setattr(module, "_BEAT_SECONDS", 3600.0)
        await dead.take()
        await asyncio.sleep(0)
    processes.set_clock_back()
    async with asyncio.timeout(30):
        await processes.start("second").take()
    assert await processes.description() == "second"


async def test_the_same_installation_begins_again_at_once(processes: Processes) -> None:
    """A lock on its folder shows that the process before is gone."""
    await processes.start("same").take()
    await processes.start("same").take()
    await until(lambda: processes.lost)
    assert "taken over" in processes.lost[0]


async def test_a_database_that_is_away_does_not_delay_the_end(
    processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = processes.start("first")
    await first.take()

    async def away(_: str) -> None:
        raise Unavailable("The database cannot be reached right now.")

    with monkeypatch.context() as outage:
        outage.setattr(processes.store, "leave", away)
        await first.leave()


async def test_an_owner_that_never_took_the_database_leaves_nothing(processes: Processes) -> None:
    await processes.start("first").take()
    await processes.start("second").leave()
    assert await processes.description() == "first"
