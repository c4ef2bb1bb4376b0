"""Whatever is written of executions, events and batches is published to those who watch the organization."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pagehand.clock import now_ms
from pagehand.engine.changes import Change, ChangePublisher, Changes
from pagehand.ids import new_id
from pagehand.records import Batch, Event, Execution, Json, Requeue, Status
from pagehand.storage import Stores
from pagehand.storage.executions import ExecutionStore
from pagehand.testing.harness import opened_database
from support.ending import final_state

pytestmark = pytest.mark.anyio


class Watched:
    """Stores, and what was published to the watchers of `org_a` since it was last asked."""

    def __init__(self, stores: Stores, changes: Changes) -> None:
        self.stores = stores
        self.published: list[Change] = []
        changes.publish = self._note  # type: ignore[method-assign]  # pyright: ignore[reportAttributeAccessIssue] - gathering would take 0.2 s each time

    def _note(self, organization_id: str, noun: str, id: str = "") -> None:  # noqa: A002 - as in `Changes`
        assert organization_id == "org_a"
        self.published.append(Change(noun, id))

    def taken(self) -> list[Change]:
        published, self.published = self.published, []
        return published


def execution(**fields: Any) -> Execution:
    now = now_ms()
    values: Json = {
        "id": new_id("exec"),
        "organization_id": "org_a",
        "workflow_id": "wf_1",
        "workflow_name": "Invoices",
        "workflow_version": 1,
        "browser_session_id": new_id("bs"),
        "accepted_at": now,
        "start_time": now,
        "deadline_at": now + 60_000,
    }
    return Execution(**values | fields)


@pytest.fixture
async def watched(tmp_path: Path) -> AsyncIterator[Watched]:
    path = tmp_path / "stores.db"
    database = await opened_database(path, f"sqlite+aiosqlite:///{path}")
    changes = Changes()
    stores = Stores(database, on_change=ChangePublisher(changes, ExecutionStore(database).without_values))
    watching = changes.watch("org_a", 60)
    first = asyncio.ensure_future(anext(watching))
    await asyncio.sleep(0)
    yield Watched(stores, changes)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    await watching.aclose()
    await database.close()


async def test_every_step_of_an_execution_is_published(watched: Watched) -> None:
    executions = watched.stores.executions
    added = await executions.add(execution())
    of_it = Change("execution", added.id)
    assert watched.taken() == [of_it]
    claimed = await executions.claim(added.id, at=1)
    assert claimed is not None
    assert watched.taken() == [of_it]
    await executions.update(added.id, 1, session_id="s")
    assert watched.taken() == [of_it]
    # who waits for a person shows among what needs attention
    await executions.update(added.id, 1, status=Status.PAUSED)
    assert watched.taken() == [of_it, Change("attention", added.id)]
    await executions.finish(final_state(added.id, status=Status.FAILED), 1)
    assert watched.taken() == [of_it, Change("attention", added.id)]


async def test_claim_that_came_second_publishes_nothing(watched: Watched) -> None:
    added = await watched.stores.executions.add(execution())
    await watched.stores.executions.claim(added.id, at=1)
    watched.taken()
    assert await watched.stores.executions.claim(added.id, at=2) is None
    assert watched.taken() == []


async def test_requeued_execution_is_published_as_one_that_waits_again(watched: Watched) -> None:
    added = await watched.stores.executions.add(execution())
    await watched.stores.executions.claim(added.id, at=1)
    watched.taken()
    requeue = Requeue(attempts=2, metadata={}, at=5)
    assert await watched.stores.executions.requeue(added.id, 1, requeue)
    assert watched.taken() == [Change("execution", added.id), Change("attention", added.id)]


async def test_many_that_end_together_are_each_published(watched: Watched) -> None:
    waiting = [await watched.stores.executions.add(execution()) for _ in range(3)]
    watched.taken()
    ends = [final_state(item.id, status=Status.FAILED) for item in waiting]
    ended = await watched.stores.executions.finish_waiting(ends, token="t")
    assert sorted(ended) == sorted(item.id for item in waiting)
    published = watched.taken()
    assert {change.id for change in published if change.noun == "execution"} == set(ended)
    assert {change.id for change in published if change.noun == "attention"} == set(ended)


async def test_events_are_published_once_for_each_execution(watched: Watched) -> None:
    first, second = [await watched.stores.executions.add(execution()) for _ in range(2)]
    watched.taken()
    events = [
        Event(execution_id=which.id, seq=seq, at=seq, type="block.started", message="m")
        for which in (first, second)
        for seq in (1, 2)
    ]
    await watched.stores.events.add(events[:2])
    assert watched.taken() == [Change("event", first.id)]
    await watched.stores.events.add(events[2:])
    assert watched.taken() == [Change("event", second.id)]


async def test_events_of_what_is_not_there_are_published_to_nobody(watched: Watched) -> None:
    await watched.stores.executions.update("exec_none", 1, session_id="s")
    assert watched.taken() == []


async def test_batch_is_published_with_its_executions_and_when_it_is_paused(watched: Watched) -> None:
    batch = Batch(
        id="batch_1",
        organization_id="org_a",
        name="March",
        workflow_id="wf_1",
        workflow_name="Invoices",
        total=2,
        created_at=1,
    )
    await watched.stores.batches.add(batch, [execution(batch_id="batch_1") for _ in range(2)])
    # one change for all of them: a batch of 10,000 must not send 10,000
    assert watched.taken() == [Change("batch", "batch_1"), Change("execution", "")]
    await watched.stores.batches.set_paused("org_a", "batch_1", 5)
    assert watched.taken() == [Change("batch", "batch_1")]


async def test_execution_that_is_no_longer_remembered_is_looked_up(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagehand.engine.changes._KNOWN_ORGANIZATIONS", 1)
    first, _ = [await watched.stores.executions.add(execution()) for _ in range(2)]
    watched.taken()
    await watched.stores.executions.update(first.id, 1, session_id="s")
    assert watched.taken() == [Change("execution", first.id)]
