"""Which things changed: gathered per watcher, each thing once, and everything for who lags behind."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest

from pagehand.engine import changes as module
from pagehand.engine.changes import EVERYTHING, Change, Changes
from support.waiting import until

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def short_gathering(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_GATHER_SECONDS", 0.02)


async def start_watching(changes: Changes, organization: str = "org_1") -> AsyncGenerator[Sequence[Change]]:
    """A watcher that has begun: its first look found nothing."""
    watching = changes.watch(organization, quiet_seconds=0.02)
    assert await anext(watching) == []
    return watching


async def test_a_burst_is_published_once_per_thing_and_to_its_organization_alone() -> None:
    changes = Changes()
    mine, theirs = await start_watching(changes), await start_watching(changes, "org_2")
    for _ in range(3):
        changes.publish("org_1", "execution", "exec_1")
    changes.publish("org_1", "login", "login_1")
    assert await anext(mine) == [Change("execution", "exec_1"), Change("login", "login_1")]
    assert (await anext(mine), await anext(theirs)) == ([], [])
    for watching in (mine, theirs):
        await watching.aclose()


async def test_a_change_ends_a_quiet_wait_at_once() -> None:
    changes = Changes()
    watching = changes.watch("org_1", quiet_seconds=60)
    first = asyncio.ensure_future(anext(watching))
    await until(lambda: changes.is_watched)
    changes.publish("org_1", "schedule")
    assert await asyncio.wait_for(first, 5) == [Change("schedule", "")]
    await watching.aclose()


async def test_a_watcher_that_lags_behind_reads_everything_again() -> None:
    changes = Changes()
    watching = await start_watching(changes)
    for number in range(256):
        changes.publish("org_1", "execution", f"exec_{number}")
    changes.publish("org_1", "execution", "exec_0")  # known already: nothing is lost
    assert len(await anext(watching)) == 256
    for number in range(300):
        changes.publish("org_1", "execution", f"exec_{number}")
    assert await anext(watching) == [EVERYTHING]
    changes.publish("org_1", "execution", "exec_1")
    changes.publish_everything()
    assert EVERYTHING in await anext(watching)
    await watching.aclose()


async def test_nothing_is_kept_for_watchers_that_left() -> None:
    changes = Changes()
    first, second = await start_watching(changes), await start_watching(changes)
    await first.aclose()
    assert changes.is_watched
    await second.aclose()
    assert not changes.is_watched
    changes.publish("org_1", "execution", "exec_1")


async def test_every_watch_ends_when_the_service_stops() -> None:
    changes = Changes()
    watching = changes.watch("org_1", quiet_seconds=60)
    waiting = asyncio.ensure_future(anext(watching))
    await until(lambda: changes.is_watched)
    changes.close()
    assert await waiting == [EVERYTHING]
    assert [found async for found in watching] == []
    assert not changes.is_watched
